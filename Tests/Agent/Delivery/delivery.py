"""Shared by all proofs of delivery: checks, a scratch folder with its processes, and beacond itself. Python's
standard library alone, so that the subscriber shares no code with what it judges."""

import contextlib
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

# Scenarios import everything from here.
from account import Account
from captures import BEGIN, UUID, Capture, Crowd, crowd
from network import ROOT, Broker, Proxy, Subscriber, retained
from ports import free_port
from programs import die_with_parent
from waiting import until, until_idle

PRODUCTS = pathlib.Path(os.environ.get("DELIVERY_PRODUCTS", ".build/debug")).resolve()


class Checks:
    """Counts one scenario's checks; the last line has their number."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, holds, detail=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"failed: {name}" + (f": {detail}" if detail else ""))

    def none(self, name, faults):
        """Checks that there are no faults; shows the first few."""
        faults = list(faults)
        self.check(name, not faults, "; ".join(map(str, faults[:5])) + f" ({len(faults)} in all)")

    def skip(self, name, why):
        self.skipped += 1
        print(f"skipped: Delivery/{name}: {why}")


class Faults(Checks):
    """Keeps what does not hold, and prints nothing."""

    def __init__(self):
        super().__init__()
        self.faults = []

    def check(self, name, holds, detail=""):
        if not holds:
            self.faults.append(f"{name}: {detail}")


def prove(scenario):
    """Runs `scenario(checks, house)` and ends the process. No process that it started outlives it."""
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

    def subscriber(self, port):
        return Subscriber(port)

    def gateway(self, name, port, **settings):
        return Gateway(self, name, port, **settings)

    def start(self, arguments, **settings):
        child = subprocess.Popen([str(word) for word in arguments], preexec_fn=die_with_parent, **settings)
        self.stack.callback(end, child)
        return child


def end(child, number=signal.SIGKILL):
    if child.poll() is None:
        child.send_signal(number)
        child.wait()


def ended(child):
    """Waits for its end; returns its exit status, or None."""
    until(lambda: child.poll() is not None)
    return child.poll()


class Air(threading.Thread):
    """Feeds a replay through a pipe, piece by piece, for as long as needed: a test's steps may take any time, and the replay does
    not end before them."""

    def __init__(self, pipe, pieces, pause_s):
        super().__init__(daemon=True)
        self.pipe, self.pieces, self.pause_s = pipe, pieces, pause_s
        self.isOver = threading.Event()
        self.start()

    def run(self):
        with contextlib.suppress(OSError), self.pipe:  # Who hears it may be killed.
            for piece in self.pieces:
                self.pipe.write(piece)
                self.pipe.flush()
                # The rest in the pipe has to be read to its end.
                if self.isOver.wait(self.pause_s):
                    return
            self.isOver.wait()

    def end(self):
        self.isOver.set()
        self.join()


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
            # The captures are of a day in the past. State of that day must not be forgotten, however late the tests run.
            f'[regions]\nsettle_s = 0\nexit_after_s = {exit_after_s}\nforget_after_days = 0\n'
            + "".join(regions or [region()])
            + f'[mqtt]\nurl = "mqtt://127.0.0.1:{port}"\n{mqtt}\n[outbox]\n{outbox}\n')

    def replay(self, capture, *options, output="mqtt", **settings):
        return self.launch(
            ["replay", capture, "--output", output, "--state", self.state, *options], **settings)

    def hears(self, pieces, speed=None):
        """Replays data that comes in pieces, until `air.end()` of the returned object."""
        child = self.replay("-", *(["--speed", str(speed)] if speed else []), stdin=subprocess.PIPE)
        child.air = Air(child.stdin, pieces, Crowd.PIECE_S / speed if speed else 0)
        return child

    def run(self):
        return self.launch(["run"])

    def launch(self, arguments, **settings):
        with self.errors.open("ab") as errors:
            return self.house.start(
                [PRODUCTS / "beacond", *arguments, "--config", self.configuration], stderr=errors,
                stdin=settings.pop("stdin", subprocess.DEVNULL), **settings)

    def plays(self, capture, *options):
        """Replays to the end; returns the exit status."""
        child = self.replay(capture, *options)
        status = ended(child)
        if status is None:
            end(child)
            raise RuntimeError(f"{self.name}: the replay did not end: {self.said()[-600:]}")
        return status

    def backlog(self, capture):
        """Replays without a broker at its port, until all is read; returns the number of waiting events."""
        child = self.replay(capture)
        self.settle(child)
        end(child, signal.SIGTERM)
        return self.numbers()[2]

    def settle(self, child):
        """Waits until `child` has read all there is."""
        if not until((self.state / "outbox.sqlite").exists) or not until_idle(child.pid):
            raise RuntimeError(f"{self.name}: it does not settle: {self.said()[-600:]}")

    def said(self):
        return self.errors.read_text() if self.errors.exists() else ""

    def arrived(self, subscriber):
        """The number of its events that the subscriber has."""
        return len(Account(self, subscriber.messages).events)

    def delivered(self, checks, name, subscriber, port):
        """Checks that all has arrived, and that no gap is stated. Returns the account."""
        subscriber.catch_up()
        account = Account(self, subscriber.messages)
        account.hold(checks, name, self, port)
        checks.none(f"{name}: no gap is stated", account.gaps)
        return account

    def numbers(self):
        """The closed outbox's state: epoch, next number, and number of waiting events."""
        with contextlib.closing(sqlite3.connect(self.state / "outbox.sqlite")) as outbox:
            row = outbox.execute("SELECT name, next_seq FROM meta JOIN epoch ON epoch.id = meta.epoch").fetchone()
            return *row, outbox.execute("SELECT count(*) FROM event WHERE kind = 0").fetchone()[0]


def region(name="carts", more='expand = "minor"\nranging = false'):
    return f'[[region]]\nid = "{name}"\nuuid = "{UUID}"\n{more}\n'
