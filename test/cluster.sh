#!/usr/bin/env bash
# What compose.yaml runs, by hand on this machine, as root: PostgreSQL, two nodes, a worker and nginx with deploy/nginx.conf; then a
# walk through the API. Ends everything it started. Ends with "cluster: passed".
#
#   bash test/cluster.sh
#
# From the environment: NODES (2), DATABASE_URL (an empty database of a server that runs already), S3_COMMAND (starts
# an S3 server in the foreground) with FILES_STORE and STORAGE_STORE (folders that all share) and the credentials they need.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:/usr/sbin"

node_count=${NODES:-2}
work=$(mktemp -d /tmp/tintype-cluster.XXXXXX)
first_port=$((20000 + RANDOM % 9000))
proxy_port=$first_port
started=()
postgres_folder=

say() { echo "cluster: $*"; }

stop_all() {
  local status=$? pid
  trap - EXIT
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ -z "$postgres_folder" ] || { scripts/postgres.sh stop "$postgres_folder" || true; rm -rf "$postgres_folder"; }
  if [ "$status" != 0 ]; then
    tail -n 20 "$work"/*.log >&2 2>/dev/null || true
    say "failed; what everybody said is in $work"
  else
    rm -rf "$work"
    say passed
  fi
  exit "$status"
}
trap stop_all EXIT

# Its output goes to a file of that name, its process is ended with us.
run() {
  local name=$1
  shift
  "$@" >"$work/$name.log" 2>&1 &
  started+=($!)
}

until_answers() {
  local url=$1 seconds=${2:-60} attempt
  for ((attempt = 0; attempt < seconds * 5; attempt++)); do
    curl --silent --fail --output /dev/null "$url" && return
    sleep 0.2
  done
  say "$url does not answer after $seconds s"
  return 1
}

start_database() {
  if [ -z "${DATABASE_URL:-}" ]; then
    postgres_folder=/tmp/tintype-cluster-postgres.$$
    DATABASE_URL=$(scripts/postgres.sh start "$postgres_folder" $((first_port + 50)))
  fi
  export DATABASE_URL
  say 'PostgreSQL is ready'
}

start_stores() {
  if [ -n "${S3_COMMAND:-}" ]; then
    run s3 sh -c "exec $S3_COMMAND"
    say "S3: $S3_COMMAND"
  fi
  export FILES_STORE=${FILES_STORE:-file:$work/files} STORAGE_STORE=${STORAGE_STORE:-file:$work/storage}
}

start_nodes() {
  local index port
  export SECRET_KEY BOOTSTRAP_API_KEY BASE_URL="http://127.0.0.1:$proxy_port" TRUST_PROXY=on DRAIN_SECONDS=1 LOG_LEVEL=warn
  SECRET_KEY=$(head -c 24 /dev/urandom | base64)
  BOOTSTRAP_API_KEY=$(head -c 24 /dev/urandom | base64)
  ports=()
  for ((index = 1; index <= node_count; index++)); do
    port=$((first_port + index))
    ports+=("$port")
    PORT=$port DATA_DIR="$work/node-$index" run "node-$index" sh scripts/node bin/tintype.js serve --no-jobs
  done
  DATA_DIR="$work/worker" run worker sh scripts/node bin/tintype.js worker --port $((first_port + 40))
  for port in "${ports[@]}" $((first_port + 40)); do until_answers "http://127.0.0.1:$port/health/ready"; done
  say "$node_count nodes and a worker are ready"
}

# The shipped configuration, with our addresses and paths in place of the containers'.
start_nginx() {
  local port servers=
  for port in "${ports[@]}"; do servers+="server 127.0.0.1:$port max_fails=1 fail_timeout=2s; "; done
  mkdir -p "$work/nginx"
  sed -e '/server node-[0-9]*:3000 resolve/d' -e 's/resolver 127.0.0.11 valid=5s;//' \
    -e "s#zone tintype 256k;#zone tintype 256k; $servers#" -e "s/listen 8080;/listen 127.0.0.1:$proxy_port;/" \
    -e "s#/tmp/#$work/nginx/#" -e "s/^worker_processes auto;/daemon off; worker_processes 1; user root;/" \
    deploy/nginx.conf >"$work/nginx.conf"
  nginx -t -q -e stderr -p "$work/nginx" -c "$work/nginx.conf"
  run nginx nginx -e stderr -p "$work/nginx" -c "$work/nginx.conf"
  until_answers "$BASE_URL/health/ready" 10
  say "nginx is ready at $BASE_URL"
}

start_database
start_stores
start_nodes
start_nginx
NODE_URLS=$(printf 'http://127.0.0.1:%s ' "${ports[@]}") sh scripts/node test/nodes/smoke.ts
