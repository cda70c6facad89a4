#!/usr/bin/env bash
# What the README promises: npm start serves, the printed lines work, a restart keeps everything, a second process is
# refused and told who the first one is.
set -eu
work=$(mktemp -d)
export DATA_DIR="$work/data" PORT=28080 LOG_LEVEL=warn
pid=

finish() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

start() {
  # Emptied here: the process in the background may not have come to it when the first look is taken.
  : >"$work/out"
  npm start >"$work/out" 2>&1 &
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

start
grep -A3 '^TOKEN=' "$work/out" >"$work/lines"
[ "$(wc -l <"$work/lines")" -eq 4 ] || { echo 'four lines were promised'; exit 1; }
bash "$work/lines" >"$work/answers"
grep -q '"sandbox":true' "$work/answers" || { echo '/me did not answer'; cat "$work/answers"; exit 1; }
grep -q '"warehouse_code":"CHNZJ1"' "$work/answers" || { echo '/warehouses did not answer'; exit 1; }
grep -q '"has_more":true' "$work/answers" || { echo 'stock did not answer'; exit 1; }
echo 'the printed lines work'
npm run -s statement -- --from "$(date -u -d '-100 days' +%F)" --to "$(date -u +%F)" | grep -q 'everything adds up' ||
  { echo 'the statement of the history does not add up'; exit 1; }
echo 'the statement adds up'

if npm start >"$work/second" 2>&1; then echo 'a second process started'; exit 1; else code=$?; fi
[ "$code" -eq 75 ] || { echo "a second process ended with $code"; cat "$work/second"; exit 1; }
grep -q 'in use by process [0-9]' "$work/second" || { echo 'the first process was not named'; cat "$work/second"; exit 1; }
echo 'a second process is refused and the first one named'

TOKEN=$(sed -n '1s/^TOKEN=//p' "$work/lines" >"$work/token.sh"; bash -c "$(head -n 1 "$work/lines"); printf %s \"\$TOKEN\"")
version() {
  curl -s "http://127.0.0.1:$PORT/api/v1/warehouses/AUSYD1/stock?page=1&page_size=1" -H "Authorization: Bearer $TOKEN" |
    sed 's/.*"version":\([0-9]*\),"page".*/\1/'
}
before=$(version)
stop
start
after=$(version)
[ "$after" -ge "$before" ] || { echo "the version went from $before to $after"; exit 1; }
echo "a restart keeps tokens and versions ($before, then $after)"
stop

npm start -- --help | grep -q 'Usage' || { echo '--help does not help'; exit 1; }
if PORT=nonsense npm start >"$work/bad" 2>&1; then echo 'a bad value started'; exit 1; else code=$?; fi
[ "$code" -eq 78 ] || { echo "a bad value ended with $code"; cat "$work/bad"; exit 1; }
echo 'a bad value stops the start with 78'
