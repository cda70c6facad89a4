#!/usr/bin/env bash
# The documents as other people's tools read them: the contract by a linter and by a generated client that compiles,
# the pages by a browser, every error's commands by a shell against a gateway that npm start has started.
set -eu
cd "$(dirname "$0")/.."

npm run -s check -w packages/contract-checks
if TEST_BROWSER=1 CHROMIUM=$(bash .ci/chromium.sh) && export TEST_BROWSER CHROMIUM; then
  npm run -s test:browser
else
  echo 'not run: the browser’s view of the pages, because there is no Chromium'
fi
bash .ci/provoke.sh
npm run -s docs -- check
