"""ESPresense-companion's own test of accuracy, with `beacond site` in its place.

The facts are those of its docs/accuracy.md and of the scenario beside its test, at commit 95cb8ea: the flat, the nodes, the ways, the path
loss, the noise, and what its table says. It solves each sample by itself, and knows the exponent and the power. `beacond site` knows
neither. It lists once a second, so here a sample is a second, and what was heard before counts too.
"""

import math
import random
import statistics

import madeup
import peers
from madeup import Spot

# A flat of 6 by 4 m. Its wall stands at x = 4, and a place on the wall is in the living room.
WALL_M = 4
NODES = [Spot("living-nw", "living", 0.2, 3.8), Spot("living-sw", "living", 0.2, 0.2),
         Spot("bedroom-ne", "bedroom", 5.8, 3.8), Spot("bedroom-se", "bedroom", 5.8, 0.2)]
WAYS = {"diagonal_walk": [(0.5, 0.5), (3, 2), (5.5, 3.5)],
        "living_to_bedroom": [(1, 2), (3, 2), (3.9, 2), (4.1, 2), (5, 2)]}
SAMPLES_A_LINE = 30
EXPONENT, SCATTER_DB, BURST_SHARE, BURST_DB = 3.0, 2.5, 0.1, 6.0

MEDIAN, HIGH, MEAN, MOST, ROOM, ZONE = "median, m", "95 of 100 within, m", "mean, m", "most, m", "wrong room", "wrong room by `zone`"
# What the peer publishes, with all nodes and without one of them. Its room is that of the position.
PUBLISHED = {
    ("diagonal_walk", None): {MEDIAN: 0.60, HIGH: 1.33, MEAN: 0.70, MOST: 1.56, ROOM: 0.066, ZONE: 0.066},
    ("diagonal_walk", "living-nw"): {MEDIAN: 0.61, HIGH: 1.44},
    ("diagonal_walk", "living-sw"): {MEDIAN: 0.85, HIGH: 2.17},
    ("diagonal_walk", "bedroom-ne"): {MEDIAN: 0.84, HIGH: 2.06},
    ("diagonal_walk", "bedroom-se"): {MEDIAN: 0.80, HIGH: 1.69},
    ("living_to_bedroom", None): {MEDIAN: 0.60, HIGH: 1.61, MEAN: 0.69, MOST: 2.03, ROOM: 0.223, ZONE: 0.223},
    ("living_to_bedroom", "living-nw"): {MEDIAN: 0.69, HIGH: 1.83},
    ("living_to_bedroom", "living-sw"): {MEDIAN: 0.69, HIGH: 1.86},
    ("living_to_bedroom", "bedroom-ne"): {MEDIAN: 0.70, HIGH: 2.01},
    ("living_to_bedroom", "bedroom-se"): {MEDIAN: 0.71, HIGH: 2.04},
}
# The peer's table is of one walk. Here as many beacons walk, each with noise of its own, and a figure is the mean of theirs.
WALKS, SEED = 20, 20260530
# At the end of the way the beacon stands still for some seconds, which are not judged: a log ends with its last record.
REST_S = 3


def room(x_m):
    return "living" if x_m <= WALL_M else "bedroom"


def places_of(way):
    """The places of the samples: 30 a line, and its end."""
    points = WAYS[way]
    count = (len(points) - 1) * SAMPLES_A_LINE
    return [madeup.along(points, number / SAMPLES_A_LINE) for number in range(count + 1)]


def heard(way):
    """{node: {minor: [(seconds, dBm)]}}. A sample comes in the middle of its second."""
    found = {node.name: {} for node in NODES}
    places = places_of(way)
    for minor in range(1, WALKS + 1):
        dice = random.Random(f"{SEED} {way} {minor}")
        for number, (x_m, y_m) in enumerate(places + places[-1:] * REST_S):
            for node in NODES:
                level = madeup.level_dbm(EXPONENT, math.hypot(x_m - node.x_m, y_m - node.y_m))
                level += dice.gauss(0, SCATTER_DB) - (BURST_DB if dice.random() < BURST_SHARE else 0)
                found[node.name].setdefault(minor, []).append((number + 0.5, level))
    return found


def judged(places, listed):
    """The figures of one walk. A list answers the sample before it. Where it has no position, the one listed before counts on."""
    lists = {math.floor(at_s): (zone, position) for at_s, zone, position in listed}
    errors, rooms, zones = [], 0, 0
    zone, position = next(place for _, place in sorted(lists.items()) if place[1])
    for second, (x_m, y_m) in enumerate(places, 1):
        newer_zone, newer = lists.get(second, (None, None))
        position, zone = newer or position, newer_zone or zone
        errors.append(math.hypot(position["x_m"] - x_m, position["y_m"] - y_m))
        rooms += room(position["x_m"]) != room(x_m)
        zones += zone != room(x_m)
    return {MEDIAN: statistics.median(errors), HIGH: peers.quantile(sorted(errors), 0.95), MEAN: statistics.mean(errors),
            MOST: max(errors), ROOM: rooms / len(errors), ZONE: zones / len(errors)}


def walks(way, gateways, beacond, missing):
    """Per measure, the mean of the walks' figures."""
    listed = madeup.places(beacond, [gateway for gateway in gateways if gateway.name != missing])
    found = [judged(places_of(way), listed[minor]) for minor in range(1, WALKS + 1)]
    return {measure: statistics.mean(walk[measure] for walk in found) for measure in found[0]}


def figures(beacond):
    """(way, node that is left out, measure): ours, for each figure that the peer publishes."""
    found = {}
    for way in WAYS:
        gateways = madeup.gateways(beacond, NODES, heard(way))
        for (_, missing), measures in ((key, value) for key, value in PUBLISHED.items() if key[0] == way):
            ours = walks(way, gateways, beacond, missing)
            found.update({(way, missing, measure): ours[measure] for measure in measures})
    return found


def lines(beacond):
    yield "ESPresense-companion's own levels; its column is what it publishes:"
    yield ""
    yield "| way | without | measure | beacond | ESPresense-companion | |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for (way, missing, measure), ours in figures(beacond).items():
        theirs = PUBLISHED[way, missing][measure]
        cells = [f"{value:.1%}" if measure in (ROOM, ZONE) else f"{value:.2f}" for value in (ours, theirs)]
        yield (f"| {way} | {missing or '–'} | {measure} | **{cells[0]}** | {cells[1]} "
               f"| {'ahead' if ours < theirs else 'behind'} |")
