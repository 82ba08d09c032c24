"""Shared by the checks."""

import sys
import uuid as uuids

import btsnoop
import gpsdlog
from gpsdlog import Log, configuration

BEACOND = sys.argv[1]
UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
# The circle of most checks.
DEPOT = {"id": "depot", "latitude": 52.5163, "longitude": 13.3777, "radius_m": 150}
CARTS = {"id": "carts", "uuid": UUID, "settle_s": 0}
# What stands still in a log of a few minutes would pause.
AWAKE = {"pauses_automatically": False}


def replay(log, location=(), regions=(), capture=None, state=None, **tables):
    """A replay that ended well."""
    text = configuration(location if location is None else {**AWAKE, **dict(location)}, regions, **tables)
    done = gpsdlog.replay(BEACOND, log, text, capture=capture, state=state)
    assert done.status == 0, (done.status, done.said)
    return done


def updates(log, **location):
    """(seconds, fix) of each message `location`."""
    return [(at_s, payload["fix"]) for at_s, payload in replay(log, location).of("location")]


def crossings(log, *regions, **options):
    """(seconds, type, region) of each event."""
    return [(at_s, payload["type"], payload["region"])
            for at_s, payload in replay(log, regions=regions or [DEPOT], **options).of("event")]


def states(done, region="depot"):
    """(seconds, state) of each message on the region's state."""
    return [(at_s, payload["state"]) for at_s, payload in done.of(f"region/{region}/state")]


def closing(done, key):
    """A count of the closing line."""
    return int(dict(word.split("=") for word in done.said.split() if "=" in word)[key])


def write_capture(path, seconds, others, begin=Log().begin):
    """A capture in which one beacon is heard at these seconds; at the `others` something that is no beacon, so that the radio
    is not blind."""
    beacon = btsnoop.advertising_event(bytes([1, 2, 3, 4, 5, 0xC6]), btsnoop.beacon_data(uuids.UUID(UUID).bytes, 1, 7), -60)
    other = btsnoop.advertising_event(bytes([1, 2, 3, 4, 5, 0xC7]), b"\x02\x01\x06", -70)
    first_us = btsnoop.UNIX_US + round(begin.timestamp() * 1e6)
    heard = sorted([(at_s, beacon) for at_s in seconds] + [(at_s, other) for at_s in others], key=lambda pair: pair[0])
    btsnoop.write(path, ((first_us + round(at_s * 1e6), btsnoop.RECEIVED_EVENT, packet) for at_s, packet in heard))
