"""Simulated stores with floors, opening hours, trolleys that are used again and phones that rotate. Each floor's rooms have gateways, and
each store is joined by the real `beacond site`: what the views say of stores, rooms and hours, against who really was where.
"""

import collections
import datetime
import itertools
import json
import os
import pathlib
import tempfile
import unittest

import shop
from servers import run
from simulated import BEACOND, UUID, WORST_S, Published
from story import DAY

SITES, SEED, FLOORS, ROOMS = ("berlin-17", "hamburg-3"), 1, 2, 4
# Half of the opening is in the day's first hour, half in its second.
OPENS_S, CLOSES_S, WATCHED_S, HOURS = 2400, 4800, 5400, "00:40-01:20"
# Levels show the next room some seconds after a walker is in it, and half of a visit is walking.
LEAST_RIGHT = 0.85
# A visitor in a room for 3 s or less has passed by. Levels react some seconds late, so a room that is crossed in 6 s may be missed.
CROSSED_S, PASSED_S = 6, 3
# Ways in `flow` that really went through a room in between, as a share of all.
MOST_SKIPPED = 0.15
# Of a visitor's time, what is too short or too long in a sum over all.
TIME_ERROR = 0.03
DAY_BEGAN = f"{DAY:%Y-%m-%d} 00:00Z"


class Trip:
    """A visitor's time in the store, with a trolley or a phone."""

    def __init__(self, beacon):
        self.key = (beacon["major"], beacon["minor"])
        self.span = (beacon["entered_at_s"], beacon["left_at_s"])
        self.rooms = [f"g{room}" for room in beacon["room"]]

    def walks(self, least_s):
        """From room to room, where those it was in for least_s or less are left out."""
        stays = [room for room, seconds in itertools.groupby(self.rooms) if len(list(seconds)) > least_s]
        return list(itertools.pairwise(room for room, _ in itertools.groupby(stays)))

    def room(self, second):
        place = int(second - self.span[0])
        return self.rooms[place] if 0 <= place < len(self.rooms) else None


