"""When a place is published."""

from gpsdlog import Log
from support import DEPOT, crossings, replay, states, updates


def times(pairs):
    return [at_s for at_s, _ in pairs]


def travelled(speed_m_s, span):
    """A log of a van that drives east."""
    log = Log()
    log.fixes(span, east_m=lambda at_s: at_s * speed_m_s, speed=float(speed_m_s), track=90.0)
    return log


def test_distance_filter():
    """Standard: an update when moved by distance_filter_m from the last one published."""
    log = travelled(4, range(0, 31))
    assert times(updates(log, distance_filter_m=19.9)) == [0, 5, 10, 15, 20, 25, 30]


def test_min_interval():
    """Updates are min_interval_s apart at least."""
    published = times(updates(travelled(30, range(0, 61)), min_interval_s=7))
    assert published == list(range(0, 61, 7)), published


def test_max_interval():
    """And max_interval_s apart at most: still here."""
    log = Log()
    log.fixes(range(0, 1000))
    published = times(updates(log, max_interval_s=120))
    assert published == list(range(0, 1000, 120)), published


def test_place_of_its_second():
    """An update that is due when a fix comes has that fix."""
    log = Log()
    log.fixes(range(0, 700))
    done = replay(log)
    assert [(at_s, payload["fix"]["at"]) for at_s, payload in done.of("location")] == [
        (at_s, log.time(at_s)) for at_s in (0, 300, 600)], done.of("location")


def test_heading_filter():
    """An update when the course turns by heading_filter_deg from the last one published."""
    log = Log()
    for at_s, course in enumerate((358.0, 359.0, 2.0, 3.0, 4.0, 359.0, 358.0)):
        log.fix(at_s, speed=2.0, track=course)
    published = [fix["course_deg"] for _, fix in updates(log)]
    assert published == [358, 3, 358], published


# --- Significant ------------------------------------------------------------------------------------------------------


def significant(log, **options):
    return replay(log, {"service": "significant"}, **options)


def test_significant():
    """Significant: 500 m or more, at most every 5 minutes."""
    done = significant(travelled(10, range(0, 3601)))
    published = [(at_s, payload["fix"]["longitude"]) for at_s, payload in done.of("location")]
    assert all(payload["service"] == "significant" for payload in done.payloads("location"))
    gaps = [after - before for (before, _), (after, _) in zip(published, published[1:])]
    assert len(published) >= 6 and min(gaps) >= 300 and max(gaps) <= 600, gaps


def test_resting_is_not_blind():
    """A receiver that rests on purpose makes no state unknown."""
    log = Log()
    log.fixes(range(0, 7201))
    done = significant(log, regions=[DEPOT])
    assert [state for _, state in states(done)] == ["unknown", "inside"], states(done)


# --- Pausing ----------------------------------------------------------------------------------------------------------


def pausing(log, activity="other", regions=(), **location):
    return replay(log, {"pauses_automatically": True, "activity": activity, **location}, regions=regions)


def paused(done):
    """(seconds, paused) wherever it changed."""
    changes = [(0, False)]
    for at_s, payload in done.of("status"):
        if payload["location"]["paused"] != changes[-1][1]:
            changes.append((at_s, payload["location"]["paused"]))
    return changes[1:]


def test_pause():
    """Standing still pauses after the activity's time; status says so."""
    log = Log()
    log.fixes(range(0, 1001), east_m=lambda at_s: at_s % 3)
    for activity, after_s in (("other", 300), ("automotive", 120), ("pedestrian", 600)):
        assert paused(pausing(log, activity)) == [(after_s, True)], (activity, paused(pausing(log, activity)))


def test_resume():
    """Paused it looks every minute, and goes on at the first movement."""
    log = Log()
    log.fixes(range(0, 1000))
    log.fixes(range(1000, 1300), east_m=lambda at_s: (at_s - 1000) * 5)
    published = paused(pausing(log))
    assert [word for _, word in published] == [True, False], published
    assert 1000 < published[1][0] <= 1080, published


# --- Deferred ---------------------------------------------------------------------------------------------------------


def batches(done):
    return [(at_s, payload["batch"], payload["finished"], len(payload["fixes"]))
            for at_s, payload in done.of("location/track")]


def test_deferred_distance():
    """Deferred: fixes are published together once defer_distance_m is travelled; batch counts 1, 2, 3."""
    done = replay(travelled(10, range(0, 101)), {"defer_distance_m": 300})
    published = batches(done)
    assert [(batch, finished) for _, batch, finished, _ in published] == [
        (1, "distance"), (2, "distance"), (3, "distance"), (4, "stopped")], published
    assert [at_s for at_s, *_ in published[:3]] == [30, 60, 90], published


def test_deferred_timeout():
    """Or once defer_timeout_s has passed."""
    log = Log()
    log.fixes(range(0, 150))
    published = batches(replay(log, {"defer_timeout_s": 60}))
    assert [(batch, finished) for _, batch, finished, _ in published] == [(1, "timeout"), (2, "timeout"), (3, "stopped")], published
    assert published[0][0] == 60 and published[1][0] in (120, 121), published


def test_deferred_stopped():
    """At the agent's end the rest is published, as stopped."""
    log = Log()
    log.fixes(range(0, 10))
    published = batches(replay(log, {"defer_timeout_s": 600}))
    assert published == [(published[0][0], 1, "stopped", 10)], published


def test_location_with_batch():
    """location itself comes with each batch: its last fix."""
    done = replay(travelled(10, range(0, 101)), {"defer_distance_m": 300})
    tracks, places = done.of("location/track"), done.of("location")
    assert [at_s for at_s, _ in tracks] == [at_s for at_s, _ in places], (tracks, places)
    assert [track["fixes"][-1] for _, track in tracks] == [place["fix"] for _, place in places]


def test_track_stands_alone():
    """A track says site, gateway and epoch."""
    track = replay(travelled(10, range(0, 50)), {"defer_distance_m": 300}).payloads("location/track")[0]
    assert (track["schema"], track["site"], track["gateway"]) == (1, "tests", "van") and track["epoch"], track


def test_circles_while_deferred():
    """Deferring places defers no crossing."""
    log = travelled(5, range(0, 120))
    assert crossings(log, DEPOT, location={"defer_timeout_s": 600}) == crossings(log, DEPOT) != []
