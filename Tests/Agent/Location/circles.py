"""Circular regions: when they are entered and left."""

import tempfile

from gpsdlog import Log, moment
from support import DEPOT, crossings, replay, states

# Inside and outside DEPOT by far more than its cushion, metres east of its centre.
INSIDE, OUTSIDE = 20, 400


def visits(*spans, begin=None):
    """A log with a fix a second: spans of (first second, last second, metres east)."""
    log = Log(begin) if begin else Log()
    for first, last, east_m in spans:
        log.fixes(range(first, last + 1), east_m=east_m)
    return log


def test_first_state():
    """The first fixes decide the first state once crossing_after_s has passed: a state and no event."""
    for east_m, word in ((INSIDE, "inside"), (OUTSIDE, "outside")):
        done = replay(visits((0, 60, east_m)), regions=[DEPOT])
        assert states(done) == [(0, "unknown"), (20, word)], states(done)
        assert done.events == [], done.events


def test_first_state_of_two_minds():
    """Where the first fixes disagree most of them decide, and no distance is published that belies the state."""
    done = replay(visits((0, 12, INSIDE), (13, 22, OUTSIDE)), regions=[DEPOT])
    state = done.of("region/depot/state")[-1][1]
    assert state["state"] == "inside" and "distance_m" not in state, state


def test_crossing_takes_time():
    """A crossing counts when the fixes stay beyond the cushion for crossing_after_s."""
    log = visits((0, 60, INSIDE), (61, 160, OUTSIDE), (161, 260, INSIDE))
    assert crossings(log) == [(81, "exit", "depot"), (181, "enter", "depot")], crossings(log)


def test_crossing_after():
    """crossing_after_s may stand in [regions] for all and in a region."""
    log = visits((0, 60, INSIDE), (61, 160, OUTSIDE))
    assert crossings(log, {**DEPOT, "crossing_after_s": 45}) == [(106, "exit", "depot")]
    assert crossings(log, DEPOT, regions_rules={"crossing_after_s": 45}) == [(106, "exit", "depot")]


def test_cushion_of_region():
    """A region may have its own cushion_m."""
    assert crossings(visits((0, 60, INSIDE), (61, 200, 190)), {**DEPOT, "cushion_m": 50}) == []
    assert crossings(visits((0, 60, INSIDE), (61, 200, 202)), {**DEPOT, "cushion_m": 50}) == [(81, "exit", "depot")]


def test_exit_payload():
    """An exit says center, radius_m, distance_m, location, and entered_at, last_inside_at and dwell_s, their difference."""
    log = visits((0, 60, OUTSIDE), (61, 200, INSIDE), (201, 210, 160), (211, 300, OUTSIDE))
    entry, exit = replay(log, regions=[DEPOT]).events
    for event in (entry, exit):
        assert event["center"] == {"latitude": 52.5163, "longitude": 13.3777} and event["radius_m"] == 150, event
        assert set(event["location"]) == {"latitude", "longitude", "horizontal_accuracy_m", "age_s"}, event
        assert event["epoch"] and event["region"] == "depot" and event["location"]["age_s"] == 0, event
        assert not {"uuid", "major", "minor", "dwell"} & set(event), event
    assert (entry["type"], entry["seq"], entry["at"], entry["distance_m"]) == ("enter", 1, log.time(81), 20), entry
    assert (exit["type"], exit["seq"], exit["at"], exit["distance_m"]) == ("exit", 2, log.time(231), 400), exit
    assert (exit["entered_at"], exit["last_inside_at"], exit["dwell_s"]) == (log.time(61), log.time(200), 139), exit
    assert not exit.get("partial") and not exit.get("inferred"), exit


def test_partial():
    """A stay that began before the first fix is partial."""
    exit, = replay(visits((0, 60, INSIDE), (61, 160, OUTSIDE)), regions=[DEPOT]).events
    assert exit["partial"] is True and not exit.get("inferred"), exit
    assert exit["last_inside_at"] == Log().time(60), exit


