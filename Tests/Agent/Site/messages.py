"""Writes what gateways would have printed, as lines of `beacond replay --output jsonl`, into the folder named: two gateways hear one
cart that walks from the entrance to the bakery and leaves; then the bakery's gateway is offline while something is inside.
With --late before the folder, one gateway publishes a visit after a later one of another gateway. With --learning, four gateways
advertise and list each other for ten days, and one of them is covered after eight."""

import json
import math
import sys
from datetime import datetime, timedelta, timezone

START = datetime(2026, 11, 23, 8, 0, 0, tzinfo=timezone.utc)
UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"


def time(t_s):
    return (START + timedelta(seconds=t_s)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Gateway:
    def __init__(self, name):
        self.name, self.seq, self.lines = name, 0, []

    def say(self, t_s, topic, **payload):
        payload = {"schema": 1, "at": time(t_s), "clock": "synced", **payload}
        self.lines.append((t_s, json.dumps({
            "t": t_s, "topic": f"beacons/store/{self.name}/{topic}", "qos": 1, "retain": topic == "status" or topic.startswith("beacons/"), "payload": payload})))

    def arrives(self, t_s):
        """The last message waited for its connection until then."""
        payload = json.loads(self.lines[-1][1]) | {"t": t_s}
        self.lines[-1] = (t_s, json.dumps(payload))

    def status(self, t_s, state="online"):
        self.say(t_s, "status", state=state, version="0.1.0", epoch="E" * 26, radio="scanning", remedy="")

    def state(self, t_s, word, minor=1):
        self.say(t_s, f"region/carts/1/{minor}/state", epoch="E" * 26, region="carts", major=1, minor=minor, state=word,
                 since=time(t_s), event_seq=self.seq)

    def event(self, t_s, kind, minor=1, **more):
        self.seq += 1
        known = kind == "enter"
        self.say(t_s, f"region/carts/1/{minor}/event", site="store", gateway=self.name, epoch="E" * 26, seq=self.seq, type=kind,
                 region="carts", uuid=UUID, major=1, minor=minor, rssi_dbm=-60, accuracy_m=2 if known else -1,
                 accuracy_error_m=1 if known else -1, proximity="near" if known else "unknown", **more)

    def enter(self, t_s, minor=1):
        self.event(t_s, "enter", minor)
        self.state(t_s, "inside", minor)

    def exit(self, t_s, entered_s, heard_s, minor=1):
        self.event(t_s, "exit", minor, entered_at=time(entered_s), last_heard_at=time(heard_s), dwell_s=heard_s - entered_s)
        self.state(t_s, "outside", minor)

    def list(self, t_s, rssi, minor=1):
        beacon = {"track": 1, "uuid": UUID, "major": 1, "minor": minor, "proximity": "near", "accuracy_m": 2,
                  "accuracy_error_m": 1, "rssi_dbm": rssi, "measured_power_dbm": -59, "age_ms": 0}
        self.say(t_s, f"region/carts/1/{minor}/ranging", region="carts", major=1, minor=minor, count=1, beacons=[beacon])


def story():
    door, oven = Gateway("door"), Gateway("oven")
    for gateway in (door, oven):
        gateway.status(0)
    door.enter(20)
    oven.enter(22)
    for t_s in range(20, 90):
        door.list(t_s, -55 if t_s < 50 else -80)
        oven.list(t_s + 0.5, -80 if t_s < 50 else -55)
    door.exit(95, 20, 60)
    oven.exit(120, 22, 89)
    oven.enter(200, minor=2)
    for t_s in range(200, 230):
        oven.list(t_s, -60, minor=2)
    oven.status(230, "offline")
    door.status(400)
    # The gateway's old message, once its connection is back.
    oven.event(150, "enter", minor=3)
    oven.arrives(401)
    return door, oven


def late():
    first, behind = Gateway("first"), Gateway("behind")
    for gateway in (first, behind):
        gateway.status(0)
        gateway.state(0, "outside")
    first.enter(50)
    first.exit(70, 50, 58)
    behind.event(30, "exit", entered_at=time(10), last_heard_at=time(20), dwell_s=10)
    behind.arrives(120)
    first.status(200)
    return first, behind


# The gateways of a store that learns, with their places in metres.
PLACES = {"north": (0, 0), "east": (8, 0), "south": (8, 8), "west": (0, 8), "middle": (4, 5)}


def learning():
    gateways, names = {name: Gateway(name) for name in PLACES}, list(PLACES)
    identities = {name: {"uuid": UUID, "major": 9, "minor": number} for number, name in enumerate(names)}
    for name, gateway in gateways.items():
        gateway.say(0, "status", state="online", version="0.3.0", epoch="0" + "E" * 25, radio="scanning", remedy="",
                    advertises=identities[name] | {"measured_power_dbm": -59})
    for t_s in range(600, 10 * 86_400, 1_800):
        for name, gateway in gateways.items():
            beacons = []
            for number, other in enumerate(names):
                if other != name:
                    covered = 12 if t_s > 8 * 86_400 and "middle" in (name, other) else 0
                    level = -55 - 23 * math.log10(math.dist(PLACES[name], PLACES[other])) - covered + (t_s // 1_800 + number) % 3 - 1
                    beacons.append(identities[other] | {
                        "first_heard_at": time(0), "last_heard_at": time(t_s), "interval_ms": 1_000, "rssi_dbm": round(level)})
            gateway.say(t_s, "beacons/0", page=0, pages=1, beacons=beacons)
    return gateways.values()


if __name__ == "__main__":
    for gateway in late() if "--late" in sys.argv else learning() if "--learning" in sys.argv else story():
        with open(f"{sys.argv[-1]}/{gateway.name}.jsonl", "w") as file:
            file.writelines(line + "\n" for _, line in sorted(gateway.lines, key=lambda line: line[0]))
