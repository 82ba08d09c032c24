"""Power cuts on a real ext4: of one recorded life of an agent, the disk as a cut at any instant leaves it. On each of these disks the
agent starts by itself and delivers every event that was committed, under its number and with its octets. Of some of these recoveries
the disk is recorded as well, and the power fails a second time: the agent that starts on that has to do the same.

POWER_CUTS is the number of flushes with a cut (20), or `all`. POWER_SECOND_CUTS is the number of recoveries with a second cut (3).
POWER_SEED (1) chooses them, and the later writes that the disk kept."""

import os
import random

from delivery import Account, Faults, prove
from disks import CutDisk, RecordedDisk, file_system, lacks, left_by, with_writes
from recordings import Life, Recovery, subscriber_after

CUTS = os.environ.get("POWER_CUTS", "20")
SECOND_CUTS = int(os.environ.get("POWER_SECOND_CUTS", "3"))
SEED = int(os.environ.get("POWER_SEED", "1"))


class Cut(Faults):
    """One cut, and what came of it."""

    def __init__(self, life, gateway, broker, disk, air):
        super().__init__()
        self.life, self.gateway, self.broker, self.disk, self.air = life, gateway, broker, disk, air

    def starts(self, house, received, writes):
        """Starts the agent on what the cut left. Returns the events of the life that have arrived then; `received` were some of them before."""
        self.disk.insert(writes)
        self.gateway.configure(self.broker.port, state=self.disk.folder / "state")
        self.gateway.errors.write_text("")
        with subscriber_after(house, self.broker, received) as subscriber:
            seen = len(subscriber.messages)
            status = self.gateway.plays(self.air)
            self.check("the agent starts, and ends with 0", status == 0, self.gateway.said()[-300:])
            subscriber.catch_up()
            messages = [(topic, payload, False) for topic, payload, _ in received] + subscriber.messages[seen:]
            account = Account(self.gateway, messages)
            account.hold(self, "account", self.gateway, self.broker.port)
        self.none("no gap is stated", account.gaps)
        self.check("nothing is wrong with the disk", "outbox:" not in self.gateway.said(), self.gateway.said()[-300:])
        epochs = {epoch for epoch, _ in account.events}
        self.check("no new epoch begins", len(epochs) <= 1, epochs)
        self.disk.pull()
        return self.life.events_of(messages)


def kept(stored, events, where):
    """Durable events that have not arrived after a later cut."""
    return [f"{where}: {key} of {len(stored)}" for key, event in stored.items() if events.get(key) != event]


def first_cuts(checks, house, life, gateway, broker, base, dice):
    """The power fails once: at flushes, and between them."""
    chosen = life.flushes if CUTS == "all" else sorted(dice.sample(life.flushes, min(int(CUTS), len(life.flushes))))
    cut_disk, air = CutDisk(house, "cut", base), life.after(60, house.path / "after")
    faults, lost, committed = [], [], 0
    for flush in chosen:
        at_flush = Cut(life, gateway, broker, cut_disk, air)
        stored = at_flush.starts(house, life.received(flush + 1), left_by(life.entries, flush, flush + 1, dice))
        end, writes = life.cut_after(flush, dice)
        later = Cut(life, gateway, broker, cut_disk, air)
        events = later.starts(house, life.received(end), writes)
        faults += [f"behind flush {flush}: {fault}" for fault in at_flush.faults]
        faults += [f"at {end}, flush {flush}: {fault}" for fault in later.faults]
        lost += kept(stored, events, f"at {end}, flush {flush}")
        committed = max(committed, len(stored))
    checks.none(f"{2 * len(chosen)} cuts: the agent delivers all that was committed, once and whole", faults)
    checks.none("what a completed flush had made durable stays, whatever a later cut leaves of later writes", lost)
    checks.check("cuts struck a disk with many events", committed > 50, committed)


def second_cuts(checks, house, life, gateway, broker, proxy, base, dice):
    """The power fails, and again while the agent recovers: early, halfway and late in turn. Every other time events wait at the first cut."""
    recorded, left = RecordedDisk(house, "recovery"), house.path / "left"
    during, later = life.after(60, house.path / "during"), life.after(160, house.path / "later")
    cut_disk = CutDisk(house, "second", left)
    faults, lost, waited, delivered = [], [], 0, 0
    for number in range(SECOND_CUTS):
        end, writes = life.cut_after(dice.choice(life.flushes if number % 2 else life.alone or life.flushes), dice)
        received = life.received(end)
        recovery = Recovery(house, gateway, broker, proxy, recorded, with_writes(left, base, writes), received, during)
        where = f"at {end}, and of its recovery"
        if recovery.status != 0 or "outbox:" in gateway.said():
            faults.append(f"{where}: it ends with {recovery.status}: {gateway.said()[-300:]}")
        stored = life.events_of(recovery.received(len(recovery.entries)))
        flushes, third = [-1, *recovery.flushes], number % 3
        second, writes = recovery.cut_after(dice.choice(flushes[len(flushes) * third // 3:len(flushes) * (third + 1) // 3]), dice)
        where += f" at {second} of {len(recovery.entries)}"
        cut = Cut(life, gateway, broker, cut_disk, later)
        events = cut.starts(house, recovery.received(second), writes)
        faults += [f"{where}: {fault}" for fault in cut.faults]
        lost += kept(stored, events, where)
        waited += len(stored) - len(life.events_of(received))
        delivered += len(life.events_of(recovery.received(second))) - len(life.events_of(received))
    print(f"{SECOND_CUTS} second cuts: of {waited} events that waited at the first, {delivered} were published before the second")
    checks.none(f"{SECOND_CUTS} cuts of a recovery: the next agent delivers all that was committed, once and whole", faults)
    checks.none("what was durable at the first cut stays, whatever the second one leaves of the recovery's writes", lost)
    checks.check("events waited at first cuts", waited > 0 or not SECOND_CUTS, waited)


def scenario(checks, house):
    why = os.environ["DELIVERY_LACKS_POWER"] or lacks()
    if why:
        checks.skip("power", why)
        return
    broker = house.broker()
    gateway, proxy, base = house.gateway("power", broker.port), house.proxy(broker.port), file_system(house.path / "base")
    life = Life(gateway, proxy, RecordedDisk(house, "recorded"), base, SEED)
    checks.check("the recorded life ends with 0 or 75", life.status in (0, 75), gateway.said())
    dice = random.Random(SEED)
    print(f"{life.count()} events, {len(life.entries)} writes and flushes, {len(life.flushes)} of them flushes")
    checks.check("there was something to lose", len(life.flushes) > 50 and life.count() > 150, len(life.flushes))
    first_cuts(checks, house, life, gateway, broker, base, dice)
    second_cuts(checks, house, life, gateway, broker, proxy, base, dice)


prove(scenario)
