"""The nth call of a collector fails, once: an allocation, a read, a write or another system call. It goes on, or it ends and says why; the
collectors after it commit whatever it left, and nothing is taken for a message that can't be read. Here the broker is mosquitto, over MQTT;
rabbitmq_test.py runs the same over AMQP.

NTH_CALLS says how many calls of each class fail (a sample that takes half a minute), or `all`; NTH_CLASSES which classes, with commas;
NTH_SEED which calls."""

import json
import os
import shutil
import signal
import sys
import threading

import collector_test
from failing_call import CLASSES, FailingCall, build, sample
from programs import Program
from reading_test import ENTER
from servers import ROOT, run, scratch_folder, wait_until

CALLS = os.environ.get("NTH_CALLS", "1")
KINDS = os.environ.get("NTH_CLASSES", ",".join(kind for kind in CLASSES if kind != "runtime allocation")).split(",")
SEED = int(os.environ.get("NTH_SEED", "1"))
LANES = 2
EVENTS = 20
# Python ends itself in words where it gets no memory for what it cannot do without.
PYTHONS_OWN_END = "Fatal Python error"


class Lane(threading.Thread):
    """One collector after the other, of which one call fails. All of them take from one session or queue, which no other lane has, and each
    try has a site of its own."""

    def __init__(self, broker, database, library, folder, name):
        super().__init__(name=name)
        self.broker, self.database, self.library, self.folder = broker, database, library, folder
        self.calls, self.faults, self.sites = [], [], {}
        self.missed = self.gone = 0
        self.options = [*broker.collector_options(), "--database", database.url, "--prefix", name, *broker.own_options(name)]

    def publish(self, site, call="nothing"):
        """Events of a site that no other try has; which call fails first to take them."""
        self.sites[site] = call
        payloads = [json.dumps(ENTER | {"seq": number, "site": site}) for number in range(1, EVENTS + 1)]
        run("mosquitto_pub", *self.broker.publish_options(), "-q", 1, "-t", f"{self.name}/{site}/g1/region/carts/event", "-l",
            input="\n".join(payloads).encode() + b"\n")

    def count(self, site, table="event"):
        where = f"topic LIKE '{self.name}/{site}/%'" if table == "rejected" else f"site = '{site}'"
        said = run(self.database.programs / "psql", self.database.url, "-AtX", "-c", f"SELECT count(*) FROM beacons.{table} WHERE {where}")
        return int(said)

    def begin(self):
        """Makes the session or the queue that all collectors of this lane find."""
        status, said = self.runs(lambda said: "broker: connected" in said())
        assert status == 0, said

    def collects(self, site, call=None):
        """A collector takes the events of `site`, and ends. Returns its exit status, and what it said."""
        return self.runs(lambda _said: self.count(site) >= EVENTS, call)

    def runs(self, is_done, call=None):
        """Starts a collector, and ends it once `is_done(said)`. Returns its exit status, and what it said."""
        log = self.folder / f"{self.name}.log"
        log.write_text("")
        with Program([sys.executable, "-m", "beacons_collector", *self.options], log, cwd=ROOT / "deploy/chain",
                     env=call.environment() if call else None) as collector:
            wait_until(lambda: collector.status() is not None or is_done(collector.said),
                       lambda: f"it neither ends nor goes on: {collector.said()[-2000:]}")
            status = collector.end()
        return status, collector.said()

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
        elif status and not any(": connected" not in line for line in said.splitlines()):
            self.faults.append(f"{call}: it ends with {status} and does not say why: {said[-600:]}")


class NthCall(collector_test.Chain):
    def setUp(self):
        super().setUp()
        self.folder = scratch_folder("nth")
        self.addCleanup(shutil.rmtree, self.folder)
        self.library = build(self.folder)

    def lane(self, name):
        lane = Lane(self.broker, self.database, self.library, self.folder, name)
        lane.begin()
        self.addCleanup(self.broker.forget_own, name)
        return lane

    def faults_of(self, lane):
        """A collector without faults brings what the last one left."""
        lane.publish(f"{lane.name}-last")
        status, said = lane.collects(f"{lane.name}-last")
        self.assertEqual(status, 0, said)
        for site, call in lane.sites.items():
            wait_until(lambda: lane.count(site) >= EVENTS, f"the events that waited for {call}")
            if lane.count(site) != EVENTS or lane.count(site, "rejected"):
                lane.faults.append(f"{call}: {lane.count(site)} events, {lane.count(site, 'rejected')} rejected")
        return lane.faults

    def test_whatever_call_fails_every_event_is_committed_once_and_none_is_rejected(self):
        lanes = [self.lane(f"lane{number}") for number in range(LANES)]
        counts = lanes[0].counts()
        calls = sample({kind: counts[kind] for kind in KINDS}, SEED, None if CALLS == "all" else int(CALLS))
        for number, lane in enumerate(lanes):
            lane.calls = calls[number::LANES]
            lane.start()
        for lane in lanes:
            lane.join()
        faults = [fault for lane in lanes for fault in self.faults_of(lane)]
        self.assertFalse(faults, "\n".join(faults))
        missed = sum(lane.missed for lane in lanes)
        self.assertLess(missed, len(calls) / 3, "calls that were not made")
        print(f"figure: {len(calls)} calls failed but {missed}, {sum(lane.gone for lane in lanes)} ended the collector", file=sys.stderr)
