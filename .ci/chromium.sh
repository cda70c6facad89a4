#!/usr/bin/env bash
# Prints the path of Chromium. If it is missing, installs Debian's package with fonts for Chinese and Korean (as root).
set -eu
. "$(dirname "$0")/debian.sh"
find_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! find_chromium >/dev/null; then
  if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    echo 'Chromium is missing, and it can be installed on Debian as root only' >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  { apt_get update && apt_get install -y --no-install-recommends chromium fonts-noto-cjk; } >&2
fi
find_chromium
