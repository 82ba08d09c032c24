"""The three stores of deploy/chain/quickstart: what they publish is possible, and the views say of it what happened."""

import datetime
import itertools
import json
import unittest
from collections import defaultdict

from beacons_collector.reading import read
from beacons_collector.topics import parse
from beacons_example.__main__ import load, publish_after, topic_of, write_files
from beacons_example.shops import SHOPS
from beacons_example.stream import stream
from beacons_example.store_messages import stamp
from beacons_example.visits import visits_of

from servers import ROOT, scratch_folder
from story import StoryTest, job

NOW = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
# In weeks in which clocks of Europe or of America change.
CLOCK_CHANGES = [datetime.datetime(2026, 3, 29, 1, 30, tzinfo=datetime.UTC), datetime.datetime(2026, 11, 2, 23, 59, tzinfo=datetime.UTC)]
MINUTE = datetime.timedelta(minutes=1)


def days_of(shop):
    first, today = shop.first_day(NOW), NOW.astimezone(shop.zone).date()
    return [first + datetime.timedelta(days=number) for number in range((today - first).days + 1)]


class Visits(unittest.TestCase):
    """Without a database: five weeks of each store."""

    @classmethod
    def setUpClass(cls):
        cls.visits = {shop.site: {day: visits_of(shop, day, NOW) for day in days_of(shop)} for shop in SHOPS}

    def test_a_visit_lasts_5_to_45_minutes_inside_the_opening_hours(self):
        for shop in SHOPS:
            for day, visits in self.visits[shop.site].items():
                opened = shop.opening(day)
                self.assertEqual(bool(visits), opened is not None, f"{shop.site} {day}")
                for visit in visits:
                    self.assertTrue(shop.at(day, opened[0]) <= visit.begin < visit.end <= shop.at(day, opened[1]), visit)
                    self.assertTrue(5 * MINUTE - MINUTE / 60 <= visit.end - visit.begin <= 45 * MINUTE, visit)

    def test_the_stores_differ_in_size_dwell_and_rhythm(self):
        for figures in zip(*((sum(shop.visits), shop.minutes, shop.visits[5] / shop.visits[0]) for shop in SHOPS), strict=True):
            self.assertEqual(len(set(figures)), len(SHOPS), figures)

    def test_a_cart_makes_one_visit_at_a_time_from_zone_to_zone(self):
        for shop in SHOPS:
            for visits in self.visits[shop.site].values():
                carts = defaultdict(list)
                for visit in visits:
                    carts[visit.cart].append(visit)
                    for before, after in itertools.pairwise(visit.stays):
                        self.assertTrue(before.begin < before.end == after.begin and before.zone != after.zone, visit)
                for of_cart in carts.values():
                    for before, after in itertools.pairwise(of_cart):
                        self.assertLess(before.end + MINUTE, after.begin)

    def test_the_same_moment_gives_the_same_messages_in_the_order_of_time(self):
        shop = SHOPS[-1]
        first, again = (list(itertools.islice(stream(shop, NOW), 5000)) for _ in range(2))
        self.assertEqual(first, again)
        self.assertEqual([one["received_at"] for one in first], sorted(one["received_at"] for one in first))

    def test_each_message_keeps_the_contract(self):
        for shop in SHOPS:
            for message in itertools.islice(stream(shop, NOW), 0, None, 50):
                address = parse(topic_of(message), "beacons")
                self.assertIsNotNone(read(json.dumps(message["payload"]).encode(), address))

    def test_what_goes_on_has_the_numbers_that_follow(self):
        """From the past to the next two days: each gateway's numbers have no hole, and begin anew after the power failure alone."""
        for shop, now in itertools.product(SHOPS, (NOW, *CLOCK_CHANGES)):
            last, latest = {}, ""
            for message in stream(shop, now):
                self.assertLessEqual(latest, latest := message["received_at"], f"{shop.site} {now}")
                series = next((name for name in ("seq", "span", "sheet") if name in message["payload"]), None)
                if series:
                    key = message["gateway"], message["payload"]["epoch"], series
                    self.assertEqual(message["payload"][series], last.get(key, 0) + 1, key)
                    last[key] = message["payload"][series]
            epochs = {epoch for gateway, epoch, _ in last if gateway == shop.gateways[0]}
            self.assertEqual(len(epochs), 1 + len(shop.deaf))

    def test_one_store_is_open_at_any_hour(self):
        for hour in range(24 * 366):
            at = NOW + datetime.timedelta(hours=hour)
            local = {shop.site: at.astimezone(shop.zone) for shop in SHOPS}
            opened = [shop.site for shop in SHOPS if (times := shop.opening(local[shop.site].date()))
                      and times[0] <= local[shop.site].hour + local[shop.site].minute / 60 < times[1]]
            self.assertTrue(opened, at)


