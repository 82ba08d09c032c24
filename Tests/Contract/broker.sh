# What only a broker shows: retained flags, the will, health of the live agent, gaps, topics that are cleared. Sourced by
# run, which says whether a broker is there.

# start_broker NAME [PORT]: a broker on $port that forgets everything when it ends, and its process in $broker.
start_broker() {
    port=${2:-$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')}
    printf 'listener %d 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 100000\n' "$port" \
        >"$scratch/$1.conf"
    mosquitto -c "$scratch/$1.conf" >"$scratch/$1.log" 2>&1 &
    broker=$!
    children+=("$broker")
    waits 10 mosquitto_pub -p "$port" -t up -m 1
}

# listen NAME: everything that the broker gets from now on goes to NAME.received, a line each, as it was published.
listen() {
    mosquitto_sub -p "$port" -V 5 -t 'beacons/#' -t ready -q 1 --retain-as-published -F '%j' >"$scratch/$1.all" &
    children+=("$!")
    # The subscription stands once something comes through it.
    waits 10 comes_through "$1"
}
comes_through() {
    mosquitto_pub -p "$port" -t ready -m 1
    grep -q '"topic":"ready"' "$scratch/$1.all"
}
received() { grep -v '"topic":"ready"' "$scratch/$1.all" >"$scratch/$1.received"; }

# retained: the topics that a newcomer gets, one a line, with their payloads.
retained() { mosquitto_sub -p "$port" -t 'beacons/#' -W 1 -F '%t %p' || true; }

# waits SECONDS COMMAND…: until the command succeeds.
waits() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || { echo "not within the time: $*" && return 1; }
        sleep 0.1
    done
}

# live NAME [KEYS]: the agent, which has no adapter here or is not allowed to use it, in $agent; its log in NAME.log.
live() {
    configure "$1" <<<"
[mqtt]
url = \"mqtt://127.0.0.1:$port\"
${2:-}
[[region]]
id = \"carts\"
$shop"
    "$beacond" run --config "$scratch/$1.toml" >"$scratch/$1.log" 2>&1 &
    agent=$!
    children+=("$agent")
}

# publish CONFIGURATION CAPTURE [OPTION…]: begins a replay to the broker, in $replay; its log in replay.log.
publish() {
    { cat "$scratch/$1.toml" && printf '\n[mqtt]\nurl = "mqtt://127.0.0.1:%d"\n' "$port"; } >"$scratch/mqtt.toml"
    "$beacond" replay "$2" --config "$scratch/mqtt.toml" --output mqtt "${@:3}" >"$scratch/replay.log" 2>&1 &
    replay=$!
    children+=("$replay")
}
published() {
    publish "$@"
    wait "$replay" || { cat "$scratch/replay.log" && return 1; }
}

check "a broker starts" start_broker broker
check "a subscriber listens" listen replays
# Not at full speed, or it would be over before it is connected, and all of the ranging would be shed.
check "a replay is delivered" published expanded "$scratch/shop-2" --state "$scratch/delivered" --speed 60
received replays
check "what the broker got of a replay" valid "$scratch/replays.received"
check "it was all of the kinds" has "$scratch/replays.received" '/status"' '/health"' '/state"' '/event"' '/ranging"'

# The agent itself, on this machine's radio or without one.
check "another subscriber listens" listen run
live run "[health]
textfile = \"$scratch/beacond.prom\"
[commands]
enabled = true"
check "the agent says that it is online" waits 20 grep -q '"topic":"[^"]*/status".*online' "$scratch/run.all"
check "its health says that the broker is connected" waits 20 \
    grep -qF '\"mqtt\":{\"connected\":true,' "$scratch/run.all"
