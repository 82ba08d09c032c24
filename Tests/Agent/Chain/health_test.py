"""The health of beacons from packets to views: simulated stores with a known truth, real agents, the collector's readers and a database.

Lists and coverage are taken hour by hour, and the views are asked after each hour. Beacons die, move and come; the last store is deaf for more
than half of the time.
"""

import os
import pathlib
import statistics
import tempfile
import unittest

from beacons_collector.database import Database, Row
from beacons_collector.reading import read
from beacons_collector.topics import parse

from fleet import DAY_S, HOUR_S, Fleet, gone_at_s, home
from servers import SCHEMA, run
from simulated import BEACOND
from story import StoryTest

# A beacon may be heard for the last time some packets before it dies: fading and collisions hide some.
LAST_PACKETS_S = 900
# Another seed is another chain.
SEED = int(os.environ.get("SEED", "1"))
# How long a stay has to be heard to be listed for sure, or to have a battery for sure.
SURELY_S = 2 * HOUR_S
CARRIED = {"eddystone_tlm": ("mv",), "bthome_v2": ("percent", "mv"), "battery_service": ("percent",), "minew": ("percent",), "kontakt": ("percent",)}


@unittest.skipUnless(os.access(BEACOND, os.X_OK), "there is no beacond to replay what was simulated")
class Health(StoryTest):
    stores, gateways, days = 3, 2, 12

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.fleet = Fleet(pathlib.Path(folder.name), cls.stores, cls.gateways, cls.days, SEED)
        url = cls.url_of(cls.__name__)
        run(SCHEMA.with_name("register"), "--database", url, cls.fleet.register())
        cls.collector = Database(url, lambda: False)
        cls.addClassCleanup(cls.collector.close)
        # Beacon → the hours after which its store called it silent, and the store that heard it by the last answer.
        cls.named, cls.heard_in = {}, {}
        # The strangers after each day.
        cls.strangers = []
        messages = iter(cls.fleet.messages)
        waiting = next(messages, None)
        for hour in range(1, 24 * cls.days + 1):
            rows = []
            while waiting is not None and waiting.at_s < hour * HOUR_S + HOUR_S / 2:
                rows.append(cls.row(waiting))
                waiting = next(messages, None)
            cls.collector.commit(rows, [])
            for site, major, minor, other in cls.ask("SELECT site, major, minor, heard_in FROM beacons.beacon_silent"):
                cls.named.setdefault((site, major, minor), []).append(hour)
                cls.heard_in[site, major, minor] = other
            if hour % 24 == 0:
                cls.strangers.append(set(cls.ask("SELECT site, major, minor, registered_in FROM beacons.beacon_stranger")))

    @classmethod
    def row(cls, message):
        address = parse(message.topic, "beacons")
        return Row(message.topic, address, read(message.payload, address), cls.fleet.time(message.at_s))

    @classmethod
    def ask(cls, text):
        return cls.collector.connected().execute(text).fetchall()

    def registered(self):
        return [(home(beacon), key, beacon) for key, beacon in self.fleet.beacons.items() if home(beacon)]

    def test_each_beacon_that_is_gone_is_named_after_a_covered_day_and_a_report_interval_and_not_before(self):
        delays, last = [], self.days * 24
        for site, key, beacon in self.registered():
            gone_s, hours = gone_at_s(beacon), self.named.get((site, *key), [])
            if gone_s is None:
                continue
            with self.subTest(beacon=key, site=site, gone_h=gone_s / HOUR_S):
                if self.fleet.covered_s(site, gone_s, last * HOUR_S) < DAY_S - LAST_PACKETS_S:
                    self.assertEqual(hours, [])
                elif self.fleet.covered_s(site, gone_s, last * HOUR_S) > DAY_S + HOUR_S:
                    self.assertEqual(hours, list(range(hours[0], last + 1)), "once named, it stays named")
                    delay_s = self.fleet.covered_s(site, gone_s, hours[0] * HOUR_S)
                    self.assertGreaterEqual(delay_s, DAY_S - LAST_PACKETS_S)
                    self.assertLessEqual(delay_s, DAY_S + HOUR_S)
                    delays.append(delay_s / HOUR_S)
        self.assertGreater(len(delays), self.stores)
        print(f"figure: {len(delays)} of {len(self.registered())} beacons died or moved, {self.days} days, {self.stores} stores, {self.gateways} gateways in each: "
              f"named {min(delays):.1f} to {max(delays):.1f} covered hours later, {statistics.median(delays):.1f} at the median")

    def test_no_beacon_that_is_there_is_named_at_any_hour_and_none_because_its_store_was_deaf(self):
        there = {(site, *key) for site, key, beacon in self.registered() if gone_at_s(beacon) is None}
        self.assertGreater(len(there), 15 * self.stores)
        self.assertEqual({name: hours for name, hours in self.named.items() if name in there}, {})
        for name, hours in self.named.items():
            for begin_s, end_s in self.fleet.deaf[name[0]]:
                # The list of the hour before is the last one that may name a beacon.
                self.assertFalse(begin_s + HOUR_S < hours[0] * HOUR_S <= end_s, name)
        print(f"figure: none of {len(there)} beacons that were there was named in {24 * self.days} hourly answers, "
              f"{sum((end - begin) / HOUR_S for spans in self.fleet.deaf.values() for begin, end in spans):.0f} h of a deaf store among them")

    def test_a_beacon_that_moved_is_silent_at_home_and_its_row_says_where_it_is(self):
        moved = 0
        for site, key, beacon in self.registered():
            if beacon["moved_to"] and (site, *key) in self.named:
                heard = self.fleet.heard_s(key, beacon["moved_to"])
                self.assertIn(self.heard_in[site, *key], {beacon["moved_to"]} if heard > SURELY_S else {beacon["moved_to"], None})
                moved += heard > SURELY_S
            elif (site, *key) in self.named:
                self.assertIsNone(self.heard_in[site, *key])
        self.assertGreater(moved, 0)
        print(f"figure: {moved} moved beacons are silent at home, with heard_in")

    def test_strangers_are_exactly_what_a_store_heard_and_did_not_register(self):
        for day, named in enumerate(self.strangers, 1):
            surely, perhaps = set(), set()
            for key, beacon in self.fleet.beacons.items():
                for stay in beacon["stays"]:
                    if stay["site"] == home(beacon):
                        continue
                    stranger = (stay["site"], *key, home(beacon))
                    heard_s = self.fleet.covered_s(stay["site"], stay["from_s"], min(stay["until_s"], day * DAY_S))
                    if heard_s > 0:
                        perhaps.add(stranger)
                    if heard_s > SURELY_S:
                        surely.add(stranger)
            self.assertLessEqual(surely, named, day)
            self.assertLessEqual(named, perhaps, day)
        self.assertGreaterEqual(len(self.strangers[-1]), self.stores)

    def test_a_battery_is_that_of_the_truth_at_the_moment_of_its_reading(self):
        batteries = {(site, major, minor): rest for site, major, minor, *rest in self.ask(
            "SELECT site, major, minor, battery_percent, battery_mv, format, telemetry_at, last_heard_at FROM beacons.beacon_battery")}
        compared = 0
        for key, beacon in self.fleet.beacons.items():
            for site in {stay["site"] for stay in beacon["stays"]}:
                if self.fleet.heard_s(key, site) <= SURELY_S:
                    continue
                with self.subTest(beacon=key, site=site):
                    percent, mv, word, read_at, heard_at = batteries[site, *key]
                    self.assertEqual(word, beacon["format"])
                    self.assertEqual([name for name, value in (("percent", percent), ("mv", mv)) if value is not None], list(CARRIED[word]))
                    hour = int(self.fleet.second(read_at) // HOUR_S)
                    for name, value in (("percent", percent), ("mv", mv)):
                        if value is not None:
                            higher, lower = beacon[f"battery_{name}"][hour:hour + 2]
                            self.assertTrue(lower <= value <= higher, (name, lower, value, higher))
                            compared += 1
                    self.assertLessEqual((heard_at - read_at).total_seconds(), 2 * HOUR_S)
        self.assertGreater(compared, 15 * self.stores)
        print(f"figure: {compared} batteries as the truth has them at the moment of their reading, to 1 % and 1 mV")

    def test_the_battery_of_a_day_lies_between_its_first_and_its_last_hour(self):
        days = {(site, major, minor, (day - self.fleet.begin.date()).days): rest for site, major, minor, day, *rest in self.ask(
            "SELECT site, major, minor, day, battery_percent, battery_percent_min, battery_mv, battery_mv_min FROM beacons.battery_daily")}
        for (*_, major, minor, day), (percent, percent_min, mv, mv_min) in days.items():
            beacon = self.fleet.beacons[major, minor]
            for name, mean, least in (("percent", percent, percent_min), ("mv", mv, mv_min)):
                if mean is not None:
                    hours = beacon[f"battery_{name}"][24 * day:24 * day + 25]
                    self.assertTrue(hours[-1] - 0.01 <= least <= mean + 0.01 and mean <= hours[0] + 0.01, (major, minor, day, hours[0], mean, least, hours[-1]))
        for key, beacon in self.fleet.beacons.items():
            for stay in beacon["stays"]:
                for day in range(self.days):
                    heard_s = self.fleet.covered_s(stay["site"], max(stay["from_s"], day * DAY_S), min(stay["until_s"], (day + 1) * DAY_S))
                    if heard_s > SURELY_S:
                        self.assertIn((stay["site"], *key, day), days)

    def test_the_collector_refused_nothing_and_took_nothing_twice(self):
        self.assertEqual(set(self.collector.outcomes), {"new"})
        self.assertEqual(self.collector.outcomes["new"], len(self.fleet.messages))
