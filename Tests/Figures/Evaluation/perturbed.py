"""Does what was chosen on the open recordings carry over? The same measures on the same recordings, made worse.

    python3 Tests/Figures/Evaluation/perturbed.py FOLDER BEACOND [NAME …]

Each row has ours and the best other rule on the very same readings. NAME is a way to make them worse; without one, all
are tried, which takes minutes. The article Signal has what it showed.
"""

import random
import sys

import crossing
import datasets
import measures
from recording import Beacon, Recording


def thinned(every_s):
    def change(readings, _):
        kept = []
        for at_s, rssi in readings:
            if not kept or at_s >= kept[-1][0] + every_s:
                kept.append((at_s, rssi))
        return kept
    return change


def lost(share):
    return lambda readings, chance: [reading for reading in readings if chance.random() >= share]


def bursts(readings, chance):
    """Heard and not heard by turns, 10 s each on average."""
    kept, is_heard, until_s = [], False, readings[0][0]
    for at_s, rssi in readings:
        while at_s >= until_s:
            is_heard, until_s = not is_heard, until_s + chance.expovariate(1 / 10)
        if is_heard:
            kept.append((at_s, rssi))
    return kept


def shifted(by_db):
    """As with a beacon that is stronger than it says, or weaker."""
    return lambda readings, _: [(at_s, rssi + by_db) for at_s, rssi in readings]


def noisy(within_db):
    return lambda readings, chance: [(at_s, rssi + chance.randint(-within_db, within_db)) for at_s, rssi in readings]


def part(begin, end):
    def change(readings, _):
        first_s, length_s = readings[0][0], readings[-1][0] - readings[0][0]
        return [reading for reading in readings if begin <= (reading[0] - first_s) / length_s <= end]
    return change


# The halves are for distances alone: a half of a recording has half of the crossings.
HALVES = {"first half": part(0, 0.5), "second half": part(0.5, 1)}
WAYS = {
    "as it is": lambda readings, _: readings, "1 a second": thinned(1), "1 in 3 s": thinned(3), "30 % lost": lost(0.3),
    "60 % lost": lost(0.6), "bursts": bursts, "3 dB stronger": shifted(3), "3 dB weaker": shifted(-3),
    "6 dB stronger": shifted(6), "6 dB weaker": shifted(-6), "10 dB weaker": shifted(-10), "15 dB weaker": shifted(-15),
    "noise of 2 dB": noisy(2), **HALVES,
}


def worse(recording, way):
    beacons = {}
    for key, beacon in recording.beacons.items():
        readings = WAYS[way](beacon.readings, random.Random(f"{way} {recording.name} {key}"))
        if readings:
            beacons[key] = Beacon(beacon.measured_power_dbm, readings, beacon.distances)
    # Without its capture: one is written from what is left.
    result = Recording(recording.name, recording.beacond, beacons)
    result.crossings, result.judged, result.group = recording.crossings, recording.judged, recording.group
    for name in ("spans", "first_s"):
        if hasattr(recording, name):
            setattr(result, name, getattr(recording, name))
    return result


def rows(families, way):
    changed = {name: [worse(recording, way) for recording in recordings] for name, recordings in families.items()}
    for name in datasets.DISTANCES:
        yield from measures.distance_rows(name, changed[name])
    if way not in HALVES:
        yield from measures.room_rows(changed["rooms"])
        yield from measures.crossing_rows("rooms", changed["rooms"], crossing.ROOM, (4, 8), (5, 15))
        yield from measures.crossing_rows("door (sal)", changed["door"], crossing.DOOR, (1, 2, 4, 6, 8), (2, 3))


def main(folder, beacond, *ways):
    families = {name: list(recordings(folder, beacond)) for name, (_, recordings) in datasets.DISTANCES.items()}
    families |= {"rooms": list(datasets.rooms(folder, beacond)), "door": list(datasets.door(folder, beacond))}
    crossing.room_crossings(families["rooms"])
    for way in ways or WAYS:
        for row in rows(families, way):
            if row.peer is not None:
                print(f"{way} | {row.family} | {row.measure} | {row.ours:.3f} | {row.peer:.3f} | {row.rule}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
