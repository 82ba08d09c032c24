# What the suites of the chain have in common: Python's unittest with the chain's libraries, and servers that end with it. Sourced by
# bash after suite.sh, not run.
#
#     begin_chain
#     run_tests visits                alone
#     begin_part visits               beside others, until end_parts
#     end_parts
#     finish

# begin_chain: in the suite's folder, after begin_suite. Sets $python, and what tests and their servers need.
begin_chain() {
    local chain=$root/deploy/chain
    source "$chain/python-environment"
    if ! python=$(python_environment "$chain/collector-requirements.txt" "${BEACONS_VENV:-$chain/.venv}"); then
        skip_suite "no libraries from the package index"
    fi
    log=$scratch/log
    # What ends a file that hangs. No verdict: many times what the longest takes.
    limit_s=1500
    child=
    # Servers run in folders of their own in this one, which admits all users.
    export TMPDIR=$scratch
    chmod a+x "$scratch"
    # Clusters that the tests copy.
    export TEMPLATES=$scratch/templates
    mkdir -p -m 777 "$TEMPLATES"
    at_end stop_chain
    export PYTHONPATH=$PYTHONPATH:$chain:$root/Tests/Agent/Chain
    export BEACOND=$beacond
}

# Python ends its servers when it is asked to end. What it could not end is found by its folder.
end_servers() {
    local process
    for process in /proc/[0-9]*; do
        [[ $(readlink "$process/cwd") != "$scratch"/?* ]] || kill -KILL "${process#/proc/}"
    done 2>/dev/null
}

stop_chain() {
    [[ -z $child ]] || { kill -TERM "$child" && wait "$child"; } 2>/dev/null
    ((${#parts[@]} == 0)) || { kill -TERM "${parts[@]}" && wait "${parts[@]}"; } 2>/dev/null
    end_servers
    clear_away
}

# days_now: the days in UTC and in the zone of the stories' stores.
days_now() {
    date -u +%F
    TZ=Europe/Berlin date +%F
}

# run_tests NAME [CLASS…]: NAME_test.py or some classes in it, each test as one. What it says is in $log. Stories end today, which is
# another day for the database after midnight, in UTC or in the stores' zone: a file that fails while a day ends runs once more.
run_tests() {
    local name=$1 chosen=("${1}_test") day status ok left_out bad
    shift
    (($# == 0)) || chosen=("${@/#/${name}_test.}")
    while
        day=$(days_now)
        timeout --kill-after=60 "$limit_s" "$python" -m unittest -v "${chosen[@]}" >"$log" 2>&1 &
        child=$!
        wait "$child"
        status=$?
        child=
        end_servers
        ((status)) && [[ $(days_now) != "$day" ]]
    do :; done
    ((status != 124 && status != 137)) || echo "$name: no end within $limit_s s"
    ok=$(grep -cE '\.\.\. ok$|^ok$' "$log")
    left_out=$(grep -cE "\.\.\. skipped '|^skipped '" "$log")
    bad=$(grep -cE '^(FAIL|ERROR): ' "$log")
    ((status != 0 && bad == 0)) && bad=1
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left_out))
    grep -E "skipped '" "$log" | sed "s/^/skipped: $suite: /"
    if ((bad)); then
        echo "failed: $name"
        grep -vE '\.\.\. ok$' "$log" | tail -n 60
    fi
}

# --- Parts beside each other, because most of their time is waiting --------------------------------------------------------

# The processes that run, by the number of their lane of ports, and the most of them, of eight.
declare -A parts=()
at_once=8

# begin_part NAME [CLASS…]: the same as run_tests, beside other parts. Figures are printed under its name.
begin_part() {
    local folder lane=0
    collect_parts $((at_once - 1))
    while [[ -n ${parts[$lane]:-} ]]; do lane=$((lane + 1)); done
    # A folder of its own, by which its servers are found. The names of sockets in it are short.
    folder=$scratch/part-$lane
    mkdir -p -m 711 "$folder"
    (
        export TMPDIR=$folder PORT_LANE=${PORT_LANE:-}.$lane
        scratch=$folder log=$folder/log passed=0 failed=0 skipped=0 parts=()
        trap '[[ -z $child ]] || kill -TERM "$child"; wait; end_servers; exit 143' TERM
        run_tests "$@"
        grep -o 'figure: .*' "$log" | sed "s/^figure:/$1:/"
        echo "$passed passed, $failed failed, $skipped skipped"
    ) >"$folder/said" 2>&1 &
    parts[$lane]=$!
}

# collect_parts MOST: waits until no more than MOST parts run. It prints what each one that has ended says, and adds its counts.
collect_parts() {
    local lane
    while :; do
        for lane in "${!parts[@]}"; do
            kill -0 "${parts[$lane]}" 2>/dev/null && continue
            wait "${parts[$lane]}"
            sed '$d' "$scratch/part-$lane/said"
            add_counts "$scratch/part-$lane/said" || { echo "failed: a part came to no end" && failed=$((failed + 1)); }
            rm -rf --one-file-system "$scratch/part-$lane"
            unset "parts[$lane]"
        done
        ((${#parts[@]} > $1)) || return 0
        sleep 0.1
    done
}
end_parts() { collect_parts 0; }
