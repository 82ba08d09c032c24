# Tests that need a broker: retained flags, the will, health of the live agent, gaps, cleared topics. Sourced by run, which decides
# whether there is a broker.

# A certificate for the agent, because health has when it expires.
ca=$scratch/ca
make_ca() { "$root/deploy/broker/make-ca" "$ca" "$@"; }
make_ca && make_ca server 127.0.0.1 && make_ca client store/contract
# Debian's broker changes its user.
chmod 755 "$scratch" "$ca" && chmod 644 "$ca/127.0.0.1.key"
tls_port=$(free_port)

# start_broker NAME [PORT]: starts a broker on $port that forgets everything when it ends, with its process in $broker.
start_broker() {
    port=${2:-$(free_port)}
    printf 'listener %d 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 100000\n' "$port" \
        >"$scratch/$1.conf"
    printf 'listener %d 127.0.0.1\ncafile %s\ncertfile %s\nkeyfile %s\n' "$tls_port" "$ca"/{ca.crt,127.0.0.1.crt,127.0.0.1.key} >>"$scratch/$1.conf"
    mosquitto -c "$scratch/$1.conf" >"$scratch/$1.log" 2>&1 &
    broker=$!
    # The retained message there comes last to a client that subscribes to it last.
    eventually mosquitto_pub -p "$port" -t end -r -m 1
}

# listen NAME: writes everything that the broker gets from now on to NAME.received, a line each, as it was published.
listen() {
    mosquitto_sub -p "$port" -V 5 -t 'beacons/#' -t ready -q 1 --retain-as-published -F '%j' >"$scratch/$1.all" &
    # Once a message comes through it, the subscription is established.
    eventually comes_through "$1"
}
comes_through() {
    mosquitto_pub -p "$port" -t ready -m 1
    grep -q '"topic":"ready"' "$scratch/$1.all"
}
# received NAME: returns once all messages until now are in NAME.received.
marks=0
received() {
    marks=$((marks + 1))
    mosquitto_pub -p "$port" -q 1 -t ready -m "mark $marks" && eventually grep -q "\"mark $marks\"" "$scratch/$1.all"
    grep -v '"topic":"ready"' "$scratch/$1.all" >"$scratch/$1.received"
}

# retained: prints the topics that a new subscriber gets, one a line, with their payloads.
retained() {
    # The file may hold an earlier subscriber's messages.
    rm -f "$scratch/newcomer"
    mosquitto_sub -p "$port" -t 'beacons/#' -t end -F '%t %p' >"$scratch/newcomer" &
    local newcomer=$!
    eventually grep -qs '^end ' "$scratch/newcomer"
    kill "$newcomer"
    wait "$newcomer" 2>/dev/null
    grep -v '^end ' "$scratch/newcomer"
}

# live NAME [KEYS]: starts the agent, without an adapter or without the right to use it, in $agent; its log is NAME.log.
live() {
    configure "$1" <<<"
[mqtt]
url = \"mqtts://127.0.0.1:$tls_port\"
ca_file = \"$ca/ca.crt\"
cert_file = \"$ca/store-contract.crt\"
key_file = \"$ca/store-contract.key\"
${2:-}
[[region]]
id = \"carts\"
uuid = \"39ED98FF-2900-441A-802F-9C398FC199D2\""
    "$beacond" run --config "$scratch/$1.toml" >"$scratch/$1.log" 2>&1 &
    agent=$!
}

# publish CONFIGURATION CAPTURE [OPTION…]: begins a replay to the broker, in $replay; its log is replay.log.
publish() {
    { cat "$scratch/$1.toml" && printf '\n[mqtt]\nurl = "mqtt://127.0.0.1:%d"\n' "$port"; } >"$scratch/mqtt.toml"
    "$beacond" replay "$2" --config "$scratch/mqtt.toml" --output mqtt "${@:3}" >"$scratch/replay.log" 2>&1 &
    replay=$!
}
published() {
    publish "$@"
    wait "$replay" || { cat "$scratch/replay.log" && return 1; }
}

