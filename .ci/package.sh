#!/usr/bin/env bash
# Packs the gateway, installs the tarball in an empty folder without network, starts it with npx and places a first order.
# Usage: .ci/package.sh
set -eu
cd "$(dirname "$0")/.."
port=${PACKAGE_PORT:-19083}
work=$(mktemp -d)
pid=
# npx does not pass a signal on, so the gateway itself gets it.
stop() {
  kill -TERM "$(sed 's/.*"pid":\([0-9]*\).*/\1/' "$work/installed/data/lock.json")" 2>/dev/null || true
  if wait "$pid"; then code=0; else code=$?; fi
  pid=
}
finish() {
  [ -z "$pid" ] || stop
  rm -rf "$work"
}
trap finish EXIT

# Secrets that somebody made in this checkout must not be published.
planted=deploy/secrets/planted-$$
mkdir -p deploy/secrets
touch "$planted"
npm run -s pack -- "$work/packs" >"$work/sums" || { rm -f "$planted"; exit 1; }
rm -f "$planted"
rmdir deploy/secrets 2>/dev/null || true
if tar -tzf "$work"/packs/trade-gateway-[0-9]*.tgz | grep deploy/secrets; then echo 'the package has secrets'; exit 1; fi
(cd "$work/packs" && sha256sum --quiet -c SHA256SUMS)
for file in sbom.cdx.json THIRD-PARTY-NOTICES.md; do [ -s "$work/packs/$file" ] || { echo "no $file"; exit 1; }; done
ls -l "$work/packs" | awk 'NR > 1 { print $5, $9 }'
# The program's Node, and nothing else of this checkout.
mkdir "$work/bin" "$work/installed"
ln -s "$(readlink -f node_modules/.bin/node)" "$work/bin/node"
export PATH="$work/bin:$PATH"
cd "$work/installed"
npm install --offline --cache "$work/empty-cache" --ignore-scripts --no-audit --no-fund --loglevel error "$work"/packs/trade-gateway-[0-9]*.tgz
found=$(find node_modules \( -name '*.ts' -o -name '*.map' \) | head -n 5)
[ -z "$found" ] || { echo "the package has files that nothing reads: $found"; exit 1; }
echo "installed without network: $(du -sm node_modules | cut -f 1) MB"

touch "$work/out"
PORT=$port npx --no-install trade-gateway >"$work/log" 2>"$work/out" &
pid=$!
for _ in $(seq 240); do
  grep -q '^TOKEN=' "$work/out" && break
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.5
done
grep -q '^TOKEN=' "$work/out" || { cat "$work/out"; echo 'npx trade-gateway does not start'; exit 1; }
bash "$OLDPWD/.ci/first-order.sh" "http://127.0.0.1:$port" data/sandbox.json
for path in /admin /docs/quickstart /docs/deploy?lang=zh /changelog /swagger /openapi.json; do
  code=$(curl -s -o "$work/page" -w '%{http_code}' "http://127.0.0.1:$port$path")
  [ "$code" = 200 ] || { echo "$path is $code"; exit 1; }
done
echo 'the console, the guides and the contract are served'
npx --no-install trade-gateway audit verify --url "http://127.0.0.1:$port" | grep -q intact || { echo 'the audit log was not verified'; exit 1; }
npx --no-install trade-gateway sandbox-erp --help | grep -q Usage || { echo 'no sandbox ERP'; exit 1; }
echo 'the audit log is verified, and the sandbox ERP has its command'
stop
[ "$code" -eq 0 ] || { tail -n 5 "$work/log" "$work/out"; echo "SIGTERM ended it with $code"; exit 1; }
echo 'SIGTERM ended it with 0'

# An older Node, if the machine has one, is refused with a sentence.
old=$(PATH=${PATH#*:} command -v node || true)
if [ -n "$old" ] && [ "$("$old" -p 'Number(process.versions.node.split(".")[0]) < 24')" = true ]; then
  if "$old" node_modules/trade-gateway/packages/gateway/src/command.js 2>"$work/old"; then code=0; else code=$?; fi
  [ "$code" -eq 78 ] && grep -q 'requires Node 24' "$work/old" || { echo "an old Node ended with $code"; cat "$work/old"; exit 1; }
  echo "Node $("$old" -p process.versions.node) is refused with a sentence"
fi
