# The steps of deploy/test: each has a log of its own, and some run at the same time. Sourced by bash after suite.sh, not run.
#
#     step NAME COMMAND…      alone: after all that runs, and before all that follows
#     beside NAME COMMAND…    beside other such steps, as far as the processors go; never beside one of the same suite
#     all_steps               until none waits or runs any more
#     last_line NAME          prints the last line of a step's output
#     by_cost NAME…           prints the names, those first that failed before, then the longest with what waits for it
#
# What a step costs comes from Tests/Tools/costs, and from the runs of this folder in .build/test-history.

logs=$(mktemp -d)
# By process id: the name of each running step, its beginning, its ports' lane (ports.py), and its share of the processors, percent.
declare -A running=() begun=() lane_of=() load_of=()
# By name: the command of each step that waits, the step that has to end before it, and the exit status of each one that has ended.
declare -A command_of=() after=() status_of=()
# Steps whose first failure is printed, and those that were reported as slow, by name.
declare -A announced=() slow=()
waiting=()
# Lanes of ports, and so steps at once.
lanes=8
# Percent of one processor. Half a processor more than there are, because no step computes all the time. Where more than that half was idle for some
# seconds, the running steps wait, and another one begins.
capacity=$(($(nproc) * 100 + 50))
idle_after_s=3 idle_since=$SECONDS idle_before=0
# The limit that ends a step that hangs, so that the table names it. It is no verdict: it is six times what the step takes, and this at least.
limit_s=2400
# A step that takes three times as long as usual, and this at least, is reported while it runs.
slow_s=180
# One line for each step that has ended.
rows=()
history=$root/.build/test-history

