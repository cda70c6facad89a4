#!/usr/bin/env bash
# Asserts how long the search of the pages takes. Nothing else may run beside it.
set -eu
cd "$(dirname "$0")/.."

if TEST_BROWSER=1 ASSERT_TIMES=1 CHROMIUM=$(bash .ci/chromium.sh) && export TEST_BROWSER ASSERT_TIMES CHROMIUM; then
  npm run -s test:browser -- -t 'prints how long the search takes'
else
  echo 'not run: the times of the search, because Chromium is missing'
fi