check "its metrics say the same" waits 20 grep -qx 'beacond_mqtt_connected 1' "$scratch/beacond.prom"
check "its metrics are well-formed" "$python" -B "$here/metrics.py" "$scratch/beacond.prom"
if command -v promtool >/dev/null; then check "promtool agrees" promtool check metrics <"$scratch/beacond.prom"; fi
# Requests, and what becomes of them: the subscriber hears both.
ask() {
    mosquitto_pub -p "$port" -q 1 -t "beacons/store/contract/request/$1" -m "$2" &&
        waits 10 grep -q "\"topic\":\"beacons/store/contract/response/$1\".*$3" "$scratch/run.all"
}
monitor='{"id":"promotion","uuid":"39ED98FF-2900-441A-802F-9C398FC199D2","exit_after_s":30}'
check "a request for the states is answered" ask state '{}' 'event_seq'
check "a request to monitor is answered" ask monitor "$monitor" promotion
check "a request to range is answered" ask range '{"region":"promotion"}' count
check "a request to stop is answered" ask stop '{"region":"promotion"}' instances
check "a request of an unknown region is refused" ask range '{"region":"roof"}' unknown_region
ask_what_is_no_verb() {
    mosquitto_pub -p "$port" -q 1 -t beacons/store/contract/request/dance -m '{}'
    waits 10 grep -q 'unknown_verb' "$scratch/run.all"
}
check "a request that there is not is refused" ask_what_is_no_verb
# The request itself breaks the contract, which has no such verb.
not_the_dance() { received run && sed -i '/request\/dance/d' "$scratch/run.received"; }

# Disowned, or bash would say that it was killed.
disown "$agent"
kill -KILL "$agent"
check "the broker publishes the will" waits 20 grep -q '"topic":"[^"]*/status".*offline' "$scratch/run.all"
live run
check "the agent comes back" waits 20 grep -q 'connected to the broker' "$scratch/run.log"
kill -TERM "$agent"
check "it ends when it is told to" waits 20 eval '! kill -0 $agent'
not_the_dance
check "what the broker got of the agent" valid "$scratch/run.received"

# Metrics that can't be written are no reason to stop, and are said once.
live unwritable "[health]
textfile = \"$scratch/nowhere/beacond.prom\""
check "a folder that is not there is said" waits 20 grep -q 'health.textfile .*nowhere' "$scratch/unwritable.log"
check "the agent goes on" waits 20 grep -q 'connected to the broker' "$scratch/unwritable.log"
kill -TERM "$agent"
check "and ends when it is told to" waits 20 eval '! kill -0 $agent'
said_once() { [[ $(grep -c nowhere "$scratch/unwritable.log") == 1 ]]; }
check "it was said once" said_once

# A region leaves the configuration: first the broker is away, so that its topics can only be cleared at the next start.
has_phones() { retained >"$scratch/retained" && grep -q '/region/phones/2/' "$scratch/retained"; }
has_no_phones() {
    retained >"$scratch/retained" && has "$scratch/retained" '/region/trolleys/state ' || return 1
    ! grep -E '/region/(phones|aisles)/|/region/near the till/' "$scratch/retained"
}
records() { "$beacond" replay "$scratch/shop-1" --config "$scratch/renamed.toml" --state "$scratch/$1" | grep -c '"payload":null'; }
without_broker() {
    port=9 publish renamed "$scratch/later" --state "$scratch/delivered"
    waits 20 grep -q unreachable "$scratch/replay.log" && kill -TERM "$replay" && ! wait "$replay"
}
check "the states of regions are retained" has_phones
check "a replay without them ends before a broker is there" without_broker
check "they are retained still" has_phones
check "a subscriber listens to the clearing" listen clearing
check "the next replay is delivered" published renamed "$scratch/later" --state "$scratch/delivered"
check "their topics are cleared" has_no_phones
received clearing
check "what the broker got of the clearing" valid "$scratch/clearing.received"
none_left() { [[ $(records delivered) == 0 ]]; }
check "nothing is stored of them any more" none_left

# The broker is away until the limit is reached: numbers are lost, and a gap says which.
{ cat "$scratch/expanded.toml" && printf '[outbox]\nmax_events = 3\n'; } >"$scratch/short.toml"
lost_in_outage() {
    kill "$broker" && wait "$broker" 2>/dev/null
    publish short "$scratch/shop-2"
    waits 20 grep -q unreachable "$scratch/replay.log" && start_broker second "$port" && listen gaps && wait "$replay"
}
check "a replay goes on through an outage" lost_in_outage
received gaps
check "what the broker got after it" valid "$scratch/gaps.received"
check "the gap is stated" has "$scratch/gaps.received" '/gap".*max_events'
