"""Circular regions: when they are entered and left."""

import tempfile

import gpsdlog
from gpsdlog import Log, configuration, moment
from support import AWAKE, BEACOND, DEPOT, crossings, replay, states

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


def test_first_state_without_cushion():
    """Inside means d <= radius, without a cushion."""
    for east_m, word in ((149, "inside"), (151, "outside")):
        done = replay(visits((0, 60, east_m)), regions=[DEPOT])
        assert states(done)[-1][1] == word, states(done)


def test_crossing_takes_time():
    """A crossing counts when the fixes stay beyond the cushion for crossing_after_s."""
    log = visits((0, 60, INSIDE), (61, 160, OUTSIDE), (161, 260, INSIDE))
    assert crossings(log) == [(81, "exit", "depot"), (181, "enter", "depot")], crossings(log)


def test_short_stay():
    """A gateway that is back before has not crossed."""
    assert crossings(visits((0, 60, INSIDE), (61, 79, OUTSIDE), (80, 200, INSIDE))) == []


def test_crossing_after():
    """crossing_after_s may stand in [regions] for all and in a region."""
    log = visits((0, 60, INSIDE), (61, 160, OUTSIDE))
    assert crossings(log, {**DEPOT, "crossing_after_s": 45}) == [(106, "exit", "depot")]
    assert crossings(log, DEPOT, regions_rules={"crossing_after_s": 45}) == [(106, "exit", "depot")]


def test_one_wild_fix():
    """One over-confident fix 200 m away is no crossing."""
    log = visits((0, 100, INSIDE))
    log.fix(101, east_m=400, accuracy_m=1.7)
    log.fixes(range(102, 200), east_m=INSIDE)
    assert crossings(log) == []


def test_one_wild_fix_alone():
    """Nor is it where it comes alone, before a gap of 50 s."""
    log = visits((0, 100, INSIDE))
    log.fix(101, east_m=400, accuracy_m=1.7)
    log.fixes(range(151, 260), east_m=INSIDE)
    assert crossings(log) == []


def test_two_fixes():
    """A crossing takes two fixes at least, with crossing_after_s = 0 too."""
    log = visits((0, 100, INSIDE), (101, 101, OUTSIDE), (102, 150, INSIDE), (151, 160, OUTSIDE))
    assert crossings(log, {**DEPOT, "crossing_after_s": 0}) == [(152, "exit", "depot")]


def test_cushion_outward():
    """Outward it takes the radius and cushion_m."""
    assert crossings(visits((0, 60, INSIDE), (61, 200, 168))) == []
    assert crossings(visits((0, 60, INSIDE), (61, 200, 172))) == [(81, "exit", "depot")]


def test_cushion_inward():
    """Inward the radius less cushion_m."""
    assert crossings(visits((0, 60, OUTSIDE), (61, 200, 132))) == []
    assert crossings(visits((0, 60, OUTSIDE), (61, 200, 128))) == [(81, "enter", "depot")]


def test_cushion_of_region():
    """A region may have its own cushion_m."""
    assert crossings(visits((0, 60, INSIDE), (61, 200, 190)), {**DEPOT, "cushion_m": 50}) == []
    assert crossings(visits((0, 60, INSIDE), (61, 200, 202)), {**DEPOT, "cushion_m": 50}) == [(81, "exit", "depot")]


def test_cushion_is_accuracy():
    """Where a fix is less accurate than cushion_m its accuracy is the cushion."""
    for east_m, found in ((195, []), (205, [(81, "exit", "depot")])):
        log = visits((0, 60, INSIDE))
        log.fixes(range(61, 200), east_m=east_m, accuracy_m=50)
        assert crossings(log) == found, (east_m, crossings(log))


def test_cushion_half_of_radius():
    """Inward the cushion is at most half of the radius."""
    small = {**DEPOT, "radius_m": 30}
    for accuracy_m in (5, 60):
        for east_m, found in ((17, []), (13, [(81, "enter", "depot")])):
            log = visits((0, 60, OUTSIDE))
            log.fixes(range(61, 200), east_m=east_m, accuracy_m=accuracy_m)
            assert crossings(log, small) == found, (accuracy_m, east_m, crossings(log, small))


