"""What every proof of delivery uses: a broker, a subscriber of our own, a way in between that can fail, captures, and
beacond itself. Python's standard library alone, so that the subscriber shares no code with what it judges."""

import contextlib
import ctypes
import json
import os
import pathlib
import random
import select
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
ROOT = "beacons/proof/"
PRODUCTS = pathlib.Path(os.environ.get("DELIVERY_PRODUCTS", ".build/debug")).resolve()


# --- Checks ----------------------------------------------------------------------------------------------------------

class Checks:
    """Counts one scenario's checks; the last line says how many."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, holds, detail=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"failed: {name}" + (f": {detail}" if detail else ""))

    def none(self, name, faults):
        """Holds where there are no faults; shows the first few."""
        faults = list(faults)
        self.check(name, not faults, "; ".join(map(str, faults[:5])) + f" ({len(faults)} in all)")

    def skip(self, name, why):
        self.skipped += 1
        print(f"skipped: {name}: {why}")


def prove(scenario):
    """Runs `scenario(checks, house)` and ends the process. Nothing that it started outlives it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    checks = Checks()
    begin = time.monotonic()
    try:
        with House() as house:
            scenario(checks, house)
    except Exception as error:  # A proof that breaks off has failed, and the others still count.
        import traceback
        traceback.print_exc(file=sys.stdout)
        checks.check("the scenario reaches its end", False, repr(error))
    print(f"took {time.monotonic() - begin:.0f} s")
    print(f"{checks.passed} passed, {checks.failed} failed, {checks.skipped} skipped")
    sys.exit(1 if checks.failed else 0)


def until(holds, seconds, step=0.02):
    """Waits until `holds()`, at most so long; returns whether it does."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(step)
    return True


class House:
    """A scratch folder and everything that runs in it."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="beacond-delivery-"))
        self.stack = contextlib.ExitStack()
        self.stack.callback(shutil.rmtree, self.path, ignore_errors=True)
        return self

    def __exit__(self, *_):
        self.stack.close()

    def broker(self, **settings):
        return self.stack.enter_context(Broker(self.path, **settings))

    def proxy(self, target):
        return self.stack.enter_context(Proxy(target))

    def subscriber(self, port, **settings):
        return Subscriber(port, **settings)

    def gateway(self, name, port, **settings):
        return Gateway(self, name, port, **settings)

    def start(self, arguments, **settings):
        child = subprocess.Popen([str(word) for word in arguments], preexec_fn=die_with_parent, **settings)
        self.stack.callback(end, child)
        return child


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def end(child):
    if child.poll() is None:
        child.kill()
        child.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# --- Broker, subscriber, proxy ---------------------------------------------------------------------------------------

