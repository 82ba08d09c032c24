"""Light gateways for the tool: each takes settings/desired as an agent does, and says that it has applied them.

    python crowd.py PORT COUNT

The crowd says `ready` when all are online, and goes on until it is ended. Its gateways are s0/g, s1/g and so on. Lines break now and then.
"""

import asyncio
import json
import random
import resource
import sys

from mqtt_packets import connect, next_packet, packet, published, text

CONNECTING_AT_ONCE = 100
APPLYING_S = 2.0
# Lines that break each second, of all.
BREAKS = 0.5


class Gateway(asyncio.Protocol):
    """MQTT 3.1.1, QoS 1."""

    def __init__(self, crowd, number):
        self.crowd, self.name = crowd, f"s{number}/g"
        self.version, self.transport = None, None
        self.received = bytearray()

    def connection_made(self, transport):
        self.transport = transport
        self.received.clear()
        transport.write(connect(self.name, flags=0x2E, more=text(self.topic("status")) + text(self.status("offline"))))

    def connection_lost(self, _error):
        asyncio.get_running_loop().create_task(self.crowd.connect(self, 0.5 + random.random()))

    def data_received(self, data):
        self.received += data
        position = 0
        while found := next_packet(self.received, position):
            kind, body, position = found
            if kind >> 4 == 2:
                self.publish_all()
                self.transport.write(packet(0x82, b"\x00\x01" + text(self.topic("settings/desired")) + b"\x01"))
                self.crowd.online += 1
            elif kind >> 4 == 3:
                self.take(kind, body)
        del self.received[:position]

    def take(self, kind, body):
        _, payload, due = published(kind, body)
        self.transport.write(due)
        version = json.loads(payload)["version"]
        if self.version is None or version > self.version:
            asyncio.get_running_loop().call_later(random.random() * APPLYING_S, self.apply, version)

    def apply(self, version):
        self.version = version
        self.publish_all()

    def publish_all(self):
        """Publishes its report and its status, as an agent does on each connection."""
        if self.version is not None:
            report = {"schema": 1, "version": self.version, "outcome": "applied", "errors": [], "digest": "0" * 16}
            self.publish("settings/reported", json.dumps(report).encode())
        self.publish("status", self.status("online"))

    def topic(self, kind):
        return f"beacons/{self.name}/{kind}".encode()

    def status(self, state):
        return json.dumps({"schema": 1, "state": state, "radio": "scanning", "settings": {"digest": f"{self.version or 0:016x}", "version": self.version}}).encode()

    def publish(self, kind, payload):
        """QoS 0: after a line that breaks meanwhile, it comes again with the next connection."""
        if not self.transport.is_closing():
            self.transport.write(packet(0x31, text(self.topic(kind)) + payload))


class Crowd:
    def __init__(self, port):
        self.port, self.online = port, 0
        self.places = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def connect(self, gateway, pause_s=0.0):
        await asyncio.sleep(pause_s)
        async with self.places:
            try:
                await asyncio.get_running_loop().create_connection(lambda: gateway, "127.0.0.1", self.port)
            except OSError:
                asyncio.get_running_loop().create_task(self.connect(gateway, 1.0))

    async def run(self, count):
        gateways = [Gateway(self, number) for number in range(count)]
        await asyncio.gather(*(self.connect(one) for one in gateways))
        while self.online < count:
            await asyncio.sleep(0.1)
        print("ready", flush=True)
        while True:
            await asyncio.sleep(1 / BREAKS)
            random.choice(gateways).transport.abort()


if __name__ == "__main__":
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asyncio.run(Crowd(int(sys.argv[1])).run(int(sys.argv[2])))
