#!/usr/bin/env bash
# What the error pages tell a reader to type, typed: the commands of every code that needs no setting of the server,
# against npm start, must end in that code.
set -eu
work=$(mktemp -d)
export DATA_DIR="$work/data" PORT=28081 LOG_LEVEL=warn SANDBOX_ACTIVITY=0
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
field() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$DATA_DIR/sandbox.json"; }
ADMIN_TOKEN=$(field admin_token) CLIENT_ID=$(field client_id) CLIENT_SECRET=$(field client_secret)
export BASE TOKEN ADMIN_TOKEN CLIENT_ID CLIENT_SECRET

wrong=0 provoked=0
for code in $(curl -s "$BASE/errors.md" | sed -n 's/^| \[\([A-Z_]*\)\].*/\1/p'); do
  curl -s "$BASE/errors/$code.md" | sed -n '/^```sh$/,/^```$/p' | sed '1d;$d' >"$work/commands"
  # A server setting is a line of its own, as a comment; UPSTREAM_TIMEOUT is half a minute of silence.
  if grep -q '^# ' "$work/commands" || [ "$code" = UPSTREAM_TIMEOUT ]; then continue; fi
  NAME="trial-$provoked-$$" bash "$work/commands" >"$work/answer" 2>&1 || true
  if grep -q "\"code\":\"$code\"" "$work/answer"; then
    provoked=$((provoked + 1))
  else
    wrong=$((wrong + 1))
    echo "$code was not provoked by its own commands:"
    cat "$work/commands" "$work/answer"
    echo
  fi
done
echo "$provoked codes provoked by the commands of their pages, $wrong not"
[ "$wrong" -eq 0 ] && [ "$provoked" -gt 20 ]
