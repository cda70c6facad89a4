#!/usr/bin/env bash
# The whole suite with WRITES_ENABLED=0, for one figure: how many writes reach the ERP through any door. What the
# tests themselves expect does not hold then, so their verdicts are not looked at.
set -u
cd "$(dirname "$0")/.." || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
note=$folder/note
touch "$note"
TEST_READ_ONLY=$note node_modules/.bin/node node_modules/.bin/vitest run packages/gateway/tests \
  --exclude 'packages/gateway/tests/faults/**' --testTimeout 10000 >"$folder/log" 2>&1
count() { grep -c "^$1 " "$note"; }
writes=$(count write) reads=$(count read) refused=$(count refused)
printf 'the whole suite, read-only: %d writes reached the ERP, %d reads did; %d calls were refused with READ_ONLY_MODE\n' \
  "$writes" "$reads" "$refused"
grep '^write ' "$note" | sort | uniq -c
# A run that asked for nothing proves nothing.
[ "$writes" -eq 0 ] && [ "$reads" -ge 100 ] && [ "$refused" -ge 100 ]
