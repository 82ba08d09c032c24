"""The limits of one certificate: its part of the broker's memory, and of others' subscriptions. The last line has the counts; run sets up the brokers.

    budget_test.py STORE_PID STORE_LOG
"""

import os
import pathlib
import signal
import sys
import threading

import paho.mqtt.client as mqtt
from clients import certificate
from counting import check, last_line
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions
from waiting import PATIENCE_S, until

PID, LOG = int(sys.argv[1]), pathlib.Path(sys.argv[2])
OWN = "beacons/berlin-17/entrance/region"
# topic-limit's own, and what it may cost the broker: the first levels of a topic are charged less than a node.
BUDGET_MIB, MOST_MIB = 64, 256
LARGE = b"x" * 250_000
REFUSED = "Not authorized"


def resident_mib():
    return int(pathlib.Path(f"/proc/{PID}/status").read_text().split("VmRSS:")[1].split()[0]) // 1024


def gateway(name="berlin-17/entrance", *, clean=True, expiry_s=0, **options):
    one = certificate(name, **options)
    one.connect(clean=clean, expiry_s=expiry_s)
    return one


def retain_until_refused(one, topic_of, payload=b"x", most=2000):
    """The number of messages that the broker took, 20 at a time."""
    for first in range(0, most, 20):
        told = [one.publish(topic_of(number), payload, retain=True) for number in range(first, first + 20)]
        until(lambda told=told: all(each.is_published() for each in told) or not one.mqtt.is_connected())
        taken = sum(each.mid in one.acknowledged for each in told)
        if taken < 20:
            return first + taken
    return most


def subscribe(one, *filters):
    """The reason codes, one for each filter."""
    codes, done = [], threading.Event()

    def has_subscribed(client, userdata, mid, reasons, properties):
        codes.extend(reasons)
        done.set()

    one.mqtt.on_subscribe = has_subscribed
    one.mqtt.subscribe([(each, SubscribeOptions(qos=1)) for each in filters])
    if not done.wait(PATIENCE_S):
        raise TimeoutError("no SUBACK")
    return [str(code) for code in codes]


def deep(number):
    return f"{number}" + "/a" * 90


def retained(other):
    """Another gateway's topics, and those of a will, are counted apart and at once."""
    before, one = resident_mib(), gateway()
    count = retain_until_refused(one, lambda number: f"{OWN}/{number}/state", LARGE)
    check("a gateway retains 64 MiB, and no more", 0.9 * BUDGET_MIB < count * len(LARGE) / 2**20 <= BUDGET_MIB, count)
    check("it is told that it is not allowed to", REFUSED in one.refused, one.refused[:1])
    check("it goes on with what is not retained", one.tell(f"{OWN}/carts/event", '{"seq":1}'))
    check("it may put a smaller state in a larger one's place", one.tell(f"{OWN}/0/state", "{}", retain=True))
    check("another gateway retains what it likes", other.tell("beacons/berlin-17/back-door/region/carts/state", "{}", retain=True))
    # A will has 65,535 octets at most.
    count += retain_until_refused(one, lambda number: f"{OWN}/small-{number}/state", LARGE[:60_000], most=100)
    one.close()
    last = certificate("berlin-17/entrance")
    last.mqtt.will_set(f"{OWN}/will/state", LARGE[:65_000], qos=1, retain=True)
    last.connect()
    last.closing = True
    last.mqtt.disconnect(ReasonCode(PacketTypes.DISCONNECT, "Disconnect with will message"))
    last.close()
    os.kill(PID, signal.SIGHUP)
    one = gateway()
    check("after the configuration was read again it retains no more either", not one.tell(f"{OWN}/more/state", LARGE, retain=True))
    operator = gateway("operator")
    operator.subscribe(f"{OWN}/#", qos=0)
    until(lambda: len(operator.heard) >= count)
    topics = {topic for _, topic, _ in operator.heard}
    check("its will is not retained beyond it", f"{OWN}/will/state" not in topics and len(topics) >= count, len(topics))
    for topic in topics:
        operator.publish(topic, b"", retain=True)
    until(lambda: all(number in operator.acknowledged for number in range(2, 2 + len(topics))))
    check("once an operator has cleared them it may retain again", one.tell(f"{OWN}/more/state", LARGE, retain=True))
    one.tell(f"{OWN}/more/state", b"", retain=True)
    check("without a state of its own that was refused", until(lambda: resident_mib() - before < MOST_MIB), resident_mib() - before)
    operator.close()
    one.close()


