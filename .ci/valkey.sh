#!/usr/bin/env bash
# Runs the tests of what processes share in Valkey, each on redis-servers of its own on free ports. Installs Debian's
# redis-server if it is missing.
set -u
cd "$(dirname "$0")/.." || exit 1
. .ci/debian.sh
install_redis || { echo 'redis-server is missing and could not be installed, so the tests of VALKEY_URL are left out.'; exit 1; }
TEST_VALKEY=1 exec node_modules/.bin/node node_modules/.bin/vitest run --no-file-parallelism packages/gateway/tests/valkey