class Broker:
    """A mosquitto without persistence, so that killing it loses all that it knew."""

    def __init__(self, folder, acl=None, options=""):
        self.port = free_port()
        self.child = None
        self.acl = folder / f"acl-{self.port}"
        self.configuration = folder / f"mosquitto-{self.port}.conf"
        lines = f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_inflight_messages 0\n"
        lines += f"max_queued_messages 0\npersistence false\n{options}\n"
        if os.geteuid() == 0:
            lines += "user root\n"
        if acl is not None:
            self.allow(acl)
            lines += f"acl_file {self.acl}\n"
        self.configuration.write_text(lines)

    def allow(self, acl):
        self.acl.write_text(acl)
        self.acl.chmod(0o600)
        if self.child:
            self.child.send_signal(signal.SIGHUP)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.child = subprocess.Popen(
            [program, "-c", self.configuration], preexec_fn=die_with_parent, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

        def answers():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return True
        if not until(answers, 10):
            raise RuntimeError("mosquitto did not start")

    def kill(self, with_signal=signal.SIGKILL):
        if self.child:
            self.child.send_signal(with_signal)
            self.child.wait()
            self.child = None


class Subscriber(threading.Thread):
    """An MQTT 3.1.1 client that remembers every message: (seconds, topic, payload, retained)."""

    def __init__(self, port, topics=(ROOT + "#",), session=None):
        super().__init__(daemon=True)
        self.port, self.topics, self.session = port, topics, session
        self.messages = []
        self.isSubscribed = threading.Event()
        self.isStopped = False
        self.socket = None

    def __enter__(self):
        self.start()
        if not self.isSubscribed.wait(10):
            raise RuntimeError("the subscriber was not let in")
        return self

    def __exit__(self, *_):
        self.isStopped = True
        with contextlib.suppress(OSError, AttributeError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.join(5)

    def run(self):
        while not self.isStopped:
            with contextlib.suppress(OSError):
                self.socket = socket.create_connection(("127.0.0.1", self.port), 2)
                self.receive()
            self.isSubscribed.clear()
            time.sleep(0.02)

    def receive(self):
        name = (self.session or f"proof-{os.getpid()}-{id(self)}").encode()
        cleans = 0 if self.session else 2
        self.send(0x10, text(b"MQTT") + bytes([4, cleans, 0, 0]) + text(name))
        subscriptions = b"".join(text(topic.encode()) + b"\x01" for topic in self.topics)
        self.send(0x82, b"\x00\x01" + subscriptions)
        self.socket.settimeout(None)
        buffer = bytearray()
        while piece := self.socket.recv(1 << 18):
            buffer += piece
            position = 0
            acknowledgements = bytearray()
            while packet := self.packet(buffer, position):
                kind, body, position = packet
                self.take(kind, body, acknowledgements)
            del buffer[:position]
            if acknowledgements:
                self.socket.sendall(acknowledgements)

    @staticmethod
    def packet(buffer, position):
        length, shift, index = 0, 0, position + 1
        while True:
            if index >= len(buffer):
                return None
            octet = buffer[index]
            length |= (octet & 0x7F) << shift
            index, shift = index + 1, shift + 7
            if octet < 0x80:
                break
        if index + length > len(buffer):
            return None
        return buffer[position], bytes(buffer[index:index + length]), index + length

    def take(self, kind, body, acknowledgements):
        if kind >> 4 == 9:
            self.isSubscribed.set()
        if kind >> 4 != 3:
            return
        end_of_topic = 2 + int.from_bytes(body[:2], "big")
        topic = body[2:end_of_topic].decode()
        if kind & 6:
            acknowledgements += b"\x40\x02" + body[end_of_topic:end_of_topic + 2]
            end_of_topic += 2
        self.messages.append((time.monotonic(), topic, body[end_of_topic:], bool(kind & 1)))

    def send(self, kind, body):
        length, rest = b"", len(body)
        while True:
            rest, low = rest >> 7, rest & 0x7F
            length += bytes([low | (0x80 if rest else 0)])
            if not rest:
                break
        self.socket.sendall(bytes([kind]) + length + body)

    def all(self, suffix):
        return [json.loads(payload) for _, topic, payload, _ in list(self.messages) if topic.endswith(suffix)]


def text(octets):
    return len(octets).to_bytes(2, "big") + octets


def retained(port, topic=ROOT + "#"):
    """What a subscriber finds that comes late: topic → payload."""
    with Subscriber(port, (topic,)) as late:
        count = -1
        while count != len(late.messages):
            count = len(late.messages)
            time.sleep(0.3)
        return {topic: json.loads(payload) for _, topic, payload, is_retained in late.messages if is_retained}


class Proxy(threading.Thread):
    """A way to the broker that can refuse connections, or go silent without closing them."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.refuses = False
        self.pairs, self.silent = [], []
        self.accepted_at = []
        self.isStopped = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.isStopped = True
        self.join(5)
        for one, other in self.pairs + self.silent:
            one.close()
            other.close()
        self.listener.close()

    def silence(self):
        """Connections that stand now carry nothing any more, and nobody is told."""
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
        self.accepted_at.append(time.monotonic())
        try:
            if self.refuses:
                raise OSError
            self.pairs.append((near, socket.create_connection(("127.0.0.1", self.target), 2)))
        except OSError:
            near.close()

    def forward(self, source, destination, pair):
        try:
            piece = source.recv(1 << 16)
            destination.sendall(piece)
        except OSError:
            piece = b""
        if not piece:
            self.pairs.remove(pair)
            for one in pair:
                one.close()


# --- Captures --------------------------------------------------------------------------------------------------------

BEGIN = 1_767_225_600.0  # 2026-01-01T00:00:00Z
YEAR_ZERO_US = 0x00DCDDB30F2F8000


class Capture:
    """Sightings that are written as btsnoop (HCI UART), in order of time. Seconds are since 1970."""

    def __init__(self):
        self.records = []

    def beacon(self, at, minor, major=1, rssi=-60):
        frame = bytes.fromhex("0201061AFF4C000215" + UUID.replace("-", "")) + struct.pack(">HHb", major, minor, -59)
        self.report(at, bytes([minor & 255, minor >> 8, major & 255, 0, 0, 0xC0]), frame, rssi)

    def noise(self, begin, end_, step=0.5):
        """Somebody else's device, which shows that the radio hears."""
        for index in range(int((end_ - begin) / step) + 1):
            self.report(begin + index * step, b"\xEE\xEE\xEE\xEE\xEE\xC0", b"\x02\x01\x06", -80)

    def visit(self, begin, minor, seconds=0.3, step=0.1, **more):
        for index in range(int(seconds / step + 0.5) + 1):
            self.beacon(begin + index * step, minor, **more)

    def report(self, at, address, data, rssi):
        event = b"\x02\x01\x03\x01" + address + bytes([len(data)]) + data + struct.pack("b", rssi)
        self.records.append((int(round(at * 1e6)), b"\x04\x3E" + bytes([len(event)]) + event))

    def octets(self, with_header=True):
        pieces = [b"btsnoop\x00" + struct.pack(">II", 1, 1002)] if with_header else []
        for at, packet in sorted(self.records, key=lambda record: record[0]):
            pieces.append(struct.pack(">IIIIq", len(packet), len(packet), 1, 0, at + YEAR_ZERO_US) + packet)
        return b"".join(pieces)

    def write(self, path):
        path.write_bytes(self.octets())
        return path


def crowd(begin, seconds, beacons, seed, stay=0.3, pause=1.5):
    """Beacons 1 … `beacons` come and go: with `exit_after_s` = 1, each visit is an entry and an exit."""
    capture, dice = Capture(), random.Random(seed)
    capture.noise(begin, begin + seconds)
    for minor in range(1, beacons + 1):
        at = begin + dice.random() * pause
        while at + stay < begin + seconds:
            capture.visit(at, minor, stay)
            at += stay + pause + dice.random() * 0.2
    return capture


# --- beacond ---------------------------------------------------------------------------------------------------------

class Gateway:
    """One gateway: its configuration, its state folder, and the beacond that runs on them."""

    def __init__(self, house, name, port, **settings):
        self.house, self.name = house, name
        self.state = house.path / f"state-{name}"
        self.configuration = house.path / f"{name}.toml"
        self.errors = house.path / f"{name}.stderr"
        self.root = f"{ROOT}{name}/"
        self.configure(port, **settings)

    def configure(self, port, regions=None, outbox="", mqtt="keepalive_s = 5", exit_after_s=1, state=None):
        self.state = state or self.state
        self.configuration.write_text(
            f'[gateway]\nsite = "proof"\nid = "{self.name}"\nstate_dir = "{self.state}"\n'
            f'[regions]\nsettle_s = 0\nexit_after_s = {exit_after_s}\n'
            + "".join(regions or [region()])
            + f'[mqtt]\nurl = "mqtt://127.0.0.1:{port}"\n{mqtt}\n[outbox]\n{outbox}\n')

    def replay(self, capture, *options, output="mqtt", **settings):
        return self.launch(
            ["replay", capture, "--output", output, "--state", self.state, *options], **settings)

    def run(self):
        return self.launch(["run"])

    def launch(self, arguments, **settings):
        with self.errors.open("ab") as errors:
            return self.house.start(
                [PRODUCTS / "beacond", *arguments, "--config", self.configuration], stderr=errors,
                stdin=settings.pop("stdin", subprocess.DEVNULL), **settings)

    def plays(self, capture, *options, seconds=60):
        """Replays to the end; returns the exit status."""
        child = self.replay(capture, *options)
        try:
            return child.wait(seconds)
        except subprocess.TimeoutExpired:
            end(child)
            raise RuntimeError(f"{self.name}: the replay did not end within {seconds} s: {self.said()[-600:]}")

    def said(self):
        return self.errors.read_text() if self.errors.exists() else ""

    def numbers(self):
        """What the closed outbox says: epoch, the next number, and how many events wait."""
        with contextlib.closing(sqlite3.connect(self.state / "outbox.sqlite")) as outbox:
            row = outbox.execute("SELECT name, next_seq FROM meta JOIN epoch ON epoch.id = meta.epoch").fetchone()
            return *row, outbox.execute("SELECT count(*) FROM event").fetchone()[0]


def region(name="carts", more='expand = "minor"\nranging = false'):
    return f'[[region]]\nid = "{name}"\nuuid = "{UUID}"\n{more}\n'


# --- What must hold of everything that arrived -----------------------------------------------------------------------

class Account:
    """The events and gaps of one gateway, as they arrived."""

    def __init__(self, gateway, messages):
        self.events, self.gaps, self.duplicates = {}, [], 0
        self.differing, self.disordered = [], []
        self.inOrder = []
        last = {}
        for _, topic, payload, _ in messages:
            if not topic.startswith(gateway.root):
                continue
            if topic.endswith("/gap"):
                self.gaps.append(json.loads(payload))
            if not topic.endswith("/event"):
                continue
            event = json.loads(payload)
            key = event["epoch"], event["seq"]
            if key in self.events:
                self.duplicates += 1
                if self.events[key] != (topic, payload):
                    self.differing.append(f"{key}: {self.events[key]} and {(topic, payload)}")
                continue
            self.events[key] = topic, payload
            self.inOrder.append((topic, event))
            if event["seq"] <= last.get(event["epoch"], 0):
                self.disordered.append(f"{event['seq']} after {last[event['epoch']]}")
            last[event["epoch"]] = max(event["seq"], last.get(event["epoch"], 0))
        self.last = last

    def missing(self):
        """Numbers from 1 to the last of each epoch that never came."""
        return [
            (epoch, seq) for epoch, last in self.last.items() for seq in range(1, last + 1)
            if (epoch, seq) not in self.events]

    def stated(self):
        """Numbers that gaps say are lost."""
        return {
            (gap["epoch"], seq) for gap in self.gaps for seq in range(gap["from_seq"], gap["to_seq"] + 1)}

    def crossings(self):
        """Where an instance enters twice or exits twice, and the last event of each."""
        faults, lasts = [], {}
        for topic, event in self.inOrder:
            before = lasts.get(topic)
            if event["type"] == (before["type"] if before else "exit"):
                faults.append(f"{topic}: {event['type']} {event['seq']} after {before and before['seq']}")
            lasts[topic] = event
        return faults, lasts

    def hold(self, checks, name, gateway, port, is_complete=True):
        """The promises that hold whatever happened. `is_complete`: no number may be missing at all."""
        checks.none(f"{name}: what comes twice is identical", self.differing)
        checks.none(f"{name}: first arrivals ascend within an epoch", self.disordered)
        if not is_complete:
            return
        checks.none(f"{name}: every number from 1 to the last arrives", self.missing())
        faults, lasts = self.crossings()
        checks.none(f"{name}: entries and exits alternate", faults)
        states = retained(port, gateway.root + "region/#")
        wrong = []
        for topic, event in lasts.items():
            state = states.get(topic.removesuffix("event") + "state", {})
            expected = ("inside" if event["type"] == "enter" else "outside"), event["seq"]
            if (state.get("state"), state.get("event_seq")) != expected:
                wrong.append(f"{topic}: {state}, but the last event is {event['type']} {event['seq']}")
        checks.none(f"{name}: the retained state names the last event", wrong)
        epoch, next_seq, waiting = gateway.numbers()
        checks.check(
            f"{name}: the last number that was given arrived, and nothing waits",
            (self.last.get(epoch, 0), waiting) == (next_seq - 1, 0), f"{self.last} of {next_seq - 1}, {waiting} wait")
