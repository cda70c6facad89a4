#!/usr/bin/env bash
# The SDK, the command line and the starter as others get them: packed, installed in empty folders without a network, and
# a first order with each. The gateway is this checkout's, on a sandbox. The tests of a new channel start the packed one.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
node=$root/node_modules/.bin/node
work=$(mktemp -d)
port=${CLIENTS_PORT:-19087}
pid=
finish() {
  [ -z "$pid" ] || { kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null || true; }
  rm -rf "$work"
}
trap finish EXIT
export PATH=$root/node_modules/.bin:$PATH HOME=$work/home TGW_KEYCHAIN=off npm_config_loglevel=error
export npm_config_cache=$work/empty-cache npm_config_update_notifier=false
mkdir -p "$HOME" "$work/gateway"

mkdir "$work/packs"
for package in sdk cli create-channel; do
  "$node" -e "import('./scripts/pack-package.ts').then(({ packPackage }) => packPackage('$package', '$work/packs'))"
done
"$node" -e "import('./scripts/pack-gateway.ts').then(({ packGateway }) => packGateway('$work/packs'))"
pack() { echo "$work"/packs/"$1"-[0-9]*.tgz; }

# Nothing but code, the bundled SDK, templates, READMEs, licences and manifests.
sdk_files='node_modules/@trade-gateway/sdk/(dist/.+\.js|LICENSE|package\.json)'
for package in trade-gateway-cli create-trade-gateway-channel; do
  unexpected=$(tar -tzf "$(pack "$package")" |
    grep -vE "^package/(dist/.+\.js|templates/.+|$sdk_files|README\.md|LICENSE|package\.json)$" || true)
  [ -z "$unexpected" ] || { printf '%s has files too many:\n%s\n' "$package" "$unexpected"; exit 1; }
  echo "ok  $(basename "$(pack "$package")"): $(wc -c <"$(pack "$package")") bytes"
done

PORT=$port DATA_DIR=$work/gateway/data SANDBOX_ACTIVITY=0 SANDBOX_STYLES=100 LOG_LEVEL=warn \
  "$node" packages/gateway/src/main.ts >"$work/gateway/log" 2>"$work/gateway/out" &
pid=$!
for _ in $(seq 240); do
  grep -q '^TOKEN=' "$work/gateway/out" && break
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.5
done
grep -q '^TOKEN=' "$work/gateway/out" || { cat "$work/gateway/out"; echo 'the gateway does not start'; exit 1; }
field() { grep -o "\"$1\": *\"[^\"]*" "$work/gateway/data/sandbox.json" | head -n 1 | cut -d '"' -f 4; }

# The command line: npx with the tarball alone, and two commands to a first order.
mkdir "$work/shell"
cd "$work/shell"
npx --offline --yes --package "$(pack trade-gateway-cli)" tgw login --sandbox "$work/gateway/data/sandbox.json"
npx --offline --yes --package "$(pack trade-gateway-cli)" tgw quickstart --quiet
echo 'ok  a first order in 2 commands with npx'
began=$SECONDS
npx --offline --yes --package "$(pack trade-gateway-cli)" tgw quickstart --quiet --sandbox "$work/gateway/data/sandbox.json"
seconds=$((SECONDS - began))
[ "$seconds" -lt 60 ] || { echo "a first order with one command took $seconds s"; exit 1; }
echo "ok  a first order with one command in $seconds s"

# The SDK: the sample of its guide, in at most 15 lines.
mkdir "$work/shop"
cd "$work/shop"
echo '{"private": true, "type": "module"}' >package.json
npm install --offline --ignore-scripts --no-audit --no-fund "$(pack trade-gateway-sdk)"
awk '/^```ts run$/ { on = 1; next } /^```$/ { if (on) exit } on' "$root/docs/en/sdk.md" >first-order.mjs
[ "$(grep -cv '^//' first-order.mjs)" -le 15 ] || { echo 'the first order has more than 15 lines'; exit 1; }
BASE=$(field base_url) OMS_USERNAME=$(field username) OMS_PASSWORD=$(field password) "$node" first-order.mjs |
  grep -q pending || { echo 'the SDK placed no order'; exit 1; }
echo "ok  a first order in $(grep -cv '^//' first-order.mjs) lines with the SDK"

# The starter: written, installed and tested without a network and without an account. Only the compiler and the types of
# Node come from this checkout, because the registry alone has them.
mkdir "$work/create"
cd "$work/create"
npx --offline --yes --package "$(pack create-trade-gateway-channel)" create-trade-gateway-channel my-channel --packages "$work/packs" >"$work/create/out"
cd my-channel
npm pkg delete devDependencies.typescript 'devDependencies[@types/node]'
npm install --offline --ignore-scripts --no-audit --no-fund
[ -f node_modules/trade-gateway/package.json ] || { echo 'the gateway is not among the packages of a new channel'; exit 1; }
began=$SECONDS
env -u TGW_BASE_URL -u TGW_USERNAME -u TGW_PASSWORD npm test >"$work/create/test" || { cat "$work/create/test"; exit 1; }
seconds=$((SECONDS - began))
echo "ok  the tests of a new channel pass in $seconds s, of 30, on a sandbox of their own"
TGW_BASE_URL=$(field base_url) TGW_USERNAME=$(field username) TGW_PASSWORD=$(field password) npm test >"$work/create/test" ||
  { cat "$work/create/test"; exit 1; }
"$root/node_modules/.bin/tsc" -p . --typeRoots "$root/node_modules/@types"
echo 'ok  they pass on a sandbox that is running already, and the types are right'
