"""Rules that decide when a circle is entered and left: ours, by its replay, and those that others use. And what judges them.

A rule gives events as (time, is an entry), for each circle."""

import collections
import statistics
from datetime import timedelta

import gpsdlog

# What beacond takes by default: `desired_accuracy_m` and `cushion_m`.
DESIRED_M, CUSHION_M = 100, 20
# How long after the new side is certain an event may come.
LATEST = timedelta(seconds=120)

# Of a receiver's log: when, (latitude, longitude), and the accuracy (68 %).
Fix = collections.namedtuple("Fix", "at place accuracy_m")
# What a rule made of the true crossings: how many there are and were reported once, what else it reported, and its delays in seconds.
Found = collections.namedtuple("Found", "crossings right wrong delays")


def centre(circle):
    return circle["latitude"], circle["longitude"]


def naive(fixes, circle):
    """Inside where d <= radius; each change is an event. The first side is none."""
    was, events = None, []
    for fix in fixes:
        side = gpsdlog.distance_m(centre(circle), fix.place) <= circle["radius_m"]
        if was is not None and side != was:
            events.append((fix.at, side))
        was = side
    return events


def ours(beacond, path, circles):
    """The events of each circle by `beacond replay`."""
    regions = [{"id": f"c{number}", "latitude": circle["latitude"], "longitude": circle["longitude"],
                "radius_m": circle["radius_m"]} for number, circle in enumerate(circles)]
    done = gpsdlog.replay(beacond, path, gpsdlog.configuration((), regions))
    if done.status != 0:
        raise SystemExit(f"beacond replay --location {path}: {done.said.strip()}")
    events = {region["id"]: [] for region in regions}
    for payload in done.events:
        events[payload["region"]].append((gpsdlog.moment(payload["at"]), payload["type"] == "enter"))
    return list(events.values())


def judge(fixes, circle, events):
    """Holds events against the truth of a circle. A crossing has exactly one event of its kind between the end of the stay before
    and LATEST after the start of the next. Every other event is wrong, but for those that show how the first stay began."""
    stays = [(stay["inside"], gpsdlog.moment(stay["start"]), gpsdlog.moment(stay["end"])) for stay in circle["stays"]]
    truths = [gpsdlog.moment(crossing["at"]) for crossing in circle["crossings"]]
    spans = [(entered, end, start) for (was, _, end), (entered, start, _) in zip(stays, stays[1:]) if was != entered]
    inside, first, _ = stays[0]
    left = [(at, side) for at, side in events if at >= first and (side != inside or at > first + LATEST)]
    right, delays = 0, []
    for (entered, end, start), crossed in zip(spans, truths):
        own = [event for event in left if end <= event[0] <= start + LATEST and event[1] == entered]
        if len(own) == 1:
            right += 1
            left.remove(own[0])
            delays.append((own[0][0] - beyond(fixes, circle, entered, crossed, start)).total_seconds())
    return Found(len(spans), right, len(left), delays)


def beyond(fixes, circle, entered, crossed, certain):
    """When the crossing of the cushion was seen first: by the first fix that is beyond the boundary by it."""
    for fix in fixes:
        if crossed <= fix.at <= certain and fix.accuracy_m <= DESIRED_M:
            d = gpsdlog.distance_m(centre(circle), fix.place)
            cushion_m = max(CUSHION_M, fix.accuracy_m)
            if (circle["radius_m"] - d >= min(cushion_m, circle["radius_m"] / 2)) if entered else (
                    d - circle["radius_m"] >= cushion_m):
                return fix.at
    return certain


def total(found):
    found = list(found)
    return Found(*(sum(getattr(one, name) for one in found) for name in ("crossings", "right", "wrong")),
                 [delay for one in found for delay in one.delays])


def delay_s(found):
    return statistics.median(found.delays) if found.delays else None
