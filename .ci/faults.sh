#!/usr/bin/env bash
# Runs the fault tests at a small size: concurrent writers, interleavings, four processes, kill -9 during orders and
# deliveries, restored backups. Requires TEST_DATABASE_URL. packages/gateway/tests/faults/sizes.ts has larger sizes.
set -eu
cd "$(dirname "$0")/.."
TEST_FAULTS=1 node_modules/.bin/node node_modules/.bin/vitest run packages/gateway/tests/faults
