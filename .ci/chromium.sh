#!/usr/bin/env bash
# Prints where Chromium is; installs Debian's, with fonts for Chinese and Korean, where there is none and apt can.
set -eu
find_it() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! find_it >/dev/null; then
  if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    echo 'Chromium is not installed, and this is no Debian with root' >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update && apt-get install -y --no-install-recommends chromium fonts-noto-cjk; } >&2
fi
find_it
