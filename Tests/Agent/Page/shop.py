"""Data for a broker: a minimal publisher, and a shop of six gateways in which people walk.

The shop speaks for the store's own gateway, `site`, in the form of the contract, and knows where everybody really is.
"""
import json
import math
import random
import socket
import time

from mqtt_packets import connect, packet, text

UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
EPOCH = "01M7YFBND8NHZK0BZS3VJ4ZZ24"
# Gateways, their zones and places in metres.
GATEWAYS = {"entrance": ("entrance", 2, 3), "tills": ("tills", 10, 3), "bakery": ("bakery", 21, 3), "dairy": ("dairy", 21, 13),
            "wine": ("wine", 11, 13), "store-room": ("store-room", 2, 13)}


class Publisher:
    """MQTT 3.1.1 over TCP, quality 0: CONNECT, PUBLISH, and nothing else."""

    def __init__(self, port, name="shop"):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(connect(name))
        answer = self.socket.recv(4)
        if answer[3:4] != b"\0":
            raise ConnectionError(f"the broker refuses: {answer!r}")

    def publish(self, topic, payload, retain=False):
        octets = payload if isinstance(payload, bytes) else json.dumps(payload, separators=(",", ":")).encode()
        self.socket.sendall(packet(0x31 if retain else 0x30, text(topic.encode()) + octets))


def stamp(at=None):
    at = time.time() if at is None else at
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1000):03d}Z"


def common(**fields):
    return {"schema": 1, "at": stamp(), "clock": "synced", **fields}


def status(radio="scanning", remedy="", state="online", **fields):
    return common(state=state, version="0.1.0", epoch=EPOCH, radio=radio, remedy=remedy, **fields)


def beacon(major, minor, **fields):
    return {"track": minor + 1, "uuid": UUID, "major": major, "minor": minor, "proximity": "near", "accuracy_m": 2.1,
            "accuracy_error_m": 1.2, "rssi_dbm": -61, "measured_power_dbm": -59, "age_ms": 40, "device": "118d9d9d89965dd0", **fields}


class Shop:
    """People who walk from zone to zone, at a metre a second."""

    def __init__(self, publisher, site="berlin-17", people=14, seed=1):
        self.publisher, self.site, self.random, self.seq = publisher, site, random.Random(seed), 0
        self.people = [{"minor": minor, "place": self.somewhere(), "aim": self.somewhere(), "zone": None, "since": time.time()}
                       for minor in range(1, people + 1)]

    def topic(self, gateway, rest):
        return f"beacons/{self.site}/{gateway}/{rest}"

    def somewhere(self):
        # People go from one department to the next.
        _, x, y = self.random.choice(list(GATEWAYS.values()))
        return [min(23, max(1, x + self.random.uniform(-3, 3))), min(15, max(1, y + self.random.uniform(-2.5, 2.5)))]

    def open(self, broken="dairy"):
        remedy = "Bluetooth is blocked: run 'sudo rfkill unblock bluetooth', or release the machine's wireless switch."
        for gateway in GATEWAYS:
            said = status("blocked", remedy) if gateway == broken else status()
            self.publisher.publish(self.topic(gateway, "status"), said, retain=True)
        self.publisher.publish(self.topic("site", "status"), status(), retain=True)
        for zone in {zone for zone, _, _ in GATEWAYS.values()}:
            self.publisher.publish(self.topic("site", f"region/carts/zone/{zone}/state"), common(
                epoch=EPOCH, region="carts", zone=zone, state="outside", since=stamp(), event_seq=0), retain=True)

    @staticmethod
    def zone(place):
        return min(GATEWAYS.values(), key=lambda one: math.dist(place, one[1:]))[0]

    def walk(self, seconds):
        for one in self.people:
            away = math.dist(one["place"], one["aim"])
            if away < 0.5:
                one["aim"] = self.somewhere()
            else:
                share = min(1, seconds / away)
                one["place"] = [here + (there - here) * share for here, there in zip(one["place"], one["aim"])]
            if (zone := self.zone(one["place"])) != one["zone"]:
                self.cross(one, zone)

    def cross(self, one, zone):
        now = time.time()
        if one["zone"]:
            self.event(one, one["zone"], "exit", entered_at=stamp(one["since"]), last_heard_at=stamp(now), dwell_s=round(now - one["since"], 3))
        self.event(one, zone, "enter")
        one["zone"], one["since"] = zone, now

    def event(self, one, zone, kind, **fields):
        self.seq += 1
        self.publisher.publish(self.topic("site", f"region/carts/2/{one['minor']}/zone/{zone}/event"), common(
            site=self.site, gateway=zone, epoch=EPOCH, seq=self.seq, type=kind, region="carts", zone=zone, uuid=UUID, major=2, minor=one["minor"],
            rssi_dbm=-66, accuracy_m=3.1, accuracy_error_m=2, proximity="near", **fields))

    def entries(self):
        for one in self.people:
            minor, (x, y) = one["minor"], one["place"]
            marks = {"resolving": True} if minor == 3 else {"duplicate": True} if minor == 5 else {}
            place = {"position": {"x_m": round(x, 2), "y_m": round(y, 2), "floor": 0, "error_m": round(0.8 + minor % 4 * 0.5, 1)}}
            if minor == 7:
                marks, place = {"proximity": "unknown", "accuracy_m": -1, "accuracy_error_m": -1}, {}
            yield beacon(2, minor, zone=one["zone"], zone_confidence=0.9, **marks, **place)

    def publish(self):
        entries = list(self.entries())
        self.publisher.publish(self.topic("site", "region/carts/ranging"), common(region="carts", count=len(entries), beacons=entries))
