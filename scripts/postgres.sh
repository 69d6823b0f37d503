#!/usr/bin/env bash
# A real PostgreSQL 15 with pgvector for tests and trials, from Debian's packages; as root.
#   scripts/postgres.sh start DIR [PORT]   installs what is missing, makes a cluster in DIR, starts it on 127.0.0.1:PORT
#                                          (55432), prints its address
#   scripts/postgres.sh stop DIR           stops it; the cluster stays in DIR
# Everybody on this machine may use it without a password. Where Debian has no package of pgvector for this PostgreSQL, the
# source package of a later release is built, with lists of its own: the machine's package sources stay as they are.
set -euo pipefail

version=15
programs=/usr/lib/postgresql/$version/bin
later_release=trixie

say() { echo "postgres.sh: $*" >&2; }

as_postgres() { (cd / && runuser -u postgres -- "$@"); }

install_packages() {
  say "installing $*"
  apt-get update -qq
  # Without this Debian's package would make and start a cluster of its own.
  mkdir -p /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/tintype.conf
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

need_server() {
  [ -x "$programs/pg_ctl" ] || install_packages "postgresql-$version"
}

need_pgvector() {
  [ -e "/usr/share/postgresql/$version/extension/vector.control" ] && return
  # pg_config alone comes with other packages too; what is compiled against are the server's headers.
  if [ ! -e "/usr/include/postgresql/$version/server/postgres.h" ] || ! command -v make gcc >/dev/null; then
    install_packages "postgresql-server-dev-$version" build-essential
  fi
  local folder
  folder=$(mktemp -d)
  say "building pgvector from the source package of $later_release"
  fetch_pgvector "$folder"
  local build=(make --silent --directory "$folder/source" with_llvm=no "PG_CONFIG=$programs/pg_config")
  if ! { "${build[@]}" -j2 && "${build[@]}" install; } >"$folder/build.log" 2>&1; then
    tail -20 "$folder/build.log" >&2
    say "pgvector could not be built; all that the compiler said is in $folder/build.log"
    exit 1
  fi
  rm -rf "$folder"
}

# Into FOLDER/source.
fetch_pgvector() {
  local folder=$1 mirror
  # Either file may be missing, and comments name addresses too.
  mirror=$({ grep -hv '^ *#' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null || true; } |
    grep -oE 'https?://[^ ]+' | grep -v security | head -1) || true
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,source}
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $later_release main" \
    >"$folder/sources.list"
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
  "${apt[@]}" update
  (cd "$folder" && "${apt[@]}" source --download-only pgvector >/dev/null)
  tar --extract --gzip --file "$folder"/pgvector_*.orig.tar.gz --directory "$folder/source" --strip-components=1
}

make_cluster() {
  local folder=$1 port=$2
  install -d -o postgres -g postgres -m 700 "$folder"
  as_postgres "$programs/initdb" -D "$folder" -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 >/dev/null
  cat >>"$folder/postgresql.conf" <<SETTINGS
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 256MB
SETTINGS
}

start() {
  local folder port=${2:-55432}
  folder=$(realpath -m "$1")
  need_server
  need_pgvector
  [ -e "$folder/PG_VERSION" ] || make_cluster "$folder" "$port"
  port=$(sed -n 's/^port = //p' "$folder/postgresql.conf" | tail -1)
  as_postgres "$programs/pg_ctl" -D "$folder" status >/dev/null ||
    as_postgres "$programs/pg_ctl" -D "$folder" -l "$folder/log" -w start >/dev/null
  "$programs/psql" -qX -h 127.0.0.1 -p "$port" -U postgres -c 'create extension if not exists vector' 2>/dev/null
  echo "postgres://postgres@127.0.0.1:$port/postgres"
}

case ${1:-} in
start | stop)
  : "${2:?the folder of the cluster is missing}"
  if [ "$(id -u)" != 0 ]; then
    say 'must run as root: it installs packages, and PostgreSQL runs as the user postgres'
    exit 1
  fi
  if [ "$1" = start ]; then
    start "$2" "${3:-}"
  else
    as_postgres "$programs/pg_ctl" -D "$(realpath -m "$2")" -m fast -w stop >/dev/null
  fi
  ;;
*)
  sed -n '2,7s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac
