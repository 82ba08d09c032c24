"""The daily budget of a store, and the fate of messages beyond it."""

import datetime
import tempfile
from pathlib import Path

import psycopg
from beacons_collector.database import Database, Rejected
from beacons_collector.metrics import MetricsFile
from beacons_collector.roll_up import RollUp

from schema_test import SchemaTest
from story import DAY, at, event, health, span, stamp, state, status


class BudgetTests(SchemaTest):
    """A store that publishes too much costs itself, and no other store."""

    def setUp(self):
        super().setUp()
        for kind, messages, octets in (("told", 5, 100_000), ("health", 3, 100_000), ("rejected", 2, 100_000)):
            self.connection.execute("INSERT INTO beacons.budget VALUES (%s, %s, %s, %s)", (self.site, kind, messages, octets))

    def entries(self, *numbers):
        return [event({"seq": number, "at": "9:00", "type": "enter", "beacon": f"1/{number}"}) for number in numbers]

    def used(self, kind):
        return self.query("SELECT messages, given_up FROM beacons.budget_daily WHERE site = %(site)s AND kind = %(kind)s", kind=kind)

    def reject(self, count, payload=b"p", site=None):
        (kept,), = self.query(
            "SELECT beacons.reject(array_fill(now(), ARRAY[%(count)s]), array_fill(%(its)s::text, ARRAY[%(count)s]), array_fill('t'::text, ARRAY[%(count)s]), "
            "array_fill(%(payload)s::bytea, ARRAY[%(count)s]), array_fill('r'::text, ARRAY[%(count)s]))", count=count, its=site or self.site, payload=payload)
        return kept

    def test_what_comes_beyond_a_store_s_budget_is_counted_and_not_kept_and_other_stores_are_not_touched(self):
        self.assertEqual(self.take(self.entries(1, 2, 3, 4, 5)), ["new"] * 5)
        other = [one | {"site": self.site + "-2"} for one in self.entries(1, 2, 3)]
        self.assertEqual(self.take(self.entries(6, 7) + other), ["over_budget"] * 2 + ["new"] * 3)
        self.assertEqual(self.used("told"), [(5, 2)])
        self.assertEqual(self.query("SELECT count(*) FROM beacons.event WHERE site = %(site)s"), [(5,)])

    def test_a_repetition_costs_nothing(self):
        self.take(self.entries(1, 2) * 2)
        self.take(self.entries(1, 2))
        self.assertEqual(self.used("told"), [(2, 0)])

    def test_length_counts_as_well(self):
        long = self.entries(1)[0]
        long["payload"]["colour"] = "r" * 100_000
        self.assertEqual(self.take([long]) + self.take(self.entries(2)), ["new", "over_budget"])

    def test_numbers_that_were_given_up_are_missing(self):
        self.take(self.entries(1, 2, 3, 4, 5))
        self.take(self.entries(6))
        self.connection.execute("UPDATE beacons.budget SET messages_a_day = 100 WHERE site = %s AND kind = 'told'", (self.site,))
        self.take(self.entries(7))
        self.assertEqual(self.missing(), [("door", 6, 6)])

    def test_health_and_events_have_a_budget_each(self):
        self.assertEqual(self.take([health("door", f"9:0{minute}") for minute in range(4)]), ["new"] * 4)
        self.assertEqual(self.take([health("door", "9:09"), *self.entries(1)]), ["over_budget", "new"])
        self.assertEqual((self.used("health"), self.used("told")), ([(4, 1)], [(1, 0)]))

    def test_what_cannot_be_read_has_one_too(self):
        self.assertEqual([self.reject(2), self.reject(3), self.reject(1, site=self.site + "-2")], [2, 0, 1])
        self.assertEqual(self.used("rejected"), [(2, 3)])

    def test_a_collector_reports_what_was_not_kept_of_that(self):
        collector = Database(self.database.url, lambda: False)
        self.addCleanup(collector.close)
        now = datetime.datetime.now(datetime.UTC)
        collector.store([], [Rejected("t", b"p", "r", now, site) for site in (self.site, self.site + "-2")] * 3)
        collector.store([], [Rejected("t", b"p", "r", now, site) for site in (self.site, self.site + "-2")] * 2)
        self.assertEqual((collector.outcomes["rejected"], collector.outcomes["over_budget"]), (8, 2))
        with tempfile.TemporaryDirectory() as folder:
            MetricsFile(f"{folder}/figures.prom", "one").write(collector.outcomes, 0)
            figures = Path(folder, "figures.prom").read_text()
        self.assertIn('rejected_total{collector="one"} 8\n', figures)
        self.assertIn('over_budget_total{collector="one"} 2\n', figures)

    def test_a_store_without_a_row_of_its_own_has_the_row_of_all(self):
        self.connection.execute("DELETE FROM beacons.budget WHERE site = %s", (self.site,))
        self.take(self.entries(1))
        self.assertEqual(self.query("SELECT messages_a_day, octets_a_day, used_share < 0.001 FROM beacons.budget_daily WHERE site = %(site)s"),
                         [(1_000_000, 1 << 30, True)])

    def test_several_collectors_count_together_and_none_waits_for_another(self):
        with psycopg.connect(self.database.url) as one, psycopg.connect(self.database.url) as two:
            self.assertEqual(self.take([health("door", "9:00"), health("door", "9:01")], one), ["new"] * 2)
            # The first has not committed.
            self.assertEqual(self.take([health("till", "9:00"), health("till", "9:01")], two), ["new"] * 2)
            one.commit()
            two.commit()
        self.assertEqual(self.take([health("door", "9:02")]), ["over_budget"])


class RoomTests(SchemaTest):
    """Each store has a limit of the rows that its messages leave, and of the hours that a roll-up counts for it."""

    def budget(self, kind, **limits):
        names, values = zip(*limits.items(), strict=True)
        self.connection.execute(f"INSERT INTO beacons.budget (site, kind, {', '.join(names)}) VALUES (%s, %s{', %s' * len(values)})", (self.site, kind, *values))

    def count(self, table, site=None):
        return self.query(f"SELECT count(*) FROM beacons.{table} WHERE site = %(its)s", its=site or self.site)[0][0]

    def used(self, kind):
        return self.query("SELECT messages, rows, given_up FROM beacons.budget_daily WHERE site = %(site)s AND kind = %(kind)s", kind=kind)

    def count_all(self):
        """Rolls up until no hour of the store waits."""
        for _ in range(50):
            self.connection.execute("SELECT beacons.roll_up()")
            if self.query("SELECT count(*) FROM beacons.changed WHERE site = %(site)s") == [(0,)]:
                return
        self.fail("hours wait for ever")

    def test_made_up_regions_fill_no_more_than_their_store_s_room(self):
        self.budget("regions", rows_in_all=3)
        states = [state("door", f"r{number}") for number in range(10)]
        self.assertEqual(self.take(states), ["unkept"] * 3 + ["over_budget"] * 7)
        # A region that is there already has its room.
        self.assertEqual(self.take(states), ["unkept"] * 3 + ["over_budget"] * 7)
        self.assertEqual(self.take([event({"seq": 1, "at": "9:00", "type": "enter", "region": region}) for region in ("r1", "r9")]), ["new", "over_budget"])
        self.assertEqual((self.count("region_gateway"), self.used("regions")), (3, [(0, 0, 15)]))
        self.assertEqual(self.take([state("door") | {"site": self.site + "-2"}]), ["unkept"])

    def test_made_up_gateways_do_neither_whatever_they_publish(self):
        self.budget("gateways", rows_in_all=2)
        messages = [message(f"g{number}") for number in range(4) for message in (state, lambda gateway: health(gateway, "9:00"), lambda gateway: span(1, gateway, "8:00", "9:00"))]
        self.assertEqual(self.take(messages), ["unkept", "new", "new"] * 2 + ["over_budget"] * 6)
        self.assertEqual([self.count(table) for table in ("gateway", "last_word", "coverage_span", "region_gateway")], [2] * 4)
        self.assertEqual(self.used("gateways"), [(0, 0, 6)])

    def test_each_fix_of_a_track_counts_as_a_row(self):
        self.budget("told", rows_a_day=100)
        fixes = [{"at": stamp(f"9:00:{second}"), "latitude": 52, "longitude": 13, "horizontal_accuracy_m": 8} for second in range(60)]
        tracks = [{"kind": "track", "gateway": "van", "payload": {"epoch": "e", "batch": number, "at": stamp("9:01"), "finished": "timeout", "fixes": fixes}}
                  for number in range(1, 4)]
        self.assertEqual([self.take([track])[0] for track in tracks], ["new", "new", "over_budget"])
        self.assertEqual(self.used("told"), [(2, 122, 1)])

    def long_coverage(self, days):
        now = datetime.datetime.now(datetime.UTC)
        return span(1, "door", now - datetime.timedelta(days=days), now)

    def test_late_hours_have_a_budget_and_the_newest_ones_are_counted(self):
        regions, free, earned = 19, 150_000, 40
        self.budget("hours", rows_a_day=20_000_000, rows_a_message=earned)
        messages = [state("door", f"r{number}") for number in range(regions)] + [self.long_coverage(50)] + [status("till", f"9:0{minute}", "offline") for minute in range(9)]
        self.take(messages)
        cost = 200 + 8 * (regions + 1)
        hours = (free + 10 * earned) // cost
        self.count_all()
        ((_, late, given_up),) = self.used("hours")
        self.assertEqual(late, hours * cost)
        # The hours of fifty days but for the last four hours, and the hours at both ends.
        self.assertIn(given_up, range(50 * 24 - hours - 8, 50 * 24 - hours + 1))
        # What a collector reports of all stores.
        roll_up = RollUp(f"{self.database.url}?options=-crole%3Dbeacons_collector")
        roll_up.count()
        self.assertEqual(self.query("SELECT sum(given_up)::bigint FROM beacons.budget_daily WHERE kind = 'hours'"), [(roll_up.hours_given_up,)])
        self.assertIn(self.count("occupancy_hour"), range(regions * (hours + 4), regions * (hours + 6) + 1))
        # Days whose hours are not counted are not due.
        self.assertLess(self.count("due_day"), hours / 24 + 4)
        # An operator may allow a store more.
        self.connection.execute("UPDATE beacons.budget SET rows_a_message = 1000000 WHERE site = %s", (self.site,))
        self.take([state("door", "one more")])
        self.count_all()
        self.assertGreater(self.count("occupancy_hour"), (regions + 1) * 49 * 24)

    def test_the_regions_of_a_store_share_the_holes_of_its_gateways(self):
        spans = [span(number, "door", f"9:{number // 2:02}:{number % 2 * 30:02}", f"9:{number // 2:02}:{number % 2 * 30 + 20 + number % 5:02}") for number in range(1, 101)]
        self.take([state("door"), *spans])

        def heard(site=None):
            return self.query("SELECT (SELECT count(*) FROM unnest(reported)), (SELECT count(*) FROM unnest(heard)), beacons.seconds(heard) "
                              "FROM beacons.heard_by_gateway(%(site)s, %(from)s, %(until)s)", **{"from": at("9:00"), "until": at("10:00")})

        self.assertEqual(heard(), [(100, 100, 2200)])
        self.take([state("till", f"r{number}") for number in range(4999)])
        # Of the 2,990 s from the first span to the last, the twenty longest holes are left: 19 of ten seconds and one of nine.
        self.assertEqual(heard(), [(21, 21, 2990 - 19 * 10 - 9)])

    def test_of_an_hour_the_longest_holes_count(self):
        self.take([state("door")] + [span(number, "door", DAY + datetime.timedelta(hours=9, seconds=36 * number), DAY + datetime.timedelta(
            hours=9, seconds=36 * number + 30 - (number % 2))) for number in range(100)])
        # Fifty holes of seven seconds and ten of six are left of the 99 that end in the hour, and the last six seconds of it.
        ((share,),) = self.query("SELECT covered_share FROM beacons.occupancy_of(%(site)s, %(from)s, %(until)s)", **{"from": at("9:00"), "until": at("10:00")})
        self.assertAlmostEqual(share, (3600 - 50 * 7 - 11 * 6) / 3600)

    def test_of_the_visits_of_one_beacon_the_newest_are_joined_again(self):
        with self.connection.transaction(force_rollback=True):
            exits = [event({"seq": hour, "at": f"{hour}:20:20", "type": "exit", "entered": f"{hour}:00", "heard": f"{hour}:20"}) for hour in range(1, 11)]
            self.take(exits[:8])
            self.connection.execute("SELECT beacons.roll_up()")
            self.assertEqual(self.count("stay_day"), 8)
            self.connection.execute("CREATE OR REPLACE FUNCTION beacons.most_visits_joined() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 3::bigint'")
            # A roll-up that joined the old visits again would not leave this stay as it is.
            self.connection.execute("UPDATE beacons.stay_day SET dwell_s = 7 WHERE site = %s AND entered_at = %s", (self.site, exits[1]["payload"]["entered_at"]))
            self.take([event({"seq": 11, "at": "0:20:20", "type": "exit", "entered": "0:00", "heard": "0:20"}), *exits[8:]])
            self.connection.execute("SELECT beacons.roll_up()")
            self.assertEqual(self.query("SELECT dwell_s FROM beacons.stay_day WHERE site = %(site)s ORDER BY entered_at"), [(1200,), (7,), *[(1200,)] * 8])

    def test_the_hours_of_one_store_hold_up_no_other_and_are_all_counted_in_the_end(self):
        with self.connection.transaction(force_rollback=True):
            self.connection.execute("CREATE OR REPLACE FUNCTION beacons.most_cost() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 16000::bigint'")
            regions, other = 19, self.site + "-2"
            self.take([state("door", f"r{number}") for number in range(regions)] + [self.long_coverage(20)])
            now = datetime.datetime.now(datetime.UTC)
            self.take([state("door") | {"site": other}, span(1, "door", now - datetime.timedelta(hours=2), now) | {"site": other}])
            turns = []
            while self.query("SELECT count(*) FROM beacons.changed WHERE site = %(site)s") != [(0,)]:
                self.connection.execute("SELECT beacons.roll_up()")
                turns.append(self.count("occupancy_hour"))
                self.assertIn(self.count("occupancy_hour", other), (2, 3))
                self.assertEqual(self.query("SELECT rolled_until = now() FROM beacons.progress"), [(True,)])
                self.assertLess(len(turns), 20)
            # A hundred hours of nineteen regions at a time. The newest one may not have begun.
            for turn in (1, 2):
                self.assertIn(turns[turn - 1], (regions * (100 * turn - 1), regions * 100 * turn))
            self.assertEqual(self.query(
                "SELECT count(*) FROM (SELECT region, hour, covered_share FROM beacons.occupancy_hour WHERE site = %(site)s EXCEPT "
                "SELECT region, hour, covered_share FROM beacons.occupancy_of(%(site)s, now() - interval '30 days', now() + interval '1 day')) d"), [(0,)])
