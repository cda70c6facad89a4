#!/usr/bin/env bash
# The SDK as others get it: packed, checked, installed in an empty folder, and run on every runtime that is here. The
# package of the command line is checked with the same tools.
# The tools are installed apart, because the project itself needs none of them.
set -eu
cd "$(dirname "$0")/.."
node=$PWD/node_modules/.bin/node
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

# A registry that lacks one of them, or a machine without the network, leaves out that check alone.
echo '{"private": true}' >"$tools/package.json"
arch=$("$node" -p process.arch)
bun_arch=${arch/arm64/aarch64}
for package in publint@0.3.25 @arethetypeswrong/cli@0.18.5 miniflare@4.20260730.0 \
  "node-linux-$arch@20.20.2" "@deno/linux-$arch-glibc@2.9.6" "@oven/bun-linux-$bun_arch@1.4.5"; do
  npm install --prefix "$tools" --ignore-scripts --no-audit --no-fund "$package" >/dev/null 2>&1 ||
    echo "missing  $package cannot be installed"
done

tarball=$("$node" -e "
  import('./scripts/pack-package.ts').then(({ packPackage }) => packPackage('sdk', '$tools/packs')).then(console.log)")

# Nothing but code, types, the README, the licence and the manifest.
unexpected=$(tar -tzf "$tarball" | grep -vE '^package/(dist/.+\.(js|d\.ts)|README\.md|LICENSE|package\.json)$' || true)
unexpected+=$(tar -tzf "$tarball" | grep -E '\.test\.|/testing/' || true)
[ -z "$unexpected" ] || { printf 'The package has files too many:\n%s\n' "$unexpected"; exit 1; }
dependencies=$(tar -xzOf "$tarball" package/package.json | "$node" -p 'Object.keys(JSON.parse(require("fs").readFileSync(0)).dependencies ?? {}).length')
[ "$dependencies" = 0 ] || { echo "The package has $dependencies dependencies."; exit 1; }
echo "ok       $(basename "$tarball"): $(tar -tzf "$tarball" | wc -l) files, $(wc -c <"$tarball") bytes, no dependencies"

mkdir "$tools/unpacked"
tar -xzf "$tarball" -C "$tools/unpacked"
# What a bundler ships of a program that imports the client alone: without comments, compressed.
core=$("$node" -e "
  const { readFileSync } = require('node:fs'), { dirname, join } = require('node:path'), seen = new Map()
  const visit = (file) => {
    if (seen.has(file)) return
    seen.set(file, readFileSync(file, 'utf8'))
    for (const [, name] of seen.get(file).matchAll(/from '(\\.[^']+)'/g)) visit(join(dirname(file), name))
  }
  visit('$tools/unpacked/package/dist/index.js')
  const code = [...seen.values()].join('\\n').replaceAll(/^\\s*(?:\\/\\*\\*|\\*|\\/\\/).*\$/gm, '')
  console.log(require('node:zlib').gzipSync(code).length)")
[ "$core" -le 20480 ] || { echo "The client alone has $core bytes compressed, of 20480."; exit 1; }
echo "ok       the client alone has $core bytes compressed"

# attw judges types, and the command line has none.
cli=$("$node" -e "
  import('./scripts/pack-package.ts').then(({ packPackage }) => packPackage('cli', '$tools/packs')).then(console.log)")
if [ -x "$tools/node_modules/.bin/publint" ]; then
  for each in "$tarball" "$cli"; do "$tools/node_modules/.bin/publint" run "$each" --strict; done
fi
# The package has ES modules only: `require` of them works in Node 20.19 and newer, which is tried below.
if [ -x "$tools/node_modules/.bin/attw" ]; then "$tools/node_modules/.bin/attw" "$tarball" --profile esm-only --format table-flipped; fi

# As a new user: an empty folder, the tarball, and strict TypeScript.
mkdir "$tools/shop"
echo '{"private": true, "type": "module"}' >"$tools/shop/package.json"
npm install --prefix "$tools/shop" --ignore-scripts --no-audit --no-fund "$tarball" >/dev/null
cp packages/sdk/tests/newcomer.ts "$tools/shop/"
node_modules/.bin/tsc --ignoreConfig --noEmit --strict --module nodenext --target es2022 --lib es2023,dom --types '' "$tools/shop/newcomer.ts"
echo 'ok       a strict program compiles against the package'

# As a program in CommonJS, on the oldest Node that can and on the newest.
for each in "$tools/node_modules/node-linux-$arch/bin/node" "$node"; do
  [ -x "$each" ] || continue
  (cd "$tools/shop" && "$each" --input-type=commonjs -e "
    const { TradeGateway } = require('@trade-gateway/sdk'), { verify } = require('@trade-gateway/sdk/webhooks')
    if (typeof TradeGateway !== 'function' || typeof verify !== 'function') throw new Error('an export is missing')
    console.log('ok       require() of the package works in Node ' + process.versions.node)")
done

CHROMIUM=$(bash .ci/chromium.sh 2>/dev/null || true) "$node" packages/sdk/tests/runtimes/run.ts "$tools"
