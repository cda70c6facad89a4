#!/usr/bin/env bash
# Checks the documents with external tools: the contract with a linter and a generated client, the pages with a browser,
# and the commands of the error pages against a running gateway.
# Usage: [BROWSER_PART=1/2] .ci/docs.sh
set -eu
cd "$(dirname "$0")/.."

npm run -s check -w packages/contract-checks
if TEST_BROWSER=1 CHROMIUM=$(bash .ci/chromium.sh) && export TEST_BROWSER CHROMIUM; then
  npm run -s test:browser -- --shard="${BROWSER_PART:-1/1}"
else
  echo 'not run: the browser tests of the pages, because Chromium is missing'
fi
bash .ci/reproduce-errors.sh
npm run -s docs -- check
