"""Power cuts on a real ext4: of one recorded life of an agent, the disk as a cut at any instant leaves it. On each of these disks the
agent starts by itself and delivers every event that was committed, under its number and with its octets.

POWER_CUTS says how many flushes are followed by a cut (20), or `all`; POWER_SEED (1) which, and what the disk kept of the writes since."""

import bisect
import os
import random
import signal
import time

from delivery import BEGIN, Account, Capture, Crowd, ended, prove, until
from disks import CutDisk, RecordedDisk, flushes, lacks, left_by
from network import Subscriber, packet, text

CUTS = os.environ.get("POWER_CUTS", "20")
SEED = int(os.environ.get("POWER_SEED", "1"))


class Tap:
    """What the agent hands to the broker, and how much of the disk's log was written before. `disk` had to hold it by then."""

    def __init__(self, proxy, disk):
        self.disk, self.buffers, self.messages = disk, {}, []
        proxy.hears = self.hears

    def hears(self, pair, piece):
        position, buffer = self.disk.position(), self.buffers.setdefault(pair, bytearray())
        buffer += piece
        begin = 0
        while found := Subscriber.packet(buffer, begin):
            kind, body, begin = found
            if kind >> 4 == 3:
                self.messages.append((position, *self.message(kind, body)))
        del buffer[:begin]

    @staticmethod
    def message(kind, body):
        """Topic, payload, and whether the broker keeps it, of a PUBLISH of MQTT 3.1.1."""
        end = 2 + int.from_bytes(body[:2], "big")
        return body[2:end].decode(), body[end + (2 if kind & 6 else 0):], bool(kind & 1)

    def until(self, position):
        return self.messages[:bisect.bisect_right(self.messages, position, key=lambda message: message[0])]


class Life:
    """An agent that starts on an empty disk, works, is killed, works without a broker and with it again, and ends."""

    def __init__(self, house, gateway, proxy, disk):
        self.tap = Tap(proxy, disk)
        gateway.configure(proxy.port, state=disk.folder / "state", mqtt="keepalive_s = 5\nprotocol = 3")
        air = Crowd(BEGIN, 12, SEED)

        def works(events, child):
            wanted = self.count() + events
            if not until(lambda: self.count() >= wanted or child.poll() is not None) or child.poll() is not None:
                raise RuntimeError(f"it stops: {gateway.said()[-600:]}")
        child = gateway.hears(air, speed=8)
        works(60, child)
        child.kill()
        child.wait()
        child = gateway.hears(air, speed=8)
        works(30, child)
        proxy.refuses = True
        proxy.silence()
        heard = air.at
        until(lambda: air.at > heard + 12)
        proxy.refuses = False
        works(60, child)
        child.send_signal(signal.SIGTERM)
        self.status, self.at = ended(child), air.at
        disk.remove()
        self.entries = disk.entries()

    def count(self):
        return sum(topic.endswith("/event") for _, topic, _, _ in self.tap.messages)


class Cut:
    """One cut, and what came of it."""

    def __init__(self, life, gateway, broker, disk, after):
        self.life, self.gateway, self.broker, self.disk, self.after = life, gateway, broker, disk, after
        self.faults = []

    def check(self, name, holds, detail=""):
        if not holds:
            self.faults.append(f"{name}: {detail}")

    def none(self, name, found):
        found = list(found)
        self.check(name, not found, f"{found[:3]} ({len(found)} in all)")

    def starts(self, house, end, writes):
        """Starts the agent on what the cut at entry `end` left. Returns the events that there are of the time before."""
        position = self.life.entries[end - 1][0]
        history = self.life.tap.until(position)
        self.disk.insert(writes)
        # A broker that knows what it was told before the cut, and nothing else.
        self.broker.kill()
        self.broker.start()
        self.gateway.configure(self.broker.port, state=self.disk.folder / "state")
        self.gateway.errors.write_text("")
        with house.subscriber(self.broker.port) as subscriber:
            for topic, payload in {topic: payload for _, topic, payload, is_retained in history if is_retained}.items():
                subscriber.say(packet(0x31, text(topic.encode()) + payload))
            subscriber.catch_up()
            seen = len(subscriber.messages)
            status = self.gateway.plays(self.after)
            self.check("the agent starts, and ends with 0", status == 0, self.gateway.said()[-300:])
            subscriber.catch_up()
            told = [(topic, payload, False) for _, topic, payload, _ in history]
            account = Account(self.gateway, told + subscriber.messages[seen:])
            account.hold(self, "account", self.gateway, self.broker.port)
        self.none("no gap is stated", account.gaps)
        self.check("nothing is wrong with the disk", "outbox:" not in self.gateway.said(), self.gateway.said()[-300:])
        epochs = {epoch for epoch, _ in account.events}
        self.check("no new epoch begins", len(epochs) <= 1, epochs)
        self.disk.pull()
        before = f'"at":"{time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.life.at + 60))}'.encode()
        return {key: event for key, event in account.events.items() if event[1][event[1].index(b'"at":"'):] < before}


def scenario(checks, house):
    why = os.environ["DELIVERY_LACKS_POWER"] or lacks()
    if why:
        checks.skip("power", why)
        return
    broker = house.broker()
    gateway, disk = house.gateway("power", broker.port), RecordedDisk(house, "recorded")
    life = Life(house, gateway, house.proxy(broker.port), disk)
    checks.check("the recorded life ends with 0 or 75", life.status in (0, 75), gateway.said())
    completed, dice = flushes(life.entries), random.Random(SEED)
    print(f"{life.count()} events, {len(life.entries)} writes and flushes, {len(completed)} of them flushes")
    checks.check("there was something to lose", len(completed) > 50 and life.count() > 150, len(completed))
    chosen = completed if CUTS == "all" else sorted(dice.sample(completed, min(int(CUTS), len(completed))))
    # Whoever was there has left, and one comes.
    air = Capture()
    air.noise(life.at + 60, life.at + 75)
    air.visit(life.at + 70, 1)
    cut_disk, after = CutDisk(house, "cut", disk.base), air.write(house.path / "after")
    faults, kept, committed = [], [], 0
    for flush in chosen:
        following = next((index for index in completed if index > flush), len(life.entries))
        at_flush = Cut(life, gateway, broker, cut_disk, after)
        stored = at_flush.starts(house, flush + 1, left_by(life.entries, flush, flush + 1, dice))
        end = dice.randint(flush + 1, following)
        later = Cut(life, gateway, broker, cut_disk, after)
        events = later.starts(house, end, left_by(life.entries, flush, end, dice))
        faults += [f"behind flush {flush}: {fault}" for fault in at_flush.faults]
        faults += [f"at {end}, flush {flush}: {fault}" for fault in later.faults]
        kept += [f"at {end}, flush {flush}: {key} of {len(stored)}" for key, event in stored.items() if events.get(key) != event]
        committed = max(committed, len(stored))
    checks.none(f"{2 * len(chosen)} cuts: the agent delivers all that was committed, once and whole", faults)
    checks.none("what a completed flush had made durable stays, whatever a later cut leaves of later writes", kept)
    checks.check("cuts struck a disk with many events", committed > 50, committed)


prove(scenario)
