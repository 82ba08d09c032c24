# Tests the limits of certificates: impostors publish, read and clear foreign topics, at the store's broker and at the chain's. Sourced by run, which has
# started both brokers. $scratch/heard is the output of a subscriber at the chain's broker. Messages reach it in order: once a later one has come, a forbidden
# one would have come too.

without_certificate() {
    ! timeout $PATIENCE_S mosquitto_pub -h $store -p "$store_port" --cafile "$ca/ca.crt" -t beacons/berlin-17/entrance/health -m no
}
check "nobody comes in without a certificate" without_certificate
stranger() {
    ./make-ca "$scratch/other" && ./make-ca "$scratch/other" client berlin-17/entrance || return 1
    ! timeout $PATIENCE_S mosquitto_pub -h $store -p "$store_port" --cafile "$ca/ca.crt" -t beacons/berlin-17/entrance/gap \
        --cert "$scratch/other/berlin-17-entrance.crt" --key "$scratch/other/berlin-17-entrance.key" -m no
}
check "nor with one of another authority" stranger
tells_a_surge() {
    said store berlin-17-entrance -t beacons/berlin-17/entrance/surge -m 'a surge' && eventually grep -q '^beacons/berlin-17/entrance/surge a surge' "$scratch/heard"
}
check "a gateway's surge crosses" tells_a_surge
check "a gateway can't publish another's event" refused store berlin-17-entrance \
    -t beacons/berlin-17/back-door/region/carts/event -m impostor
check "nor one of another store" refused store paris-3-entrance \
    -t beacons/berlin-17/entrance/region/carts/event -m impostor
check "nor beside its topics" refused store berlin-17-entrance -t beacons/berlin-17/status -m impostor
# more_than COUNT PATTERN: whether the store's broker has logged more such lines than that.
more_than() { (($(grep -c "$2" "$store_log") > $1)); }
# The broker checks a will only when it is due, after a connection that broke.
last_will() {
    local come='as berlin-17/entrance' gone='Client berlin-17/entrance closed' before ends
    before=$(grep -c "$come" "$store_log") ends=$(grep -c "$gone" "$store_log")
    mapfile -t options < <(tls store berlin-17-entrance)
    background will mosquitto_sub "${options[@]}" -q 1 -t nothing --will-topic beacons/berlin-17/back-door/status \
        --will-payload impostor
    eventually more_than "$before" "$come" && stop will KILL && eventually more_than "$ends" "$gone" || return 1
    said store berlin-17-back-door -t beacons/berlin-17/back-door/health -m after-the-will
    eventually grep -q after-the-will "$scratch/heard" && ! grep -q impostor "$scratch/heard"
}
check "nor leave a will in another's name" last_will
check "a subscriber can't publish" refused chain analytics -t beacons/berlin-17/entrance/status -m impostor
check "nor under its own name" refused chain analytics -t beacons/analytics/x/region/y/event -m impostor
check "nor in the store" refused store display -t beacons/display/x/region/y/event -m impostor
check "an operator can't publish an event" refused chain operator -t beacons/berlin-17/entrance/region/carts/event -m impostor
check "nor in the store, nor under its own name" eval \
    'refused store operator -t beacons/berlin-17/entrance/region/carts/2/1/event -m impostor &&
        refused chain operator -t beacons/operator/x/region/y/event -m impostor'
check "a gateway's certificate is no store's, at the chain's broker" refused chain berlin-17-entrance -t beacons/berlin-17/entrance/status -m impostor
check "a store's broker can't publish for another store" refused chain berlin-17 \
    -t beacons/paris-3/entrance/status -m impostor
