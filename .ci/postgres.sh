# A PostgreSQL cluster of this run alone: installed where it is missing, run by an unprivileged user, removed at the end.
# Sourced by .ci/run; sets TEST_DATABASE_URL.
pg_port=25432
pg_home=
pg_user=postgres

postgres_bin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }

as_pg() {
  if [ "$(id -u)" -eq 0 ]; then runuser -u "$pg_user" -- "$@"; else "$@"; fi
}

postgres_start() {
  if [ -z "$(postgres_bin)" ]; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; } >/dev/null || return 1
  fi
  local bin
  bin=$(postgres_bin)
  [ -n "$bin" ] || { echo 'PostgreSQL is not installed and could not be installed.'; return 1; }
  pg_home=$(mktemp -d) || return 1
  [ "$(id -u)" -eq 0 ] && chown "$pg_user" "$pg_home"
  as_pg "$bin/initdb" -D "$pg_home/data" -U tester --auth=trust -E UTF8 --locale=C.UTF-8 >/dev/null || return 1
  as_pg "$bin/pg_ctl" -D "$pg_home/data" -l "$pg_home/log" -w \
    -o "-p $pg_port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$pg_home -c max_connections=300" start >/dev/null || return 1
  export TEST_DATABASE_URL="postgres://tester@127.0.0.1:$pg_port/postgres"
}

postgres_stop() {
  [ -n "$pg_home" ] || return 0
  as_pg "$(postgres_bin)/pg_ctl" -D "$pg_home/data" -m immediate -w stop >/dev/null 2>&1
  rm -rf "$pg_home"
}
