"""The plots: level and estimate over time, enter and exit against the log."""

import os

import replay
import svg


def over_time(path, recording, key):
    """The readings and the estimates, against the truth."""
    beacon = recording.beacons[key]
    estimates = recording.estimates().get(key, [])
    begin, end = beacon.readings[0][0], beacon.readings[-1][0]
    low, high = min(rssi for _, rssi in beacon.readings), max(rssi for _, rssi in beacon.readings)
    level = svg.Panel(recording.name, "seconds", "dBm", (begin, end), (low - 2, high + 2))
    level.dots("RSSI", beacon.readings, svg.COLOURS[2])
    metres = svg.Panel("distance", "seconds", "m", (begin, end), (0, 20))
    metres.band([(at_s, max(0, d - e), d + e) for at_s, d, e in estimates], svg.COLOURS[0])
    metres.line("accuracy_m ± accuracy_error_m", [(at_s, d) for at_s, d, _ in estimates], svg.COLOURS[0])
    truth = [(at_s, beacon.distance_m(at_s)) for at_s, _ in beacon.readings if beacon.distance_m(at_s) is not None]
    metres.line("truth", truth, svg.COLOURS[1])
    svg.save(path, [level, metres])


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
    over_time(os.path.join(out, "walk.svg"), next(datasets.danis(folder, beacond)), (1, 1))


def draw_own(recording, out):
    for key, beacon in recording.beacons.items():
        name = f"{recording.name}-{key[0]}-{key[1]}"
        if beacon.distances:
            over_time(os.path.join(out, name + ".svg"), recording, key)
        if recording.crossings.get(key):
            crossings(os.path.join(out, name + "-crossings.svg"), recording, key, -70, -80, 5)
