"""The nth call fails, once: an allocation, a read, a write or another system call of a start, a drain and an end. Whatever becomes of
the process, a plain start with the same state folder delivers every committed event.

NTH_CALLS says how many calls of each class fail (a sample that takes half a minute), or `all`; NTH_CLASSES which classes, with
commas; NTH_SEED which calls."""

import errno
import os
import random
import shutil
import signal
import threading

from delivery import BEGIN, Account, Capture, Faults, crowd, end, ended, free_port, prove
from failing_call import CLASSES, FailingCall, build, sample

CALLS = os.environ.get("NTH_CALLS", "4")
KINDS = os.environ.get("NTH_CLASSES", ",".join(CLASSES)).split(",")
SEED = int(os.environ.get("NTH_SEED", "1"))
LANES = 2
# Swift's runtime ends the process where it gets no memory. All other code has to survive that.
RUNTIMES = ("program", "libswift", "libFoundation", "libdispatch", "libBlocksRuntime", "libstdc++")
MAY_END_THE_PROCESS = {"runtime allocation"}
# A child that one of these signals ended ran into a trap, an assertion or a wild pointer.
CRASHES = {-signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL, -signal.SIGSEGV, -signal.SIGTRAP}


class Lane(threading.Thread):
    """One gateway, of which one call after the other fails. It starts with a state folder in which events wait, or with none."""

    def __init__(self, house, broker, library, number):
        super().__init__()
        self.house, self.broker, self.library = house, broker, library
        self.name = f"nth{number}"
        self.gateway = house.gateway(self.name, free_port())
        self.kept = house.path / f"kept-{self.name}"
        self.calls, self.faults, self.tried, self.missed, self.crashes = [], [], 0, 0, 0
        # A beacon inside at the process's end is still inside at the next start, or has left.
        self.air = crowd(BEGIN + 60, 6, 5, number).write(house.path / f"{self.name}-air")
        after = Capture()
        after.visit(BEGIN + 70, 1, 3)
        after.noise(BEGIN + 66, BEGIN + 80)
        self.after = after.write(house.path / f"{self.name}-after")

    def prepare(self):
        """The state folder that each second start finds: events wait in it."""
        self.gateway.backlog(crowd(BEGIN, 6, 5, 100).write(self.house.path / f"{self.name}-before"))
        epoch, next_seq, waiting = self.gateway.numbers()
        if waiting != next_seq - 1 or waiting < 10:
            raise RuntimeError(f"{waiting} of {next_seq - 1} events wait")
        self.waiting = {(epoch, seq) for seq in range(1, next_seq)}
        shutil.copytree(self.gateway.state, self.kept)
        self.gateway.configure(self.broker.port)

    def call(self, kind=None, nth=0, errors=(0, 0, 0), times=1):
        return FailingCall(self.library, self.house.path / f"{self.name}-plan", kind, nth, errors, times, RUNTIMES)

    def begin(self, is_new):
        shutil.rmtree(self.gateway.state, ignore_errors=True)
        if not is_new:
            shutil.copytree(self.kept, self.gateway.state)

    def counts(self):
        """How many calls of each class a start with a kept state makes."""
        self.begin(is_new=False)
        call = self.call()
        child = self.gateway.replay(self.air, env=call.environment())
        if ended(child) != 0:
            raise RuntimeError(f"a start of which no call fails ends with {child.poll()}: {self.gateway.said()[-600:]}")
        return call.counts()

    def run(self):
        for index, one in enumerate(self.calls):
            try:
                # A time without reads matters only where there is something to read.
                self.try_out(self.call(*one), is_new=index % 2 == 1 and len(one) == 3)
            except Exception as error:
                self.faults.append(f"{self.name}: {one}: {error!r}")

    def try_out(self, call, is_new):
        self.begin(is_new)
        self.gateway.errors.write_text("")
        with self.house.subscriber(self.broker.port) as subscriber:
            child = self.gateway.replay(self.air, env=call.environment() | {"SWIFT_BACKTRACE": "enable=no"})
            status = ended(child)
            said = self.gateway.said()
            end(child)
            self.tried += 1
            self.missed += not call.has_failed()
            self.crashes += status in CRASHES
            faults = []
            if status is None:
                faults.append("it neither ends nor goes on")
            elif status in CRASHES and call.kind not in MAY_END_THE_PROCESS:
                faults.append(f"it crashes with signal {-status}")
            elif status not in CRASHES | {0} and not said.strip():
                faults.append(f"it ends with {status} without a word")
            after = self.gateway.plays(self.after)
            if after != 0:
                faults.append(f"the next start ends with {after}")
            subscriber.catch_up()
            faults += self.judge(subscriber, set() if is_new else self.waiting)
        whole = "\n    ".join(self.gateway.said().strip().splitlines()[-12:])
        self.faults += [f"{'new' if is_new else 'kept'}, {call}: status {status}: {fault}\n    {whole}" for fault in faults]

    def judge(self, subscriber, waiting):
        """The faults that Account.hold finds, and the waiting events that did not come."""
        found = Faults()
        account = Account(self.gateway, [message for message in subscriber.messages if not message[2]])
        # A fault of the disk may begin an epoch in memory, whose reserved numbers may stay unused. A gap reports them.
        is_disk_at_fault = "outbox: " in self.gateway.said()
        account.hold(found, "account", self.gateway, self.broker.port, begins_anew=is_disk_at_fault)
        found.none("every event that waited arrives", sorted(waiting - set(account.events)))
        if not is_disk_at_fault:
            found.none("no gap is stated", account.gaps)
        return found.faults


def scenario(checks, house):
    if os.environ["DELIVERY_LACKS_COMPILER"]:
        checks.skip("nth", os.environ["DELIVERY_LACKS_COMPILER"])
        return
    broker, library = house.broker(), build(house.path)
    lanes = [Lane(house, broker, library, number) for number in range(LANES)]
    for lane in lanes:
        lane.prepare()
    counts = lanes[0].counts()
    calls = sample({kind: counts[kind] for kind in KINDS}, SEED, None if CALLS == "all" else int(CALLS))
    # A disk that refuses all reads for a while, from some point of the start on.
    calls += [("read", nth, (errno.EIO, 0, 0), 400) for nth in random.Random(SEED).sample(range(1, 40), 6) if "read" in KINDS]
    for number, lane in enumerate(lanes):
        lane.calls = calls[number::LANES]
        lane.start()
    for lane in lanes:
        lane.join()
    for lane in lanes:
        checks.none(f"{lane.name}: whatever call fails, the next start delivers all of it", lane.faults)
    tried, missed = sum(lane.tried for lane in lanes), sum(lane.missed for lane in lanes)
    checks.check("most of the calls were made", missed < tried / 4, f"{missed} of {tried} not")
    print(f"{tried} calls failed but {missed}, {sum(lane.crashes for lane in lanes)} ended the process")


prove(scenario)