def test_state_message():
    """A state says center, radius_m, the state, since when, and the number of its last event."""
    state = replay(visits((0, 60, OUTSIDE), (61, 160, INSIDE)), regions=[DEPOT]).payloads("region/depot/state")[-1]
    assert (state["state"], state["radius_m"], state["event_seq"]) == ("inside", 150, 1), state
    assert state["center"] == {"latitude": 52.5163, "longitude": 13.3777} and state["distance_m"] == 20, state


def test_notify():
    """notify_on_entry and notify_on_exit silence events, and not the state."""
    log = visits((0, 60, INSIDE), (61, 160, OUTSIDE), (161, 260, INSIDE))
    assert [word for _, word, _ in crossings(log, {**DEPOT, "notify_on_entry": False})] == ["exit"]
    done = replay(log, regions=[{**DEPOT, "notify_on_entry": False, "notify_on_exit": False}])
    assert done.events == [] and [word for _, word in states(done)] == ["unknown", "inside", "outside", "inside"]


# --- Without fixes ----------------------------------------------------------------------------------------------------


def test_unknown_state_after():
    """unknown_state_after_s holds for circles as well."""
    done = replay(visits((0, 100, INSIDE), (400, 500, INSIDE)), regions=[DEPOT], regions_rules={"unknown_state_after_s": 30})
    assert states(done)[2] == (130, "unknown"), states(done)


def test_crossed_without_fixes():
    """A crossing in a tunnel is published once, when the fixes behind it have stayed there."""
    log = visits((0, 100, INSIDE), (400, 500, OUTSIDE))
    done = replay(log, regions=[DEPOT])
    assert [(event["type"], event["at"]) for event in done.events] == [("exit", log.time(420))], done.events
    assert done.events[0]["last_inside_at"] == log.time(100), done.events[0]


# --- Restart ----------------------------------------------------------------------------------------------------------


def restart(first, then, region=DEPOT, changed=None):
    with tempfile.TemporaryDirectory() as folder:
        before = replay(first, regions=[region], state=folder)
        return before, replay(then, regions=[changed or region], state=folder)


def later(*spans):
    return visits(*spans, begin=moment("2024-05-06T09:00:00Z"))


def test_restart_exit():
    """An exit while the agent was away is inferred; its stay goes back to before, and its number goes on."""
    first = visits((0, 60, OUTSIDE), (61, 160, INSIDE))
    before, done = restart(first, later((0, 100, OUTSIDE)))
    exit, = done.events
    assert exit["type"] == "exit" and exit["inferred"] is True, exit
    assert exit["entered_at"] == first.time(61) and exit["last_inside_at"] == first.time(160), exit
    assert exit["seq"] == 2 and exit["epoch"] == before.events[0]["epoch"], exit


def test_another_circle():
    """An id with another centre or radius is another region: nothing of it is known, and its first state is no event."""
    for change in ({"radius_m": 151}, {"latitude": 52.5164}):
        _, done = restart(visits((0, 60, OUTSIDE), (61, 160, INSIDE)), later((0, 100, OUTSIDE)), changed={**DEPOT, **change})
        assert [event for event in done.events if event["type"] == "exit" and not event.get("unmonitored")] == [], done.events
        assert states(done)[-1][1] == "outside", states(done)


# --- Limits -----------------------------------------------------------------------------------------------------------


def test_clamped():
    """A radius above 100 km is clamped, and said on standard error with the region's id."""
    done = replay(visits((0, 100, INSIDE)), regions=[{**DEPOT, "radius_m": 150_000}])
    assert "depot" in done.said and "100" in done.said, done.said
    assert done.payloads("region/depot/state")[-1]["radius_m"] == 100_000


def test_too_small():
    """One smaller than twice the median accuracy of the last 100 fixes is warned of with its id; a larger one is not."""
    for radius_m, said in ((35, True), (45, False)):
        log = Log()
        log.fixes(range(0, 120), accuracy_m=20)
        done = replay(log, regions=[{**DEPOT, "radius_m": radius_m}])
        assert ("depot" in done.said) == said, (radius_m, done.said)
