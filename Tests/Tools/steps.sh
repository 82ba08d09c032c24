# The steps of deploy/test: each has a log of its own, and some run at the same time. Sourced by bash after suite.sh, not run.
#
#     step NAME COMMAND…      alone: after all that runs, and before all that follows
#     beside NAME COMMAND…    beside other such steps, never beside one of the same suite
#     all_steps               until none runs any more
#     said NAME               prints the last line of what a step said
#     has_left NAME           whether that step left parts to --all; what all of them left is in $logs/left

logs=$(mktemp -d)
# By process id: the name of each running step, its beginning, and its ports' lane (ports.py).
declare -A running=() begun=() lane_of=()
# By name: the exit status of each step that has ended.
declare -A status_of=()
# Most suites wait more than they compute: on two processors three of them keep both busy.
at_once=$(($(nproc) < 2 ? 1 : 3))
# The limit that ends a step that hangs, so that the table names it. It is no verdict: it is four times the longest step on two
# cores.
limit_s=2400
# One line for each step that has ended.
rows=()

# Ctrl-C reaches the script alone, because timeout has a process group of its own.
stop() {
    ((${#running[@]} == 0)) || { kill -TERM "${!running[@]}" && wait "${!running[@]}"; } 2>/dev/null
    rm -rf "$logs"
}
at_end stop
trap 'exit 130' INT
trap 'exit 143' TERM

log_of() { echo "$logs/step ${1//\//.}"; }
said() { tail -n 1 "$(log_of "$1")"; }
has_left() { grep -q '^left to --all: ' "$(log_of "$1")" 2>/dev/null; }

# count LOG STATUS: adds a step's own counts where its log has any, in either of two forms: Swift Testing's lines for each test, or a
# last line like this project's. A failed step counts at least one failure, any other step at least one pass.
count() {
    local before=$((passed + failed + skipped)) failed_before=$failed
    if ! add_counts "$1"; then
        # "Test run with 26 tests …" is a sum, not a test.
        passed=$((passed + $(grep -cE '^✔ Test .* passed after ' "$1") - $(grep -cE '^✔ Test run with ' "$1")))
        failed=$((failed + $(grep -cE '^✘ Test .* failed after ' "$1") - $(grep -cE '^✘ Test run with ' "$1")))
        skipped=$((skipped + $(grep -cE '^➜ Test .* skipped' "$1")))
    fi
    (($2 == 0 || failed > failed_before)) || failed=$((failed + 1))
    ((passed + failed + skipped > before)) || passed=$((passed + 1))
}

begin_step() {
    local name=$1
    shift
    timeout --kill-after=30 "$limit_s" "$@" >"$(log_of "$name")" 2>&1 </dev/null &
    running[$!]=$name begun[$!]=$SECONDS
}

# end_step: waits until a step has ended, and prints one line about it. For a failed one it shows the failures and the end of its
# output.
end_step() {
    local pid ended= status=0
    while [[ -z $ended ]]; do
        for pid in "${!running[@]}"; do kill -0 "$pid" 2>/dev/null || ended=$pid; done
        [[ -n $ended ]] || sleep 0.1
    done
    wait "$ended" || status=$?
    local name=${running[$ended]} seconds=$((SECONDS - begun[$ended]))
    status_of[$name]=$status
    unset "running[$ended]" "begun[$ended]" "lane_of[$ended]"
    report_step "$name" "$status" "$seconds" "$(log_of "$name")"
}

report_step() {
    local name=$1 status=$2 seconds=$3 log=$4 word=ok before=("$passed" "$failed" "$skipped") row
    count "$log" "$status"
    ((status == 0)) || word=FAILED
    printf -v row '%-7s %5d s  %-26s %5d passed %3d failed %3d skipped' $word "$seconds" "$name" \
        $((passed - before[0])) $((failed - before[1])) $((skipped - before[2]))
    rows+=("$row")
    echo "$row"
    {
        grep -hE '^skipped: ' "$log"
        sed -nE "s|^➜ Test \"?(.*[^\"])\"? skipped: \"(.*)\"|skipped: $name/\1: \2|p" "$log"
    } >>"$logs/skipped"
    grep -hE '^left to --all: ' "$log" >>"$logs/left"
    ((status == 0)) && return 0
    ((status == 124 || status == 137)) && echo "        no end within $limit_s s"
    grep -hE '^(✘ Test .* recorded an issue|([a-z-]+: )?failed:|.*error:)' "$log" | sort -u | head -n 20 | sed 's/^/        /'
    tail -n 25 "$log" | sed 's/^/        | /'
    return 1
}

all_steps() {
    while ((${#running[@]} > 0)); do end_step; done
}

step() {
    all_steps
    begin_step "$@"
    end_step
}

beside() {
    # Two parts of one suite may share the files that it keeps for the next run.
    while ((${#running[@]} >= at_once)) || [[ " ${running[*]%%/*} " == *" ${1%%/*} "* ]]; do end_step; done
    local lane=0
    while [[ " ${lane_of[*]} " == *" $lane "* ]]; do lane=$((lane + 1)); done
    PORT_LANE=$lane begin_step "$@"
    lane_of[$!]=$lane
}