check "a broker starts" start_broker broker
check "a subscriber listens" listen replays
# The air goes on once the agent is connected; otherwise all ranging would be shed.
connected_first() {
    mkfifo "$scratch/air" && exec 7<>"$scratch/air" || return 1
    publish expanded "$scratch/air" --state "$scratch/delivered" 7<&-
    head -c 4096 "$scratch/shop-2" >&7
    eventually grep -q 'connected to the broker' "$scratch/replay.log" &&
        timeout $PATIENCE_S tail -c +4097 "$scratch/shop-2" >&7
    exec 7<&-
    wait "$replay" || { cat "$scratch/replay.log" && return 1; }
}
check "a replay is delivered" connected_first
received replays
check "what the broker got of a replay" valid "$scratch/replays.received"
check "it was all of the kinds" has "$scratch/replays.received" '/status"' '/health"' '/state"' '/event"' '/ranging"'

# The agent itself. A receiver is its radio, so that its health has each field.
check "another subscriber listens" listen run
live run "[health]
textfile = \"$scratch/beacond.prom\"
[commands]
enabled = true
[fleet]
settings = \"on\"
[receiver]
topic = \"receiver\"
format = \"moko\""
check "the agent says that it is online" eventually grep -q '"topic":"[^"]*/status".*online' "$scratch/run.all"
packet='{"mac":"C2005900038E","rssi":-61,"adv_data":"020106"}'
for _ in {1..8}; do mosquitto_pub -p "$port" -q 1 -t receiver -m "{\"msg_id\":3070,\"data\":[$packet,$packet]}" && sleep 0.3; done
check "its health says that the broker is connected" eventually \
    grep -qF '\"mqtt\":{\"connected\":true,' "$scratch/run.all"
check "and how often its receiver publishes" eventually grep -qF '\"radio\":{\"batch_s\":' "$scratch/run.all"
check "its metrics say the same" eventually grep -qx 'beacond_mqtt_connected 1' "$scratch/beacond.prom"
check "its metrics are well-formed" "$python" -B "$here/metrics.py" "$scratch/beacond.prom"
if command -v promtool >/dev/null; then check "promtool agrees" promtool check metrics <"$scratch/beacond.prom"; fi
# Requests and their outcomes: the subscriber hears both.
ask() {
    mosquitto_pub -p "$port" -q 1 -t "beacons/store/contract/request/$1" -m "$2" &&
        eventually grep -q "\"topic\":\"beacons/store/contract/response/$1\".*$3" "$scratch/run.all"
}
monitor='{"id":"promotion","uuid":"39ED98FF-2900-441A-802F-9C398FC199D2","exit_after_s":30}'
check "a request for the states is answered" ask state '{}' 'event_seq'
check "a request to monitor is answered" ask monitor "$monitor" promotion
check "a request to range is answered" ask range '{"region":"promotion"}' count
check "a request to stop is answered" ask stop '{"region":"promotion"}' instances
check "a request for the place is refused where there is none" ask location '{}' location_unavailable
check "a request of an unknown region is refused" ask range '{"region":"roof"}' unknown_region
ask_what_is_no_verb() {
    mosquitto_pub -p "$port" -q 1 -t beacons/store/contract/request/dance -m '{}'
    eventually grep -q 'unknown_verb' "$scratch/run.all"
}
check "a request that there is not is refused" ask_what_is_no_verb
# The request itself breaks the contract, which lacks such a verb.
not_the_dance() { received run && sed -i '/request\/dance/d' "$scratch/run.received"; }

# Settings: some that are taken, and 105 wrong regions.
settle() {
    mosquitto_pub -p "$port" -q 1 -r -t beacons/store/contract/settings/desired -m "$1" && eventually grep -q "settings/reported.*$2" "$scratch/run.all"
}
check "settings are taken" settle '{"schema":1,"version":1,"tables":{"log":{"level":"notice"}}}' applied
wrong_regions() { printf '{"schema":1,"version":2,"tables":{"region":['; printf '{"id":"a"},%.0s' {1..104}; printf '{"id":"b"}]}}'; }
check "wrong settings are refused, with the first 100 errors" settle "$(wrong_regions)" 'refused.*omitted'

# Disowned, because bash would report its kill.
disown "$agent"
kill -KILL "$agent"
check "the broker publishes the will" eventually grep -q '"topic":"[^"]*/status".*offline' "$scratch/run.all"
live run
check "the agent comes back" eventually grep -q 'connected to the broker' "$scratch/run.log"
kill -TERM "$agent"
check "it ends when it is asked to" eventually eval '! kill -0 $agent'
not_the_dance
check "what the broker got of the agent" valid "$scratch/run.received"

