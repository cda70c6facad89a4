#!/usr/bin/env bash
# Checks the dashboards and alerts of the folder ops with promtool and a real Prometheus. If they are missing, unpacks
# Debian's package into a temporary folder, because an installed package would start a service.
set -eu
cd "$(dirname "$0")/.."
work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

. .ci/debian.sh
if ! has promtool || ! has prometheus; then
  work=$(mktemp -d)
  unpack "$work" prometheus || { echo 'Prometheus is missing, and could not be fetched from Debian as root'; exit 1; }
fi
npm run -s ops
