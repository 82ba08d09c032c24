"""Light clients: thousands of gateways that publish what real agents published, under their own ids and numbers.

    python light.py ORDER.json

A process of its own, so that its work is apart from what it measures. It says `ready` when all lines stand, and publishes events at the
rate that was ordered until SIGTERM. Then it waits until all of it is acknowledged and writes how far each gateway came.

A line is a connection: a store's bridge carries several gateways. As an agent's, its messages stay until they are acknowledged, and go out
again in their order on the next connection.
"""

import asyncio
import contextlib
import datetime
import itertools
import json
import random
import signal
import ssl
import sys
import time
from collections import deque

from mqtt_packets import connect, next_packet, packet, text

# As many as an agent has on their way.
WINDOW = 20
# Beyond that nothing new is published: who waits for the broker does not fill the memory.
MOST_WAITING = 200_000
CONNECTING_AT_ONCE = 50
HEALTH_EVERY_S = 60
PUBACK, CONNACK = 4, 2


class Line(asyncio.Protocol):
    """MQTT 3.1.1, QoS 1. No keepalive: who publishes something every few seconds notices what is gone."""

    def __init__(self, name, fleet):
        self.name, self.fleet = name, fleet
        self.transport = None
        self.is_let_in = False
        self.waiting, self.pending = deque(), {}
        self.ids = itertools.cycle(range(1, 65536))
        self.received = bytearray()

    def connection_made(self, transport):
        self.transport = transport
        self.received.clear()
        transport.write(connect(self.name))

    def data_received(self, data):
        self.received += data
        position = 0
        while found := next_packet(self.received, position):
            kind, body, position = found
            if kind >> 4 == PUBACK:
                self.fleet.acknowledged += self.pending.pop(bytes(body), None) is not None
            elif kind >> 4 == CONNACK and not body[1]:
                self.let_in()
        del self.received[:position]
        self.send()

    def let_in(self):
        self.is_let_in = True
        for topic, payload, retain, id in [(*message, id) for id, message in self.pending.items()]:
            self.fleet.again += 1
            self.write(0x3A | retain, topic, id, payload)

    def connection_lost(self, _error):
        self.is_let_in = False
        asyncio.get_running_loop().create_task(self.fleet.connect(self, pause_s=0.5 + random.random()))

    def publish(self, topic, payload, retain):
        self.waiting.append((topic, payload, retain))
        self.send()

    def send(self):
        while self.is_let_in and self.waiting and len(self.pending) < WINDOW:
            topic, payload, retain = message = self.waiting.popleft()
            id = next(self.ids).to_bytes(2, "big")
            self.pending[id] = message
            self.write(0x32 | retain, topic, id, payload)

    def write(self, kind, topic, id, payload):
        octets = packet(kind, text(topic) + id + payload)
        self.fleet.octets += len(octets)
        self.transport.write(octets)


class Gateway:
    """Plays a script again and again: what an agent published, with this gateway's own names, numbers and times."""

    def __init__(self, site, name, epoch, script, line):
        self.root, self.line = f"beacons/{site}/{name}/", line
        self.own = {"site": site, "gateway": name}
        self.epoch, self.script = epoch, script
        self.seq, self.place = 0, 0
        self.entered = {}

    def publish_event(self):
        """The next event, and the state that comes with it."""
        event, state = self.script["events"][self.place]
        self.place = (self.place + 1) % len(self.script["events"])
        self.seq += 1
        now = time.time()
        payload = event["payload"] | self.own | {"at": stamp(now), "epoch": self.epoch, "seq": self.seq}
        if payload["type"] == "enter":
            self.entered[event["topic"]] = now
        else:
            entered = self.entered.pop(event["topic"], now)
            payload |= {"entered_at": stamp(entered), "last_heard_at": stamp(now), "dwell_s": round(now - entered, 3)}
        self.publish(event, payload)
        if state:
            self.publish(state, state["payload"] | {"at": stamp(now), "since": stamp(now), "epoch": self.epoch, "event_seq": self.seq})

    def publish_health(self):
        self.publish(self.script["health"], self.script["health"]["payload"] | {"at": stamp(time.time())})

    def publish_status(self):
        status = self.script["status"]
        self.publish(status, status["payload"] | {"at": stamp(time.time()), "epoch": self.epoch})

    def publish(self, like, payload):
        topic = (self.root + like["topic"]).encode()
        self.line.publish(topic, json.dumps(payload, separators=(",", ":")).encode(), like["retain"])


