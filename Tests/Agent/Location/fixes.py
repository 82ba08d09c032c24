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


def rejected(log, **location):
    done = replay(log, location)
    return done.health["rejected"] if done.payloads("health") else None, done


def counted(log, reason, used, **location):
    """Whether the log, which then goes on for two minutes, counts one of this reason and nothing else."""
    log.fixes(range(100, 221))
    counts, done = rejected(log, **location)
    assert counts == {name: int(name == reason) for name in counts}, counts
    assert closing(done, "fixes") == used + 121 and closing(done, "fixes_rejected") == 1, done.said


def test_eph():
    """horizontal_accuracy_m is eph / 1.621."""
    assert first_fix(eph=16.21)["horizontal_accuracy_m"] == 10


def test_epx_epy():
    """Without eph the accuracy comes from epx and epy."""
    assert first_fix(eph=None, epx=12.0, epy=16.0)["horizontal_accuracy_m"] == 12.3


def test_no_error():
    """Without any of them it is 100 m, and used."""
    assert first_fix(eph=None)["horizontal_accuracy_m"] == 100
    assert first_fix(eph=None, epx=12.0)["horizontal_accuracy_m"] == 100


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


def test_no_fix():
    """Mode 0 or 1 is no fix: counted as no_fix."""
    for mode in (0, 1):
        log = Log()
        log.fix(0)
        log.fix(1, mode=mode, lat=None, lon=None, eph=None)
        counted(log, "no_fix", 1)


def test_no_fix_with_place():
    """So it is where a place stands in it."""
    log = Log()
    log.fix(0)
    log.fix(1, mode=1)
    counted(log, "no_fix", 1)


def test_cold_start():
    """A receiver that does not know the time yet has no fix, and that is counted."""
    log = Log()
    for _ in range(3):
        log.line({"class": "TPV", "device": "/dev/ttyACM0", "mode": 1})
    log.fixes(range(0, 121))
    done = replay(log)
    assert (closing(done, "fixes"), closing(done, "fixes_rejected")) == (121, 3), done.said


def test_inaccurate():
    """An accuracy worse than desired_accuracy_m is inaccurate; as good as it is used."""
    log = Log()
    log.fix(0, accuracy_m=29.9)
    log.fix(1, accuracy_m=30.1)
    counted(log, "inaccurate", 1, desired_accuracy_m=30)


def test_out_of_range():
    """A place outside the Earth is out_of_range."""
    for place in ({"lat": 90.5}, {"lon": 180.5}, {"lat": -91.0, "lon": 400.0}):
        log = Log()
        log.fix(0)
        log.fix(1, **place)
        counted(log, "out_of_range", 1)


def test_time_went_back():
    """A fix time that goes back is rejected."""
    log = Log()
    log.fixes(range(0, 61))
    log.fix(30)
    counted(log, "time_went_back", 61)


def test_gap_after_time_went_back():
    """A gap behind one time that went back makes nothing else suspect, and is time that passed."""
    log = Log()
    log.fixes(range(0, 61))
    log.fix(30)
    log.fixes(range(100, 221))
    done = replay(log)
    assert (closing(done, "fixes"), closing(done, "fixes_rejected")) == (182, 1), done.said
    assert done.messages[-1]["t"] == 220, done.messages[-1]


def test_same_time():
    """A fix of the same time as the one before has not gone back."""
    log = Log()
    log.fixes(range(0, 61))
    log.fix(60)
    log.fixes(range(61, 130))
    counts, _ = rejected(log)
    assert not any(counts.values()), counts


def test_time_believed():
    """A time that goes back is believed once fixes in the new order have come for 10 s."""
    log = Log()
    log.fixes(range(3600, 3661))
    log.fixes(range(0, 181))
    counts, done = rejected(log)
    assert counts["time_went_back"] == 10, counts
    assert done.payloads("location")[-1]["fix"]["at"] >= log.time(10), done.payloads("location")[-1]


def test_slow_time_believed():
    """So it is where the fixes are further apart than that: then the second of them is believed."""
    log = Log()
    log.fixes(range(3600, 3901, 15))
    log.fixes(range(0, 901, 15))
    done = replay(log)
    assert (closing(done, "fixes"), closing(done, "fixes_rejected")) == (81, 1), done.said


def test_wild_time_ahead():
    """One wild time ahead is rejected, and what follows in the old order is used."""
    log = Log()
    log.fixes(range(0, 61))
    log.fix(86_400)
    log.fixes(range(61, 240))
    counts, done = rejected(log)
    assert counts["time_went_back"] == 1 and sum(counts.values()) == 1, counts
    assert closing(done, "fixes") == 240, done.said
    assert done.messages[-1]["t"] < 300, done.messages[-1]


def test_time_ahead_believed():
    """A time far ahead is believed once fixes have come in its order for 10 s."""
    log = Log()
    log.fixes(range(0, 61))
    log.fixes(range(86_400, 86_521))
    counts, done = rejected(log)
    assert counts["time_went_back"] in (0, 10), counts
    assert done.payloads("location")[-1]["fix"]["at"] >= log.time(86_400), done.payloads("location")[-1]


def test_malformed():
    """A damaged line is counted and skipped: exit status 0."""
    for line in ("{\"class\":\"TPV\",\"mode\":3,", "garbage", "{\"class\":\"TPV\",\"mode\":\"three\"}"):
        log = Log()
        log.fix(0)
        log.line(line)
        counted(log, "malformed", 1)


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
