#!/bin/sh
# Writes the secrets of compose.yaml into a folder, by default deploy/secrets: random values, one in each file. Files that
# exist are kept, so that it may run again. Usage: sh deploy/make-secrets.sh [FOLDER]
set -eu
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
# Only the owner enters the folder. Inside a container a file is read by another user, so the files themselves are open.
chmod 700 "$folder"
cd "$folder"
umask 022

make() { # name, text
  [ -e "$1" ] || printf '%s\n' "$2" >"$1"
}
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

for name in admin_token secrets_key metrics_token upstream_token postgres_password valkey_password grafana_password; do
  make "$name" "$(random)"
done
make database_url "postgres://gateway:$(cat postgres_password)@postgres:5432/gateway"
make valkey_url "redis://:$(cat valkey_password)@valkey:6379"
make valkey_auth "requirepass $(cat valkey_password)"
echo "The secrets are in $folder. Keep a copy of secrets_key elsewhere: without it, the database's secrets are lost."
