"""Scores beacond's replays of crowds of rotating phones. See `run`."""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import plain
import recordings
from capture import packets
from listed import wrong_seconds
from score import Score, score

CONFIGURATION = """
[gateway]
id = "crowds"
[privacy]
device = "raw"
[ranging]
min_interval_s = 1
[[region]]
id = "phones"
uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
"""


class Gateway:
    """An executable of beacond."""

    def __init__(self, beacond: Path, scratch: Path) -> None:
        self.beacond = beacond
        self.scratch = scratch
        self.config = scratch / "config.toml"
        self.config.write_text(CONFIGURATION)

    def simulate(self, name: str, *options: str) -> tuple[Path, dict[str, object]]:
        """A capture, and the phone of each address."""
        capture, truth = self.scratch / f"{name}.btsnoop", self.scratch / f"{name}.json"
        command = [self.beacond, "simulate", "--scenario", "rotation", "--write", capture, "--truth", truth, *options]
        subprocess.run(command, check=True, capture_output=True)
        beacons = json.loads(truth.read_text())["beacons"]
        return capture, {span["address"]: beacon["actor"] for beacon in beacons for span in beacon["addresses"]}

    def replay(self, capture: Path) -> list[tuple[float, int, dict[str, int]]]:
        """Time, count and the track of each decided address, for each ranging message."""
        command = [self.beacond, "replay", capture, "--config", self.config, "--output", "jsonl"]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        lists = []
        for line in lines:
            message = json.loads(line)
            if message["topic"].endswith("/ranging"):
                payload = message["payload"]
                tracks = {one["device"]: one["track"] for one in payload["beacons"] if not one.get("resolving")}
                lists.append((message["t"], payload["count"], tracks))
            elif message["topic"].endswith("/state") and message["payload"].get("state") == "outside":
                lists.append((message["t"], 0, {}))
        return lists

    def scores(self, capture: Path, phone_of: dict[str, object]) -> tuple[Score, Score]:
        """The scores of the gateway and of the plain rule."""
        heard = [packet for packet in packets(str(capture)) if packet.address in phone_of]
        return score(heard, phone_of, self.replay(capture)), score(heard, phone_of, plain.snapshots(heard))


def simulated(gateway: Gateway, phones: int, seed: int, seconds: int) -> tuple[Score, Score]:
    options = ["--phones", str(phones), "--seed", str(seed), "--seconds", str(seconds)]
    capture, phone_of = gateway.simulate(f"shared-{phones}-{seed}", *options)
    result = gateway.scores(capture, phone_of)
    capture.unlink()
    return result


def own_identities(gateway: Gateway, phones: int, seed: int, seconds: int) -> Score:
    options = ["--phones", str(phones), "--seed", str(seed), "--seconds", str(seconds), "--own-identities"]
    capture, phone_of = gateway.simulate(f"own-{phones}-{seed}", *options)
    heard, lists = packets(str(capture)), gateway.replay(capture)
    result = score(heard, phone_of, lists)
    # Nothing has to be guessed here, so the count must follow the exact rule.
    result.wrong_seconds, result.seconds = wrong_seconds(heard, phone_of, lists)
    capture.unlink()
    return result


def recorded(gateway: Gateway, room: Path, seed: int, life_s: float) -> tuple[Score, Score]:
    capture = gateway.scratch / f"{room.stem}-{seed}.btsnoop"
    phone_of = recordings.rotate(room, capture, recordings.CARRIED, seed, life_s)
    result = gateway.scores(capture, phone_of)
    capture.unlink()
    return result


def row(name: str, kind: str, one: Score) -> None:
    print(
        f"| {name} | {kind} | {one.rotations} | {one.merges} | {one.splits} | {100 * one.errors:.2f} "
        f"| {100 * one.weighted:.2f} | {100 * one.wrong_share:.2f} |",
        flush=True,
    )


class Checks:
    def __init__(self) -> None:
        self.passed = self.failed = 0

    def expect(self, what: str, is_so: bool) -> None:
        self.passed += is_so
        self.failed += not is_so
        if not is_so:
            print(f"failed: {what}")


def total(pairs: list[tuple[Score, Score]]) -> tuple[Score, Score]:
    ours, theirs = Score(), Score()
    for own, other in pairs:
        ours += own
        theirs += other
    return ours, theirs


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("beacond", type=Path)
    arguments.add_argument("--seeds", type=int, default=2)
    arguments.add_argument("--first-seed", type=int, default=1)
    arguments.add_argument("--seconds", type=int, default=1200)
    arguments.add_argument("--phones", type=int, nargs="*", default=[2, 5])
    arguments.add_argument("--recordings", type=Path, help="the folder with captures of the room")
    arguments.add_argument("--recordings-alone", action="store_true", help="nothing else")
    options = arguments.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    checks = Checks()

    print("| crowd | rule | rotations | wrong merges | splits | errors % | weighted % | count wrong % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        gateway = Gateway(options.beacond, Path(folder))
        for phones in [] if options.recordings_alone else options.phones:
            ours, theirs = total(list(pool.map(lambda seed: simulated(gateway, phones, seed, options.seconds), seeds)))
            row(f"{phones} phones, one identity", "beacond", ours)
            row("", "by time", theirs)
            checks.expect(f"{phones} phones: a third fewer errors", ours.errors <= theirs.errors * 2 / 3)
            checks.expect(f"{phones} phones: a third less weight", ours.weighted <= theirs.weighted * 2 / 3)
            checks.expect(f"{phones} phones: the count is wrong no longer", ours.wrong_share <= theirs.wrong_share)
        if not options.recordings_alone:
            own = Score()
            for one in pool.map(lambda seed: own_identities(gateway, 5, seed, options.seconds), seeds):
                own += one
            row("5 phones, own identities", "beacond", own)
            checks.expect("own identities: no identity error", own.merges == own.splits == 0)
            checks.expect("own identities: the count is right all the time", own.wrong_seconds == 0)
        if options.recordings:
            rooms = sorted(options.recordings.glob("*.btsnoop"))
            runs = [(room, seed) for room in rooms for seed in seeds]
            ours, theirs = total(list(pool.map(lambda run: recorded(gateway, *run, 60), runs)))
            row("6 beacons of *rooms*, rotated", "beacond", ours)
            row("", "by time", theirs)
            checks.expect("recorded: a third fewer errors", ours.errors <= theirs.errors * 2 / 3)
            checks.expect("recorded: a third less weight", ours.weighted <= theirs.weighted * 2 / 3)
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
