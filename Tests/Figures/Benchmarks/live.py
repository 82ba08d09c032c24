"""The real `beacond run`, with a broker, a subscriber and a controller on a Unix socket in the place of the kernel's
(Sources/hcisocket): what it costs in real time, and how long an event takes."""

import contextlib
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

UUID = bytes.fromhex("39ED98FF2900441A802F9C398FC199D2")


def advertising_data(minor):
    """The flags and the iBeacon."""
    return bytes.fromhex("0201061AFF4C000215") + UUID + struct.pack(">HHb", 1, minor, -59)


def report(minor, number=None, rssi=-60):
    """An LE Meta event with one legacy report, as an H4 packet."""
    number = minor if number is None else number
    data = advertising_data(minor)
    address = (0xC0FFEE000000 + number).to_bytes(6, "little")
    body = bytes([0x02, 1, 0x03, 0x01]) + address + bytes([len(data)]) + data + struct.pack("b", rssi)
    return bytes([0x04, 0x3E, len(body)]) + body


class Controller:
    """Takes one adapter's commands and says success to each; sends what it is given."""

    def __init__(self, folder):
        self.path = str(pathlib.Path(folder) / "controller")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.path)
        self.listener.listen()
        self.connection = None
        self.scans, self.connected = threading.Event(), threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
            self.connection = connection
            self.connected.set()
            threading.Thread(target=self.answer, args=[connection], daemon=True).start()

    def answer(self, connection):
        with contextlib.suppress(OSError):
            while packet := connection.recv(512):
                if packet[0] != 0x01:
                    continue
                # Command Complete, success, and no LE feature: then the legacy commands are used.
                connection.send(bytes([0x04, 0x0E, 12, 1]) + packet[1:3] + bytes(9))
                if packet[1:3] == b"\x0c\x20" and packet[4] == 1:
                    self.scans_at = time.monotonic()
                    self.scans.set()

    def send(self, packet):
        self.connection.send(packet)


class Broker:
    """mosquitto on a free port of the loopback interface, with TLS where asked for."""

    def __init__(self, folder, tls=False):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder = pathlib.Path(folder)
        lines = f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n"
        # No limit to what waits for the subscriber.
        lines += "max_queued_messages 0\n"
        if os.geteuid() == 0:
            lines += "user root\n"
        if tls:
            self.make_certificates()
            lines += f"cafile {folder}/ca.pem\ncertfile {folder}/broker.pem\nkeyfile {folder}/broker.key\n"
        configuration = self.folder / "mosquitto.conf"
        configuration.write_text(lines)
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        self.child = subprocess.Popen([program, "-c", configuration], stdout=-3, stderr=-3)
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        raise RuntimeError("mosquitto did not start")

    def make_certificates(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, stdout=-3, stderr=-3)

        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
                "-subj", "/CN=benchmark CA")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "broker.key", "-out", "broker.csr", "-subj",
                "/CN=127.0.0.1")
        (self.folder / "broker.ext").write_text("subjectAltName=IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
                "broker.pem", "-days", "2", "-extfile", "broker.ext")

    def close(self):
        self.child.terminate()
        self.child.wait()


def connected(port, name):
    """A bare socket that has sent MQTT 3.1.1's CONNECT; the broker's answer is the next to read."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    content = b"\x00\x04MQTT\x04\x02\x00\x00" + struct.pack(">H", len(name)) + name.encode()
    connection.sendall(bytes([0x10, len(content)]) + content)
    return connection


class Subscriber:
    """An MQTT 3.1.1 client on a bare socket that notes when each message arrived."""

    def __init__(self, port, topic):
        self.socket = connected(port, "benchmark")
        self.buffer = b""
        self.packet(5)
        filter = struct.pack(">HH", 1, len(topic)) + topic.encode() + b"\x01"
        self.socket.sendall(bytes([0x82, len(filter)]) + filter)
        self.packet(5)

    def packet(self, seconds):
        """The next packet's first octet and content; `None` where none comes in time."""
        deadline = time.monotonic() + seconds
        while True:
            size = shift = 0
            for index, octet in enumerate(self.buffer[1:5], 1):
                size |= (octet & 127) << shift
                shift += 7
                if octet < 128:
                    if len(self.buffer) > index + size:
                        first, content = self.buffer[0], self.buffer[index + 1:index + 1 + size]
                        self.buffer = self.buffer[index + 1 + size:]
                        return first, content
                    break
            if not select.select([self.socket], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            self.buffer += self.socket.recv(1 << 16)

    def message(self, seconds):
        """When the next message arrived, and its payload."""
        while packet := self.packet(seconds):
            first, content = packet
            if first & 0xF0 != 0x30:
                continue
            now = time.monotonic()
            length = 2 + struct.unpack(">H", content[:2])[0]
            if first & 0x06:
                self.socket.sendall(b"\x40\x02" + content[length:length + 2])
                length += 2
            return now, content[length:]
        return None


def cpu_s(process):
    """The processor time of all threads, in nanoseconds where the kernel has them; ticks would be 10 ms."""
    words = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()
    ticks = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    try:
        tasks = pathlib.Path(f"/proc/{process}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except OSError:
        return ticks


class Agent:
    """`beacond run` on the controller's socket."""

    def __init__(self, products, preload, controller, configuration, wrapper=()):
        self.controller, self.is_wrapped = controller, bool(wrapper)
        controller.scans.clear()
        environment = dict(os.environ, LD_PRELOAD=str(preload), BENCHMARK_CONTROLLER=controller.path)
        if wrapper:  # strace is not to be preloaded.
            wrapper = [*wrapper, "-E", f"LD_PRELOAD={preload}", "-E", f"BENCHMARK_CONTROLLER={controller.path}"]
            environment = dict(os.environ)
        self.errors = open(pathlib.Path(controller.path).parent / "agent.log", "w")
        self.begun = time.monotonic()
        self.child = subprocess.Popen(
            [*wrapper, str(pathlib.Path(products) / "beacond"), "run", "--config", str(configuration)],
            env=environment, stdout=-3, stderr=self.errors)
        if not controller.scans.wait(30):
            raise RuntimeError("the agent does not scan: see agent.log")
        self.start_s = controller.scans_at - self.begun

    def cpu_s(self):
        return cpu_s(self.child.pid)

    def memory_kib(self, name):
        for line in pathlib.Path(f"/proc/{self.child.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])

    def close(self):
        # strace can't be terminated: it ends with the process that it traces.
        children = pathlib.Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children").read_text().split()
        for process in children if self.is_wrapped else [self.child.pid]:
            os.kill(int(process), signal.SIGTERM)
        self.child.wait()
        self.errors.close()


def play(controller, beacons, rate, seconds):
    """`rate` reports a second of `beacons` beacons in turn, in real time, as many at once as are due every 5 ms."""
    begun, sent = time.monotonic(), 0
    while (elapsed := time.monotonic() - begun) < seconds:
        while sent < elapsed * rate:
            controller.send(report(sent % beacons, rssi=-60 - sent * 7 % 9))
            sent += 1
        time.sleep(0.005)
    return sent
