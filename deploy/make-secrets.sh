#!/bin/sh
# Writes the secrets that compose.yaml hands to its services, each into a file of its own below deploy/secrets. Those that are there
# already stay: the database was made with them. Keep a copy of secret_key with your backups.
set -eu
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/secrets
# Only you can enter the folder; the files themselves must be readable to the user of each container.
mkdir -p "$folder"
chmod 700 "$folder"
umask 022

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
keep() {
  [ -s "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"
  chmod 444 "$folder/$1"
}

keep postgres_password "$(random)"
keep database_url "postgres://tintype:$(cat "$folder/postgres_password")@postgres:5432/tintype"
keep secret_key "$(random)"
keep bootstrap_api_key "$(random)"
access=tintype
secret=$(random)
if [ -s "$folder/aws_credentials" ]; then secret=$(sed -n 's/^aws_secret_access_key = //p' "$folder/aws_credentials"); fi
keep aws_credentials "[default]
aws_access_key_id = $access
aws_secret_access_key = $secret"
keep s3_identities "{
  \"identities\": [
    {
      \"name\": \"tintype\",
      \"credentials\": [{ \"accessKey\": \"$access\", \"secretKey\": \"$secret\" }],
      \"actions\": [\"Admin\", \"Read\", \"Write\", \"List\", \"Tagging\"]
    }
  ]
}"
echo "The secrets are in $folder. The operator's API key: $folder/bootstrap_api_key"