# Metrics that can't be written do not stop the agent, and are reported once.
live unwritable "[health]
textfile = \"$scratch/nowhere/beacond.prom\""
check "a folder that is not there is said" eventually grep -q 'health.textfile .*nowhere' "$scratch/unwritable.log"
check "the agent goes on" eventually grep -q 'connected to the broker' "$scratch/unwritable.log"
kill -TERM "$agent"
check "and ends when it is asked to" eventually eval '! kill -0 $agent'
said_once() { [[ $(grep -c nowhere "$scratch/unwritable.log") == 1 ]]; }
check "it was said once" said_once

# A region leaves the configuration while the broker is away, so that its topics can only be cleared at the next start.
has_phones() { retained >"$scratch/retained" && grep -q '/region/phones/2/' "$scratch/retained"; }
has_no_phones() {
    retained >"$scratch/retained" && has "$scratch/retained" '/region/trolleys/state ' || return 1
    ! grep -E '/region/(phones|aisles)/|/region/near the till/' "$scratch/retained"
}
records() { "$beacond" replay "$scratch/shop-1" --config "$scratch/renamed.toml" --state "$scratch/$1" | grep -c '"payload":null'; }
without_broker() {
    port=9 publish renamed "$scratch/later" --state "$scratch/delivered"
    eventually grep -q unreachable "$scratch/replay.log" && kill -TERM "$replay" && ! wait "$replay"
}
# The agents that ran meanwhile had the same name and other regions. A machine that takes a name over clears unknown states.
check "a gateway publishes its regions again" published expanded "$scratch/later" --state "$scratch/delivered"
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

# The broker is away until the limit is reached: numbers are lost, and a gap names them.
{ cat "$scratch/expanded.toml" && printf '[outbox]\nmax_events = 3\n'; } >"$scratch/short.toml"
lost_in_outage() {
    kill "$broker" && wait "$broker" 2>/dev/null
    publish short "$scratch/shop-2"
    eventually grep -q unreachable "$scratch/replay.log" || return 1
    # It must not be there before the subscriber is.
    kill -STOP "$replay"
    start_broker second "$port" && listen gaps
    kill -CONT "$replay"
    wait "$replay"
}
check "a replay goes on through an outage" lost_in_outage
received gaps
check "what the broker got after it" valid "$scratch/gaps.received"
check "the gap is stated" has "$scratch/gaps.received" '/gap".*max_events'

# An installer carries a beacon through a zone: the map comes from the store's own login.
printf '[mqtt]\nurl = "mqtt://127.0.0.1:%d"\n[site]\nid = "store"\n[[site.gateway]]\nid = "oven"\nzone = "bakery"\n' "$port" >"$scratch/walk.toml"
carried() {
    while :; do
        mosquitto_pub -p "$port" -t beacons/store/oven/region/carts/ranging -m '{"schema":1,"at":"2026-11-23T08:00:00.000Z","clock":"unsynced","region":"carts","count":1,"beacons":[{"track":1,"uuid":"39ED98FF-2900-441A-802F-9C398FC199D2","major":1,"minor":1,"proximity":"near","accuracy_m":2,"accuracy_error_m":1,"rssi_dbm":-60,"measured_power_dbm":-59,"age_ms":0}]}'
        sleep 1
    done &
    local air=$! walk status
    mkfifo "$scratch/walk.input"
    "$beacond" site walk --config "$scratch/walk.toml" --uuid 39ED98FF-2900-441A-802F-9C398FC199D2 \
        <"$scratch/walk.input" 2>"$scratch/walk.dialog" &
    walk=$!
    exec 7>"$scratch/walk.input"
    echo bakery >&7
    # A zone with fewer than ten seconds is not in the map.
    eventually grep -qE '^bakery [1-9][0-9] s' "$scratch/walk.dialog"
    echo done >&7
    exec 7>&-
    wait "$walk"
    status=$?
    kill "$air"
    wait "$air" 2>/dev/null
    return $status
}
check "a subscriber listens to the walk" listen walk
check "a walk teaches the store a zone" carried
received walk
check "what the broker got of the walk" valid "$scratch/walk.received"
check "the map has the zone" has "$scratch/walk.received" '/zones".*bakery'
