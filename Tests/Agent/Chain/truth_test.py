"""Simulated stores whose visits are known, through real agents, a real broker, a collector and a database: what the views say
against what really happened.

Each phone of the simulated crowd has a minor of its own and changes its address. Who is there when the agent begins, or still there
in the end, is left out of the comparison of visits: an agent that has just begun can't know an entry.
"""

import json
import os
import pathlib
import statistics
import tempfile
import unittest

import paho.mqtt.client as mqtt

import collector_test
from servers import LONGEST_WAIT_S, run, wait_until
from simulated import BEACOND, Shop, published
from story import DAY

# Seeds, and how long each store is watched.
STORES, WATCHED_S = {"berlin-17": 5, "hamburg-3": 6}, 3600
# What radio and rules may cost. A phone is inside once it was heard for a moment, and it has left when it was last heard: fading hides
# packets at both ends. A visit that is shaded for longer than an exit takes becomes two visits; beyond the time over which
# stays are joined, it becomes two stays.
TYPICAL_S, WORST_S = 1.0, 10.0
MOST_SPLIT, MOST_CUT, DWELL_ERROR = 0.05, 0.15, 0.01


class Published(collector_test.Chain):
    """The chain's figures for messages of agents in simulated shops."""

    @classmethod
    def publish_and_collect(cls, messages):
        """(second, topic, payload) in their order; returns when events, coverage and sheets are rows, each number once."""
        numbered = {"event": "seq", "coverage": "span", "heat": "sheet"}
        cls.numbers = getattr(cls, "numbers", set()) | {
            (*topic.split("/")[1:3], kind, payload[numbered[kind]])
            for _, topic, payload in messages if (kind := topic.rpartition("/")[2]) in numbered}
        collector = collector_test.Collector(cls.broker, cls.database, "--group", "chain", id="one").is_ready()
        cls.publish_all([(topic, json.dumps(payload)) for _, topic, payload in messages])
        there = "SELECT (SELECT count(*) FROM beacons.event) + (SELECT count(*) FROM beacons.coverage_span) + (SELECT count(*) FROM beacons.heat_sheet)"
        wait_until(lambda: cls.rows(there) == [[str(len(cls.numbers))]],
                   lambda: f"{len(cls.numbers)} numbers, not {cls.rows(there)}; {collector.said()}")
        assert collector.end() == 0
        collector.log.close()

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


@unittest.skipUnless(os.access(BEACOND, os.X_OK), "there is no beacond to replay what was simulated")
class Truth(Published):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.truth, messages = {}, []
        with tempfile.TemporaryDirectory() as folder:
            for site, seed in STORES.items():
                shop = Shop(seed, WATCHED_S, pathlib.Path(folder))
                cls.truth[site] = shop.phones
                messages += published(site, "entrance", [shop.capture], shop.folder)
        # All tests look at the same rows, so that the chain runs once.
        cls.publish_and_collect(messages)
        cls.rows("SELECT beacons.roll_up()")

    def came_and_left(self, site):
        """All but those of whom the agent could not know in the end that they had left."""
        return {minor: span for minor, span in self.truth[site].items() if span[0] > 0 and span[1] < WATCHED_S - 60}

    def test_who_came_and_left_is_a_stay_from_coming_to_leaving(self):
        for site in STORES:
            came, stays = self.came_and_left(site), self.spans("stay", site, WATCHED_S)
            self.assertGreater(len(came), 20, "a crowd")
            self.assertLessEqual(set(came), set(stays), site)
            split = [minor for minor in came if len(stays[minor]) > 1]
            self.assertLessEqual(len(split), MOST_SPLIT * len(came), split)
            errors = [abs(stays[minor][side][side] - true[side]) for minor, true in came.items() for side in (0, -1)]
            self.assertLess(statistics.median(errors), TYPICAL_S, site)
            self.assertLess(max(errors), WORST_S, site)

    def test_visits_are_those_who_came_and_a_few_that_fading_cut_in_two(self):
        for site in STORES:
            came, visits = self.came_and_left(site), self.spans("visit", site, WATCHED_S)
            self.assertLessEqual(set(visits), set(self.truth[site]), "nobody else")
            counted = sum(len(visits[minor]) for minor in came)
            self.assertTrue(len(came) <= counted <= (1 + MOST_CUT) * len(came), (site, len(came), counted))

    def test_dwell_is_the_time_that_they_were_there(self):
        for site in STORES:
            came, stays = self.came_and_left(site), self.spans("stay", site, WATCHED_S)
            dwell = sum(left - entered for minor in came for entered, left in stays[minor])
            true = sum(left - entered for entered, left in came.values())
            self.assertLess(abs(dwell - true), DWELL_ERROR * true, (site, dwell, true))

    def test_occupancy_by_hour_is_how_many_were_there(self):
        for site in STORES:
            # Who was there in the beginning is inside without an entry, and counts once it was away and came back.
            come = [span for span in self.truth[site].values() if span[0] > 0]
            everybody = self.truth[site].values()
            ((beacons, present, covered),) = self.rows(
                "SELECT beacons, mean_present, covered_share FROM beacons.occupancy_hourly "
                f"WHERE site = '{site}' AND hour = '{DAY:%Y-%m-%d} 00:00Z'")
            self.assertTrue(len(come) <= int(beacons) <= len(everybody), (site, len(come), beacons))
            least, most = (sum(left - entered for entered, left in spans) / WATCHED_S for spans in (come, everybody))
            self.assertTrue((1 - DWELL_ERROR) * least <= float(present) <= most, (site, least, present, most))
            self.assertGreater(float(covered), 0.999, "all of the hour, but for the first and the last message")

    def test_nothing_is_missing_and_nothing_was_rejected(self):
        self.assertEqual(self.rows("SELECT * FROM beacons.missing"), [])
        self.assertEqual(self.rows("SELECT topic, reason FROM beacons.rejected"), [])