def stamp(moment):
    """A time as agents write it."""
    return datetime.datetime.fromtimestamp(moment, datetime.UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class Fleet:
    def __init__(self, order):
        self.order = order
        self.octets = self.acknowledged = self.again = 0
        self.is_over = False
        self.context = None
        if order["tls"]:
            self.context = ssl.create_default_context(cafile=order["tls"]["ca"])
            self.context.load_cert_chain(order["tls"]["cert"], order["tls"]["key"])
        self.turn = asyncio.Semaphore(CONNECTING_AT_ONCE)
        self.lines, self.gateways = [], []
        for number in range(order["gateways"]):
            site, place = divmod(number, order["per_line"])
            if not place:
                self.lines.append(Line(f"light-{site}", self))
            script = order["scripts"][number % len(order["scripts"])]
            self.gateways.append(Gateway(f"light-{site}", f"g{place}", order["epoch"], script, self.lines[-1]))
        # Not all of a store at once.
        random.Random(1).shuffle(self.gateways)

    async def connect(self, line, pause_s=0.0):
        """To one broker after the other, until one lets it in."""
        for port in itertools.cycle(random.sample(self.order["ports"], len(self.order["ports"]))):
            if pause_s:
                await asyncio.sleep(pause_s)
            pause_s = 1.0
            with contextlib.suppress(OSError):
                async with self.turn:
                    await asyncio.get_running_loop().create_connection(lambda: line, "127.0.0.1", port, ssl=self.context)
                return

    async def until(self, holds):
        while not holds():
            await asyncio.sleep(0.05)

    async def run(self):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.end)
        await asyncio.gather(*map(self.connect, self.lines))
        await self.until(lambda: all(line.is_let_in for line in self.lines))
        for gateway in self.gateways:
            gateway.publish_status()
        await self.until(self.is_quiet)
        print("ready", flush=True)
        await self.publish_all()
        await self.until(self.is_quiet)
        with open(self.order["result"], "w", encoding="utf-8") as file:
            json.dump({"published": {gateway.own["site"] + "/" + gateway.own["gateway"]: gateway.seq for gateway in self.gateways},
                       "octets": self.octets, "messages": self.acknowledged, "again": self.again}, file)

    def end(self):
        self.is_over = True

    def is_quiet(self):
        return not any(line.waiting or line.pending for line in self.lines)

    async def publish_all(self):
        """Events at their rate, and every gateway's health once a minute."""
        turns = (itertools.cycle(self.gateways), itertools.cycle(self.gateways))
        rates = (self.order["rate"], len(self.gateways) / HEALTH_EVERY_S)
        due, last, looked = [0.0, 0.0], time.monotonic(), 0
        is_full = False
        while not self.is_over:
            await asyncio.sleep(0.01)
            now = time.monotonic()
            # A second that was lost is made up for, and no more.
            due = [min(owed + (now - last) * rate, rate) for owed, rate in zip(due, rates, strict=True)]
            if now - looked > 1:
                looked, is_full = now, sum(len(line.waiting) for line in self.lines) > MOST_WAITING
            last = now
            if is_full:
                continue
            for kind, act in enumerate((Gateway.publish_event, Gateway.publish_health)):
                while due[kind] >= 1:
                    due[kind] -= 1
                    act(next(turns[kind]))


async def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        await Fleet(json.load(file)).run()


asyncio.run(main())
