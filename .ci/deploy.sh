#!/usr/bin/env bash
# Checks the files of deploy: the compose file, the unit of systemd and the manifests of Kubernetes by their own tools, and
# the configuration of nginx, Valkey and Prometheus by running these servers with it, in front of two gateways on one
# PostgreSQL, which one of them reaches through PgBouncer. Requires TEST_DATABASE_URL. Usage: .ci/deploy.sh
set -eu
cd "$(dirname "$0")/.."
node=$PWD/node_modules/.bin/node
port=${DEPLOY_PORT:-19100} # and the next six
work=$(mktemp -d)
pids=
finish() {
  for pid in $pids; do kill "$pid" 2>/dev/null || true; done
  for pid in $pids; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
fail() { echo "$1"; exit 1; }

. .ci/debian.sh
has nginx || unpack "$work/debian" nginx || fail 'nginx is missing, and could not be fetched from Debian as root'
has prometheus || unpack "$work/debian" prometheus || fail 'Prometheus is missing, and could not be fetched from Debian as root'

sh deploy/make-secrets.sh "$work/secrets" >/dev/null
secret() { cat "$work/secrets/$1"; }
before=$(secret admin_token)
sh deploy/make-secrets.sh "$work/secrets" >/dev/null
[ "$before" = "$(secret admin_token)" ] || fail 'make-secrets.sh replaced a secret'

if ! has docker-compose && [ "$(id -u)" -eq 0 ]; then
  DEBIAN_FRONTEND=noninteractive apt_get install -y -qq --no-install-recommends docker-compose >/dev/null 2>&1 || true
fi
if has docker-compose; then
  docker-compose -f compose.yaml config >"$work/compose"
  ! grep -rqF "$before" "$work/compose" || fail 'the compose file has a secret'
  echo 'docker-compose accepts compose.yaml, without any variable set'
else
  echo '== not run: docker-compose config, because docker-compose is not installed'
fi
if has systemd-analyze; then
  mkdir -p "$work/units"
  # The unit names a Node and a package that this machine has elsewhere.
  sed "s#^ExecStart=/usr/bin/node [^ ]*#ExecStart=$node $PWD/packages/gateway/src/command.ts#" deploy/systemd/trade-gateway.service >"$work/units/trade-gateway.service"
  systemd-analyze verify "$work/units/trade-gateway.service" 2>"$work/verify" || fail "$(cat "$work/verify")"
  ! grep -q trade-gateway.service: "$work/verify" || fail "$(cat "$work/verify")"
  systemd-analyze security --offline=true --threshold=20 "$work/units/trade-gateway.service" | tail -n 1
else
  echo '== not run: systemd-analyze, because systemd is not installed'
fi
npm run -s kubernetes

# The first gateway runs under the filters of the unit: Node's calls are known only by running it.
unit=$PWD/deploy/systemd/trade-gateway.service
filtered=()
if has systemd-analyze && has python3; then
  if reason=$(python3 scripts/deploy/unit-filter.py "$unit" true 2>&1); then
    filtered=(python3 "$PWD/scripts/deploy/unit-filter.py" "$unit")
  else
    [ $? -eq 69 ] || fail "the filters of the unit: $reason"
    echo "== not run: a gateway under the filters of the unit, because $reason"
  fi
else
  echo '== not run: a gateway under the filters of the unit, because systemd or Python is not installed'
fi

# Valkey, or the Redis that it descends from.
valkey=$(command -v valkey-server || command -v redis-server || true)
if [ -n "$valkey" ]; then
  sed "s#/run/secrets/#$work/secrets/#" deploy/valkey.conf >"$work/valkey.conf"
  "$valkey" "$work/valkey.conf" --bind 127.0.0.1 --port "$((port + 1))" >"$work/valkey" 2>&1 &
  pids="$pids $!"
else
  echo '== not run: Valkey with deploy/valkey.conf, because neither valkey-server nor redis-server is installed'
fi

# The sandbox ERP and the two gateways read their secrets from files, as in compose.yaml.
database=deploy_$$
psql=$(command -v psql || ls -d /usr/lib/postgresql/*/bin/psql | tail -n 1)
"$psql" -q "$TEST_DATABASE_URL" -c "create database $database"
printf '%s' "${TEST_DATABASE_URL%/*}/$database" >"$work/secrets/database_url"
# Gateway 2 reaches it through PgBouncer.
. .ci/pgbouncer.sh
count_pooled() { # connections to PgBouncer so far
  grep -c "login attempt: db=$database" "$work/pgbouncer/log" || true
}
if fetch_pgbouncer "$work/debian"; then
  start_pgbouncer "$work/pgbouncer" "$((port + 6))" "$database" || fail 'PgBouncer does not start'
  pids="$pids $(cat "$work/pgbouncer/pid")"
  printf 'postgres://gateway@127.0.0.1:%s/%s' "$((port + 6))" "$database" >"$work/secrets/database_url_2"
  DATABASE_URL=$(secret database_url_2) "$node" scripts/deploy/pooled-sessions.ts
  probed=$(count_pooled)
  echo 'the limits of the sessions hold behind PgBouncer'
else
  echo '== not run: gateway 2 behind PgBouncer, because it is not installed, and could not be fetched from Debian as root'
fi
printf 'redis://:%s@127.0.0.1:%s' "$(secret valkey_password)" "$((port + 1))" >"$work/secrets/valkey_url"
UPSTREAM_TOKEN_FILE=$work/secrets/upstream_token "$node" packages/gateway/src/command.ts sandbox-erp --port "$((port + 2))" --database "$work/erp.db" \
  >"$work/erp" 2>&1 &
pids="$pids $!"
start_gateway() { # number
  local files=() under=()
  [ "$1" -ne 1 ] || under=("${filtered[@]}")
  for name in admin_token secrets_key metrics_token upstream_token database_url ${valkey:+valkey_url}; do
    files+=("$(printf %s "$name" | tr a-z A-Z)_FILE=$work/secrets/$name")
  done
  [ ! -f "$work/secrets/database_url_$1" ] || files+=("DATABASE_URL_FILE=$work/secrets/database_url_$1")
  mkdir -p "$work/data-$1"
  (cd "$work/data-$1" && exec env "${files[@]}" UPSTREAM_URL="http://127.0.0.1:$((port + 2))" TRUST_PROXY=127.0.0.1/32 RATE_LIMIT_POINTS=1000000 \
    DATA_DIR="$work/data-$1" PORT="$((port + 2 + $1))" LOG_LEVEL=warn "${under[@]}" "$node" "$OLDPWD/packages/gateway/src/command.ts") \
    >>"$work/gateway-$1" 2>&1 &
  pids="$pids $!"
  eval "gateway_$1=$!"
}
wait_ready() { # port, file
  for _ in $(seq 240); do
    curl -s "http://127.0.0.1:$1/readyz" | grep -q '"ready":true' && return 0
    sleep 0.5
  done
  fail "$(tail -n 20 "$2")"
}
for _ in $(seq 120); do grep -q '^account of CUST-HARBOUR' "$work/erp" && break; sleep 0.5; done
start_gateway 1
start_gateway 2
wait_ready "$((port + 3))" "$work/gateway-1"
wait_ready "$((port + 4))" "$work/gateway-2"
if [ ${#filtered[@]} -gt 0 ]; then
  grep -q '^Seccomp:.*2$' "/proc/$gateway_1/status" || fail 'the first gateway runs without the filters of the unit'
  # The nineteenth field is the niceness (proc_pid_stat(5)), which packages/gateway/src/start/helper-threads.ts sets.
  awk '$2 == "(V8Worker)" && $19 >= 5 { found = 1 } END { exit !found }' /proc/"$gateway_1"/task/*/stat ||
    fail 'the unit refuses what lowers the priority of helper threads'
  echo 'a gateway is ready under the filters of the unit, and its helper threads give way'
fi

# nginx with the very file; what differs between installations is beside it.
mkdir "$work/nginx"
ln -s "$PWD/deploy/nginx/nginx.conf" "$work/nginx/nginx.conf"
echo "listen 127.0.0.1:$port;" >"$work/nginx/listen.conf"
echo '127.0.0.1 1;' >"$work/nginx/operators.conf"
sed "s/172.30.0.11:8080/127.0.0.1:$((port + 3))/; s/172.30.0.12:8080/127.0.0.1:$((port + 4))/" deploy/nginx/upstream.conf >"$work/nginx/upstream.conf"
nginx -q -t -c "$work/nginx/nginx.conf" 2>"$work/nginx/test" || fail "$(cat "$work/nginx/test")"
nginx -c "$work/nginx/nginx.conf" -g 'daemon off;' >"$work/nginx/log" 2>&1 &
nginx=$!
pids="$pids $nginx"
base=http://127.0.0.1:$port
wait_ready "$port" "$work/nginx/log"

admin="x-admin-token: $(secret admin_token)"
curl -s "$base/admin/api/channels" -H "$admin" -H 'Content-Type: application/json' \
  -d '{"channel_code": "harbour", "name": "Harbour", "plan": "full", "customer_code": "CUST-HARBOUR"}' | grep -q client_secret || fail 'no channel'
read -r OMS_USERNAME OMS_PASSWORD <<<"$(sed -n 's/^account of CUST-HARBOUR: //p' "$work/erp")"
export OMS_USERNAME OMS_PASSWORD
bash .ci/first-order.sh "$base"
# As the service `tools` of compose.yaml: two secrets, and the client programs of PostgreSQL.
(cd "$work" && env -i PATH="$(dirname "$psql"):$PATH" DATABASE_URL_FILE="$work/secrets/database_url" SECRETS_KEY_FILE="$work/secrets/secrets_key" \
  "$node" "$OLDPWD/packages/gateway/src/command.ts" backup "$work/backup") >"$work/backed-up" 2>&1 || fail "$(cat "$work/backed-up")"
grep -q ' [1-9][0-9]* orders' "$work/backed-up" || fail "the backup has no order: $(cat "$work/backed-up")"
echo 'a backup needs no more than the secrets of its service'
for path in /admin /admin/api/channels /metrics /sandbox/faults; do
  code=$(curl -s -o /dev/null -w '%{http_code}' --interface 127.0.0.2 -H "$admin" "$base$path")
  [ "$code" = 404 ] || fail "$path is $code for an address that is no operator's"
done
echo 'nginx serves the API, and the console and the metrics for operators only'
# A client behind nginx cannot choose its address: its wrong sign-ins count for 127.0.0.2, whatever it claims.
for number in $(seq 12); do
  code=$(curl -s -o /dev/null -w '%{http_code}' "$base/admin/api/channels" -H 'x-admin-token: wrong' -H "X-Forwarded-For: 203.0.113.$number")
done
[ "$code" = 429 ] || fail "the last of twelve wrong admin tokens is $code: the gateway counts addresses that a client wrote"
echo 'a client cannot write its own address'

# Prometheus with the very file; it scrapes both processes with the token.
mkdir "$work/prometheus"
for file in prometheus.yml alerts.yaml; do ln -s "$PWD/ops/$file" "$work/prometheus/$file"; done
cp "$work/secrets/metrics_token" "$work/prometheus/metrics-token"
sed "s/gateway-1:8080/127.0.0.1:$((port + 3))/; s/gateway-2:8080/127.0.0.1:$((port + 4))/" deploy/prometheus/targets.yml >"$work/prometheus/targets.yml"
prometheus --config.file="$work/prometheus/prometheus.yml" --storage.tsdb.path="$work/tsdb" --web.listen-address="127.0.0.1:$((port + 5))" >"$work/prometheus/log" 2>&1 &
pids="$pids $!"

# A rolling restart under load: no request fails, reads and writes alike.
token=$(curl -s "$base/api/v1/auth/token" -d grant_type=password --data-urlencode "username=$OMS_USERNAME" \
  --data-urlencode "password=$OMS_PASSWORD" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
"$node" scripts/deploy/traffic.ts "$base" "$token" >"$work/traffic" &
traffic=$!
for number in 1 2; do
  eval "pid=\$gateway_$number"
  kill -TERM "$pid"
  if wait "$pid"; then code=0; else code=$?; fi
  [ "$code" -eq 0 ] || fail "gateway $number ended with $code"
  start_gateway "$number"
  wait_ready "$((port + 2 + number))" "$work/gateway-$number"
  sleep 2
done
kill -TERM "$traffic" 2>/dev/null || fail 'the load ended before the restarts'
wait "$traffic" || fail "a restart behind nginx fails requests: $(cat "$work/traffic")"
echo "both gateways restarted behind nginx: $(cat "$work/traffic")"
if [ -d "$work/pgbouncer" ]; then
  pooled=$(($(count_pooled) - probed))
  [ "$pooled" -gt 0 ] || fail 'gateway 2 opened no connection to PgBouncer'
  echo "gateway 2 did so behind PgBouncer, over $pooled connections"
fi

for _ in $(seq 60); do
  up=$(curl -s "http://127.0.0.1:$((port + 5))/api/v1/query?query=sum(up)" | grep -o '"[0-9]*"\]' || true)
  [ "$up" = '"2"]' ] && break
  sleep 0.5
done
[ "$up" = '"2"]' ] || fail "Prometheus sees not both processes: $up $(tail -n 5 "$work/prometheus/log")"
echo 'Prometheus scrapes both gateways with the token of its file'
