"""Each certificate of the store's broker, in hostile hands: no other party notices. The last line has the counts; run sets up the brokers.

    hostile_test.py STORE_PID
"""

import os
import pathlib
import socket
import ssl
import statistics
import sys
import threading
import time

import paho.mqtt.client as mqtt
from clients import CA, STORE, certificate, viewer
from counting import check, last_line
from mqtt_packets import connect, packet, text
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode
from waiting import until

PID, CHAIN = sys.argv[1], ("127.0.0.1", int(os.environ["CHAIN_PORT"]))
SECONDS = 0.5
EVENT = "beacons/berlin-17/back-door/region/carts/event"
# The clients that a takeover would hurt.
NAMES = ("berlin-17/back-door", "berlin-17/site", "berlin-17/page", "berlin-17", "local.berlin-17", "display", "operator", "home-assistant", "")


def peak_mib():
    """The broker's peak memory since the last call."""
    status = pathlib.Path(f"/proc/{PID}/status").read_text()
    pathlib.Path(f"/proc/{PID}/clear_refs").write_text("5")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


class Witnesses:
    """A gateway whose events go to a subscriber in the store, to one of the chain and to the page, and the store's own gateway."""

    def __init__(self):
        self.gateway = certificate("berlin-17/back-door")
        self.display, self.site = certificate("display"), certificate("berlin-17/site")
        self.chain, self.page = certificate("analytics", address=CHAIN), viewer("anna")
        for one in (self.gateway, self.display, self.site, self.chain, self.page):
            one.connect(clean=True, expiry_s=3600)
        for one in (self.display, self.site, self.chain, self.page):
            one.subscribe("beacons/berlin-17/back-door/region/#")
        self.told, self.seq = {}, 0
        # The bridges must be connected: earlier messages are not counted. Retained messages come without the bridges.
        until(self.reaches_everybody, step=0.2)

    def all(self):
        return {"gateway": self.gateway, "display": self.display, "site": self.site, "chain": self.chain, "page": self.page}

    def reaches_everybody(self):
        self.tell()
        return all(any(topic == EVENT for _, topic, _ in one.heard) for one in (self.chain, self.page))

    def tell(self):
        self.seq += 1
        told = self.gateway.publish(EVENT, str(self.seq))
        self.told[self.seq] = (time.monotonic(), told.mid)

    def during(self, attack, own):
        """Lost messages, the delay of the others in seconds, and broken connections, during the attack and a little longer. `own`
        is the attacker's own connection among these: it is no other party."""
        first = self.seq + 1
        marks = {name: (len(one.heard), one.lost) for name, one in self.all().items()}
        thread = threading.Thread(target=attack, daemon=True)
        thread.start()
        while thread.is_alive():
            self.tell()
            time.sleep(0.02)
        end, after = time.monotonic(), self.seq + 1
        for _ in range(20):
            self.tell()
            time.sleep(0.02)
        wanted = set(range(first, self.seq + 1))

        def heard(name):
            start = marks[name][0]
            return {int(payload): at for at, topic, payload in self.all()[name].heard[start:] if topic == EVENT and payload.isdigit()}
        counted = [name for name in ("display", "site", "chain", "page") if name != own]
        until(lambda: all(wanted <= heard(name).keys() for name in counted) and all(self.told[seq][1] in self.gateway.acknowledged for seq in wanted), 60)
        late = [at - self.told[seq][0] for name in counted for seq, at in heard(name).items() if seq in wanted]
        return {
            "lost": {name: len(wanted - heard(name).keys()) for name in counted if wanted - heard(name).keys()},
            "refused": len(self.gateway.refused), "acknowledged": all(self.told[seq][1] in self.gateway.acknowledged for seq in wanted),
            "broken": [name for name, one in self.all().items() if name != own and one.lost > marks[name][1]],
            "late": late, "again_s": max((heard(name)[after] for name in counted if after in heard(name)), default=end) - end,
        }

    def close(self):
        for one in self.all().values():
            one.close()


# --- What each of them tries. A topic is one that its certificate may write, or any where it may write none. -----------------------


def takeovers(name, topic):
    for taken in NAMES:
        for version in (mqtt.MQTTv5, mqtt.MQTTv311):
            one = certificate(name, version=version)
            one.mqtt._client_id = taken.encode()
            one.mqtt.will_set(EVENT, "impostor", qos=1, retain=True)
            one.connect()
            one.closing = True
            if version == mqtt.MQTTv5:
                one.mqtt.disconnect(ReasonCode(PacketTypes.DISCONNECT, "Disconnect with will message"))
            one.close()


def small(name, topic):
    """Small messages of QoS 0, as fast as they go."""
    flood(name, topic, 0, 20)


def large(name, topic):
    """Messages as large as the broker takes them, QoS 1."""
    flood(name, topic, 1, 250_000)


def flood(name, topic, qos, size):
    one = certificate(name)
    one.connect()
    end, payload = time.monotonic() + SECONDS, b"x" * size
    while time.monotonic() < end and one.mqtt.is_connected():
        if len(one.mqtt._out_packet) > 200 or len(one.mqtt._out_messages) > 200:
            time.sleep(0.001)
        one.publish(topic, payload, qos=qos)
    one.close()