@unittest.skipUnless(os.access(BEACOND, os.X_OK), "there is no beacond to replay what was simulated")
class Floors(Published):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.trips, published = {}, []
        with tempfile.TemporaryDirectory() as folder:
            run(BEACOND, "simulate", "--scenario", "chain", "--stores", len(SITES), "--gateways", ROOMS, "--floors", FLOORS, "--open", HOURS,
                "--seconds", WATCHED_S, "--seed", SEED, "--write", f"{folder}/shop.btsnoop", "--truth", f"{folder}/truth.json")
            for number, site in enumerate(SITES, 1):
                truth = json.loads(pathlib.Path(folder, f"truth-{number}.json").read_text())
                cls.trips[site] = [Trip(beacon) for beacon in truth["beacons"] if beacon["uuid"] == UUID]
                captures = [f"{folder}/shop-{number}-{room}.btsnoop" for room in range(1, ROOMS + 1)]
                gateways, store = shop.joined(BEACOND, folder, captures, site)
                published += [message for messages in (*gateways, store) for message in messages]
        on_the_day = json.dumps(sorted(published, key=lambda message: message["t"]))
        # The store's clock is that of its gateways' messages, and may begin a millisecond before the first of them.
        for day, shown in ((DAY, "2026-01-01T"), (DAY - datetime.timedelta(days=1), "2025-12-31T")):
            on_the_day = on_the_day.replace(shown, f"{day:%Y-%m-%d}T")
        cls.publish_and_collect([(message["t"], message["topic"], message["payload"]) for message in json.loads(on_the_day)
                                 if not message["topic"].endswith("/ranging")])
        cls.rows("SELECT beacons.roll_up()")

    def spans_of_day(self, view, site, more="true"):
        """(major, minor) → its visits or stays, (entered, left), in seconds of the day, in their order."""
        spans = collections.defaultdict(list)
        for major, minor, entered, left in self.rows(
                f"SELECT major, minor, extract(epoch FROM entered_at - '{DAY_BEGAN}'), extract(epoch FROM left_at - '{DAY_BEGAN}') "
                f"FROM beacons.{view} WHERE site = '{site}' AND {more} ORDER BY entered_at"):
            spans[int(major), int(minor)].append((float(entered), float(left)))
        return spans

    def test_each_who_came_and_each_use_of_a_trolley_is_one_visit_of_the_store(self):
        for site in SITES:
            visits, trips = self.spans_of_day("visit", site, "gateway = 'site' AND zone IS NULL"), collections.defaultdict(list)
            for trip in self.trips[site]:
                trips[trip.key].append(trip.span)
            self.assertGreater(len(trips), 20)
            self.assertTrue(any(len(spans) > 1 for spans in trips.values()), "a trolley is used again")
            self.assertEqual({key: len(spans) for key, spans in visits.items()}, {key: len(spans) for key, spans in trips.items()}, site)
            worst = max(abs(one - other) for key, spans in trips.items() for span, visit in zip(spans, visits[key], strict=True)
                        for one, other in zip(span, visit, strict=True))
            self.assertLess(worst, WORST_S, site)

    def test_a_stay_is_the_same_of_all_gateways_and_leaves_the_store_s_own_word_out(self):
        for site in SITES:
            stays, visits = self.spans_of_day("stay", site), self.spans_of_day("visit", site, "gateway = 'site' AND zone IS NULL")
            self.assertEqual(set(stays), set(visits))
            for key, spans in stays.items():
                self.assertEqual(len(spans), len(visits[key]), key)
                for stay, visit in zip(spans, visits[key], strict=True):
                    self.assertLess(max(abs(stay[0] - visit[0]), abs(stay[1] - visit[1])), WORST_S, key)
            gateways = self.rows(f"SELECT DISTINCT unnest(gateways) FROM beacons.stay WHERE site = '{site}' ORDER BY 1")
            self.assertEqual(gateways, [[f"g{room}"] for room in range(1, ROOMS + 1)])

    def test_a_zone_s_visits_are_the_times_in_its_room(self):
        for site in SITES:
            zones = {f"g{room}": self.spans_of_day("visit", site, f"gateway = 'site' AND zone = 'g{room}'") for room in range(1, ROOMS + 1)}
            asked = right = 0
            for trip in self.trips[site]:
                for second in range(int(trip.span[0]) + 1, int(trip.span[1])):
                    asked += 1
                    right += [zone for zone, visits in zones.items() if any(entered <= second < left for entered, left in visits[trip.key])] == [
                        trip.room(second)]
            self.assertGreater(asked, 3000)
            self.assertGreaterEqual(right, LEAST_RIGHT * asked, (site, right / asked))

    def test_flow_is_how_often_somebody_walked_from_room_to_room_and_up_the_stairs(self):
        for site in SITES:
            stayed, passed, all_ways = (collections.Counter(way for trip in self.trips[site] for way in trip.walks(least_s))
                                        for least_s in (CROSSED_S, PASSED_S, 0))
            flow = {(one, other): int(visits) for one, other, visits in self.rows(
                f"SELECT from_zone, to_zone, sum(visits) FROM beacons.flow WHERE site = '{site}' AND region = 'carts' GROUP BY 1, 2")}
            self.assertGreater(all_ways["g1", "g3"], 10, "room 3 is upstairs")
            self.assertGreater(flow["g1", "g3"], 10, "and that is seen")
            self.assertTrue(sum(stayed.values()) <= sum(flow.values()) <= sum(passed.values()) * 1.1, (site, flow, stayed, passed))
            skipped = {way: times for way, times in flow.items() if way not in all_ways}
            self.assertLessEqual(sum(skipped.values()), MOST_SKIPPED * sum(flow.values()), (site, skipped))

    def test_nobody_is_there_while_the_store_is_closed_and_that_is_known(self):
        for site in SITES:
            first, last = min(trip.span[0] for trip in self.trips[site]), max(trip.span[1] for trip in self.trips[site])
            self.assertTrue(OPENS_S <= first and last < CLOSES_S + 300, (first, last))
            spans = [span for spans in self.spans_of_day("stay", site).values() for span in spans]
            self.assertGreaterEqual(min(entered for entered, _ in spans), first)
            self.assertLessEqual(max(left for _, left in spans), last)
            ((hours, least),) = self.rows(
                f"SELECT count(*), min(covered_share) FROM beacons.occupancy_hourly WHERE site = '{site}' AND region = 'carts' AND hour = '{DAY_BEGAN}'")
            self.assertEqual(hours, "1")
            self.assertGreater(float(least), 0.999, "the gateways heard before the store opened, too")

    def test_an_hour_has_everybody_once_and_as_many_as_were_there_on_average(self):
        for site in SITES:
            for hour, covered_s in enumerate((3600, WATCHED_S - 3600)):
                begin, end = 3600 * hour, 3600 * hour + covered_s
                inside = {trip: max(0.0, min(trip.span[1], end) - max(trip.span[0], begin)) for trip in self.trips[site]}
                there = {trip.key for trip, time in inside.items() if time > WORST_S}
                ((beacons, present),) = self.rows(
                    f"SELECT beacons, mean_present FROM beacons.occupancy_hourly WHERE site = '{site}' AND region = 'carts' "
                    f"AND hour = '{DAY_BEGAN}'::timestamptz + interval '{hour} hours'")
                self.assertTrue(len(there) <= int(beacons) <= len({trip.key for trip, time in inside.items() if time > 0}), (site, hour, beacons))
                true = sum(inside.values()) / covered_s
                self.assertAlmostEqual(float(present), true, delta=TIME_ERROR * true)

    def test_the_store_hears_as_long_as_any_of_its_gateways(self):
        for site in SITES:
            spans = {gateway: (float(begin), float(end)) for gateway, begin, end in self.rows(
                f"SELECT gateway, extract(epoch FROM from_at - '{DAY_BEGAN}'), extract(epoch FROM to_at - '{DAY_BEGAN}') "
                f"FROM beacons.coverage WHERE site = '{site}'")}
            begin, end = spans.pop("site")
            self.assertEqual(len(spans), ROOMS)
            self.assertAlmostEqual(begin, min(begin for begin, _ in spans.values()), delta=1)
            self.assertAlmostEqual(end, max(end for _, end in spans.values()), delta=1)

    def test_nothing_is_missing_and_nothing_was_rejected(self):
        self.assertEqual(self.rows("SELECT * FROM beacons.missing"), [])
        self.assertEqual(self.rows("SELECT topic, reason FROM beacons.rejected"), [])
