# A PostgreSQL of its own on loopback, for deploy/chain/quickstart. Sourced after requirements.sh and session.sh, not run.

# PostgreSQL refuses to run as root, so root runs it as an unprivileged user. setpriv becomes the program; runuser would stay in
# front of it, and would get the signal that ends it.
unprivileged=()
((EUID != 0)) || unprivileged=(setpriv --reuid nobody --regid "$(id -gn nobody)" --clear-groups --)

# Starts PostgreSQL on a free port with an empty database that only this machine can reach. Its address is in $database. Its
# folder is $data; it belongs to that user, in a place that the user can reach, and is removed with the script.
start_database() {
    local programs database_port tries
    programs=$(postgresql_programs)
    data=$(mktemp -d)
    ((EUID != 0)) || chown nobody "$data"
    (cd "$data" && "${unprivileged[@]}" "$programs/initdb" -D "$data/cluster" -U beacons -A trust --no-sync -E UTF8 --locale=C) \
        >"$work/postgresql.log" 2>&1 || fail "PostgreSQL could not be set up; see ${work##*/}/postgresql.log."
    database_port=$((20000 + RANDOM % 20000))
    while listening "$database_port"; do database_port=$((20000 + RANDOM % 20000)); done
    # exec, so that the signal at the end reaches PostgreSQL itself, not a shell around it.
    (cd "$data" && exec "${unprivileged[@]}" "$programs/postgres" -D "$data/cluster" -p "$database_port" -k "$data" \
        -c listen_addresses=127.0.0.1 -c fsync=off) >>"$work/postgresql.log" 2>&1 &
    started+=("$!")
    # After SIGTERM it would wait for all clients.
    ends_by[$!]=INT
    database=postgresql://beacons@127.0.0.1:$database_port/postgres
    for ((tries = 0; tries < 300; tries++)); do
        "$programs/pg_isready" -q -d "$database" && return 0
        sleep 0.1
    done
    fail "PostgreSQL did not start; see ${work##*/}/postgresql.log."
}
