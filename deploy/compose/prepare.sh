#!/bin/sh
# Makes what compose.yaml expects beside it: passwords, addresses with them, and roles.sql. Keeps what is there.
# Needs the image, or COUNTERSIGN="npx countersign".
set -eu
cd "$(dirname "$0")"
umask 077
: "${COUNTERSIGN:=docker run --rm --entrypoint countersign ${COUNTERSIGN_IMAGE:-countersign}}"
mkdir -p secrets config tls

password() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
keep() { [ -s "secrets/$1" ] || printf '%s' "$2" > "secrets/$1"; }

keep postgres_password "$(password)"
keep metrics_token "$(password)"
[ -e secrets/oidc_client_secret ] || : > secrets/oidc_client_secret

if [ ! -s roles.sql ]; then
  $COUNTERSIGN db roles --db postgres://postgres@postgres/countersign > roles.sql.new
  for role in migrator server auditor; do
    secret=$(password)
    printf "alter role countersign_%s password '%s';\n" "$role" "$secret" >> roles.sql.new
    printf 'postgres://countersign_%s:%s@postgres/countersign' "$role" "$secret" > "secrets/${role}_db_url"
  done
  mv roles.sql.new roles.sql
fi
# Read inside of containers by users of their own.
chmod 0644 roles.sql secrets/*
echo 'Now put the client secret of your provider into secrets/oidc_client_secret,'
echo 'config.yaml, countersign.yaml and company.yaml into config/, and the certificate into tls/.'
