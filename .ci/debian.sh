# Gets programs for a check. Sourced by the scripts beside it.

has() { command -v "$1" >/dev/null; }

# Waits for others that install something: apt-get fails if its lists are locked.
apt_get() { flock /tmp/trade-gateway-apt.lock apt-get "$@"; }

# Unpacks Debian's packages into a folder and puts their programs on the PATH, because an installed one would start a service.
unpack() { # folder package…
  local folder=$1
  shift
  has apt-get && [ "$(id -u)" -eq 0 ] || return 1
  apt_get update -qq >/dev/null || return 1
  (mkdir -p "$folder" && cd "$folder" && apt_get download -qq -o APT::Sandbox::User=root "$@" &&
    for file in *.deb; do dpkg-deb -x "$file" .; done) || return 1
  export PATH="$PATH:$folder/usr/bin:$folder/usr/sbin"
}

# Installs Debian's redis-server if neither it nor its descendant Valkey is there.
install_redis() {
  has valkey-server || has redis-server && return 0
  [ "$(id -u)" -eq 0 ] || return 1
  { apt_get update -qq && DEBIAN_FRONTEND=noninteractive apt_get install -y -qq --no-install-recommends redis-server; } >/dev/null
  has redis-server
}