def test_boundary():
    """A gateway that wanders about the boundary by less than the cushion never crosses."""
    log = Log()
    log.fixes(range(0, 1200), east_m=lambda at_s: 150 + (at_s // 60 % 2 * 2 - 1) * 18)
    assert crossings(log) == [], crossings(log)


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


def test_unknown():
    """Without a fix for unknown_state_after_s the state is unknown; with fixes it is published again, without an event."""
    done = replay(visits((0, 100, INSIDE), (400, 500, INSIDE)), regions=[DEPOT])
    assert [word for _, word in states(done)] == ["unknown", "inside", "unknown", "inside"], states(done)
    assert states(done)[2][0] == 160, states(done)
    assert done.events == [], done.events


def test_unknown_state_after():
    """unknown_state_after_s holds for circles as well."""
    done = replay(visits((0, 100, INSIDE), (400, 500, INSIDE)), regions=[DEPOT], regions_rules={"unknown_state_after_s": 30})
    assert states(done)[2] == (130, "unknown"), states(done)


def test_bad_fixes_are_none():
    """Fixes that are not used are none: the state is unknown after them."""
    log = visits((0, 100, INSIDE))
    log.fixes(range(101, 400), east_m=INSIDE, accuracy_m=500)
    assert states(replay(log, regions=[DEPOT]))[-1] == (160, "unknown")


def test_short_gap():
    """A gap of up to unknown_state_after_s between two used fixes counts whole."""
    assert crossings(visits((0, 60, INSIDE), (61, 61, OUTSIDE), (121, 130, OUTSIDE))) == [(121, "exit", "depot")]


def test_long_gap():
    """A longer one does not count at all."""
    log = visits((0, 60, INSIDE), (61, 61, OUTSIDE), (122, 160, OUTSIDE))
    assert crossings(log) == [(142, "exit", "depot")], crossings(log)


def test_timers_stand_still():
    """Behind a long gap a run goes on where it stood."""
    log = visits((0, 60, INSIDE), (61, 71, OUTSIDE), (371, 420, OUTSIDE))
    assert crossings(log) == [(381, "exit", "depot")], crossings(log)


def test_crossed_without_fixes():
    """A crossing in a tunnel is published once, when the fixes behind it have stayed there."""
    log = visits((0, 100, INSIDE), (400, 500, OUTSIDE))
    done = replay(log, regions=[DEPOT])
    assert [(event["type"], event["at"]) for event in done.events] == [("exit", log.time(420))], done.events
    assert done.events[0]["last_inside_at"] == log.time(100), done.events[0]


def test_gap_at_first():
    """A long gap does not count towards the first state either."""
    done = replay(visits((0, 10, INSIDE), (300, 340, INSIDE)), regions=[DEPOT])
    inside = [(at_s, word) for at_s, word in states(done) if word == "inside"]
    assert inside == [(310, "inside")], states(done)


# --- Restart ----------------------------------------------------------------------------------------------------------


def restart(first, then, region=DEPOT, changed=None):
    with tempfile.TemporaryDirectory() as folder:
        before = replay(first, regions=[region], state=folder)
        return before, replay(then, regions=[changed or region], state=folder)


def later(*spans):
    return visits(*spans, begin=moment("2024-05-06T09:00:00Z"))


def test_restart_inside():
    """After a restart inside there is a state and no event."""
    _, done = restart(visits((0, 60, OUTSIDE), (61, 160, INSIDE)), later((0, 100, INSIDE)))
    assert done.events == [] and states(done)[-1][1] == "inside", states(done)


def test_restart_exit():
    """An exit while the agent was away is inferred; its stay goes back to before, and its number goes on."""
    first = visits((0, 60, OUTSIDE), (61, 160, INSIDE))
    before, done = restart(first, later((0, 100, OUTSIDE)))
    exit, = done.events
    assert exit["type"] == "exit" and exit["inferred"] is True, exit
    assert exit["entered_at"] == first.time(61) and exit["last_inside_at"] == first.time(160), exit
    assert exit["seq"] == 2 and exit["epoch"] == before.events[0]["epoch"], exit


def test_restart_then_exit():
    """An exit after a restart that was still inside is not inferred."""
    _, done = restart(visits((0, 60, OUTSIDE), (61, 160, INSIDE)), later((0, 60, INSIDE), (61, 160, OUTSIDE)))
    exit, = done.events
    assert not exit.get("inferred") and exit["entered_at"] == Log().time(61), exit


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


def test_beacon_keys():
    """Keys of beacons on a circle are errors: exit status 78."""
    for key, value in (("uuid", "39ED98FF-2900-441A-802F-9C398FC199D2"), ("major", 1), ("minor", 1), ("expand", "minor"),
                       ("entry_rssi_dbm", -60), ("exit_after_s", 20), ("ranging", True)):
        done = gpsdlog.replay(BEACOND, Log(), configuration(AWAKE, [{**DEPOT, key: value}]))
        assert done.status == 78 and key in done.said, (key, done.status, done.said)


def test_incomplete():
    """A circle without a radius or a centre is an error."""
    for key in ("latitude", "longitude", "radius_m"):
        region = {name: value for name, value in DEPOT.items() if name != key}
        done = gpsdlog.replay(BEACOND, Log(), configuration(AWAKE, [region]))
        assert done.status == 78, (key, done.status, done.said)


def test_many():
    """Of many circles each is entered and left, though no more than max_watched are looked at."""
    regions = [{**DEPOT, "id": f"c{number}", "radius_m": 100 + number} for number in range(30)]
    log = visits((0, 60, OUTSIDE), (61, 260, INSIDE), (261, 400, OUTSIDE))
    crossed = crossings(log, *regions)
    for kind in ("enter", "exit"):
        assert sorted(region for _, word, region in crossed if word == kind) == sorted(r["id"] for r in regions), (kind, crossed)


def test_many_at_first():
    """The first state is that of the first fixes for every circle, however many hold them: no event follows."""
    regions = [{**DEPOT, "id": f"c{number}", "radius_m": 100 + number} for number in range(50)]
    done = replay(visits((0, 200, INSIDE)), regions=regions)
    assert done.events == [], [event["region"] for event in done.events]
    assert all(states(done, region["id"])[-1] == (20, "inside") for region in regions)


def test_antimeridian():
    """A circle across the antimeridian is one circle."""
    log = Log(centre=(-16.8, 179.9995))
    region = {**DEPOT, "latitude": -16.8, "longitude": -179.9995}
    for first, last, east_m in ((0, 60, -400), (61, 160, 60), (161, 260, -400)):
        for at_s in range(first, last):
            latitude, longitude = gpsdlog.degrees(0, east_m, log.centre)
            log.fix(at_s, lat=latitude, lon=longitude - 360 if longitude > 180 else longitude)
    assert [word for _, word, _ in crossings(log, region)] == ["enter", "exit"], crossings(log, region)


def test_pole():
    """So is one around a pole."""
    log = Log()
    region = {**DEPOT, "latitude": 90.0, "longitude": 0.0, "radius_m": 500}
    for at_s in range(0, 300):
        log.fix(at_s, lat=89.999 if 61 <= at_s < 160 else 89.9, lon=float(at_s * 37 % 360 - 180))
    assert [word for _, word, _ in crossings(log, region)] == ["enter", "exit"], crossings(log, region)
