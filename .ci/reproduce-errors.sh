#!/usr/bin/env bash
# Runs the commands of the error pages against npm start: each must end with the error code of its page. Codes that
# require another server setting are skipped.
set -eu
work=$(mktemp -d)
export DATA_DIR="$work/data" PORT=19081 LOG_LEVEL=warn SANDBOX_ACTIVITY=0
BASE=http://127.0.0.1:$PORT
pid=
finish() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

npm start >"$work/out" 2>&1 &
pid=$!
for _ in $(seq 240); do
  grep -q '^TOKEN=' "$work/out" && break
  kill -0 "$pid" 2>/dev/null || { cat "$work/out"; exit 1; }
  sleep 0.25
done
eval "$(grep '^TOKEN=' "$work/out")"
read_field() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$DATA_DIR/sandbox.json"; }
ADMIN_TOKEN=$(read_field admin_token) CLIENT_ID=$(read_field client_id) CLIENT_SECRET=$(read_field client_secret)
export BASE TOKEN ADMIN_TOKEN CLIENT_ID CLIENT_SECRET

failed=0 reproduced=0
for code in $(curl -s "$BASE/errors.md" | sed -n 's/^| \[\([A-Z_]*\)\].*/\1/p'); do
  curl -s "$BASE/errors/$code.md" | sed -n '/^```sh$/,/^```$/p' | sed '1d;$d' >"$work/commands"
  # A required server setting is a comment in the commands. UPSTREAM_TIMEOUT would take half a minute.
  if grep -q '^# ' "$work/commands" || [ "$code" = UPSTREAM_TIMEOUT ]; then continue; fi
  NAME="trial-$reproduced-$$" bash "$work/commands" >"$work/response" 2>&1 || true
  if grep -q "\"code\":\"$code\"" "$work/response"; then
    reproduced=$((reproduced + 1))
  else
    failed=$((failed + 1))
    echo "The commands of the page did not reproduce $code:"
    cat "$work/commands" "$work/response"
    echo
  fi
done
echo "$reproduced codes reproduced by the commands of their pages, $failed not"
[ "$failed" -eq 0 ] && [ "$reproduced" -gt 20 ]