# hears CERTIFICATE TEXT: publishes a sealed report of people and a later message in the store, and returns whether the certificate receives TEXT.
hears() {
    said store berlin-17-back-door -t beacons/berlin-17/back-door/people -m sealed && said store berlin-17-back-door -t beacons/berlin-17/back-door/status -m later
    grep -q "$2" "$scratch/reader-$1"
}
reads_no_report() {
    mapfile -t options < <(tls store "$1")
    background "reader-$1" stdbuf -oL mosquitto_sub "${options[@]}" -F %p -t 'beacons/#'
    eventually hears "$1" later && ! grep sealed "$scratch/reader-$1" && stop "reader-$1" TERM
}
check "no reader of the store receives a sealed report of people" eval 'reads_no_report display && reads_no_report operator'
# Numbered messages cross the bridge, so the chain can count them.
numbered() {
    local kind
    for kind in gap coverage surge heat location/track; do
        said store berlin-17-back-door -t "beacons/berlin-17/back-door/$kind" -m "numbered $kind" || return 1
    done
    for kind in gap coverage surge heat location/track; do eventually grep -q "back-door/$kind numbered $kind" "$scratch/heard" || return 1; done
}
check "a gateway's accounts cross to the chain, each kind of them" numbered
# clears BROKER REST: an operator clears the retained topics of a store's zone there.
clears() { said "$1" operator -r -n -t "beacons/berlin-17/site/region/$2" -d >"$scratch/answer" 2>&1 && ! grep -i 'not authori' "$scratch/answer"; }
zones() {
    local rest
    for rest in carts/zone/door/state carts/2/zone/door/state carts/2/1/zone/door/state; do clears store "$rest" && clears chain "$rest" || return 1; done
}
check "an operator clears the states of zones, of expanded regions too" zones
# topic OCTETS [SITE/ID]: prints one of the gateway's own topics, of that length.
topic() {
    local head=beacons/${2:-berlin-17/entrance}/region/ tail=/event
    printf '%s%s%s' "$head" "$(printf '%*s' $(($1 - ${#head} - ${#tail})) '' | tr ' ' r)" $tail
}
too_long() {
    said store berlin-17-entrance -t "$(topic 200)" -m '{}' || return 1
    local octets
    for octets in 201 256 296 4000; do refused store berlin-17-entrance -t "$(topic $octets)" -m '{}' || return 1; done
    # A subscription to all of it carries none, and later messages cross the bridge.
    said store berlin-17-back-door -t beacons/berlin-17/back-door/gap -m after-the-long-topics
    eventually grep -q after-the-long-topics "$scratch/heard" && ! grep -qE '^.{201,}/event ' "$scratch/heard"
}
check "no topic has more than 200 octets in the store" too_long
check "nor after the configuration was read again" eval 'unit $store reload && refused store berlin-17-entrance -t "$(topic 201)" -m "{}"'
check "nor at the chain's broker" refused chain operator -t "beacons/berlin-17/entrance/request/$(printf '%*s' 170 '' | tr ' ' r)" -m '{}'
silently() {
    mapfile -t options < <(tls store berlin-17-entrance)
    # An older client is not told: its message is acknowledged, and dropped.
    timeout $PATIENCE_S mosquitto_pub "${options[@]}" -V 311 -q 1 -t "$(topic 296)" -m '{}' &&
        said store berlin-17-back-door -t beacons/berlin-17/back-door/gap -m after-the-older-client
    eventually grep -q after-the-older-client "$scratch/heard" && ! grep -qE '^.{201,}/event ' "$scratch/heard"
}
check "an older client's long topic is dropped" silently
impostors_replay() {
    configuration berlin-17 back-door berlin-17-entrance >"$scratch/impostor.toml"
    background impostor "$beacond" replay "$scratch/shop.btsnoop" --config "$scratch/impostor.toml" --output mqtt
    eventually grep -q 'refused an event' "$scratch/impostor.log" && kill -0 "${process[impostor]}" || return 1
    # 75: the rest waits.
    kill -TERM "${process[impostor]}"
    wait "${process[impostor]}"
    (($? == 75)) && unset 'process[impostor]'
}
check "an impostor's replay is not acknowledged" impostors_replay
check "its check says that it may publish nothing, and what to do" checked berlin-17 back-door berlin-17-entrance \
    '^problem .*/back-door/region/.*: Not authorized \(0x87\) +allow this user to write'
check "with its own certificate it is content" checked berlin-17 back-door berlin-17-back-door '^ok .* accepts us, and'
reads_nothing() {
    mapfile -t options < <(tls store berlin-17-entrance)
    background spy stdbuf -oL mosquitto_sub "${options[@]}" -q 1 -v -d -t 'beacons/#'
    # Retained messages come with the answer to the subscription.
    eventually grep -q 'received SUBACK' "$scratch/spy" || return 1
    said store berlin-17-back-door -t beacons/berlin-17/back-door/health -m after-the-spy
    eventually grep -q after-the-spy "$scratch/heard" && stop spy TERM
    ! grep '^beacons/' "$scratch/spy" | grep -v '^beacons/berlin-17/entrance/'
}
check "a gateway reads nothing of another's" reads_nothing
check "a gateway with another's client identifier does not push it out" eval \
    'said store berlin-17-back-door -i berlin-17/entrance -t beacons/berlin-17/back-door/health -m "{}" &&
        grep -q "as berlin-17/back-door" "$store_log"'
