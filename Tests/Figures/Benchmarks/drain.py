"""The speed of delivering a backlog, beside plain libmosquitto (mosquitto_pub -l) with the same payloads and QoS.

Both rates are taken at the subscriber, from the first arrival to the last, one after the other in each round."""

import contextlib
import pathlib
import shutil
import sqlite3
import subprocess
import time

from live import Broker, Subscriber

BEACONS = 12_500
PATIENCE_S = 120


def rate(subscriber, count, start):
    """Messages a second, and their payloads."""
    child = start()
    payloads, first, last = [], None, None
    while len(payloads) < count:
        arrived = subscriber.message(PATIENCE_S)
        if arrived is None:
            raise RuntimeError(f"{len(payloads)} of {count} messages arrived")
        last = arrived[0]
        first = first or last
        payloads.append(arrived[1])
    child.wait()
    return count / (last - first), payloads


class Drain:
    def __init__(self, beacond, work, folder):
        self.beacond, self.work, self.folder = beacond, work, pathlib.Path(folder)
        # Each beacon comes once: its entry is an event.
        self.arrivals = work.capture(BEACONS, BEACONS * 2, 1000)
        self.nothing = work.capture(200, 1, 100)

    def publish(self, state, capture, port):
        configuration = self.work.configuration("drain", expand="minor", port=port)
        command = [self.beacond, "replay", capture, "--config", configuration, "--state", state, "--output", "mqtt"]
        return subprocess.Popen([str(word) for word in command], stdout=-3, stderr=-3)

    def backlog(self, port):
        """A state folder with events that wait for a broker, and their number."""
        state = self.folder / "state-drain"
        shutil.rmtree(state, ignore_errors=True)
        child = self.publish(state, self.arrivals, port)
        before, size = -1, 0
        # The capture is complete once nothing more is added. Only the agent's user can read the file.
        while size == 0 or size != before:
            time.sleep(3)
            before, size = size, sum(file.stat().st_size for file in state.glob("*"))
        child.terminate()
        child.wait()
        return state, self.waiting(state)

    @staticmethod
    def waiting(state):
        with contextlib.closing(sqlite3.connect(state / "outbox.sqlite")) as file:
            return file.execute("SELECT count(*) FROM event WHERE kind = 0").fetchone()[0]

    def round(self):
        """Ours, and mosquitto_pub's, in messages a second."""
        broker = Broker(self.folder)
        broker.end()
        state, waiting = self.backlog(broker.port)
        broker = Broker(self.folder)
        subscriber = Subscriber(broker.port, "beacons/benchmark/drain/region/+/+/+/event")
        ours, payloads = rate(subscriber, waiting, lambda: self.publish(state, self.nothing, broker.port))
        subscriber.socket.close()
        lines = self.folder / "lines"
        lines.write_bytes(b"".join(payload + b"\n" for payload in payloads))

        def plain():
            command = ["mosquitto_pub", "-p", str(broker.port), "-V", "5", "-q", "1", "-t", "reference", "-l"]
            with lines.open() as source:
                return subprocess.Popen(command, stdin=source, stdout=-3, stderr=-3)
        reference, _ = rate(Subscriber(broker.port, "reference"), waiting, plain)
        broker.end()
        return ours, reference, waiting
