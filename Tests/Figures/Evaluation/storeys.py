"""Which floor: two floors of a made-up building, and beacons that walk on both.

The path loss is that of Recommendation ITU-R P.1238 for indoor links: an exponent, and a loss for the slab between two floors, both by the kind
of building. Levels also have what shelves and walls do, which stays for a place and a gateway, and what each reading has by itself.
"""

import functools
import math
import random

import madeup
from madeup import Spot

# ITU-R P.1238: exponent (N / 10) and loss of one floor, dB. For shops at 1.8 to 2 GHz, the nearest band of its tables. For flats and
# offices at 2.4 GHz, but with the exponents of 1.8 to 2 GHz.
BUILDINGS = {"shop": (2.2, 6), "flats": (2.8, 10), "office": (3.0, 14)}
LENGTH_M, WIDTH_M, STOREY_M = 20, 12, 3.5
# Gateways hang below the ceiling, and beacons are pushed on carts.
GATEWAY_M, BEACON_M = 2.5, 1.0
CORNERS = [(4, 3), (16, 3), (16, 9), (4, 9)]
MIDDLES = [(10, 2), (18, 6), (10, 10), (2, 6)]
STAIRS = (1, 1)
STAIRS_S = 15
PLACE_DB, PLACE_M, READING_DB = 5, 2, 3
WALKERS, LENGTH_S, STAIRS_AT_S, SPEED_M_S, SEED = 8, 240, (80, 160), 1.0, 1238
# The first seconds are not judged, nor is the time on the stairs.
SETTLED_S = 10


def spots(are_above):
    """Four gateways a floor; those of the upper floor above those below, or between them."""
    upper = CORNERS if are_above else MIDDLES
    return [Spot(f"g{number}-{floor}", f"floor-{floor}", x_m, y_m, floor * STOREY_M + GATEWAY_M, floor)
            for floor, places in enumerate((CORNERS, upper)) for number, (x_m, y_m) in enumerate(places)]


def somewhere(dice):
    return dice.uniform(0, LENGTH_M), dice.uniform(0, WIDTH_M)


def walk(dice):
    """(x, y, z, floor) in the middle of each second; the floor is None on the stairs. It stands at shelves, and takes the stairs twice."""
    floor, place, points, due_s = dice.randrange(2), somewhere(dice), [], list(STAIRS_AT_S)

    def go(to, seconds):
        points.extend((*madeup.along([place, to], (second + 1) / seconds), floor * STOREY_M + BEACON_M, floor)
                      for second in range(seconds))

    while len(points) < LENGTH_S:
        is_leaving = bool(due_s) and len(points) >= due_s[0]
        to = STAIRS if is_leaving else somewhere(dice)
        go(to, max(1, round(math.dist(place, to) / SPEED_M_S)))
        place = to
        if is_leaving:
            due_s.pop(0)
            for second in range(1, STAIRS_S + 1):
                share = second / STAIRS_S
                points.append((*STAIRS, (floor + (1 - 2 * floor) * share) * STOREY_M + BEACON_M, None))
            floor = 1 - floor
        else:
            go(to, dice.randint(5, 30))
    return points[:LENGTH_S]


def storey(point):
    """The floor of a place; on the stairs the slab is between from half of the way on."""
    return round((point[2] - BEACON_M) / STOREY_M) if point[3] is None else point[3]


def level_dbm(spot, point, exponent, slab_db):
    level = madeup.level_dbm(exponent, math.dist(point[:3], (spot.x_m, spot.y_m, spot.z_m)))
    slabs = int(storey(point) != spot.floor)
    return level - slab_db * slabs + shelves_db(spot.name, storey(point), point[0] // PLACE_M, point[1] // PLACE_M)


@functools.cache
def shelves_db(*place):
    """The gain or loss between a place and a gateway, which is constant for that pair."""
    return random.Random(f"{SEED} {place}").gauss(0, PLACE_DB)


def store(beacond, building, are_above):
    """(truth {minor: points}, what the store lists of each)."""
    exponent, slab_db = BUILDINGS[building]
    gateways = spots(are_above)
    heard, truth = {spot.name: {} for spot in gateways}, {}
    for minor in range(1, WALKERS + 1):
        dice = random.Random(f"{SEED} {minor}")
        truth[minor] = walk(dice)
        for second, point in enumerate(truth[minor]):
            for spot in gateways:
                level = level_dbm(spot, point, exponent, slab_db) + dice.gauss(0, READING_DB)
                heard[spot.name].setdefault(minor, []).append((second + 0.5, level))
    return truth, madeup.places(beacond, madeup.gateways(beacond, gateways, heard))


def judged(truth, listed):
    """Of one beacon: seconds asked, those on the right floor, changes listed and true ones."""
    floors = {math.floor(at_s): position["floor"] for at_s, _, position in listed if position}
    asked = right = 0
    for second, point in enumerate(truth):
        if point[3] is not None and second >= SETTLED_S:
            asked, right = asked + 1, right + (floors.get(second + 1) == point[3])
    true = [point[3] for point in truth if point[3] is not None]
    return asked, right, changes([floors[second] for second in sorted(floors)]), changes(true)


def changes(floors):
    return sum(before != after for before, after in zip(floors, floors[1:]))


def figures(beacond):
    """(building, whether gateways are above each other): share of seconds on the right floor, and changes per true one."""
    found = {}
    for building in BUILDINGS:
        for are_above in (True, False):
            truth, listed = store(beacond, building, are_above)
            asked, right, changed, true = (
                sum(column) for column in zip(*(judged(truth[minor], listed.get(minor, ())) for minor in truth)))
            found[building, are_above] = (right / asked, changed / true)
    return found


def lines(beacond):
    yield "Two floors of a made-up building, four gateways on each; share of the seconds on the right floor:"
    yield ""
    yield "| building | exponent | slab, dB | upper gateways | floor is right | changes per true one |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for (building, are_above), (right, changed) in figures(beacond).items():
        exponent, slab_db = BUILDINGS[building]
        where = "above the lower ones" if are_above else "between them"
        yield f"| {building} | {exponent} | {slab_db} | {where} | **{right:.1%}** | {changed:.2f} |"
