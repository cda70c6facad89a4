# Starts a temporary PostgreSQL cluster as an unprivileged user; installs PostgreSQL if it is missing.
# Sourced by .ci/run; sets TEST_DATABASE_URL.
pg_port=${CI_POSTGRES_PORT:-19432}
pg_home=
pg_user=postgres

find_postgres_bin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }

run_as_postgres() {
  if [ "$(id -u)" -eq 0 ]; then runuser -u "$pg_user" -- "$@"; else "$@"; fi
}

start_postgres() {
  if [ -z "$(find_postgres_bin)" ]; then
    { flock /tmp/trade-gateway-apt.lock apt-get update -qq && DEBIAN_FRONTEND=noninteractive flock /tmp/trade-gateway-apt.lock apt-get install -y -qq --no-install-recommends postgresql; } >/dev/null || return 1
  fi
  local bin
  bin=$(find_postgres_bin)
  [ -n "$bin" ] || { echo 'PostgreSQL is not installed and could not be installed.'; return 1; }
  pg_home=$(mktemp -d) || return 1
  [ "$(id -u)" -eq 0 ] && chown "$pg_user" "$pg_home"
  run_as_postgres "$bin/initdb" -D "$pg_home/data" -U tester --auth=trust -E UTF8 --locale=C.UTF-8 >/dev/null || return 1
  run_as_postgres "$bin/pg_ctl" -D "$pg_home/data" -l "$pg_home/log" -w \
    -o "-p $pg_port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$pg_home -c max_connections=300" start >/dev/null || return 1
  export TEST_DATABASE_URL="postgres://tester@127.0.0.1:$pg_port/postgres"
}

# Says whether PostgreSQL waits for the disk (on or off). Tests of HTTP prove nothing about a loss of power, and create and
# drop hundreds of databases, which waits for the disk a third of the time.
set_fsync() {
  "$(find_postgres_bin)/psql" -qX "$TEST_DATABASE_URL" -c "alter system set fsync = $1" -c 'select pg_reload_conf()' >/dev/null
}

stop_postgres() {
  [ -n "$pg_home" ] || return 0
  run_as_postgres "$(find_postgres_bin)/pg_ctl" -D "$pg_home/data" -m immediate -w stop >/dev/null 2>&1
  rm -rf "$pg_home"
}
