#!/usr/bin/env bash
# Runs the whole suite with WRITES_ENABLED=0 and counts the writes that reach the ERP, which must be 0. The results of
# the tests are ignored, because most of them expect writes to work. The tests of the commands are left out: they start
# processes, which do not get this setting. Most of the time, tests wait for what does not happen: six do so at once.
set -u
cd "$(dirname "$0")/.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
calls=$folder/calls
touch "$calls"
TEST_READ_ONLY=$calls TEST_HTTP_ONLY=1 node_modules/.bin/node node_modules/.bin/vitest run --project whole \
  packages/gateway/tests --maxWorkers 6 --testTimeout 5000 >"$folder/log" 2>&1
count_calls() { grep -c "^$1 " "$calls"; }
writes=$(count_calls write) reads=$(count_calls read) refused=$(count_calls refused)
printf 'the whole suite, read-only: %d writes reached the ERP, %d reads did; %d calls were refused with READ_ONLY_MODE\n' \
  "$writes" "$reads" "$refused"
grep '^write ' "$calls" | sort | uniq -c
# Without many calls the run would prove nothing.
[ "$writes" -eq 0 ] && [ "$reads" -ge 100 ] && [ "$refused" -ge 100 ]
