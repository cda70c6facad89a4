#!/usr/bin/env bash
# The Tryton connector with a real Tryton: conformance with orders, the tests of its risks, orders during kills, and a statement.
# Installs Debian's packages if it may, and restores the committed dump. Without Tryton, prints one line and ends well.
set -u
cd "$(dirname "$0")/.." || exit 1

# Ports of this run alone, below those that the system gives to clients.
port=$((10000 + $$ % 800 * 5))
connector_port=$((port + 4))
home=$(mktemp -d)
# PostgreSQL and Tryton run as other users and must reach their folders.
chmod 711 "$home"
pids=()
end() {
  local pid
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null; done
  rm -rf "$home"
}
trap end EXIT

node=$(npm exec --offline --call 'command -v node')
. .ci/other-day.sh
start_sandbox() { # name, port: that of Tryton, before the one of its PostgreSQL, further options
  local out=$home/$1.log sandbox
  "$node" packages/connector-tryton/src/tryton/command.ts \
    --home "$home/$1" --port "$2" --postgres-port $(($2 + 1)) "${@:3}" >"$out" 2>&1 &
  sandbox=$!
  pids+=("$sandbox")
  for _ in $(seq 1200); do
    grep -q '^ready$' "$out" && break
    kill -0 "$sandbox" 2>/dev/null || break
    sleep 0.25
  done
  grep -q '^ready$' "$out"
}
if ! start_sandbox conformance $port --timezone "$other_day_zone"; then
  if reason=$(grep -m 1 'Tryton cannot run here\|apt-get failed' "$home/conformance.log"); then
    printf '== not run: the Tryton connector. %s\n' "$reason"
    exit 0
  fi
  cat "$home/conformance.log"
  exit 1
fi
printf 'a sandbox after %d s\n' "$SECONDS"

export TRYTON_URL=http://127.0.0.1:$port TRYTON_DATABASE=tryton_trade TRYTON_USER=gateway
export TRYTON_PASSWORD=sandbox-Gateway-12345 TRYTON_CONFIG=$home/config.json
set_warehouse_zones packages/connector-tryton/sandbox.json >"$TRYTON_CONFIG"
export UPSTREAM_TOKEN=ci-token-for-the-connector UPSTREAM_PASSWORD=sandbox-Shop-12345
"$node" packages/connector-tryton/src/main.ts --port $connector_port >"$home/connector.log" 2>&1 &
pids+=("$!")
for _ in $(seq 240); do
  curl -s -o /dev/null "http://127.0.0.1:$connector_port/" && break
  sleep 0.25
done

# The tests of the risks have a Tryton of their own, whose one core is what they wait for, and run beside the rest.
failed=0
risks_port=$((port + 2))
start_sandbox risks $risks_port || { cat "$home/risks.log"; exit 1; }
TRYTON_PARALLEL_HOLDS=${TRYTON_PARALLEL_HOLDS:-20} TEST_TRYTON_URL=http://127.0.0.1:$risks_port \
  npx vitest run --no-file-parallelism packages/connector-tryton/tests >"$home/risks.out" 2>&1 &
risks=$!
pids+=("$risks")
"$node" packages/connector-tryton/tests/staff.ts --port $port 2>"$home/staff.log" &
staff=$!
pids+=("$staff")
npm run -s conformance -- "http://127.0.0.1:$connector_port" --customer CUST-HARBOUR --other-customer CUST-LANTERN \
  --username harbour@shop.example --warehouse AUSYD1 --sku ST0008-S || failed=1
kill "$staff" || { cat "$home/staff.log"; failed=1; }
printf 'conformance after %d s\n' "$SECONDS"
"$node" packages/connector-tryton/tests/kills.ts --orders "${TRYTON_KILL_ORDERS:-4}" || failed=1
printf 'kills after %d s\n' "$SECONDS"
"$node" packages/connector-tryton/tests/statement.ts --bookings "${TRYTON_BOOKINGS:-15}" || failed=1
printf 'the statement after %d s\n' "$SECONDS"
wait "$risks" || failed=1
cat "$home/risks.out"
printf 'the risks after %d s\n' "$SECONDS"
[ "$failed" -eq 0 ] || tail -n 40 "$home/connector.log"
exit "$failed"