def deep_topics():
    """mosquitto has a node for each level of a topic: 66 KiB for one of 92 levels."""
    before, one = resident_mib(), gateway()
    count = retain_until_refused(one, lambda number: f"{OWN}/{deep(number)}", most=4000)
    check("retained topics of many levels are charged for each", count < 4000 and resident_mib() - before < MOST_MIB, (count, resident_mib() - before))
    for number in range(count):
        one.publish(f"{OWN}/{deep(number)}", b"", retain=True)
    check("who clears them gets its budget back", one.tell(f"{OWN}/carts/state", LARGE, retain=True))
    one.tell(f"{OWN}/carts/state", b"", retain=True)
    one.close()


def subscriptions():
    """Filters, which no access list refuses, and which stay with a session."""
    before, count, refused = resident_mib(), 0, False
    for session in range(4):
        one = gateway(clean=session == 0, expiry_s=3600)
        for first in range(0, 1000, 100):
            codes = subscribe(one, *(deep(f"{session}-{number}") for number in range(first, first + 100)))
            count, refused = count + codes.count("Granted QoS 1"), refused or REFUSED in codes
        one.close()
    check("a session has so many filters, however often it is taken up", refused and count < 1500, count)
    check("they cost the broker no more", resident_mib() - before < MOST_MIB, resident_mib() - before)
    one = gateway(clean=True)
    check("a session that begins anew has its budget again", subscribe(one, *map(deep, range(100))) == ["Granted QoS 1"] * 100)
    one.close()


def sharing(other):
    """A member of a shared subscription gets each second message, also where it may not read it: mosquitto then drops it."""
    group = "$share/collectors/beacons/berlin-17/back-door/region/+/event"
    member, thief = gateway("display"), gateway()
    plain = subscribe(member, "beacons/berlin-17/back-door/region/+/event")
    codes = subscribe(member, group) + subscribe(thief, group)
    check("nobody takes part in a shared subscription", plain == ["Granted QoS 1"] and codes == [REFUSED] * 2, codes)
    for seq in range(20):
        other.tell("beacons/berlin-17/back-door/region/carts/event", f'{{"shared":{seq}}}')
    check("so none is lost that way", until(lambda: len(member.heard) >= 20), len(member.heard))
    member.close()
    thief.close()


def half_open():
    """A QoS 2 message waits at the broker until its sender releases it: one session could leave 128 MiB of them, for a fortnight."""
    for version in (mqtt.MQTTv5, mqtt.MQTTv311):
        one = certificate("berlin-17/entrance", version=version)
        one.connect()
        one.publish(f"{OWN}/carts/event", "{}", qos=2)
        check("a message of QoS 2 ends its sender's connection", until(lambda one=one: one.lost), (version, one.lost, one.code))
        one.close()


def odd_names():
    """The authority has signed a name with a wildcard, or with one level too many."""
    for name in ("berlin-17/+", "#", "berlin-17/entrance/x"):
        one = gateway(name)
        one.subscribe("beacons/#")
        said = [topic for topic in ("beacons/berlin-17/back-door/status", f"{OWN}/carts/event") if one.tell(topic, "impostor")]
        heard = [topic for _, topic, _ in one.heard]
        check(f"a certificate of {name} gives nothing of others'", not said and not heard, (said, heard))
        one.close()


def main():
    other = gateway("berlin-17/back-door")
    retained(other)
    deep_topics()
    subscriptions()
    sharing(other)
    half_open()
    odd_names()
    check("the other gateway's connection stood", other.lost == 0)
    warnings = LOG.read_text(errors="replace").count('topic-limit: the topics that "berlin-17/entrance" retains')
    check("the broker's log names who took too much, once a minute", 1 <= warnings < 10, warnings)
    other.close()
    last_line()


main()
