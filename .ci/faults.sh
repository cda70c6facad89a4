#!/usr/bin/env bash
# Runs the fault tests at a small size: concurrent writers, interleavings, four processes, kill -9 during orders and
# deliveries, restored backups. packages/gateway/tests/faults/sizes.ts has larger sizes. Starts a PostgreSQL of its own
# unless TEST_DATABASE_URL names one. Arguments name tests: a release runs
#   FAULTS_RESTARTS=100 .ci/faults.sh rolling-restarts
#   FAULTS_CALLS=100000 .ci/faults.sh behind-nginx
set -u
cd "$(dirname "$0")/.." || exit 1
. .ci/debian.sh
. .ci/postgres.sh
work=$(mktemp -d)
finish() {
  stop_postgres
  rm -rf "$work"
}
trap finish EXIT
[ -n "${TEST_DATABASE_URL:-}" ] || start_postgres || exit 1
install_redis || echo '== redis-server is missing and could not be installed'
has nginx || [ -x /usr/sbin/nginx ] || unpack "$work" nginx || echo '== nginx is missing and could not be fetched from Debian as root'
tests=(packages/gateway/tests/faults)
if [ $# -gt 0 ]; then tests=("${@/#/packages/gateway/tests/faults/}"); fi
TEST_FAULTS=1 node_modules/.bin/node node_modules/.bin/vitest run "${tests[@]}"
