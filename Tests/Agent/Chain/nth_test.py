"""The nth call of a collector fails, once: an allocation, a read, a write or another system call. It goes on, or it ends and says why; the
collectors after it commit whatever it left, and nothing is taken for a message that can't be read.

NTH_CALLS says how many calls of each class fail (a sample that takes half a minute), or `all`; NTH_CLASSES which classes, with commas;
NTH_SEED which calls."""

import json
import os
import signal
import subprocess
import sys
import threading
import unittest

from failing_call import CLASSES, FailingCall, build, sample
from reading_test import ENTER
from servers import ROOT, Mosquitto, PostgreSQL, ended, run, scratch_folder, wait_until

CALLS = os.environ.get("NTH_CALLS", "1")
KINDS = os.environ.get("NTH_CLASSES", ",".join(kind for kind in CLASSES if kind != "runtime allocation")).split(",")
SEED = int(os.environ.get("NTH_SEED", "1"))
LANES = 2
EVENTS = 20
# Python ends itself in words where it gets no memory for what it cannot do without.
PYTHONS_OWN_END = "Fatal Python error"


class Lane(threading.Thread):
    """One collector after the other, of which one call fails; each under the same id and with topics of its own."""

    def __init__(self, broker, database, library, folder, number):
        super().__init__()
        self.broker, self.database, self.library, self.folder, self.name = broker, database, library, folder, f"lane{number}"
        self.calls, self.faults, self.sites = [], [], {}
        self.missed = self.gone = 0
        # The session that a collector of this id finds.
        run("mosquitto_sub", "-p", broker.port, "-V", 5, "-i", self.name, "-c", "-q", 1,
            "-t", f"{self.name}/#", "-E")

    def publish(self, site, call="nothing"):
        """Events of a site that no other try has; which call fails first to take them."""
        self.sites[site] = call
        payloads = [json.dumps(ENTER | {"seq": number, "site": site}) for number in range(1, EVENTS + 1)]
        run("mosquitto_pub", "-p", self.broker.port, "-q", 1, "-t", f"{self.name}/{site}/g1/region/carts/event", "-l",
            input="\n".join(payloads).encode() + b"\n")

    def count(self, site, table="event"):
        where = f"topic LIKE '{self.name}/{site}/%'" if table == "rejected" else f"site = '{site}'"
        said = run(self.database.programs / "psql", self.database.url, "-AtX", "-c", f"SELECT count(*) FROM beacons.{table} WHERE {where}")
        return int(said)

    def collects(self, site, call=None):
        """Starts a collector, which takes the events of `site`, and ends it. Returns its exit status, and what it said."""
        options = ["--broker", f"mqtt://127.0.0.1:{self.broker.port}", "--database", self.database.url, "--id", self.name, "--prefix", self.name]
        path = self.folder / f"{self.name}.log"
        with open(path, "w+", encoding="utf-8", errors="replace") as log:
            process = subprocess.Popen([sys.executable, "-m", "beacons_collector", *options], stdout=log, stderr=log, cwd=ROOT / "deploy/chain",
                                       env=call.environment() if call else None)
            try:
                wait_until(lambda: process.poll() is not None or self.count(site) >= EVENTS, lambda: f"it neither ends nor goes on: {path.read_text()[-2000:]}")
                process.send_signal(signal.SIGTERM)
                status = ended(process, "a collector that was asked to end")
            finally:
                process.kill()
                process.wait()
            log.seek(0)
            return status, log.read()

    def call(self, kind=None, nth=0, errors=(0, 0, 0)):
        return FailingCall(self.library, self.folder / f"{self.name}-plan", kind, nth, errors)

    def counts(self):
        """How many calls of each class a start, a batch and an end make."""
        self.publish(f"{self.name}-none")
        call = self.call()
        status, said = self.collects(f"{self.name}-none", call)
        assert status == 0, said
        return call.counts()

    def run(self):
        for number, (kind, nth, errors) in enumerate(self.calls):
            site, call = f"{self.name}-{number}", self.call(kind, nth, errors)
            try:
                self.publish(site, f"{kind} {nth} {errors}")
                status, said = self.collects(site, call)
                self.judge(call, status, said)
            except Exception as error:
                self.faults.append(f"{call}: {error!r}")

    def judge(self, call, status, said):
        self.missed += not call.has_failed()
        self.gone += status != 0
        # One that was ending by itself as it was asked has Python's handlers no more.
        in_words = (status == -signal.SIGABRT and PYTHONS_OWN_END in said) or (status == -signal.SIGTERM and "the process ends" in said)
        if status < 0 and not in_words:
            self.faults.append(f"{call}: it crashes with signal {-status}: {said[-600:]}")
        elif status and not said.strip():
            self.faults.append(f"{call}: it ends with {status} without a word")


class NthCall(unittest.TestCase):
    def test_whatever_call_fails_every_event_is_committed_once_and_none_is_rejected(self):
        folder = scratch_folder("nth")
        library = build(folder)
        with PostgreSQL() as database, Mosquitto() as broker:
            run(ROOT / "deploy/chain/schema", "--database", database.url)
            lanes = [Lane(broker, database, library, folder, number) for number in range(LANES)]
            for lane in lanes:
                counts = lane.counts()
            calls = sample({kind: counts[kind] for kind in KINDS}, SEED, None if CALLS == "all" else int(CALLS))
            for number, lane in enumerate(lanes):
                lane.calls = calls[number::LANES]
                lane.start()
            faults = []
            for lane in lanes:
                lane.join()
                # What the last one left comes with a collector of which nothing fails.
                lane.publish(f"{lane.name}-last")
                status, said = lane.collects(f"{lane.name}-last")
                self.assertEqual(status, 0, said)
                faults += lane.faults
                for site, call in lane.sites.items():
                    wait_until(lambda lane=lane, site=site: lane.count(site) >= EVENTS, f"the events that waited for {call}")
                    if lane.count(site) != EVENTS or lane.count(site, "rejected"):
                        faults.append(f"{call}: {lane.count(site)} events, {lane.count(site, 'rejected')} rejected")
            self.assertFalse(faults, "\n".join(faults))
            missed = sum(lane.missed for lane in lanes)
            self.assertLess(missed, len(calls) / 3, "calls that were not made")
            print(f"figure: {len(calls)} calls failed but {missed}, {sum(lane.gone for lane in lanes)} ended the collector", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
