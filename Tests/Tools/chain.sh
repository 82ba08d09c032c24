# What the suites of the chain have in common: Python's unittest with the chain's libraries, and servers that end with it. Sourced by
# bash after suite.sh, not run.
#
#     begin_chain
#     run_tests visits
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
    end_servers
    clear_away
}

# run_tests NAME [CLASS…]: NAME_test.py or some classes in it, each test as one. What it says is in $log.
run_tests() {
    local name=$1 chosen=("${1}_test") status ok left_out bad
    shift
    (($# == 0)) || chosen=("${@/#/${name}_test.}")
    timeout --kill-after=60 "$limit_s" "$python" -m unittest -v "${chosen[@]}" >"$log" 2>&1 &
    child=$!
    wait "$child"
    status=$?
    child=
    end_servers
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
