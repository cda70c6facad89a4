#!/usr/bin/env bash
# Runs the tests of what processes share in Valkey, each on redis-servers of its own on free ports. Installs Debian's
# redis-server if it is missing.
set -u
cd "$(dirname "$0")/.." || exit 1
if ! command -v redis-server >/dev/null && [ "$(id -u)" -eq 0 ]; then
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server; } >/dev/null
fi
command -v redis-server >/dev/null || { echo 'redis-server is missing and could not be installed, so the tests of VALKEY_URL are left out.'; exit 1; }
TEST_VALKEY=1 exec node_modules/.bin/node node_modules/.bin/vitest run --no-file-parallelism packages/gateway/tests/valkey
