"""The real `beacond run`, with a broker, a subscriber and a controller on a Unix socket in the place of the kernel's
(Sources/hcisocket): what it costs in real time, and how long an event takes."""

import contextlib
import os
import pathlib
import select
import signal
import socket
import subprocess
import threading
import time

import programs
from btsnoop import advertising_event, beacon_data
from mqtt_packets import connect, next_packet, packet, published, text

UUID = bytes.fromhex("39ED98FF2900441A802F9C398FC199D2")


def report(minor, rssi_dbm=-60):
    """An LE Meta event with one legacy report of an iBeacon, as an H4 packet."""
    return advertising_event((0xC0FFEE000000 + minor).to_bytes(6, "little"), beacon_data(UUID, 1, minor), rssi_dbm)


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


class Broker(programs.Broker):
    """A broker without a limit to what waits for the subscriber, with TLS where asked for."""

    def __init__(self, folder, tls=False):
        self.folder = pathlib.Path(folder)
        lines = "persistence false\nset_tcp_nodelay true\nmax_queued_messages 0\n"
        if tls:
            self.make_certificates()
            lines += f"cafile {folder}/ca.pem\ncertfile {folder}/broker.pem\nkeyfile {folder}/broker.key\n"
        super().__init__(folder, lines)
        self.start()

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


def connected(port, name):
    """A bare socket that has sent CONNECT; the broker's answer is the next to read."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(connect(name))
    return connection


class Subscriber:
    """An MQTT 3.1.1 client on a bare socket that notes when each message arrived."""

    def __init__(self, port, topic):
        self.socket = connected(port, "benchmark")
        self.buffer = b""
        self.packet(5)
        self.socket.sendall(packet(0x82, b"\x00\x01" + text(topic.encode()) + b"\x01"))
        self.packet(5)

    def packet(self, seconds):
        """The next packet's first octet and content; `None` where none comes in time."""
        deadline = time.monotonic() + seconds
        while not (found := next_packet(self.buffer)):
            if not select.select([self.socket], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            self.buffer += self.socket.recv(1 << 16)
        *packet, end = found
        self.buffer = self.buffer[end:]
        return packet

    def message(self, seconds):
        """When the next message arrived, and its payload."""
        while packet := self.packet(seconds):
            first, content = packet
            if first & 0xF0 != 0x30:
                continue
            now = time.monotonic()
            _, payload, due = published(first, content)
            self.socket.sendall(due)
            return now, payload
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
            controller.send(report(sent % beacons, -60 - sent * 7 % 9))
            sent += 1
        time.sleep(0.005)
    return sent
