#!/usr/bin/env bash
# Checks the dashboards and alerts of the folder ops with promtool and a real Prometheus. If they are missing, unpacks
# Debian's package into a temporary folder, because an installed package would start a service.
set -eu
cd "$(dirname "$0")/.."
work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

unpack_prometheus() {
  command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ] || return 1
  apt-get update -qq >/dev/null || return 1
  (cd "$work" && apt-get download -qq -o APT::Sandbox::User=root prometheus && dpkg-deb -x prometheus_*.deb .)
}

if ! command -v promtool >/dev/null || ! command -v prometheus >/dev/null; then
  work=$(mktemp -d)
  unpack_prometheus || { echo 'Prometheus is missing, and could not be fetched from Debian as root'; exit 1; }
  export PATH="$work/usr/bin:$PATH"
fi
npm run -s ops
