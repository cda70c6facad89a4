#!/usr/bin/env bash
# Builds the image of the Dockerfile and runs it as a container does: as its user, first process of a namespace, on a root
# that cannot be written. No container registry is required: the base is a Debian made by debootstrap, and the base of
# the build is the same with this machine's npm. Requires root, because it mounts. Usage: .ci/image.sh
set -eu
cd "$(dirname "$0")/.."
. .ci/debian.sh
max_bytes=250000000
port=${IMAGE_PORT:-19082}
user=10001

leave_out() { echo "== not run: the image, because $1"; exit 0; }
[ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || leave_out 'building it here requires root on Debian'
if ! command -v buildah >/dev/null || ! command -v debootstrap >/dev/null; then
  { apt_get update -qq && DEBIAN_FRONTEND=noninteractive apt_get install -y -qq --no-install-recommends buildah debootstrap; } \
    >/dev/null 2>&1 || leave_out 'buildah and debootstrap are missing and could not be installed'
fi
unshare --mount --pid --fork true 2>/dev/null || leave_out 'this machine allows no namespaces'

work=$(mktemp -d)
export TMPDIR=$work
runner=
build() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
finish() {
  if [ -n "$runner" ]; then kill -KILL "$runner" 2>/dev/null || true; wait "$runner" 2>/dev/null || true; fi
  build umount --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT

# A Debian as small as its slim image, and the same with npm.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: '"$(. /etc/os-release; echo "$VERSION_CODENAME")" | head -n 1)
debootstrap --variant=minbase "$(. /etc/os-release; echo "$VERSION_CODENAME")" "$work/base" "$mirror" >"$work/debootstrap" 2>&1 ||
  { tail -n 5 "$work/debootstrap"; leave_out 'debootstrap could not make a base'; }
rm -rf "$work"/base/var/cache/apt/* "$work"/base/var/lib/apt/lists/* "$work"/base/usr/share/{doc,man,locale,info}/* "$work"/base/var/log/*
make_base() { # name, folder
  local container
  container=$(build from scratch)
  build add -q "$container" "$2" / >/dev/null
  build commit -q "$container" "$1" >/dev/null
  build rm "$container" >/dev/null
}
make_base localhost/base "$work/base"
mkdir -p "$work"/base/usr/local/lib/node_modules "$work"/base/etc/ssl/certs
cp -L node_modules/.bin/node "$work/base/usr/local/bin/node"
cp -r "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$work/base/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/base/usr/local/bin/npm"
[ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp /etc/ssl/certs/ca-certificates.crt "$work/base/etc/ssl/certs/"
make_base localhost/build-base "$work/base"
echo 'a base is made by debootstrap'

# The registry of this machine is a secret of the build, and npm's cache saves the downloads.
registry=$(npm config get registry)
printf 'registry=%s\nprefer-offline=true\ncafile=/etc/ssl/certs/ca-certificates.crt\n' "$registry" >"$work/npmrc"
cache=$(npm config get cache)
mkdir -p "$cache"
build bud --isolation chroot --format docker --layers=false --pull-never \
  --build-arg BASE=localhost/base --build-arg BUILD_BASE=localhost/build-base \
  --build-arg VERSION="$(sed -n 's/^  "version": "\(.*\)",/\1/p' package.json)" --build-arg REVISION="$(git rev-parse HEAD)" \
  --secret id=npmrc,src="$work/npmrc" -v "$cache:/root/.npm" -t localhost/trade-gateway . >"$work/build" 2>&1 ||
  { tail -n 30 "$work/build"; echo 'the image could not be built'; exit 1; }
echo 'the image is built'

container=$(build from --pull-never localhost/trade-gateway)
root=$(build mount "$container")
build inspect --type image localhost/trade-gateway >"$work/inspect"
read_config() { # an expression over the image's configuration c
  node_modules/.bin/node -e "const c = JSON.parse(require('fs').readFileSync('$work/inspect')).Docker.config; console.log($1)"
}
[ "$(read_config c.User)" = "$user:$user" ] || { echo "the image runs as $(read_config c.User)"; exit 1; }
read_config 'Object.entries(c.Labels).filter(([n]) => n.startsWith("org.opencontainers")).map((e) => e.join("=")).join("\n")'

bytes=$(du -s --apparent-size --block-size=1 "$root" | cut -f 1)
echo "the image has $((bytes / 1000000)) MB: $(du -s --apparent-size --block-size=MB "$root/app" "$root/usr/local/bin/node" | tr '\n' ' ')"
[ "$bytes" -le "$max_bytes" ] || { echo "more than $((max_bytes / 1000000)) MB"; exit 1; }
tools=$(find "$root" \( -name npm -o -name npx -o -name tsc -o -name gcc -o -name cc -o -name make -o -name vite -o -name typescript -o -name git -o -name curl \) -not -type d -print -o -path '*/node_modules/typescript' -print)
[ -z "$tools" ] || { echo "build tools are left: $tools"; exit 1; }
host=$(printf %s "$registry" | sed 's#^[a-z]*://##; s#/.*##')
[ "$host" = registry.npmjs.org ] || ! grep -rlF "$host" "$root/app" "$root/etc" "$root/root" 2>/dev/null || { echo 'the registry of the build is in the image'; exit 1; }
for file in sbom.cdx.json THIRD-PARTY-NOTICES.md LICENSE; do [ -s "$root/app/$file" ] || { echo "no $file"; exit 1; }; done
echo 'no build tools and no registry are left in it; SBOM and licences are'

# Runs the image's command as process 1, with the image's environment and user.
mkdir -p "$work/data"
chown "$user:$user" "$work/data"
chmod 700 "$work/data"
mapfile -t environment < <(read_config 'c.Env.join("\n")')
mapfile -t entrypoint < <(read_config 'c.Entrypoint.join("\n")')
cat >"$work/run.sh" <<'RUN'
set -e
root=$1 data=$2 user=$3
shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp"
mount -t tmpfs -o mode=755,size=1m tmpfs "$root/dev"
touch "$root/dev/null" "$root/dev/urandom"
mount --bind /dev/null "$root/dev/null"
mount --bind /dev/urandom "$root/dev/urandom"
mount --bind "$data" "$root/data"
mount -o remount,ro,bind "$root"
exec setpriv --no-new-privs chroot --userspec="$user:$user" --groups= "$root" "$@"
RUN
unshare --mount --pid --fork --kill-child bash "$work/run.sh" "$root" "$work/data" "$user" /usr/bin/env -i "${environment[@]}" \
  HOST=127.0.0.1 PORT="$port" SANDBOX_STYLES=100 "${entrypoint[@]}" >"$work/log" 2>"$work/out" &
runner=$!
for _ in $(seq 240); do
  grep -q '^TOKEN=' "$work/out" && break
  kill -0 "$runner" 2>/dev/null || break
  sleep 0.5
done
grep -q '^TOKEN=' "$work/out" || { cat "$work/out"; tail -n 5 "$work/log"; echo 'the image does not start'; exit 1; }
first=$(cat "/proc/$runner/task/$runner/children")
first=${first%% *}
grep -q "^NSpid:.*[[:space:]]1$" "/proc/$first/status" || { echo 'the gateway is not the first process'; exit 1; }
inside() { nsenter -t "$first" -m -p -r -w --setuid "$user" --setgid "$user" env -i PATH=/usr/local/bin:/usr/bin:/bin PORT="$port" "$@"; }

cat >"$work/data/writes.cjs" <<'WRITES'
const { writeFileSync } = require('node:fs')
const can = (folder) => { try { writeFileSync(`${folder}/probe`, ''); return true } catch { return false } }
const open = ['/', '/app', '/app/packages/gateway', '/etc', '/usr/local/bin', '/var', '/root', '/run'].filter(can)
if (open.length > 0 || !can('/data') || !can('/tmp')) { console.log(`writable: ${open}, /data ${can('/data')}, /tmp ${can('/tmp')}`); process.exit(1) }
WRITES
chmod 644 "$work/data/writes.cjs"
inside node /data/writes.cjs || exit 1
echo "it runs as user $user, and only /data and /tmp can be written"
inside env NODE_DEBUG_NATIVE=COMPILE_CACHE node /app/packages/gateway/src/command.js --help 2>&1 |
  grep -q 'program.js was accepted' || { echo 'the image has no compiled code, or Node does not accept it'; exit 1; }
echo 'it starts from compiled code'
mapfile -t health < <(read_config 'c.Healthcheck.Test.slice(1).join("\n")')
inside "${health[@]}" || { echo 'the HEALTHCHECK fails'; exit 1; }
if PORT_BEFORE=$port && port=1 && inside "${health[@]}"; then echo 'the HEALTHCHECK passes without a gateway'; exit 1; fi
port=$PORT_BEFORE
echo 'the HEALTHCHECK passes, and fails where nothing listens'
bash .ci/first-order.sh "http://127.0.0.1:$port" "$work/data/sandbox.json"
curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/admin" | grep -q 200 || { echo 'no console'; exit 1; }

kill -TERM "$first"
if wait "$runner"; then code=0; else code=$?; fi
runner=
[ "$code" -eq 0 ] || { tail -n 5 "$work/log" "$work/out"; echo "SIGTERM ended it with $code"; exit 1; }
echo 'SIGTERM ended it with 0'