# By name: what a step takes, seconds and percent of a processor, and how often it failed.
declare -A seconds_of=() percent_of=() failures_of=()
read_costs() {
    local name seconds percent failures _
    while read -r name seconds percent failures _; do
        [[ $name != "" && $name != \#* ]] || continue
        name=${name%\*} seconds_of[$name]=$seconds percent_of[$name]=$percent failures_of[$name]=$failures
    done <"$root/Tests/Tools/costs"
    [[ -e $history ]] || return 0
    while read -r seconds failures name; do
        seconds_of[$name]=$seconds failures_of[$name]=$((${failures_of[$name]:-0} + failures))
    done <"$history"
}
read_costs

by_cost() {
    local name leader
    local -A followers_s=()
    for name in "${!after[@]}"; do
        leader=${after[$name]}
        [[ " $* " != *" $name "* ]] || followers_s[$leader]=$((${followers_s[$leader]:-0} + ${seconds_of[$name]:-0}))
    done
    for name in "$@"; do
        echo "${failures_of[$name]:-0} $((${seconds_of[$name]:-0} + ${followers_s[$name]:-0})) $name"
    done | sort -s -k1,1nr -k2,2nr | cut -d ' ' -f 3-
}

# record NAME SECONDS STATUS: the newest runs of this folder, for the order of the next one.
record() {
    mkdir -p "${history%/*}"
    { tail -n 499 "$history" 2>/dev/null; echo "$2 $(($3 != 0)) $1"; } >"$history.new" && mv "$history.new" "$history"
}

# Ctrl-C reaches the script alone, because timeout has a process group of its own.
stop() {
    ((${#running[@]} == 0)) || { kill -TERM "${!running[@]}" && wait "${!running[@]}"; } 2>/dev/null
    rm -rf "$logs"
}
at_end stop
trap 'exit 130' INT
trap 'exit 143' TERM

log_of() { echo "$logs/step ${1//\//.}"; }
last_line() { tail -n 1 "$(log_of "$1")"; }

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

# begin_step NAME LANE COMMAND…
begin_step() {
    local name=$1 lane=$2 usual_s=${seconds_of[$1]:-0}
    shift 2
    PORT_LANE=$lane timeout --kill-after=30 $((6 * usual_s > limit_s ? 6 * usual_s : limit_s)) "$@" >"$(log_of "$name")" 2>&1 </dev/null &
    running[$!]=$name begun[$!]=$SECONDS lane_of[$!]=$lane load_of[$!]=${percent_of[$name]:-100}
}

# The line of a log that names a failure.
failure_line='^(✘ Test .* recorded an issue|([a-z-]+: )?failed:|(FAIL|ERROR): |([^ ]+: )?(fatal )?error: )'

# announce NAME: prints the first failure of a step as soon as its log has it, with the command that repeats the step.
announce() {
    local line
    [[ -z ${announced[$1]:-} ]] && line=$(grep -m 1 -E "$failure_line" "$(log_of "$1")" 2>/dev/null) || return 0
    announced[$1]=yes
    echo "failing       $1: ${line:0:200}"
    echo "              repeat it: $(repeated "$1" "$line")"
}

# report_slow PID: prints once that a step takes long.
report_slow() {
    local name=${running[$1]} seconds=$((SECONDS - begun[$1])) usual_s
    usual_s=${seconds_of[$name]:-60}
    [[ -z ${slow[$name]:-} ]] && ((seconds > slow_s && seconds > 3 * usual_s)) || return 0
    slow[$name]=yes
    echo "slow          $name: $seconds s so far, usually $usual_s s"
}

# repeated NAME LINE: prints the command that runs the failing part again. A file of tests may have its name in several targets.
repeated() {
    local suite=${1%/*} file with= found=()
    case $1 in
    */recorded) with="BEACOND_RECORDINGS=$(printf %q "${BEACOND_RECORDINGS:-}") " ;;
    */rest | rules | edges) ;;
    */*) suite=$1 ;;
    esac
    case $1 in
    style) echo "swift format lint --strict --recursive Sources Tests Package.swift" && return ;;
    prose) echo "Tests/Tools/prose" && return ;;
    scripts) echo "Tests/Tools/suite-test" && return ;;
    build) echo "swift build" && return ;;
    test-build) echo "swift build --build-tests" && return ;;
    "release build") echo "deploy/build" && return ;;
    esac
    if [[ $2 =~ \ at\ ([A-Za-z0-9]+)\.swift: ]]; then
        for file in $(find "$root/Tests" -name "${BASH_REMATCH[1]}.swift" | sort); do
            [[ ! $file =~ /([A-Za-z]+Tests)/ ]] || found+=("${BASH_REMATCH[1]}/$(basename "$file" .swift)")
        done
    fi
    echo "${with}deploy/test ${found[*]:-$suite}"
}

# idle_percent: sets $idle to the idle time of the processors since the last call, in percent of one processor.
idle_percent() {
    local words now uptime
    read -ra words </proc/stat && read -r uptime _ </proc/uptime
    # Both count hundredths of a second.
    now=$((words[4] + words[5])) uptime=$((10#${uptime/./}))
    idle=$((uptime > uptime_before ? (now - idle_before) * 100 / (uptime - uptime_before) : 0))
    idle_before=$now uptime_before=$uptime
}
uptime_before=0

# use_idle_time: once a second, begins a waiting step where the processors were idle.
use_idle_time() {
    local idle
    idle_percent
    ((idle > 50)) || idle_since=$SECONDS
    ((SECONDS - idle_since >= idle_after_s)) || return 0
    idle_since=$SECONDS
    start_steps one
}

# end_step: waits until a step has ended, and prints one line about it. For a failed one it shows the failures and the end of its
# output.
end_step() {
    local pid ended= status=0 looked=$SECONDS
    while [[ -z $ended ]]; do
        for pid in "${!running[@]}"; do kill -0 "$pid" 2>/dev/null || ended=$pid; done
        [[ -n $ended ]] && break
        # Logs are read once a second.
        if ((SECONDS > looked)); then
            looked=$SECONDS
            for pid in "${!running[@]}"; do
                announce "${running[$pid]}"
                report_slow "$pid"
            done
            use_idle_time
        fi
        sleep 0.1
    done
    wait "$ended" || status=$?
    local name=${running[$ended]} seconds=$((SECONDS - begun[$ended]))
    status_of[$name]=$status
    unset "running[$ended]" "begun[$ended]" "lane_of[$ended]" "load_of[$ended]"
    record "$name" "$seconds" "$status"
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
    grep -hE '^left to --long: ' "$log" >>"$logs/left"
    ((status == 0)) && return 0
    ((status == 124 || status == 137)) && echo "        no end within $seconds s"
    echo "        repeat it: $(repeated "$name" "$(grep -m 1 -E "$failure_line" "$log")")"
    grep -hE "$failure_line" "$log" | sort -u | head -n 20 | sed 's/^/        /'
    tail -n 25 "$log" | sed 's/^/        | /'
    return 1
}

# fits NAME [one]: whether the step may begin: its load fits, no step of its suite runs, and what it waits for has ended. Two parts of one suite
# may share the files that the suite keeps for the next run. With `one` any load fits.
fits() {
    local pid load=0 name
    for pid in "${!running[@]}"; do
        load=$((load + load_of[$pid]))
        [[ ${running[$pid]%%/*} != "${1%%/*}" ]] || return 1
        [[ ${running[$pid]} != "${after[$1]:-}" ]] || return 1
    done
    for name in "${waiting[@]}"; do [[ $name != "${after[$1]:-}" ]] || return 1; done
    [[ -z ${2:-} ]] || load=-10000
    ((${#running[@]} == 0)) || ((${#running[@]} < lanes && load + ${percent_of[$1]:-100} <= capacity))
}

# start_steps [one]: begins the waiting steps that fit, in their order, or one whatever its load.
start_steps() {
    local name left=() lane command more=${1:-}
    for name in "${waiting[@]}"; do
        if [[ $more == none ]] || ! fits "$name" $more; then
            left+=("$name")
            continue
        fi
        [[ -z $more ]] || more=none
        lane=0
        while [[ " ${lane_of[*]} " == *" $lane "* ]]; do lane=$((lane + 1)); done
        eval "command=(${command_of[$name]})"
        begin_step "$name" "$lane" "${command[@]}"
    done
    waiting=("${left[@]}")
}

all_steps() {
    start_steps
    while ((${#running[@]} > 0)); do
        end_step
        start_steps
    done
}

step() {
    all_steps
    begin_step "$1" 0 "${@:2}"
    end_step
}

# A step that waits begins at the latest in all_steps. While steps are queued none begins: one that waits for another may come first.
is_queueing=
beside() {
    waiting+=("$1")
    command_of[$1]=$(printf '%q ' "${@:2}")
    [[ -n $is_queueing ]] || start_steps
}
