# Shared by deploy/quickstart and deploy/chain/quickstart: a folder of their own, programs in the background that end with the script, and a broker; and the
# build of the first. Sourced by bash from the project's folder, with work= the folder; not run.

# The process ids of the programs in the background. bash makes such programs ignore Ctrl-C, so they are ended here, the last started
# first: the agent has to publish "offline" before its broker ends.
started=()
# The signal that ends a program, where that is not TERM.
declare -A ends_by=()

stop_all() {
    trap '' INT TERM HUP
    local index pid tries
    for ((index = ${#started[@]} - 1; index >= 0; index--)); do
        pid=${started[index]}
        kill "-${ends_by[$pid]:-TERM}" "$pid" 2>/dev/null || continue
        for ((tries = 0; tries < 50; tries++)); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        # A program that has not ended after 5 s never will.
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    # Cleans up after the script itself.
    ! declare -F clean_up >/dev/null || clean_up
}

# A new background process has this shell's traps until it becomes its program. If it is killed before that, it must not stop
# everything.
trap '((BASHPID != $$)) || stop_all' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

fail() {
    echo "$1" >&2
    exit 1
}

# Makes the folder, and refuses a second run of this script in it.
take_folder() {
    mkdir -p "$work"
    # Started programs inherit the lock, so that a program that outlives a kill -9 of this script is noticed.
    exec 9>"$work/lock"
    flock -n 9 || fail "$0 already runs in this folder."
}

# A debug build: a release build costs 1.7 times as much (330 s of processor time, not 190 s), and here the first message counts.
build() {
    local what="Building beacond (minutes the first time, seconds later)"
    echo "$what …"
    # In the background, because bash handles a signal only when its foreground program has ended.
    swift build --product beacond > >(tee "$work/build.log" | show_progress "$what") 2>&1 &
    started+=("$!")
    if ! wait "$!"; then
        tail -n 20 "$work/build.log" >&2
        fail "The build failed; all of its output is in ${work##*/}/build.log."
    fi
    unset 'started[-1]'
    beacond=$(swift build --product beacond --show-bin-path)/beacond
}

# show_progress WHAT: on a terminal, one line counts the files: [123/456].
show_progress() {
    local line
    while IFS= read -r line; do
        [[ -t 1 && $line =~ ^\[[0-9]+/[0-9]+\] ]] && printf '\e[A\r\e[K%s … %s\n' "$1" "${BASH_REMATCH[0]}"
    done
    true
}

# listening PORT: whether a program accepts connections on that port of this machine.
listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Starts mosquitto on a free port of the loopback interface, which no other machine can reach. Where $pages is a folder, it serves that
# on the next port, $web, with MQTT over websockets.
start_broker() {
    local attempt tries broker
    for ((attempt = 0; attempt < 5; attempt++)); do
        port=$((20000 + RANDOM % 20000))
        web=$((port + 1))
        listening "$port" || listening "$web" && continue
        printf '%s\n' "listener $port 127.0.0.1" "allow_anonymous true" "persistence false" "user $(id -un)" \
            >"$work/mosquitto.conf"
        [[ -z ${pages:-} ]] || printf '%s\n' "listener $web 127.0.0.1" "protocol websockets" "http_dir $pages" >>"$work/mosquitto.conf"
        mosquitto -c "$work/mosquitto.conf" >"$work/mosquitto.log" 2>&1 &
        broker=$!
        started+=("$broker")
        for ((tries = 0; tries < 50; tries++)); do
            kill -0 "$broker" 2>/dev/null || break
            listening "$port" && return 0
            sleep 0.1
        done
    done
    tail -n 3 "$work/mosquitto.log" >&2
    fail "mosquitto did not start; see ${work##*/}/mosquitto.conf and mosquitto.log."
}
