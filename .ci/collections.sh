#!/usr/bin/env bash
# Runs the Postman collection with newman and the Bruno folder with Bruno's command line, each on a fresh sandbox. Both
# tools are installed into a temporary folder, or into TOOLS_DIR if that is set.
set -eu
work=$(mktemp -d)
export PATH="$PWD/node_modules/.bin:$PATH"
tools=${TOOLS_DIR:-$work/tools}
export DATA_DIR PORT=19480 LOG_LEVEL=warn
base=http://127.0.0.1:$PORT
pid=

stop() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
  pid=
}
trap 'stop; rm -rf "$work"' EXIT

# Starts a sandbox with a data directory of its own.
start() {
  DATA_DIR="$work/$1"
  : >"$work/out"
  node packages/gateway/src/main.ts >"$work/log" 2>"$work/out" &
  pid=$!
  for _ in $(seq 240); do
    grep -q '^TOKEN=' "$work/out" && break
    kill -0 "$pid" 2>/dev/null || { cat "$work/out"; return 1; }
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

start newman
"$tools/node_modules/.bin/newman" run contract/postman.json --bail --reporters cli --reporter-cli-no-banner \
  --reporter-cli-no-success-assertions --env-var "base_url=$base" --env-var "password=$password"
stop

start bruno
(cd contract/bruno && "$tools/node_modules/.bin/bru" run --env sandbox --bail \
  --env-var "base_url=$base" --env-var "password=$password")
