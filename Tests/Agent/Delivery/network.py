"""The surroundings of beacond: a broker, a subscriber, and a network between them that can fail."""

import contextlib
import json
import os
import select
import signal
import socket
import threading
import time

import programs
from mqtt_packets import connect, next_packet, packet, published, text
from waiting import PATIENCE_S, until

ROOT = "beacons/proof/"
# A message of the subscriber to itself, which proves that all earlier ones have come.
MARK = ROOT + "mark/"


class Broker(programs.Broker):
    """A broker without persistence, so that killing it loses all that it knew."""

    def __init__(self, folder, acl=None, options=""):
        # Not 0 for "no limit": mosquitto 2.0.11 then closes the connection at each PUBLISH that its ACL refuses, and the agent
        # reads the refusal only by luck.
        lines = f"max_inflight_messages 0\nmax_queued_messages 1000000\npersistence false\n{options}\n"
        if acl is not None:
            self._acl = folder / f"acl-{id(self)}"
            self._acl.touch(0o600)
            self._acl.write_text(acl)
            lines += f"acl_file {self._acl}\n"
        super().__init__(folder, lines)

    def allow(self, acl):
        self._acl.write_text(acl)
        self.send(signal.SIGHUP)


class Subscriber(threading.Thread):
    """An MQTT 3.1.1 client that remembers every message: (topic, payload, retained)."""

    def __init__(self, port, topics=(ROOT + "#",)):
        super().__init__(daemon=True)
        self.name = f"proof-{os.getpid()}-{id(self)}"
        self.port, self.topics, self.mark = port, topics, MARK + self.name
        self.messages = []
        self.isSubscribed = threading.Event()
        self.isStopped = False
        self.socket = None
        self.sending = threading.Lock()
        self.marks, self.reached = 0, set()

    def __enter__(self):
        self.start()
        if not self.isSubscribed.wait(PATIENCE_S):
            raise RuntimeError("the subscriber was not let in")
        return self

    def __exit__(self, *_):
        self.isStopped = True
        with contextlib.suppress(OSError, AttributeError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.join(PATIENCE_S)

    def run(self):
        while not self.isStopped:
            with contextlib.suppress(OSError):
                self.socket = socket.create_connection(("127.0.0.1", self.port), 10)
                self.receive()
            self.isSubscribed.clear()
            time.sleep(0.02)

    def receive(self):
        self.say(connect(self.name))
        subscriptions = b"".join(text(topic.encode()) + b"\x01" for topic in (*self.topics, self.mark))
        self.send(0x82, b"\x00\x01" + subscriptions)
        self.socket.settimeout(None)
        buffer = bytearray()
        while piece := self.socket.recv(1 << 18):
            buffer += piece
            position = 0
            acknowledgements = bytearray()
            while found := next_packet(buffer, position):
                kind, body, position = found
                self.take(kind, body, acknowledgements)
            del buffer[:position]
            if acknowledgements:
                self.say(acknowledgements)

    def take(self, kind, body, acknowledgements):
        if kind >> 4 == 9:
            self.isSubscribed.set()
        if kind >> 4 != 3:
            return
        topic, payload, due = published(kind, body)
        acknowledgements += due
        if topic == self.mark:
            self.reached.add(payload)
        elif not topic.startswith(MARK):
            self.messages.append((topic, payload, bool(kind & 1)))

    def catch_up(self):
        """Waits for all that the broker had for it before now: it sends everything on one way, in order."""
        self.marks += 1
        mark = str(self.marks).encode()

        def is_reached():
            # The message may be lost with a broker that dies, so it is repeated.
            with contextlib.suppress(OSError):
                self.send(0x32, text(self.mark.encode()) + b"\x7f\xff" + mark)
            return until(lambda: mark in self.reached, 5)
        if not until(is_reached):
            raise RuntimeError("the subscriber does not catch up")

    def send(self, kind, body):
        self.say(packet(kind, body))

    def say(self, octets):
        with self.sending:
            self.socket.sendall(octets)

    def all(self, suffix):
        return [json.loads(payload) for topic, payload, _ in list(self.messages) if topic.endswith(suffix)]


def retained(port, topic=ROOT + "#"):
    """The retained messages for a late subscriber: topic → payload."""
    with Subscriber(port, (topic,)) as late:
        late.catch_up()
        return {topic: json.loads(payload) for topic, payload, is_retained in late.messages if is_retained}


class Proxy(threading.Thread):
    """A way to the broker that can refuse connections, or go silent without closing them. `carried` is in octets, both ways."""

    def __init__(self, target, port=0):
        super().__init__(daemon=True)
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.refuses = False
        self.pairs, self.silent = [], []
        self.accepted = self.carried = 0
        # Called with each piece from the client, before it goes on.
        self.hears = lambda pair, piece: None
        self.isStopped = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.isStopped = True
        self.join(PATIENCE_S)
        for one, other in self.pairs + self.silent:
            one.close()
            other.close()
        self.listener.close()

    def silence(self):
        """Present connections silently stop carrying data."""
        self.silent, self.pairs = self.silent + self.pairs, []

    def run(self):
        while not self.isStopped:
            other = {}
            for pair in list(self.pairs):
                other[pair[0]], other[pair[1]] = (pair[1], pair), (pair[0], pair)
            readable, _, _ = select.select([self.listener, *other], [], [], 0.05)
            for end_point in readable:
                if end_point is self.listener:
                    self.accept()
                elif other[end_point][1] in self.pairs:
                    self.forward(end_point, *other[end_point])

    def accept(self):
        near, _ = self.listener.accept()
        self.accepted += 1
        try:
            if self.refuses:
                raise OSError
            self.pairs.append((near, socket.create_connection(("127.0.0.1", self.target), 10)))
        except OSError:
            near.close()

    def forward(self, source, destination, pair):
        try:
            piece = source.recv(1 << 16)
            if source is pair[0]:
                self.hears(pair, piece)
            destination.sendall(piece)
            self.carried += len(piece)
        except OSError:
            piece = b""
        if not piece:
            self.pairs.remove(pair)
            for one in pair:
                one.close()
