#!/usr/bin/env bash
# Checks what the README and the quickstart promise: four commands lead from a clone to an order in five minutes, npm start
# serves, the printed commands work, a restart keeps tokens and versions, and a second process is refused with the pid of
# the first one.
set -eu
root=$PWD
work=$(mktemp -d)
max_quickstart=300 # seconds
export DATA_DIR="$work/data" PORT=19080 LOG_LEVEL=info
pid=

finish() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

# Runs the commands that the quickstart begins with, in a clone of the last commit: the one that keeps running in one
# terminal, and the one after it in another. Nothing of this checkout is used, except for npm's cache.
follow_quickstart() {
  local commands began=$SECONDS seconds
  mapfile -t commands < <(awk '/^```sh$/ { on = 1; next } /^```$/ { if (on) exit } on' docs/en/quickstart.md)
  [ "${#commands[@]}" -eq 4 ] || { echo "the quickstart begins with ${#commands[@]} commands, not with 4"; return 1; }
  # `exec`, so that a signal reaches npm.
  printf '%s\n' "${commands[@]:0:3}" | sed "s|<address of the repository>|$root|; s|npm start$|exec npm start|" >"$work/terminal-1"
  printf '%s\n' 'cd trade-gateway' "${commands[3]}" >"$work/terminal-2"
  (cd "$work" && exec env -u DATA_DIR bash -eu terminal-1) >"$work/out" 2>&1 &
  pid=$!
  until grep -q 'Trade Gateway is ready' "$work/out"; do
    kill -0 "$pid" 2>/dev/null && [ $((SECONDS - began)) -lt "$max_quickstart" ] || { cat "$work/out"; return 1; }
    sleep 0.25
  done
  # The profile of whoever runs this script stays as it is.
  (cd "$work" && XDG_CONFIG_HOME="$work/profile" XDG_STATE_HOME="$work/profile" TGW_KEYCHAIN=off bash -eu terminal-2) >"$work/order" 2>&1 &&
    grep '^The order dso_.* is placed' "$work/order" || { cat "$work/order"; return 1; }
  seconds=$((SECONDS - began))
  [ "$seconds" -lt "$max_quickstart" ] || { echo "the quickstart took $seconds s, of at most $max_quickstart"; return 1; }
  echo "the four commands of the quickstart lead to an order in $seconds s"
}

start() {
  # Emptied here, because the background process may not have opened the file before the loop reads it.
  : >"$work/out"
  npm --silent start >"$work/log" 2>"$work/out" &
  pid=$!
  for _ in $(seq 240); do
    grep -q '^TOKEN=' "$work/out" && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.25
  done
  cat "$work/out"
  return 1
}

stop() {
  kill "$pid"
  wait "$pid" || true
  pid=
}

follow_quickstart
stop
rm -rf "$work/trade-gateway"

start
grep -A3 '^TOKEN=' "$work/out" >"$work/lines"
[ "$(wc -l <"$work/lines")" -eq 4 ] || { echo 'npm start did not print four commands'; exit 1; }
bash "$work/lines" >"$work/responses"
grep -q '"sandbox":true' "$work/responses" || { echo 'no response of /me'; cat "$work/responses"; exit 1; }
grep -q '"warehouse_code":"CHNZJ1"' "$work/responses" || { echo 'no response of /warehouses'; exit 1; }
grep -q '"has_more":true' "$work/responses" || { echo 'no response of /stock'; exit 1; }
echo 'the printed commands work'
curl -s "http://127.0.0.1:$PORT/api/v1/auth/token" -d '{}' >/dev/null
DATA_DIR= node_modules/.bin/node -e 'for (const line of require("fs").readFileSync(process.argv[1], "utf8").split("\n")) if (line) JSON.parse(line)' "$work/log" ||
  { echo 'standard output has lines that are not JSON'; exit 1; }
echo 'standard output is JSON lines'
# Runs the README's blocks in one shell, as a reader pastes them. Commands that start a process or need an agent are left
# out; other scripts run them.
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' README.md | sed '/^npm /d; /^claude /d; /^export /d' >"$work/readme.sh"
[ "$(grep -c curl "$work/readme.sh")" -ge 11 ] || { echo 'the README has fewer than 11 curl commands'; exit 1; }
(cd "$work" && bash -eu readme.sh >readme.out)
if grep '"error"' "$work/readme.out"; then echo 'a command of the README failed'; exit 1; fi
grep -q '"status":"cancelled"' "$work/readme.out" || { echo 'the order of the README was not voided'; cat "$work/readme.out"; exit 1; }
echo 'the commands of the README work'
npm run -s statement -- --from "$(date -u -d '-100 days' +%F)" --to "$(date -u +%F)" |
  grep -q 'the statement is consistent' || { echo 'the statement of the history is inconsistent'; exit 1; }
echo 'the statement is consistent'

if npm start >"$work/second" 2>&1; then echo 'a second process started'; exit 1; else code=$?; fi
[ "$code" -eq 75 ] || { echo "a second process ended with $code"; cat "$work/second"; exit 1; }
grep -q 'in use by process [0-9]' "$work/second" || { echo 'the refusal does not contain the pid of the first process'; cat "$work/second"; exit 1; }
echo 'a second process is refused with the pid of the first one'

TOKEN=$(sed -n '1s/^TOKEN=//p' "$work/lines" >"$work/token.sh"; bash -c "$(head -n 1 "$work/lines"); printf %s \"\$TOKEN\"")
read_version() {
  curl -s "http://127.0.0.1:$PORT/api/v1/warehouses/AUSYD1/stock?page=1&page_size=1" -H "Authorization: Bearer $TOKEN" |
    sed 's/.*"version":\([0-9]*\),"page".*/\1/'
}
before=$(read_version)
stop
start
after=$(read_version)
[ "$after" -ge "$before" ] || { echo "the version went from $before to $after"; exit 1; }
echo "a restart keeps tokens and versions ($before, then $after)"
stop

npm start -- --help | grep -q 'Usage' || { echo '--help prints no usage'; exit 1; }
if PORT=nonsense npm start >"$work/bad" 2>&1; then echo 'started with an invalid PORT'; exit 1; else code=$?; fi
[ "$code" -eq 78 ] || { echo "an invalid PORT ended with $code"; cat "$work/bad"; exit 1; }
echo 'an invalid setting ends the start with 78'

# Runs the README's block about a reader's own ERP. The sandbox ERP takes the place of that ERP.
UPSTREAM_TOKEN=your-connector-token npm run -s sandbox-erp -- --port 18080 >"$work/erp" &
erp=$!
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' README.md | sed -n '/^export UPSTREAM_URL/,/^npm start/p' |
  sed 's/^npm start/exec npm start/' >"$work/own.sh"
DATA_DIR="$work/own" bash -eu "$work/own.sh" >"$work/out" 2>&1 &
pid=$!
trap 'kill "$erp" 2>/dev/null; finish' EXIT
for _ in $(seq 240); do
  curl -s "http://127.0.0.1:$PORT/readyz" | grep -q '"ready"' && break
  sleep 0.25
done
curl -s "http://127.0.0.1:$PORT/statusz" | grep -q '"circuit":"closed"' || { echo 'the gateway is not connected to the ERP of the README'; cat "$work/out"; exit 1; }
echo 'the README connects a gateway to another ERP'
stop
