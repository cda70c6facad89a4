#!/usr/bin/env bash
# Faults at a size that fits: concurrent writers, interleavings, four processes, kill -9 while ordering and while delivering, restored backups. Needs
# TEST_DATABASE_URL; packages/gateway/tests/faults/sizes.ts says how to run them large.
set -eu
cd "$(dirname "$0")/.."
TEST_FAULTS=1 node_modules/.bin/node node_modules/.bin/vitest run packages/gateway/tests/faults
