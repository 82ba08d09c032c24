"""The plots: level and estimate over time, error by distance, enter and exit against the log."""

import os

import distance
import peers
import replay
import svg


def over_time(path, recording, key, span_s=None):
    """The readings and the estimates, against the truth."""
    beacon = recording.beacons[key]
    estimates = recording.estimates().get(key, [])
    begin = beacon.readings[0][0]
    end = begin + span_s if span_s else beacon.readings[-1][0]
    heard = [(at_s, rssi) for at_s, rssi in beacon.readings if at_s <= end]
    shown = [estimate for estimate in estimates if estimate[0] <= end]
    low, high = min(rssi for _, rssi in heard), max(rssi for _, rssi in heard)
    level = svg.Panel(recording.name, "seconds", "dBm", (begin, end), (low - 2, high + 2))
    level.dots("RSSI", heard, svg.COLOURS[2])
    metres = svg.Panel("distance", "seconds", "m", (begin, end), (0, 20 if span_s is None else 6))
    metres.band([(at_s, max(0, d - e), d + e) for at_s, d, e in shown], svg.COLOURS[0])
    metres.line("accuracy_m ± accuracy_error_m", [(at_s, d) for at_s, d, _ in shown], svg.COLOURS[0])
    truth = [(at_s, beacon.distance_m(at_s)) for at_s, _ in heard if beacon.distance_m(at_s) is not None]
    metres.line("truth", truth, svg.COLOURS[1])
    svg.save(path, [level, metres])


def by_distance(path, title, recordings, rule="room-assistant"):
    """The median estimate over the truth, ours and one peer's: where it lies off the diagonal."""
    ours, theirs = {}, {}
    filter, model = peers.FILTERS[peers.DISTANCE[rule][0]], peers.DISTANCE[rule][1]
    for recording in recordings:
        estimates = recording.estimates()
        for key, beacon in recording.beacons.items():
            times, levels = [at_s for at_s, _ in beacon.readings], filter(beacon.readings)
            for at_s, metres, _ in estimates.get(key, ()):
                place = distance.heard_before(times, at_s)
                truth = None if place is None else beacon.distance_m(times[place])
                if truth is None:
                    continue
                step = round(truth * 4) / 4 if truth < 4 else float(round(truth))
                ours.setdefault(step, []).append(distance.held(metres))
                theirs.setdefault(step, []).append(distance.held(model(levels[place], beacon.measured_power_dbm)))
    def medians(groups):
        return [(step, sorted(group)[len(group) // 2]) for step, group in sorted(groups.items()) if len(group) > 20]
    if not medians(ours):
        return
    far = max(step for step, _ in medians(ours))
    panel = svg.Panel(title, "true metres", "median estimate, m", (0, far), (0, far))
    panel.line("truth", [(0, 0), (far, far)], svg.COLOURS[1], dashed=True)
    panel.line("beacond", medians(ours), svg.COLOURS[0])
    panel.line(rule, medians(theirs), svg.COLOURS[2])
    svg.save(path, [panel])


def crossings(path, recording, key, enter, leave, exit_s):
    """Events against the log, with the level that they were made of."""
    beacon = recording.beacons[key]
    begin, end = beacon.readings[0][0], beacon.readings[-1][0]
    region = replay.region("door", recording.uuid, *key, entry_rssi_dbm=enter, exit_rssi_dbm=leave,
                           exit_after_s=exit_s, settle_s=1)
    events = [(at_s, payload["type"] == "enter") for at_s, _, payload in recording.messages([region], ("event",))]
    panel = svg.Panel(recording.name, "seconds", "dBm", (begin, end), (-90, -40))
    panel.dots("RSSI", beacon.readings, svg.COLOURS[2])
    panel.line("thresholds", [(begin, enter), (end, enter)], svg.COLOURS[3], dashed=True)
    panel.marks("enter", [at_s for at_s, inward in events if inward], svg.COLOURS[0], 0.02)
    panel.marks("exit", [at_s for at_s, inward in events if not inward], svg.COLOURS[1], 0.02)
    panel.marks("the log", [at_s for _, at_s, _ in recording.crossings.get(key, ())], "#000", 0.14)
    svg.save(path, [panel])


def draw_open(folder, out, datasets, beacond):
    walks = list(datasets.danis(folder, beacond))
    over_time(os.path.join(out, "walk.svg"), walks[0], (1, 1))
    by_distance(os.path.join(out, "walk-by-distance.svg"), "walk (danis)", walks)
    for name in datasets.HERALD:
        recordings = list(datasets.herald(folder, beacond, name))
        by_distance(os.path.join(out, f"{name}-by-distance.svg"), name, recordings)
    doors = list(datasets.door(folder, beacond))
    crossings(os.path.join(out, "door.svg"), doors[0], (1, 1), -58, -59, 2)


def draw_own(recording, out):
    for key, beacon in recording.beacons.items():
        name = f"{recording.name}-{key[0]}-{key[1]}"
        if beacon.distances:
            over_time(os.path.join(out, name + ".svg"), recording, key)
            by_distance(os.path.join(out, name + "-by-distance.svg"), name, [recording])
        if recording.crossings.get(key):
            crossings(os.path.join(out, name + "-crossings.svg"), recording, key, -70, -80, 5)
