"""Agents on a disk that is recorded, and what they published meanwhile: a life, and the recovery from a power cut."""

import bisect
import contextlib
import signal
import time

from account import Account
from captures import BEGIN, Capture, Crowd
from delivery import end, ended
from disks import flushes, left_by
from mqtt_packets import next_packet, packet, published, text
from waiting import until


class Tap:
    """The agent's messages to the broker, with the length of the disk's log before each. `disk` had to hold it by then."""

    # An agent whose messages the subscriber understands.
    MQTT = "keepalive_s = 5\nprotocol = 3"

    def __init__(self, proxy, disk):
        self.disk, self.buffers, self.messages = disk, {}, []
        proxy.hears = self.hears

    def hears(self, pair, piece):
        position, buffer = self.disk.position(), self.buffers.setdefault(pair, bytearray())
        buffer += piece
        begin = 0
        while found := next_packet(buffer, begin):
            kind, body, begin = found
            if kind >> 4 == 3:
                topic, payload, _ = published(kind, body)
                self.messages.append((position, topic, payload, bool(kind & 1)))
        del buffer[:begin]

    def until(self, position):
        return [message[1:] for message in self.messages[:bisect.bisect_right(self.messages, position, key=lambda message: message[0])]]


class Recording:
    """An agent's writes to a disk, and its messages. `earlier` was published before it started."""

    def __init__(self, gateway, proxy, disk, base, earlier=()):
        self.gateway, self.disk, self.earlier = gateway, disk, list(earlier)
        self.tap = Tap(proxy, disk)
        disk.insert(base)
        gateway.configure(proxy.port, state=disk.folder / "state", mqtt=Tap.MQTT)
        gateway.errors.write_text("")

    def end(self):
        self.disk.remove()
        self.entries = self.disk.entries()
        self.flushes = flushes(self.entries)

    def received(self, end):
        """The broker's messages when the power failed before entry `end`."""
        return self.earlier + self.tap.until(self.entries[end - 1][0] if end else 0)

    def cut_after(self, flush, dice):
        """A cut between this flush, -1 before the first one, and the next one: before which entry it strikes, and the writes that are on
        the disk then."""
        end = dice.randint(flush + 1, next((index for index in self.flushes if index > flush), len(self.entries)))
        return end, left_by(self.entries, flush, end, dice)


class Life(Recording):
    """An agent that starts on an empty disk, works, is killed, works without a broker and with it again, and ends."""

    def __init__(self, gateway, proxy, disk, base, seed):
        super().__init__(gateway, proxy, disk, base)
        air = Crowd(BEGIN, 12, seed)
        child = gateway.hears(air, speed=8)
        self.works(60, child)
        end(child)
        child = gateway.hears(air, speed=8)
        self.works(30, child)
        proxy.refuses = True
        proxy.silence()
        begin, heard = disk.position(), air.at
        until(lambda: air.at > heard + 12)
        finish = disk.position()
        proxy.refuses = False
        self.works(60, child)
        child.send_signal(signal.SIGTERM)
        self.status, self.at = ended(child), air.at
        self.end()
        # After these, events wait for the broker.
        self.alone = [flush for flush in self.flushes if begin < self.entries[flush][0] < finish]

    def works(self, events, child):
        wanted = self.count() + events
        if not until(lambda: self.count() >= wanted or child.poll() is not None) or child.poll() is not None:
            raise RuntimeError(f"it stops: {self.gateway.said()[-600:]}")

    def count(self):
        return sum(topic.endswith("/event") for _, topic, _, _ in self.tap.messages)

    def events_of(self, messages):
        """The events among these messages that this life committed."""
        before = f'"at":"{time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.at + 60))}'.encode()
        return {key: event for key, event in Account(self.gateway, messages).events.items() if event[1][event[1].index(b'"at":"'):] < before}

    def after(self, seconds, path):
        """A capture of so much later: whoever was there has left, and one comes."""
        air = Capture()
        air.noise(self.at + seconds, self.at + seconds + 15)
        air.visit(self.at + seconds + 10, 1)
        return air.write(path)


class Recovery(Recording):
    """An agent that starts on what a power cut left, delivers what waits there, hears something, and ends."""

    def __init__(self, house, gateway, broker, proxy, disk, base, received, air):
        super().__init__(gateway, proxy, disk, base, received)
        with subscriber_after(house, broker, received):
            self.status = gateway.plays(air)
        self.end()


@contextlib.contextmanager
def subscriber_after(house, broker, received):
    """A subscriber of a broker that knows what it received before the cut, and nothing else."""
    broker.kill()
    broker.start()
    with house.subscriber(broker.port) as subscriber:
        for topic, payload in {topic: payload for topic, payload, is_retained in received if is_retained}.items():
            subscriber.say(packet(0x31, text(topic.encode()) + payload))
        subscriber.catch_up()
        yield subscriber
