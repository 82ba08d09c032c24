"""Where on the plan: the positions of `beacond site` in the flat of the recordings, beside the robot's own place."""

import bisect
import math
import os
import statistics

import datasets
import store

# The first seconds of a run are not judged.
SETTLED_S = 10


def truth(folder):
    """Per run, (seconds from its first reading, place) in the order of time."""
    found = {}
    for row in datasets.rows(os.path.join(folder, store.FLAT, "flat.csv.gz")):
        found.setdefault(row["run"], []).append((float(row["t_s"]), (float(row["x_m"]), float(row["y_m"]))))
    return [[(at_s - points[0][0], place) for at_s, place in points]
            for points in (sorted(found[run]) for run in sorted(found))]


def judged(places, listed):
    """(error, `error_m`) of each second with a position."""
    times = [at_s for at_s, _ in places]
    for at_s, beacon in listed:
        place = bisect.bisect_right(times, at_s) - 1
        position = beacon.get("position")
        if position and at_s >= SETTLED_S and place >= 0:
            yield math.dist((position["x_m"], position["y_m"]), places[place][1]), position["error_m"]


def figures(folder, beacond):
    """The median error, that of 95 of 100, and the share of the seconds whose place is within `error_m`."""
    # Each run is in the list twice: once with the anchors' first modules, once with their second.
    runs = [places for places in truth(folder) for _ in "ab"]
    found = [pair for places, (gateways, _) in zip(runs, store.flat(folder, beacond))
             for pair in judged(places, store.listed(beacond, gateways))]
    errors = [error for error, _ in found]
    ordered = sorted(errors)
    return statistics.median(errors), ordered[int(len(ordered) * 0.95)], sum(a <= b for a, b in found) / len(found)


def lines(folder, beacond):
    median, high, held = figures(folder, beacond)
    yield "| place | median error, m | 95 of 100 within, m | within `error_m` |"
    yield "| --- | --- | --- | --- |"
    yield f"| flat | {median:.2f} | {high:.2f} | {held:.2f} |"