class Figures(StoryTest):
    """The views, after the past has come as the quickstart brings it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = scratch_folder("example")
        write_files(folder)
        for command in ("stores", "register"):
            code, words = job(ROOT / "deploy/chain" / command, cls.database.url, folder / f"{command}.csv")
            assert code == 0, words
        cls.events = load(NOW, cls.database.url)
        cls.connection.execute("SELECT beacons.make_days_ahead()")
        cls.connection.execute("SELECT beacons.roll_up()")
        while cls.connection.execute("SELECT beacons.roll_up_days()").fetchone() != (0,):
            pass

    def test_nothing_is_refused_missing_or_in_the_future(self):
        ((events, latest, rejected, missing, given_up),) = self.query(
            "SELECT (SELECT count(*) FROM beacons.event), (SELECT max(at) FROM beacons.event), (SELECT count(*) FROM beacons.rejected), "
            "(SELECT count(*) FROM beacons.missing), (SELECT sum(given_up) FROM beacons.budget_daily)")
        self.assertEqual((f"{events:,} events", rejected, missing, given_up), (self.events, 0, 0, 0))
        self.assertLessEqual(latest, NOW)
        self.assertGreater(events, 40_000)

    def test_days_have_the_visits_that_were_made(self):
        for shop in SHOPS:
            outages = [begin.astimezone(shop.zone).date() for begin, _ in shop.outages(NOW)]
            counted = dict(self.query("SELECT day, visits FROM beacons.occupancy_daily WHERE site = %(site)s", site=shop.site))
            for day in days_of(shop):
                made = sum(visit.begin <= NOW for visit in visits_of(shop, day, NOW))
                if day not in outages and (made or day in counted):
                    self.assertEqual(counted.get(day), made, f"{shop.site} {day}")

    def test_zones_have_their_visits(self):
        shop = SHOPS[0]
        day = shop.last_monday(NOW)
        made = defaultdict(int)
        for visit in visits_of(shop, day, NOW):
            for stay in visit.stays:
                made[stay.zone.name] += 1
        self.assertEqual(dict(self.query("SELECT zone, visits FROM beacons.zone_daily WHERE site = %(site)s AND day = %(day)s", site=shop.site, day=day)), made)

    def test_the_deaf_afternoon_is_all_that_was_not_heard(self):
        outages = {shop.site: self.query(
            "SELECT from_at, to_at FROM beacons.not_heard WHERE site = %(site)s AND to_at - from_at > interval '10 minutes'", site=shop.site) for shop in SHOPS}
        self.assertEqual(outages, {shop.site: shop.outages(NOW) for shop in SHOPS})
        self.assertEqual(sum(map(len, outages.values())), 1)
        # What was heard last was heard before the radio fell silent, so no visit touches an hour of which nothing was heard.
        self.assertEqual(self.query("SELECT site, hour, visits FROM beacons.occupancy_hourly WHERE covered_share = 0 AND visits > 0"), [])

    def test_one_cart_is_silent_and_one_battery_ends(self):
        self.assertEqual([(site, asset) for site, asset in self.query("SELECT site, asset FROM beacons.beacon_silent")],
                         [(shop.site, f"Cart {cart}") for shop in SHOPS for cart, _, _ in shop.dead])
        for shop in SHOPS:
            for cart, _, _ in shop.dead:
                self.assertEqual(self.query("SELECT last_heard_at FROM beacons.beacon_silent WHERE site = %(site)s AND asset = %(asset)s", site=shop.site,
                                            asset=f"Cart {cart}"), [(shop.dies_at(cart, NOW),)])
        self.assertEqual([(site, asset) for site, asset in self.query("SELECT site, asset FROM beacons.beacon_battery WHERE days_left < 90")],
                         [(shop.site, f"Cart {cart}") for shop in SHOPS for cart in shop.weak])

    def test_each_gateway_is_online_and_has_a_clock(self):
        self.assertEqual(self.query("SELECT DISTINCT state, radio FROM beacons.gateway_now"), [("online", "scanning")])
        self.assertEqual(self.query("SELECT DISTINCT payload ->> 'clock' FROM beacons.status"), [("synced",)])


class Live(unittest.TestCase):
    def test_what_is_published_is_what_was_not_loaded(self):
        shop = SHOPS[-1]
        whole = list(stream(shop, NOW))
        loaded = [message for message in whole if message["received_at"] <= stamp(NOW)]
        self.assertEqual(loaded + list(publish_after(NOW, (shop,))), whole)
