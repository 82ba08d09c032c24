"""The figures of the receivers' recordings for circles, the significant-change service and accuracies, and their lines."""

import contextlib
import functools
import gzip
import json
import math
import os
import statistics
import tempfile
from datetime import timedelta

import fences
import gpsdlog
from gpsdlog import distance_m, moment

STILL = ("still-ios", "still-android")
DRIVES = ("drive-stops", "drive-garmin", "town-1hz", "train-cells")
RADII_M = (25, 50, 100, 200)
# A boundary that passes so far beside the place where the receiver lies, and the ways it may lie there. Metres, degrees.
BESIDE_M, BEARINGS = (20, 40, 60), range(0, 360, 45)
# A gap between two fixes that is longer is time without fixes.
GAP = timedelta(seconds=60)


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
        self.usable = [fix for fix in self.fixes if fix.accuracy_m <= fences.DESIRED_M]

    @property
    def middle(self):
        """Where a receiver lies that does not move: the median of its fixes up to 100 m."""
        return tuple(statistics.median(fix.place[axis] for fix in self.usable) for axis in (0, 1))

    def circles(self, folder):
        with open(os.path.join(folder, "location", "circles.json"), encoding="utf-8") as file:
            return json.load(file)[self.name]

    def day(self):
        """A made-up day of parking: the recording again and again, with shifted times, until it fills 24 h. In between passes as long as
        between two of its fixes on average."""
        begin, length = self.fixes[0].at, self.fixes[-1].at - self.fixes[0].at
        length += length / len(self.fixes)
        lines, shift = [gpsdlog.VERSION], timedelta()
        while shift < timedelta(days=1):
            for line in self.lines[1:]:
                report = json.loads(line)
                at = moment(report["time"]) + shift
                if at - begin < timedelta(days=1):
                    lines.append(json.dumps({**report, "time": gpsdlog.clock(at)}))
            shift += length
        return lines


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


def still(recording, beacond):
    """(name, how many circles, false events of ours, naive, aware) of each kind of circle about a receiver that lies still."""
    named = list(around(recording.middle))
    circles = [circle for _, circle in named]
    with written(recording.lines) as path:
        by_rule = {"ours": fences.ours(beacond, path, circles)[0]}
    for rule in (fences.naive, fences.aware):
        by_rule[rule.__name__] = [rule(recording.fixes, circle) for circle in circles]
    for name in dict.fromkeys(name for name, _ in named):
        members = [index for index, (other, _) in enumerate(named) if other == name]
        yield name, len(members), {rule: sum(len(events[index]) for index in members) for rule, events in by_rule.items()}


def drive(recording, folder, beacond):
    """The crossings of a drive that each rule found."""
    circles = recording.circles(folder)
    with written(recording.lines) as path:
        by_rule = {"ours": fences.ours(beacond, path, circles)[0]}
    for rule in (fences.naive, fences.aware):
        by_rule[rule.__name__] = [rule(recording.fixes, circle) for circle in circles]
    return {rule: fences.total(fences.judge(recording.fixes, circle, heard) for circle, heard in zip(circles, events))
            for rule, events in by_rule.items()}


# --- The significant-change service -----------------------------------------------------------------------------------


def parked(recording, beacond, service="significant"):
    """The share of a parked day for which the receiver was on, and how often a place was published."""
    with written(recording.day()) as path:
        done = gpsdlog.replay(beacond, path, gpsdlog.configuration({"service": service}))
    at_s, payload = done.of("health")[-1]
    return payload["location"]["receiver_on_s"] / at_s, len(done.of("location"))


def longest_miss_s(recording, beacond):
    """For how long at most the gateway was 500 m and more from the place published last: time with fixes up to 100 m. And how often a
    place was published, and the share for which the receiver was on."""
    with written(recording.lines) as path:
        done = gpsdlog.replay(beacond, path, gpsdlog.configuration({"service": "significant"}))
    updates = [(moment(payload["at"]), (payload["fix"]["latitude"], payload["fix"]["longitude"]))
               for payload in done.payloads("location")]
    longest = missed = timedelta()
    published, before = None, None
    for fix in recording.usable:
        while updates and updates[0][0] <= fix.at:
            published, missed = updates.pop(0)[1], timedelta()
        if published and distance_m(published, fix.place) >= 500:
            if before and fix.at - before <= GAP:
                missed += fix.at - before
            longest = max(longest, missed)
        else:
            missed = timedelta()
        before = fix.at
    at_s, payload = done.of("health")[-1]
    return longest.total_seconds(), len(done.of("location")), payload["location"]["receiver_on_s"] / at_s


# --- Accuracy ---------------------------------------------------------------------------------------------------------


def scatter(recording):
    """Of the fixes up to 100 m of a receiver that lies still: the median accuracy that it claims, the radius about their median that
    really holds 68 of 100, the share that lies within what it claims, and the farthest."""
    away = sorted(distance_m(recording.middle, fix.place) for fix in recording.usable)
    within = sum(distance_m(recording.middle, fix.place) <= fix.accuracy_m for fix in recording.usable)
    return (statistics.median(fix.accuracy_m for fix in recording.usable), away[int(len(away) * 0.68)],
            within / len(away), away[-1])


# --- Lines ------------------------------------------------------------------------------------------------------------


@functools.cache
def recording(folder, name):
    return Recording(folder, name)


def lines(folder, beacond):
    yield "Events of receivers that lie still, all of them false:"
    yield ""
    yield "| recording | circles | of them | beacond | plain circle | accuracy-aware |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name in STILL:
        for kind, count, events in still(recording(folder, name), beacond):
            yield f"| {name} | {kind} | {count} | **{events['ours']}** | {events['naive']} | {events['aware']} |"
    yield ""
    yield "Drives: crossings reported once, of so many; wrong events; median delay from the crossing of the cushion, seconds:"
    yield ""
    yield "| recording | crossings | beacond | plain circle | accuracy-aware |"
    yield "| --- | --- | --- | --- | --- |"
    for name in DRIVES:
        found = drive(recording(folder, name), folder, beacond)
        cells = [f"{one.right}, {one.wrong}, {'–' if one.right == 0 else f'{fences.delay_s(one):.1f}'}"
                 for one in (found["ours"], found["naive"], found["aware"])]
        yield f"| {name} | {found['ours'].crossings} | **{cells[0]}** | {cells[1]} | {cells[2]} |"
    yield ""
    yield "`service = \"significant\"`:"
    yield ""
    yield "| recording | places published | receiver on | 500 m missed for at most |"
    yield "| --- | --- | --- | --- |"
    for name in STILL:
        share, count = parked(recording(folder, name), beacond)
        yield f"| {name}, made into a day | {count} | {share:.1%} | – |"
    for name in DRIVES:
        missed_s, count, share = longest_miss_s(recording(folder, name), beacond)
        yield f"| {name} | {count} | {share:.1%} | {missed_s:.0f} s |"
    yield ""
    yield "What the accuracy says, of fixes up to 100 m of receivers that lie still, about their own median:"
    yield ""
    yield "| recording | claimed, median | holds 68 of 100 | within what was claimed | farthest |"
    yield "| --- | --- | --- | --- | --- |"
    for name in STILL:
        claimed_m, real_m, share, farthest_m = scatter(recording(folder, name))
        yield f"| {name} | {claimed_m:.1f} m | {real_m:.1f} m | {share:.0%} | {farthest_m:.0f} m |"