def retained(name, topic):
    """One new retained topic after another."""
    one = certificate(name)
    one.connect()
    end, number = time.monotonic() + SECONDS, 0
    while time.monotonic() < end and one.mqtt.is_connected():
        if len(one.mqtt._out_packet) > 200:
            time.sleep(0.001)
        number += 1
        head, _, tail = topic.rpartition("/")
        one.publish(f"{head}-{number}/{tail}", b"x" * 200, qos=0, retain=True)
    one.close()


def plain(name):
    context = ssl.create_default_context(cafile=CA / "ca.crt")
    file = CA / name.replace("/", "-")
    context.load_cert_chain(f"{file}.crt", f"{file}.key")
    return context.wrap_socket(socket.create_connection(STORE, 10), server_hostname=STORE[0])


def logged_in(name):
    one = plain(name)
    one.sendall(connect("x", keepalive_s=60))
    one.recv(4)
    return one


def huge(name, topic):
    """A packet whose header says 256 MiB, sent as far as the broker takes it."""
    one = logged_in(name)
    try:
        one.sendall(packet(0x30, text(topic.encode()), 268_435_455))
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            one.sendall(b"x" * 1_000_000)
    except OSError:
        pass
    one.close()


def deaf(name, topic):
    """Subscribes to everything that it may read, and reads nothing, while another gateway publishes."""
    one = logged_in(name)
    one.sendall(packet(0x82, b"\0\1" + text(b"#") + b"\1"))
    talker = certificate("berlin-17/entrance") if name != "berlin-17/entrance" else certificate("berlin-17/talker")
    talker.connect()
    mine = "entrance" if name != "berlin-17/entrance" else "talker"
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if len(talker.mqtt._out_packet) > 100:
            time.sleep(0.001)
        talker.publish(f"beacons/berlin-17/{mine}/region/carts/ranging", b"x" * 10_000, qos=0)
    talker.close()
    one.close()


def filters(name, topic):
    """Tens of thousands of subscriptions."""
    one = logged_in(name)
    for block in range(40):
        one.sendall(packet(0x82, b"\0\1" + b"".join(text(f"beacons/+/{block}/{number}/#".encode()) + b"\0" for number in range(500))))
    time.sleep(SECONDS / 2)
    one.close()


def crowd(name, topic):
    """Silent connections, as many as the broker takes, with and without a certificate."""
    held = []
    for number in range(300):
        try:
            held.append(plain(name) if number % 2 else socket.create_connection(STORE, 5))
        except OSError:
            pass
    # A gateway that was away comes back meanwhile.
    back = certificate("berlin-17/talker")
    try:
        check(f"{name}: with {len(held)} idle connections of it a gateway is let in", back.connect(), back.code)
    except OSError as error:
        check(f"{name}: with {len(held)} idle connections of it a gateway is let in", False, error)
    back.close()
    for one in held:
        one.close()


def garbage(name, topic):
    """Octets that violate MQTT, from bad lengths to packets out of order."""
    for octets in (b"\xff" * 5, packet(0x10, b"\0\4MQTT\xff"), packet(0xF0, b""), b"\x30\xff\xff\xff\xff\xff", packet(0x82, b"\0\0"), packet(0x62, b"\0\1"),
                   packet(0x30, b"\xff\xffx"), packet(0x20, b"\0\0")):
        for begin in (plain, logged_in):
            one = begin(name)
            one.sendall(octets)
            one.close()


WHO = {
    "berlin-17/entrance": "beacons/berlin-17/entrance/region/carts/state",
    "berlin-17/site": "beacons/berlin-17/site/region/carts/state",
    "operator": "beacons/berlin-17/entrance/request/state",
    "display": "beacons/berlin-17/back-door/region/carts/state",
    "berlin-17/page": "beacons/berlin-17/page/region/carts/state",
    "home-assistant": "beacons/home-assistant/x/state",
    "berlin-17": "beacons/berlin-17/back-door/region/carts/state",
}
ATTACKS = (takeovers, small, large, retained, huge, deaf, filters, crowd, garbage)


def main():
    grown = {}
    # The short form has one kind of certificate.
    for name, topic in list(WHO.items())[:1 if os.environ["SUITE_FORM"] == "short" else None]:
        witnesses = Witnesses()
        own = {"display": "display", "berlin-17/site": "site", "berlin-17/page": "page"}.get(name)
        for attack in ATTACKS:
            peak_mib()
            seen = witnesses.during(lambda: attack(name, topic), own)
            what, peak = f"{name}: {attack.__name__}", peak_mib()
            grown[attack] = max(grown.get(attack, 0), peak)
            check(f"{what}: no acknowledged event is lost", not seen["lost"] and seen["acknowledged"], seen["lost"])
            check(f"{what}: no connection of another breaks", not seen["broken"], seen["broken"])
            late = sorted(seen["late"]) or [0]
            print(f"{what}: median {statistics.median(late) * 1000:.0f} ms, 99 of 100 {late[len(late) * 99 // 100] * 1000:.0f} ms, latest "
                  f"{late[-1] * 1000:.0f} ms; full service again after {seen['again_s'] * 1000:.0f} ms; broker {peak} MiB", flush=True)
        witnesses.close()
    check("a packet of 256 MiB is not read", grown[huge] < grown[retained] + 64, grown[huge])
    said = certificate("home-assistant")
    said.connect()
    said.subscribe("beacons/#")
    time.sleep(0.5)
    check("no will and no message of an impostor is there", not any(payload == b"impostor" for _, _, payload in said.heard))
    said.close()
    last_line()


main()
