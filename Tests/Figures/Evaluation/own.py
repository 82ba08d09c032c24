"""A user's recordings: folders with a `capture.btsnoop` and a `truth.json` (the article Evidence has the format)."""

import json
import os

import readings
from recording import Beacon, Recording


class TruthError(Exception):
    """A fault in a truth.json, with its place."""


def recordings(folder, beacond):
    for name in sorted(os.listdir(folder)):
        place = os.path.join(folder, name)
        if os.path.exists(os.path.join(place, "truth.json")):
            yield recording(name, place, beacond)


def recording(name, place, beacond):
    path = os.path.join(place, "truth.json")
    try:
        with open(path) as file:
            truth = json.load(file)
        uuid = truth["uuid"].upper()
        wanted = {(beacon["major"], beacon["minor"]): beacon for beacon in truth["beacons"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise TruthError(f"{path}: must have uuid and beacons, each with major and minor ({problem!r})") from problem
    capture = os.path.join(place, "capture.btsnoop")
    heard_of, powers = {}, {}
    for at_s, major, minor, power_dbm, rssi_dbm, heard in readings.read(capture):
        if heard == uuid and (major, minor) in wanted and rssi_dbm < 20:
            heard_of.setdefault((major, minor), []).append((at_s, rssi_dbm))
            powers[major, minor] = power_dbm
    missing = sorted(set(wanted) - set(heard_of))
    if missing:
        raise TruthError(f"{path}: the capture has nothing of {missing}")
    result = Recording(
        name, beacond,
        {key: Beacon(powers[key], heard, wanted[key].get("distances", ())) for key, heard in heard_of.items()},
        capture, uuid)
    result.crossings = {}
    for key, beacon in wanted.items():
        for begin, end, way in beacon.get("crossings", ()):
            if way not in ("enter", "exit") or end < begin:
                raise TruthError(f"{path}: a crossing is [begin, end, \"enter\" or \"exit\"], not {[begin, end, way]}")
            result.crossings.setdefault(key, []).append((begin, end, way == "enter"))
    return result
