"""Paho's test broker as a process of its own, what its log says of its clients, and a way to it for a browser."""

import contextlib
import os
import pathlib
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback

from ports import free_port
from programs import die_with_parent
from waiting import until

CHECKOUT = pathlib.Path(os.environ["PAHO_CHECKOUT"]) / "interoperability"
# How the broker dismisses clients that did nothing wrong.
BLAMELESS = ("Success", "Normal disconnection", "Server shutting down", "Session taken over")
LINE = re.compile(r"^(DEBUG|INFO|ERROR) \d{8} \d{6} (.*)$", re.MULTILINE)


class PahoBroker:
    """`limits` are lines of its configuration. It keeps nothing over a restart."""

    def __init__(self, *limits):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paho-"))
        self.port = free_port()
        self.process = None
        (self.folder / "conf").write_text("\n".join(("loglevel DEBUG", *limits, f"listener {self.port} 127.0.0.1", "")))

    def __enter__(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([sys.executable, __file__, "-c", self.folder / "conf"], stdout=log, stderr=log, preexec_fn=die_with_parent)
        # It listens right after it says so. To connect would be a client that sends no CONNECT.
        until(lambda: "Starting TCP listener" in self.log() or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise RuntimeError(f"Paho's broker did not start: {self.log()[-2000:]}")
        return self

    def __exit__(self, *_):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self):
        """SIGTERM first, so that it says which statements it came by."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
            self.process.kill()
            self.process.wait()

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def lines(self, level):
        """Up to its end: what it does not finish then is no fault of its clients."""
        return [words for found, words in LINE.findall(self.log().partition(" Shutdown brokers")[0]) if found == level]

    def broken(self):
        """The faults of its clients: errors, and disconnections that name a client's fault. Each once."""
        # A message larger than a client takes is no fault of the client.
        errors = [words for words in self.lines("ERROR") if "Packet too big to send to client" not in words]
        dismissed = [words for words in self.lines("DEBUG")
                     if re.match(r"out: \(-?\d+\) Disconnects", words) and not any(why in words for why in BLAMELESS)]
        return list(dict.fromkeys(errors + dismissed))

    def statements(self):
        """How many statements its clients came by, and how many it has words for."""
        coverage = re.search(r"coverage statements (\d+) out of (\d+)", self.log())
        return f"{coverage[1]} of {coverage[2]}" if coverage else "unknown"

    def came(self, kind):
        """How many packets of a kind came, such as Pingreqs."""
        return sum(bool(re.match(rf"in: \(\d+\) {kind}\(", words)) for words in self.lines("DEBUG"))

    # What the collector's tests want of a broker.

    def collector_options(self):
        return ["--broker", f"mqtt://127.0.0.1:{self.port}"]


class Front:
    """The page, which Paho's broker does not serve, on the port that leads its websocket to the broker."""

    def __init__(self, page, broker):
        self.page, self.broker = page, broker

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()

    def serve(self, browser):
        head = b""
        while b"\r\n\r\n" not in head and (octets := browser.recv(1 << 16)):
            head += octets
        with browser:
            if b"upgrade: websocket" in head.lower():
                with socket.create_connection(("127.0.0.1", self.broker)) as broker:
                    broker.sendall(head)
                    back = threading.Thread(target=pump, args=(broker, browser), daemon=True)
                    back.start()
                    pump(browser, broker)
                    back.join()
            else:
                status, body = ("200 OK", self.page) if head.startswith(b"GET / ") else ("404 Not Found", b"")
                browser.sendall(f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


def pump(source, sink):
    with contextlib.suppress(OSError):
        while octets := source.recv(1 << 16):
            sink.sendall(octets)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)


def main():
    """The broker itself. Its log leaves out what has a statement that it named before, an error too; here each line is written."""
    sys.path.insert(0, str(CHECKOUT))
    import mqtt.brokers.coverage as coverage
    import mqtt.formats.MQTTV5.MQTTV5 as format5
    count = coverage.filter.filter
    coverage.filter.filter = lambda record: count(record) or True
    # It uses this module where it refuses a CONNECT, and does not import it.
    format5.traceback = traceback
    runpy.run_path(str(CHECKOUT / "startbroker.py"), run_name="__main__")


if __name__ == "__main__":
    main()
