# A PostgreSQL of one's own on loopback, for deploy/chain/quickstart. Sourced after requirements.sh and session.sh, not run.

# PostgreSQL refuses to run as root, so that as root it runs as nobody. setpriv becomes the program, where runuser would stay
# in front of it and be what is ended.
unprivileged=()
((EUID != 0)) || unprivileged=(setpriv --reuid nobody --regid "$(id -gn nobody)" --clear-groups --)

# Starts PostgreSQL on a free port with an empty database that only this machine reaches. Its address is in $database; its
# folder, $data, is nobody's in a place that nobody can reach, and goes with the script.
start_database() {
    local programs database_port tries
    programs=$(postgresql_programs)
    data=$(mktemp -d)
    ((EUID != 0)) || chown nobody "$data"
    (cd "$data" && "${unprivileged[@]}" "$programs/initdb" -D "$data/cluster" -U beacons -A trust --no-sync -E UTF8 --locale=C) \
        >"$work/postgresql.log" 2>&1 || fail "PostgreSQL could not be set up; see ${work##*/}/postgresql.log."
    database_port=$((20000 + RANDOM % 20000))
    while listening "$database_port"; do database_port=$((20000 + RANDOM % 20000)); done
    # exec: what is ended in the end is PostgreSQL itself, not a shell around it.
    (cd "$data" && exec "${unprivileged[@]}" "$programs/postgres" -D "$data/cluster" -p "$database_port" -k "$data" \
        -c listen_addresses=127.0.0.1 -c fsync=off) >>"$work/postgresql.log" 2>&1 &
    started+=("$!")
    # SIGTERM would have it wait for everybody who still asks.
    ends_by[$!]=INT
    database=postgresql://beacons@127.0.0.1:$database_port/postgres
    for ((tries = 0; tries < 300; tries++)); do
        "$programs/pg_isready" -q -d "$database" && return 0
        sleep 0.1
    done
    fail "PostgreSQL did not start; see ${work##*/}/postgresql.log."
}
