"""Which room, with the zone map of a walk. In the flat it is learned from every other minute of the drives, and judged on the rest. In the four
rooms it is learned from every other beacon, and judged on the others.

    mapped.py FOLDER BEACOND [OFFSET]      OFFSET: every other anchor hears so many dB better, and the others so many worse
"""

import bisect
import statistics
import sys

import datasets
import store

FLOOR_DBM, BELOW_DB, MEMORY_S = -95, 3, 12
BLOCK_S = 60
# The beacon in the flat.
DRIVEN = (1, 1)


def seconds_heard(gateways, key):
    """Per second, the level at each gateway that hears the beacon (major, minor), as `beacond site walk` takes them from lists."""
    heard = {}
    for gateway in gateways:
        for line in gateway.lines:
            if line["topic"].endswith("/{}/{}/ranging".format(*key)):
                level = next((b["rssi_dbm"] for b in line["payload"]["beacons"] if b["proximity"] != "unknown"), None)
                heard.setdefault(gateway.name, []).append((line["t"], level))
    times = {name: [point[0] for point in points] for name, points in heard.items()}
    for second in range(int(max(points[-1][0] for points in heard.values()))):
        levels = {}
        for name, points in heard.items():
            place = bisect.bisect_right(times[name], second) - 1
            if place >= 0 and second - points[place][0] <= MEMORY_S and points[place][1] is not None:
                levels[name] = points[place][1]
        if levels:
            yield second, levels


def zone_map(walks):
    """The payload of `zones`: what WalkedMap makes of seconds whose room is known. `walks`: (gateways, beacon, {second: room})."""
    walked = {}
    for gateways, key, rooms in walks:
        for second, levels in seconds_heard(gateways, key):
            if second in rooms:
                walked.setdefault(rooms[second], []).append(levels)
    zones = []
    for room, seconds in sorted(walked.items()):
        entries = []
        for name in sorted({name for levels in seconds for name in levels}):
            points = [levels.get(name, min(FLOOR_DBM, min(levels.values()) - BELOW_DB)) for levels in seconds]
            entries.append({"id": name, "level_dbm": round(statistics.mean(points), 1), "spread_db": round(statistics.pstdev(points), 1),
                            "seconds": sum(name in levels for levels in seconds)})
        zones.append({"zone": room, "seconds": len(seconds), "gateways": entries})
    return {"schema": 1, "at": "2026-11-23T08:00:00.000Z", "clock": "synced", "zones": zones}


class Taught:
    """A gateway in whose file the zone map comes first."""

    def __init__(self, gateway, payload):
        self.name, self.room, self.spot = gateway.name, gateway.room, gateway.spot
        self.lines = [{"t": 0, "topic": "beacons/store/site/zones", "payload": payload}, *gateway.lines]


def rooms_of(folder):
    """Per run, the room of each second."""
    points = {}
    for row in datasets.rows(store.os.path.join(folder, store.FLAT, "flat.csv.gz")):
        points.setdefault(row["run"], []).append((float(row["t_s"]), row["room"]))
    return {run: {int(t_s - min(found)[0]): room for t_s, room in sorted(found)} for run, found in sorted(points.items())}


def minutes(rooms, odd):
    """The seconds of every other minute."""
    return {second: room for second, room in rooms.items() if second // BLOCK_S % 2 == odd}


def answers_of(beacond, gateways, payload=None):
    """Per beacon, the room of each second, as the store lists it with that zone map."""
    taught = [Taught(gateways[0], payload), *gateways[1:]] if payload else gateways
    return {key: {int(at_s): zone for at_s, zone, _ in points} for key, points in store.joined(beacond, taught).items()}


def four_rooms(folder, beacond, offset_db=0):
    """The share of right seconds in the four rooms, without and with a map."""
    ((gateways, truth),) = store.rooms(folder, beacond, offset_db)
    beacons, scores = sorted(truth), {False: [], True: []}
    rooms = {key: {second: room for begin, end, room in truth[key][0] for second in range(int(begin) + 10, int(end))} for key in beacons}
    without = answers_of(beacond, gateways)
    for odd in range(2):
        learned = zone_map([(gateways, key, rooms[key]) for key in beacons[1 - odd::2]])
        for has_map, answers in ((False, without), (True, answers_of(beacond, gateways, learned))):
            scores[has_map] += [store.score(sorted(answers.get(key, {}).items()), *truth[key]) for key in beacons[odd::2]]
    return {has_map: store.total(found)["right"] for has_map, found in scores.items()}


def right(answered, rooms):
    """Seconds in the right room, and all, of the rooms in which an anchor hangs and of the other one."""
    counts = {True: [0, 0], False: [0, 0]}
    for second, room in rooms.items():
        if second >= 10:
            counts[room != store.UNHEARD][1] += 1
            counts[room != store.UNHEARD][0] += answered.get(second) == room
    return counts


def figures(folder, beacond, offset_db=0):
    """The share of right seconds without and with a map, in rooms with an anchor and in the one without."""
    rooms = rooms_of(folder)
    stores = [gateways for gateways, _ in store.flat(folder, beacond, offset_db=offset_db)]
    sums = {}
    for module in range(2):
        walks = list(zip(stores[module::2], rooms.values()))
        without = [answers_of(beacond, gateways).get(DRIVEN, {}) for gateways, _ in walks]
        for odd in range(2):
            learned = zone_map([(gateways, DRIVEN, minutes(found, 1 - odd)) for gateways, found in walks])
            taught = [answers_of(beacond, gateways, learned).get(DRIVEN, {}) for gateways, _ in walks]
            for has_map, answers in ((False, without), (True, taught)):
                for answer, (_, found) in zip(answers, walks):
                    for heard, counts in right(answer, minutes(found, odd)).items():
                        total = sums.setdefault((has_map, heard), [0, 0])
                        total[:] = [total[0] + counts[0], total[1] + counts[1]]
    return {key: hits / asked for key, (hits, asked) in sums.items()}


def main(folder, beacond, offset_db=0):
    for (has_map, heard), share in sorted(figures(folder, beacond, float(offset_db)).items()):
        print(f"flat, rooms {'with' if heard else 'without'} an anchor, {'with' if has_map else 'without'} a map: {share:.3f}")
    for has_map, share in four_rooms(folder, beacond, float(offset_db)).items():
        print(f"four rooms, {'with' if has_map else 'without'} a map: {share:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
