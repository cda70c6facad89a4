#!/usr/bin/env bash
# Kills and stops random processes of a whole installation while clients work: by default 20 times, which takes two
# minutes. Gets nginx and redis-server if they are missing; PostgreSQL must be installed. Arguments are those of
# npm run kills; a release runs .ci/kills.sh --kills 200 --stop 20.
set -u
cd "$(dirname "$0")/.." || exit 1
. .ci/debian.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install_redis || { echo 'redis-server is missing and could not be installed.'; exit 1; }
has nginx || [ -x /usr/sbin/nginx ] || unpack "$work" nginx || echo '== without nginx, which is missing and could not be fetched from Debian as root'
if [ $# -eq 0 ]; then set -- --kills 20 --stop 3; fi
npm run -s kills -- "$@"
