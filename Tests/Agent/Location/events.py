"""Events say where, whatever they are about."""

import contextlib
import os
import tempfile

from gpsdlog import Log
from support import CARTS, DEPOT, closing, replay, write_capture


@contextlib.contextmanager
def capture(seconds, others=()):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "capture.btsnoop")
        write_capture(path, seconds, others)
        yield path


def van():
    """A log of a van that drives out of the depot after a minute."""
    log = Log()
    log.fixes(range(0, 200), east_m=lambda at_s: 0 if at_s < 60 else (at_s - 60) * 10)
    return log


def test_merged():
    """Both inputs are merged by time, and numbers run across both kinds of events."""
    with capture([*range(10, 30), *range(150, 200)], range(0, 200)) as path:
        done = replay(van(), regions=[DEPOT, CARTS], capture=path)
    published = [(event["region"], event["type"], event["seq"]) for event in done.events]
    assert published == [("carts", "enter", 1), ("carts", "exit", 2), ("depot", "exit", 3), ("carts", "enter", 4)], published
    at = [message["t"] for message in done.messages]
    assert at == sorted(at), at
    assert closing(done, "fixes") == 200 and closing(done, "reports") == 270, done.said


def test_beacon_events_say_where():
    """An event of a beacon carries the last used fix with its age."""
    log = Log()
    log.fixes(range(0, 31))
    with capture(range(45, 50)) as path:
        entry = replay(log, regions=[CARTS], capture=path).events[0]
    assert entry["location"] == {"latitude": 52.5163, "longitude": 13.3777, "horizontal_accuracy_m": 5, "age_s": 15}, entry


def test_fixed():
    """A gateway that stands still says its configured place."""
    location = {"source": "fixed", "latitude": 48.1, "longitude": 11.5, "horizontal_accuracy_m": 7}
    with capture(range(5, 10)) as path:
        done = replay(None, location, regions=[CARTS], capture=path)
    assert done.events[0]["location"] == {
        "latitude": 48.1, "longitude": 11.5, "horizontal_accuracy_m": 7, "age_s": 0}, done.events[0]
    assert done.payloads("status")[-1]["location"]["availability"] == "located", done.payloads("status")[-1]


def test_omit():
    """With [privacy] location = "omit" nothing of the place leaves: no location topics, no location or distance_m in events."""
    with capture(range(10, 30)) as path:
        done = replay(van(), {"defer_distance_m": 100}, regions=[DEPOT, CARTS], capture=path, privacy={"location": "omit"})
    assert {event["region"] for event in done.events} == {"depot", "carts"}, done.events
    assert done.of("location") == [] and done.of("location/track") == []
    for event in done.events:
        assert "location" not in event and "distance_m" not in event, event
    for state in done.payloads("region/depot/state"):
        assert "distance_m" not in state, state


def test_off():
    """Without [location] nothing is said of a place."""
    with capture(range(10, 30)) as path:
        done = replay(None, None, regions=[CARTS], capture=path)
    assert done.of("location") == [] and all("location" not in event for event in done.events)
    assert all("location" not in payload for payload in done.payloads("health"))


def test_closing_line():
    """The closing line has fixes= and fixes_rejected=."""
    log = Log()
    log.fixes(range(0, 10))
    log.fix(5)
    done = replay(log)
    assert (closing(done, "fixes"), closing(done, "fixes_rejected")) == (10, 1), done.said


def test_epoch_and_site():
    """Events carry site, gateway and epoch."""
    log = van()
    event, = replay(log, regions=[DEPOT]).events
    assert (event["site"], event["gateway"]) == ("tests", "van") and event["epoch"], event
