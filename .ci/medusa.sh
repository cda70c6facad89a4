#!/usr/bin/env bash
# Checks the Medusa connector on a real Medusa: installs and starts one, and runs the conformance suite with orders and
# the live tests. Medusa is kept in MEDUSA_HOME, by default in the user's cache, so that only the first run installs it.
# Usage: [MEDUSA_PART=1/2] .ci/medusa.sh
set -u
cd "$(dirname "$0")/.." || exit 1

# Ports of this run alone, below those that the system gives to clients.
port=$((14000 + $$ % 1000 * 3))
postgres_port=$((port + 1)) connector_port=$((port + 2))
work=$(mktemp -d)
sandbox= connector= conformance= staff=
node=node_modules/.bin/node

stop() {
  for pid in $conformance $staff $connector $sandbox; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; done
  rm -rf "$work"
}
trap stop EXIT

wait_for() { # text, file, pid
  for _ in $(seq 600); do
    grep -q "$1" "$2" && return 0
    kill -0 "$3" 2>/dev/null || return 1
    sleep 0.5
  done
  return 1
}

if ! "$node" packages/connector-medusa/src/medusa/command.ts --install-only >"$work/install" 2>&1; then
  echo "== not run: the Medusa connector on a real Medusa, because $(tail -n 1 "$work/install")"
  exit 0
fi
if [ -z "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null)" ]; then
  echo '== not run: the Medusa connector on a real Medusa, because PostgreSQL is not installed'
  exit 0
fi
"$node" packages/connector-medusa/src/medusa/command.ts --port "$port" --postgres-port "$postgres_port" \
  >"$work/sandbox" 2>&1 &
sandbox=$!
wait_for '^ready$' "$work/sandbox" "$sandbox" || { cat "$work/sandbox"; exit 1; }
. .ci/other-day.sh
set_warehouse_zones packages/connector-medusa/sandbox.json >"$work/config.json"
export MEDUSA_CONFIG=$work/config.json UPSTREAM_TOKEN=medusa-check
while IFS='=' read -r name value; do export "$name=$value"; done < <(grep '^MEDUSA_' "$work/sandbox")
"$node" packages/connector-medusa/src/main.ts --port "$connector_port" >"$work/connector" 2>&1 &
connector=$!
wait_for '^Medusa connector at' "$work/connector" "$connector" || { cat "$work/connector"; exit 1; }

# The suite and the tests run side by side, on different goods.
failed=0
username=$(sed -n 's/^customer Harbour Stores: \([^ ]*\) .*/\1/p' "$work/sandbox")
UPSTREAM_PASSWORD=$(sed -n 's/^customer Harbour Stores: [^ ]* //p' "$work/sandbox")
export UPSTREAM_PASSWORD
read_customer_code() { # name, as the sandbox has printed it
  local line
  line=$(sed -n "s/^customer $1: //p" "$work/sandbox")
  curl -s "http://127.0.0.1:$connector_port/sign_in" -H "Authorization: Bearer $UPSTREAM_TOKEN" \
    -d "{\"username\": \"${line%% *}\", \"password\": \"${line#* }\"}" | sed 's/.*"customer_code":"\([^"]*\)".*/\1/'
}
customer=$(read_customer_code 'Harbour Stores')
other_customer=$(read_customer_code 'Corner Retail')
export TEST_MEDUSA_URL=$MEDUSA_URL TEST_MEDUSA_SECRET_KEY=$MEDUSA_SECRET_KEY
export TEST_MEDUSA_PUBLISHABLE_KEY=$MEDUSA_PUBLISHABLE_KEY
"$node" packages/connector-medusa/tests/staff.ts 2>"$work/staff" &
staff=$!
npm run -s conformance -- "http://127.0.0.1:$connector_port" --customer "$customer" --other-customer "$other_customer" \
  --username "$username" --warehouse AUSYD1 --sku MED-0001-S \
  >"$work/conformance" &
conformance=$!
npx vitest run --shard="${MEDUSA_PART:-1/1}" packages/connector-medusa/tests || failed=1
wait "$conformance" || { failed=1; cat "$work/connector"; }
kill "$staff" || { cat "$work/staff"; failed=1; }
staff=
grep -v '^ok' "$work/conformance"
exit $failed
