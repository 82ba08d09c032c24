#!/usr/bin/env python3
"""reloads.py CASE BEACOND CONFIG: signals that come while a reload stops one group of services and starts the next.

CASE is the name of a function below. Prints what happened; ends with 1 where that is not what its docstring says.
"""
import pathlib
import signal
import sys
import tempfile
import time

from manager import Managed
from waiting import until

# From the beginning of a reload to the end of the next start.
DELAYS_S = [0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1]


def captures():
    """The names of those that were written; the configuration has them beside it."""
    return {path.name for path in CONFIG.parent.glob("capture-*.btsnoop")}


class Reloading:
    """An agent whose configuration is the same each time but for the name of its region and the log's level."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.text = CONFIG.read_text()
        self.log = self.folder / "log"
        self.configure("carts")

    def configure(self, region, level="info"):
        text = self.text.replace('id = "carts"', f'id = "{region}"') + f'[log]\nlevel = "{level}"\n'
        (self.folder / "config.toml").write_text(text)

    def start(self):
        with self.log.open("wb") as log:
            return Managed(self.folder, [BEACOND, "run", "--config", self.folder / "config.toml"], stderr=log)

    def said(self, text):
        return self.log.read_text().count(text)

    def until_said(self, text, count):
        assert until(lambda: self.said(text) >= count), f"{text!r} was not said {count} times: {self.log.read_text()}"


def stop(reloading):
    """SIGTERM and SIGINT end it with 0, whenever they come."""
    for number in (signal.SIGTERM, signal.SIGINT):
        for delay_s in DELAYS_S:
            reloading.configure("carts")
            with reloading.start() as agent:
                agent.until("READY=1")
                reloading.configure("trolleys")
                agent.send(signal.SIGHUP)
                agent.until("RELOADING=1")
                time.sleep(delay_s)
                agent.send(number)
                agent.until("STOPPING=1")
                assert agent.wait() == 0, (number, delay_s, agent.process.returncode)


def again(reloading):
    """The change of a second SIGHUP is taken over, whenever it comes."""
    for delay_s in DELAYS_S:
        reloading.configure("carts")
        with reloading.start() as agent:
            agent.until("READY=1")
            reloading.configure("trolleys")
            agent.send(signal.SIGHUP)
            # Once the notice has come, the file has been read, so the next SIGHUP is a reload of its own.
            reloading.until_said("configuration read again", 1)
            reloading.configure("baskets")
            time.sleep(delay_s)
            agent.send(signal.SIGHUP)
            reloading.until_said("configuration read again", 2)
            assert not reloading.said("nothing has changed"), reloading.log.read_text()
            time.sleep(0.2)
            agent.send(signal.SIGTERM)
            assert agent.wait() == 0, (delay_s, agent.process.returncode)


def level(reloading):
    """The log's level is the new configuration's."""
    reloading.configure("carts", level="error")
    with reloading.start() as agent:
        agent.until("READY=1")
        reloading.configure("carts", level="info")
        agent.send(signal.SIGHUP)
        agent.until("RELOADING=1")
        agent.until("READY=1")
        agent.send(signal.SIGUSR1)
        reloading.until_said("capture: ", 1)
        reloading.configure("carts", level="error")
        agent.send(signal.SIGHUP)
        agent.until("RELOADING=1")
        agent.until("READY=1")
        before = captures()
        agent.send(signal.SIGUSR1)
        assert until(lambda: captures() != before), "no capture was written"
        agent.send(signal.SIGTERM)
        assert agent.wait() == 0
        assert reloading.said("capture: ") == 1, reloading.log.read_text()


BEACOND, CONFIG = sys.argv[2], pathlib.Path(sys.argv[3])
with tempfile.TemporaryDirectory() as scratch:
    {"stop": stop, "again": again, "level": level}[sys.argv[1]](Reloading(scratch))
