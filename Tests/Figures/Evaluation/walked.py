"""The gain by `beacond calibrate --walk`: five stops of 20 s are taken from each place and fitted in its way. The rest of the place is
judged with the resulting numbers. Where a place has several receivers or ways to carry a phone, each has a walk of its own."""

import math

import distance
import leftout

STOPS = 5
STAY_S = 20
# As in Sources/Core/Console/Calibration/WalkFit.swift: mean and spread of exponent and excess, and of a place's levels.
EXPONENT, EXCESS_DB, SPREAD_DB = (2.2, 0.3), (-2.0, 4.0), 5.0
LEAST_FALL_DB, WIDEST_SPREAD_DB, STEEPEST, EXPONENTS = 2.0, 10.0, 8, (1.6, 4)


def fit(stops):
    """(exponent, excess in dB, room in m) of (metres, loss in dB), or None where the command would refuse them."""
    weight = SPREAD_DB ** -2
    aa, ab, bb = EXCESS_DB[1] ** -2, 0, EXPONENT[1] ** -2
    ay, by = aa * EXCESS_DB[0], bb * EXPONENT[0]
    points = [(10 * math.log10(metres), loss) for metres, loss in stops]
    for x, y in points:
        aa, ab, bb, ay, by = aa + weight, ab + weight * x, bb + weight * x * x, ay + weight * y, by + weight * x * y
    middle = sum(x for x, _ in points) / len(points)
    furthest, nearest = max(metres for metres, _ in stops), min(metres for metres, _ in stops)
    squares = sum((x - middle) ** 2 for x, _ in points)
    plain = sum((x - middle) * y for x, y in points) / squares if squares else 0
    if furthest < 2 * nearest or plain * 10 * math.log10(furthest / nearest) < LEAST_FALL_DB:
        return None
    if plain >= min(STEEPEST, EXPONENT[0] + 3 * math.hypot(EXPONENT[1], SPREAD_DB / math.sqrt(squares))):
        return None
    determinant = aa * bb - ab * ab
    exponent, excess = (aa * by - ab * ay) / determinant, (bb * ay - ab * by) / determinant
    off = sum((y - excess - exponent * x) ** 2 for x, y in points) / len(points)
    if not EXPONENTS[0] <= exponent <= EXPONENTS[1] or off > WIDEST_SPREAD_DB ** 2:
        return None
    return exponent, excess, furthest


def stops(beacons):
    """Five stays at distances that grow by equal factors, of the beacons that one walk is for: (metres, loss, seconds)."""
    heard = [(beacon, at_s, rssi, beacon.distance_m(at_s)) for beacon in beacons for at_s, rssi in beacon.readings]
    heard = [entry for entry in heard if entry[3]]
    ordered = sorted(metres for *_, metres in heard)
    low, high = max(0.5, ordered[len(ordered) // 20]), ordered[len(ordered) * 9 // 10]
    for step in range(STOPS):
        wanted = low * (high / low) ** (step / (STOPS - 1))
        near = min(heard, key=lambda entry: abs(entry[3] - wanted))
        begin = near[1] - STAY_S / 2
        stay = [entry for entry in heard
                if entry[0] is near[0] and begin <= entry[1] <= begin + STAY_S
                and abs(entry[3] - near[3]) <= 0.15 * near[3] + 0.01]
        losses = sorted(entry[0].measured_power_dbm - entry[2] for entry in stay)
        yield sum(entry[3] for entry in stay) / len(stay), losses[len(losses) // 2]


def walks(recordings):
    """The subject of one walk: the beacons of one receiver, over all recordings, or of one group."""
    found = {}
    for recording in recordings:
        for key, beacon in recording.beacons.items():
            found.setdefault((recording.group, key), []).append((recording, key, beacon))
    return found.values()


def judged(recordings):
    """The errors of a place after its walks: metres and factors."""
    result = distance.Score()
    estimates = {id(recording): recording.estimates(leftout.LEVEL_SETTINGS) for recording in recordings}
    for beacons in walks(recordings):
        numbers = fit(list(stops([beacon for *_, beacon in beacons]))) or leftout.INDOOR
        model = leftout.path_loss(*numbers)
        for recording, key, beacon in beacons:
            times = [at_s for at_s, _ in beacon.readings]
            for at_s, metres, _ in estimates[id(recording)].get(key, ()):
                place = distance.heard_before(times, at_s)
                truth = None if place is None else beacon.distance_m(times[place])
                if truth is not None:
                    level = leftout.level_dbm(metres, beacon.measured_power_dbm)
                    result.add(model(level, beacon.measured_power_dbm), truth, group=recording.group)
    return [result.figures[measure] for measure in leftout.MEASURES]


def lines(places):
    yield "| place | as it is: m, log2 | after a walk of five stops: m, log2 |"
    yield "| --- | --- | --- |"
    for place in places:
        yield f"| {place.name} | {leftout.pair(place.published['ours'])} | {leftout.pair(judged(place.recordings))} |"
