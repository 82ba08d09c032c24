"""The figures of the receivers' recordings for circles, and their lines."""

import contextlib
import functools
import gzip
import json
import math
import os
import statistics
import tempfile

import fences
import gpsdlog
from gpsdlog import moment

STILL = ("still-ios", "still-android")
DRIVES = ("drive-stops", "drive-garmin", "town-1hz", "train-cells")
RADII_M = (25, 50, 100, 200)
# A boundary that passes so far beside the place where the receiver lies, and the ways it may lie there. Metres, degrees.
BESIDE_M, BEARINGS = (20, 40, 60), range(0, 360, 45)


def is_there(folder):
    return all(os.path.isfile(os.path.join(folder, "location", name))
               for name in ("circles.json", *(f"{name}.json.gz" for name in STILL + DRIVES)))


class Recording:
    """A receiver's log: its lines, and the fixes in them."""

    def __init__(self, folder, name):
        self.name = name
        with gzip.open(os.path.join(folder, "location", f"{name}.json.gz"), "rt") as file:
            self.lines = file.read().splitlines()
        reports = [report for line in self.lines if (report := json.loads(line))["class"] == "TPV" and report["mode"] >= 2]
        self.fixes = [fences.Fix(moment(report["time"]), (report["lat"], report["lon"]), report["eph"] / 1.621)
                      for report in reports]

    @property
    def middle(self):
        """Where a receiver lies that does not move: the median of its fixes up to 100 m."""
        usable = [fix for fix in self.fixes if fix.accuracy_m <= fences.DESIRED_M]
        return tuple(statistics.median(fix.place[axis] for fix in usable) for axis in (0, 1))

    def circles(self, folder):
        with open(os.path.join(folder, "location", "circles.json"), encoding="utf-8") as file:
            return json.load(file)[self.name]


@contextlib.contextmanager
def written(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        yield path


# --- Circles ----------------------------------------------------------------------------------------------------------


def around(middle):
    """Circles around a place, and the harder ones beside it: (name, circle, whether the place is inside)."""
    for radius_m in RADII_M:
        yield f"around, {radius_m} m", circle(middle, radius_m)
    for beside_m in BESIDE_M:
        for radius_m in RADII_M[1:]:
            for bearing in BEARINGS:
                for sign in (-1, 1):
                    # Inside by so much, and outside by as much.
                    if radius_m + sign * beside_m > 0:
                        centre = moved(middle, radius_m + sign * beside_m, bearing)
                        yield f"boundary {beside_m} m beside", circle(centre, radius_m)


def moved(place, metres, bearing_deg):
    angle = math.radians(bearing_deg)
    return gpsdlog.degrees(metres * math.cos(angle), metres * math.sin(angle), place)


def circle(centre, radius_m):
    return {"latitude": centre[0], "longitude": centre[1], "radius_m": radius_m}


def events_by_rule(recording, circles, beacond):
    """The events of each circle, by our rule and by the plain circle's."""
    with written(recording.lines) as path:
        return {"ours": fences.ours(beacond, path, circles), "naive": [fences.naive(recording.fixes, circle) for circle in circles]}


def still(recording, beacond):
    """(name, how many circles, false events by rule) of each kind of circle about a receiver that lies still."""
    named = list(around(recording.middle))
    by_rule = events_by_rule(recording, [circle for _, circle in named], beacond)
    for name in dict.fromkeys(name for name, _ in named):
        members = [index for index, (other, _) in enumerate(named) if other == name]
        yield name, len(members), {rule: sum(len(events[index]) for index in members) for rule, events in by_rule.items()}


def drive(recording, folder, beacond):
    """The crossings of a drive that each rule found."""
    circles = recording.circles(folder)
    by_rule = events_by_rule(recording, circles, beacond)
    return {rule: fences.total(fences.judge(recording.fixes, circle, heard) for circle, heard in zip(circles, events))
            for rule, events in by_rule.items()}


# --- Lines ------------------------------------------------------------------------------------------------------------


@functools.cache
def recording(folder, name):
    return Recording(folder, name)


def lines(folder, beacond):
    yield "Events of receivers that lie still, all of them false:"
    yield ""
    yield "| recording | circles | of them | beacond | plain circle |"
    yield "| --- | --- | --- | --- | --- |"
    for name in STILL:
        for kind, count, events in still(recording(folder, name), beacond):
            yield f"| {name} | {kind} | {count} | **{events['ours']}** | {events['naive']} |"
    yield ""
    yield "Drives: crossings reported once, of so many; wrong events; median delay from the crossing of the cushion, seconds:"
    yield ""
    yield "| recording | crossings | beacond | plain circle |"
    yield "| --- | --- | --- | --- |"
    for name in DRIVES:
        found = drive(recording(folder, name), folder, beacond)
        cells = [f"{one.right}, {one.wrong}, {'–' if one.right == 0 else f'{fences.delay_s(one):.1f}'}"
                 for one in (found["ours"], found["naive"])]
        yield f"| {name} | {found['ours'].crossings} | **{cells[0]}** | {cells[1]} |"
