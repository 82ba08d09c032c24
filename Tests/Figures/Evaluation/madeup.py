"""Made-up levels with known truth, through `beacond replay` and `beacond site` as recordings go."""

import math

import store
from recording import Beacon, Recording

MEASURED_POWER_DBM = -59


class Spot:
    """A gateway of a made-up store: its name, zone, floor and place, in metres."""

    def __init__(self, name, zone, x_m, y_m, z_m=0, floor=0):
        self.name, self.zone, self.floor = name, zone, floor
        self.x_m, self.y_m, self.z_m = x_m, y_m, z_m

    @property
    def configured(self):
        return f"position = [{self.x_m}, {self.y_m}]\nfloor = {self.floor}\n"


def gateways(beacond, spots, heard):
    """The gateways' own messages. `heard`: {spot's name: {minor: [(seconds, dBm)]}}, from 0 s on for each."""
    result = []
    for spot in spots:
        beacons = {(1, minor): Beacon(MEASURED_POWER_DBM, readings) for minor, readings in heard[spot.name].items()}
        first_s = min(beacon.readings[0][0] for beacon in beacons.values())
        recording = Recording(spot.name, beacond, beacons)
        result.append(store.Gateway(recording, spot.name, spot.zone, first_s, spot.configured))
    return result


def places(beacond, joined):
    """Per minor, (seconds, zone, position) once a second; what a list leaves out is None."""
    found = {}
    for at_s, beacon in store.listed(beacond, joined):
        found.setdefault(beacon["minor"], []).append((at_s, beacon.get("zone"), beacon.get("position")))
    return found


def along(points, share):
    """The place at `share` of the way, between the two points about it."""
    before = min(int(share), len(points) - 2)
    part = share - before
    return tuple(a + (b - a) * part for a, b in zip(points[before], points[before + 1]))


def level_dbm(exponent, distance_m):
    """The textbook's path loss, from the power at one metre."""
    return MEASURED_POWER_DBM - 10 * exponent * math.log10(max(distance_m, 0.1))
