"""Simulated shops whose visitors are known, as one gateway or several that overlap hear them, and what real agents publish of it."""

import json
import os
import re

import paho.mqtt.client as mqtt

import btsnoop
from collector_test import Chain, Collector
from servers import LONGEST_WAIT_S, run, wait_until
from story import DAY

BEACOND = os.environ.get("BEACOND", "")
UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
CONFIGURATION = """[gateway]
site = "{site}"
id = "{gateway}"
[mqtt]
url = "mqtt://127.0.0.1:1"
[[region]]
id = "phones"
uuid = "{uuid}"
major = 2
expand = "minor"
"""
# When simulated shops begin, in btsnoop's microseconds: 2026-01-01T00:00:00Z.
BEGIN_US = btsnoop.UNIX_US + 1_767_225_600_000_000
# What radio and rules may cost. A phone is inside once it was heard for a moment, and it has left when it was last heard: fading hides
# packets at both ends. A visit that is shaded for longer than an exit takes becomes two visits; beyond the time over which
# stays are joined, it becomes two stays.
TYPICAL_S, WORST_S = 1.0, 10.0
MOST_SPLIT, MOST_CUT = 0.05, 0.15


class Shop:
    """A day's beginning in a shop. Every phone has a minor of its own, and changes its address.

    `phones` are who came and left by minor, in seconds of the day. Trolleys have another major, which no region wants.
    """

    def __init__(self, seed, seconds, folder):
        self.capture, truth = folder / f"shop-{seed}.btsnoop", folder / f"shop-{seed}.json"
        self.folder = folder
        run(BEACOND, "simulate", "--scenario", "crowd", "--seed", seed, "--seconds", seconds, "--write", self.capture, "--truth", truth)
        self.beacons = [beacon for beacon in json.loads(truth.read_text())["beacons"] if beacon["uuid"] == UUID]
        self.phones = {beacon["minor"]: (beacon["entered_at_s"], beacon["left_at_s"]) for beacon in self.beacons if beacon["kind"] == "phone"}

    def distances(self, minor):
        """(second, metres) of a phone's way, a second each."""
        (phone,) = (beacon for beacon in self.beacons if beacon["kind"] == "phone" and beacon["minor"] == minor)
        return [(phone["entered_at_s"] + index, metres) for index, metres in enumerate(phone["distance_m"])]

    def heard(self, name, reach_m, spans):
        """A capture for each span: of the beacons, what came from places in reach. Other devices are heard always."""
        addresses = {}
        for beacon in self.beacons:
            for one in beacon["addresses"]:
                addresses.setdefault(one["address"], []).append((one["from_s"], one["until_s"], beacon))
        packets = [[] for _ in spans]
        for time_us, flags, octets in btsnoop.records(self.capture):
            at_s = (time_us - BEGIN_US) / 1e6
            address = ":".join(f"{octet:02X}" for octet in reversed(octets[7:13]))
            sender = next((beacon for begin, end, beacon in addresses.get(address, ()) if begin <= at_s <= end), None)
            if sender is not None and not reach_m[0] <= distance(sender, at_s) <= reach_m[1]:
                continue
            for (begin, end), kept in zip(spans, packets, strict=True):
                if begin <= at_s < end:
                    kept.append((time_us, flags, octets))
        captures = [self.folder / f"{name}-{index}.btsnoop" for index in range(len(spans))]
        for capture, kept in zip(captures, packets, strict=True):
            btsnoop.write(capture, kept)
        return captures


def distance(beacon, at_s):
    metres = beacon["distance_m"]
    return metres[min(max(0, round(at_s - beacon["entered_at_s"])), len(metres) - 1)]


def published(site, gateway, captures, folder):
    """The messages of an agent that hears the captures, one run after the other, on the day of the stories: (second, topic, payload)."""
    config, state = folder / f"{site}-{gateway}.toml", folder / f"{site}-{gateway}"
    config.write_text(CONFIGURATION.format(site=site, gateway=gateway, uuid=UUID))
    messages = []
    for capture in captures:
        said = run(BEACOND, "replay", capture, "--config", config, *(("--state", state) if len(captures) > 1 else ())).decode()
        said = said.replace("2026-01-01T", f"{DAY:%Y-%m-%d}T")
        messages += [json.loads(line) for line in said.splitlines() if '/ranging"' not in line]
    return [(second_of(message["payload"]["at"]), message["topic"], message["payload"]) for message in messages]


def second_of(time):
    """An agent's time as seconds of the day."""
    hours, minutes, seconds = re.search(r"T(\d\d):(\d\d):([\d.]+)Z", time).groups()
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


class Published(Chain):
    """The chain's figures for messages of agents in simulated shops."""

    @classmethod
    def publish_and_collect(cls, messages):
        """(second, topic, payload) in their order; returns when events, coverage and sheets are rows, each number once."""
        numbered = {"event": "seq", "coverage": "span", "heat": "sheet"}
        cls.numbers = getattr(cls, "numbers", set()) | {
            (*topic.split("/")[1:3], kind, payload[numbered[kind]])
            for _, topic, payload in messages if (kind := topic.rpartition("/")[2]) in numbered}
        collector = Collector(cls.broker, cls.database, "--group", "chain", id="one").is_ready()
        cls.publish_all([(topic, json.dumps(payload)) for _, topic, payload in messages])
        there = "SELECT (SELECT count(*) FROM beacons.event) + (SELECT count(*) FROM beacons.coverage_span) + (SELECT count(*) FROM beacons.heat_sheet)"
        wait_until(lambda: cls.rows(there) == [[str(len(cls.numbers))]],
                   lambda: f"{len(cls.numbers)} numbers, not {cls.rows(there)}; {collector.said()}")
        assert collector.end() == 0

    @classmethod
    def publish_all(cls, messages):
        """In their order, over one connection."""
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        client.connect("127.0.0.1", cls.broker.port)
        client.loop_start()
        last = None
        for topic, payload in messages:
            last = client.publish(topic, payload, qos=1)
        last.wait_for_publish(LONGEST_WAIT_S)
        client.disconnect()
        client.loop_stop()

    @classmethod
    def rows(cls, sql):
        said = run(cls.database.programs / "psql", cls.database.url, "-AtX", "-F", "\t", "-c", sql).decode()
        return [line.split("\t") for line in said.splitlines()]

    @classmethod
    def spans(cls, view, site, watched_s, more="true"):
        """Minor → its visits or stays, in seconds of the day; without an end, the end of what was watched."""
        spans = {}
        for minor, entered, left in cls.rows(
                f"SELECT minor, extract(epoch FROM entered_at - '{DAY:%Y-%m-%d} 00:00Z'), extract(epoch FROM left_at - '{DAY:%Y-%m-%d} 00:00Z') "
                f"FROM beacons.{view} WHERE site = '{site}' AND {more} ORDER BY entered_at"):
            spans.setdefault(int(minor), []).append((float(entered), float(left) if left else float(watched_s)))
        return spans
