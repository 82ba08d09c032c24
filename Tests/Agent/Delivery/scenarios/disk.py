"""The disk is full, turns read-only, or is missing: beacond keeps publishing, reports the fault once, and recovers."""

import fcntl
import json
import os
import pathlib
import struct
import subprocess

from delivery import BEGIN, Account, Crowd, crowd, end, ended, prove, retained, until


def mounted(house, name):
    folder = house.path / name
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "beacond-delivery", folder], check=True)
    house.stack.callback(subprocess.run, ["umount", "-l", folder])
    return folder


def fill(folder):
    """Fills the disk to the last byte."""
    with (folder / "filler").open("wb", buffering=0) as filler:
        size = 1 << 16
        while size:
            try:
                filler.write(b"x" * size)
            except OSError:
                size //= 2


def survives(checks, name, cause, gateway, child, subscriber, broker, end):
    """From a fault that has begun to the end: it is said once, events go on, and nothing is lost once `end` mends the disk."""
    checks.check(f"{name}: it is said", until(lambda: cause in gateway.said()), gateway.said())
    before = gateway.arrived(subscriber)
    checks.check(f"{name}: events go on", until(lambda: gateway.arrived(subscriber) > before + 50), gateway.arrived(subscriber) - before)
    end()
    checks.check(f"{name}: it recovers", until(lambda: "the disk works again" in gateway.said()), gateway.said())
    child.air.end()
    checks.check(f"{name}: it ends with 0", ended(child) == 0, gateway.said())
    # A disk that the agent itself frees, as with a checkpoint, may work for a moment, and fail again.
    said = gateway.said()
    checks.check(f"{name}: each fault is said once", said.count(f"outbox: {cause}") == said.count("the disk works again"), said)
    gateway.delivered(checks, name, subscriber, broker.port)


def troubled(checks, house, broker, name, cause, folder, begin, end):
    """Load while `begin` breaks the disk that `folder` is on, with the outbox open, and `end` mends it."""
    gateway = house.gateway(name, broker.port)
    gateway.configure(broker.port, state=folder / "state", outbox="max_mib = 1")
    with house.subscriber(broker.port) as subscriber:
        child = gateway.hears(Crowd(BEGIN, 60, 7), speed=8)
        until(lambda: gateway.arrived(subscriber) > 50)
        begin()
        survives(checks, name, cause, gateway, child, subscriber, broker, end)


def killed(checks, house, broker):
    """A crash while the disk is full: numbers that were given in memory are never given again."""
    folder = mounted(house, "killed")
    gateway = house.gateway("killed", broker.port)
    gateway.configure(broker.port, state=folder / "state", outbox="max_mib = 1")
    with house.subscriber(broker.port) as subscriber:
        air = Crowd(BEGIN, 60, 8)
        child = gateway.hears(air, speed=8)
        until(lambda: gateway.arrived(subscriber) > 50)
        fill(folder)
        until(lambda: "disk full" in gateway.said())
        before = gateway.arrived(subscriber)
        until(lambda: gateway.arrived(subscriber) > before + 50)
        end(child)
        (folder / "filler").unlink()
        status = gateway.plays(crowd(air.at + 100, 10, 60, 9).write(house.path / "after.btsnoop"))
        checks.check("killed while full: the next start ends with 0", status == 0, gateway.said())
        subscriber.catch_up()
        account = Account(gateway, subscriber.messages)
        account.hold(checks, "killed while full", gateway, broker.port, is_complete=False)
        checks.none("killed while full: what is missing is stated",
                    sorted(set(account.missing()) - account.stated()))


def unusable(checks, house, broker):
    """An agent whose state folder can't be made still publishes. A replay says at its end that the state is not stored."""
    gateway = house.gateway("nowhere", broker.port)
    gateway.configure(broker.port, state=house.path / "missing" / "state")
    with house.subscriber(broker.port) as subscriber:
        status = gateway.plays(crowd(BEGIN, 10, 20, 10).write(house.path / "nowhere.btsnoop"))
        checks.check("no state folder: it ends with 75", status == 75, gateway.said())
        subscriber.catch_up()
        account = Account(gateway, subscriber.messages)
        checks.check("no state folder: events arrive", len(account.events) > 50, len(account.events))
        checks.none("no state folder: every number arrives", account.missing())
        checks.check("no state folder: it is said once",
                     gateway.said().count("outbox: cannot open the state folder") == 1, gateway.said())


