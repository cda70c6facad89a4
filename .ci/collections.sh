#!/usr/bin/env bash
# Runs the Postman collection with newman and the Bruno folder with Bruno's command line, each on a fresh sandbox. Both
# tools are installed into a temporary folder, or into TOOLS_DIR if that is set.
set -eu
work=$(mktemp -d)
tools=${TOOLS_DIR:-$work/tools}
export DATA_DIR="$work/data" PORT=28480 LOG_LEVEL=warn
base=http://127.0.0.1:$PORT
pid=

stop() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
  pid=
}
trap 'stop; rm -rf "$work"' EXIT

start() {
  rm -rf "$DATA_DIR"
  : >"$work/out"
  npm --silent start >"$work/out" 2>"$work/log" &
  pid=$!
  for _ in $(seq 480); do
    grep -q '^TOKEN=' "$work/out" && break
    kill -0 "$pid" 2>/dev/null || { cat "$work/log"; return 1; }
    sleep 0.25
  done
  password=$(sed -n 's/^SANDBOX_PASSWORD="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$DATA_DIR/"*.env)
}

mkdir -p "$tools"
if [ ! -x "$tools/node_modules/.bin/bru" ]; then
  npm install --prefix "$tools" --no-save --ignore-scripts --no-audit --no-fund --silent \
    newman@6.2.2 @usebruno/cli@4.1.0 >"$work/install" 2>&1 ||
    { echo 'not run: newman and the Bruno command line cannot be installed here'; exit 0; }
fi

start
"$tools/node_modules/.bin/newman" run contract/postman.json --bail --reporters cli --reporter-cli-no-banner \
  --reporter-cli-no-success-assertions --env-var "base_url=$base" --env-var "password=$password"
stop

start
(cd contract/bruno && "$tools/node_modules/.bin/bru" run --env sandbox --bail \
  --env-var "base_url=$base" --env-var "password=$password")
