"""A receiver's reports, and the part of them that is used."""

import os
import tempfile

import gpsdlog
from gpsdlog import Log, configuration
from support import AWAKE, BEACOND, DEPOT, closing, replay, states, updates


def first_fix(**fields):
    log = Log()
    log.fix(0, **fields)
    return updates(log)[0][1]


def test_accuracy():
    """horizontal_accuracy_m is eph / 1.621; without eph it comes from epx and epy, and without those it is 100 m."""
    for errors, accuracy_m in (({"eph": 16.21}, 10), ({"eph": None, "epx": 12.0, "epy": 16.0}, 12.3), ({"eph": None, "epx": 12.0}, 100)):
        assert first_fix(**errors)["horizontal_accuracy_m"] == accuracy_m, errors


def test_rejected():
    """health counts each report that is not used under its reason, and the closing line counts it too."""
    nothing = {"mode": 1, "lat": None, "lon": None, "eph": None}
    for reason, at_s, report in (
        ("no_fix", 61, nothing), ("no_fix", 61, {"mode": 1}), ("inaccurate", 61, {"accuracy_m": 30.1}), ("out_of_range", 61, {"lat": 90.5}),
        ("out_of_range", 61, {"lon": 180.5}), ("time_went_back", 30, {}), ("time_went_back", 86_400, {}), ("malformed", 61, "garbage"),
        ("malformed", 61, "{\"class\":\"TPV\",\"mode\":\"three\"}"),
    ):
        log = Log()
        log.fixes(range(0, 61), accuracy_m=29.9)
        if isinstance(report, str):
            log.line(report)
        else:
            log.fix(at_s, **report)
        log.fixes(range(100, 221))
        done = replay(log, {"desired_accuracy_m": 30})
        assert done.health["rejected"] == {name: int(name == reason) for name in done.health["rejected"]}, (reason, done.health)
        assert (closing(done, "fixes"), closing(done, "fixes_rejected")) == (182, 1), (reason, done.said)
        # A wild time is no time that passes.
        assert done.messages[-1]["t"] == 220, (reason, done.messages[-1])


def test_payload():
    """A fix says its own time, place, accuracy, and where known altitude, speed and course; location the service and the age."""
    log = Log()
    log.fix(0, altMSL=34.5, alt=34.5, speed=8.25, track=271.5)
    payload = replay(log).payloads("location")[0]
    assert payload["schema"] == 1 and payload["service"] == "standard" and payload["age_s"] == 0, payload
    assert payload["fix"] == {
        "at": log.time(0), "latitude": 52.5163, "longitude": 13.3777, "horizontal_accuracy_m": 5, "altitude_m": 34.5,
        "speed_m_s": 8.25, "course_deg": 271.5}, payload


def test_course_standing():
    """A course is published only while it moves."""
    fix = first_fix(speed=0.0, track=90.0)
    assert "course_deg" not in fix and fix["speed_m_s"] == 0, fix


def test_heading():
    """Where the receiver has a compass the fix says heading_deg."""
    log = Log()
    log.line({"class": "ATT", "device": "/dev/ttyACM0", "time": log.time(0), "heading": 123.0})
    log.fix(0)
    log.fix(1, east_m=20, speed=20.0, track=90.0)
    log.line({"class": "ATT", "device": "/dev/ttyACM0", "time": log.time(2), "heading": 124.0})
    log.fix(2, east_m=40, speed=20.0, track=90.0)
    published = [fix.get("heading_deg") for _, fix in updates(log)]
    assert published[0] == 123 and published[-1] == 124, published


def test_nothing_but_damage():
    """A log without any time is counted in the closing line: damaged lines, and fixes that there were none of."""
    log = Log()
    for _ in range(3):
        log.line("garbage")
        log.line("{\"class\":\"TPV\",\"mode\":1}")
    done = replay(log)
    assert (closing(done, "fixes"), closing(done, "fixes_rejected")) == (0, 6), done.said


def test_missing_log():
    """A missing log is 66."""
    with tempfile.TemporaryDirectory() as folder:
        done = gpsdlog.replay(BEACOND, os.path.join(folder, "none.json"), configuration(AWAKE))
    assert done.status == 66 and "none.json" in done.said, (done.status, done.said)


def test_same_bytes():
    """Same input, same bytes."""
    log = Log()
    log.fixes(range(0, 600), east_m=lambda at_s: 400 - at_s * 2, speed=2.0, track=270.0)
    first, again = (replay(log, regions=[DEPOT]).output for _ in range(2))
    assert first and first == again


def test_availability():
    """Without a fix it is searching, with one located; status says so."""
    log = Log()
    log.fixes(range(0, 5), mode=1, lat=None, lon=None)
    log.fixes(range(5, 10))
    published = [payload["location"]["availability"] for payload in replay(log).payloads("status")]
    assert "searching" in published and published[-1] == "located", published


def test_no_device():
    """A gpsd without a receiver is no_device; regions stay registered."""
    log = Log()
    log.fixes(range(0, 60))
    log.line({"class": "DEVICES", "devices": []})
    log.fixes(range(200, 260))
    done = replay(log, regions=[DEPOT])
    published = [payload["location"]["availability"] for payload in done.payloads("status")]
    assert "no_device" in published and published[-1] == "located", published
    assert [state for _, state in states(done)][-1] == "inside", states(done)


def test_counts_in_health():
    """health has used, every reason, and receiver_on_s."""
    log = Log()
    log.fixes(range(0, 131))
    health = replay(log).health
    assert set(health) == {"used", "rejected", "receiver_on_s"}, health
    assert set(health["rejected"]) == {
        "no_fix", "inaccurate", "stale", "time_went_back", "out_of_range", "malformed"}, health
    assert health["used"] >= 119 and health["receiver_on_s"] >= 119, health