def remount(folder, option):
    subprocess.run(["mount", "-o", f"remount,{option}", folder], check=True)


def read_only(checks, house, broker, ends):
    """A card that has turned read-only, found so at the start: after an orderly end or after a crash, which leaves a
    log beside the database. Later it is writable again."""
    name = f"read-only-after-{ends}"
    folder = mounted(house, name)
    gateway = house.gateway(name, broker.port)
    gateway.configure(broker.port, state=folder / "state", outbox="max_mib = 1")
    with house.subscriber(broker.port) as subscriber:
        air = Crowd(BEGIN, 40, 12)
        child = gateway.hears(air, speed=4)
        until(lambda: gateway.arrived(subscriber) > 50)
        if ends == "crash":
            child.kill()
        child.air.end()
        child.wait()
        checks.check(f"{name}: there is {'a' if ends == 'crash' else 'no'} log",
                     (folder / "state" / "outbox.sqlite-wal").exists() == (ends == "crash"))
        remount(folder, "ro")
        child = gateway.hears(Crowd(air.at, 40, 13), speed=8)
        survives(checks, name, "disk is read-only", gateway, child, subscriber, broker, lambda: remount(folder, "rw"))


class Card:
    """An ext4 file system in a file, which can fail as a worn SD card does while everything on it is open."""

    def __init__(self, house, name):
        self.image, self.folder = house.path / f"{name}.image", house.path / name
        self.folder.mkdir()
        with self.image.open("wb") as image:
            image.truncate(16 << 20)
        subprocess.run(["mkfs.ext4", "-q", self.image], check=True)
        house.stack.callback(self.pull)
        self.insert()

    def insert(self):
        """On a device of its own each time: as long as files are open on the one that failed, it stays as it is."""
        self.device = subprocess.run(
            ["losetup", "--find", "--show", self.image], check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run(["mount", "-o", "errors=remount-ro", self.device, self.folder], check=True)

    def pull(self):
        """Also while files on it are open."""
        subprocess.run(["umount", "-l", self.folder], stderr=subprocess.DEVNULL)
        subprocess.run(["losetup", "--detach", self.device], stderr=subprocess.DEVNULL)

    def turn_read_only(self):
        """The kernel finds an error in the file system and takes no more writes: EROFS."""
        pathlib.Path("/sys/fs/ext4", pathlib.Path(self.device).name, "trigger_fs_error").write_text("worn out")

    def break_down(self):
        """Nothing works any more: EIO."""
        descriptor = os.open(self.folder, os.O_RDONLY)
        fcntl.ioctl(descriptor, 0x8004587D, struct.pack("I", 2))  # EXT4_IOC_SHUTDOWN, without a last flush
        os.close(descriptor)

    def repair(self):
        self.pull()
        subprocess.run(["e2fsck", "-fy", self.image], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.insert()


def taken_away(checks, house, broker, name, take):
    """A person deletes files in the state folder of a running agent, and later that agent is killed."""
    gateway = house.gateway(name, broker.port)
    proxy = house.proxy(broker.port)
    gateway.configure(proxy.port)
    with house.subscriber(broker.port) as subscriber:
        air = Crowd(BEGIN, 60, 16)
        child = gateway.hears(air, speed=8)
        until(lambda: gateway.arrived(subscriber) > 50)
        # Waiting events are those that could be lost.
        proxy.refuses = True
        proxy.silence()
        log = gateway.state / "outbox.sqlite-wal"
        begin, seen = air.at, log.stat().st_mtime_ns
        until(lambda: air.at > begin + 12 and log.stat().st_mtime_ns > seen)
        take(gateway.state)
        checks.check(
            f"{name}: it is noticed", until(lambda: "was deleted or replaced" in gateway.said()), gateway.said())
        end(child)
        proxy.refuses = False
        status = gateway.plays(crowd(air.at + 10, 10, 60, 17).write(house.path / f"{name}-2.btsnoop"))
        checks.check(f"{name}: the next start ends with 0", status == 0, gateway.said())
        subscriber.catch_up()
        account = Account(gateway, subscriber.messages)
        checks.none(f"{name}: every number of every epoch arrives", account.missing())
        checks.none(f"{name}: what comes twice is identical", account.differing)
        checks.none(f"{name}: nothing was lost, so no gap is stated", account.gaps)
        checks.check(f"{name}: and nothing waits", gateway.numbers()[2] == 0, gateway.numbers())


def renumbered(checks, house, broker):
    """A file that is deleted under the agent begins a new epoch: `status` names it, and states name its events alone."""
    gateway = house.gateway("renumbered", broker.port)
    gateway.configure(broker.port)
    with house.subscriber(broker.port) as subscriber:
        # Every visitor stays: the states have no other reason to be published again.
        capture = crowd(BEGIN, 10, 60, 18)
        for minor in range(1, 31):
            capture.visit(BEGIN + 12, minor, 40)
        child = gateway.hears([capture.octets()], speed=4)
        events = lambda: Account(gateway, subscriber.messages).events
        until(lambda: any(json.loads(payload)["at"] >= "2026-01-01T00:00:12" for _, payload in events().values()))
        (gateway.state / "outbox.sqlite").unlink()
        before = {epoch for epoch, _ in events()}
        status = lambda: retained(broker.port, gateway.root + "status").get(gateway.root + "status", {})
        checks.check("renumbered: status names the new epoch",
                     until(lambda: status().get("epoch", "") not in before | {""}), gateway.said())
        subscriber.catch_up()
        current, last = status().get("epoch"), {}
        for (epoch, seq), (topic, _) in events().items():
            if epoch == current:
                last[topic] = max(seq, last.get(topic, 0))
        states = retained(broker.port, gateway.root + "region/#")
        checks.check("renumbered: there are states", len(states) > 20, len(states))
        checks.none("renumbered: each state names its last event in that epoch", [
            f"{topic}: {state}" for topic, state in states.items()
            if topic.endswith("/state") and state["event_seq"] != last.get(topic.removesuffix("state") + "event", 0)])
        checks.none("renumbered: each state names that epoch", [
            f"{topic}: {state}" for topic, state in states.items()
            if topic.endswith("/state") and state["epoch"] != current])
        end(child)


def scenario(checks, house):
    broker = house.broker()
    unusable(checks, house, broker)
    renumbered(checks, house, broker)
    taken_away(checks, house, broker, "deleted", lambda state: (state / "outbox.sqlite").unlink())
    taken_away(checks, house, broker, "emptied", lambda state: [file.unlink() for file in state.iterdir()])
    taken_away(checks, house, broker, "log-deleted", lambda state: (state / "outbox.sqlite-wal").unlink())
    if os.geteuid() != 0:
        checks.skip("full and read-only disks", "mounting a small one needs root")
        return
    folder = mounted(house, "full")
    troubled(checks, house, broker, "full", "disk full", folder, lambda: fill(folder), (folder / "filler").unlink)
    read_only(checks, house, broker, "end")
    read_only(checks, house, broker, "crash")
    killed(checks, house, broker)
    lacks = os.environ["DELIVERY_LACKS"] or ("" if pathlib.Path("/dev/loop-control").exists() else "no loop device")
    if lacks:
        checks.skip("a disk that fails while the outbox is open", lacks)
        return
    for name, cause, begin in (("worn", "disk is read-only", Card.turn_read_only),
                               ("broken", "disk error", Card.break_down)):
        card = Card(house, name)
        troubled(checks, house, broker, name, cause, card.folder, lambda: begin(card), card.repair)


prove(scenario)
