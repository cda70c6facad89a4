# Starts PgBouncer in front of the PostgreSQL of TEST_DATABASE_URL. Its settings are its defaults, except for the mode that
# the gateway requires. Sourced by .ci/deploy.sh, after .ci/debian.sh.

# Gets PgBouncer, with the libraries that few others require. Fails if it can be had neither here nor from Debian.
fetch_pgbouncer() { # folder
  has pgbouncer && return 0
  unpack "$1" pgbouncer || return 1
  # shellcheck disable=SC2046 # One word for each library.
  unpack "$1" $(apt-cache depends pgbouncer | sed -n 's/.*Depends: \(lib\(event\|c-\{0,1\}ares\)[^ ]*\)$/\1/p')
  pgbouncer_libraries=$(ls -d "$1"/usr/lib/*-linux-gnu | tail -n 1)
}

# Starts it in front of one database, for every user. Its settings, its log and its process id are in the folder.
start_pgbouncer() { # folder port database
  local server user=
  mkdir -p "$1"
  server=$("$node" -p 'const url = new URL(process.env.TEST_DATABASE_URL);
    `host=${url.hostname} port=${url.port || 5432} user=${url.username}${url.password && ` password=${url.password}`}`') || return 1
  cat >"$1/pgbouncer.ini" <<END
[databases]
$3 = $server
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $2
unix_socket_dir =
auth_type = any
pool_mode = session
END
  # PgBouncer refuses to run as root.
  [ "$(id -u)" -ne 0 ] || user='-u nobody'
  # shellcheck disable=SC2086 # Two words, or none.
  LD_LIBRARY_PATH=${pgbouncer_libraries:-} pgbouncer $user "$1/pgbouncer.ini" >"$1/log" 2>&1 &
  echo $! >"$1/pid"
  for _ in $(seq 40); do
    grep -q 'process up' "$1/log" && return 0
    sleep 0.25
  done
  cat "$1/log"
  return 1
}
