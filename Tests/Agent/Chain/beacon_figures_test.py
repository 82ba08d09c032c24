"""Figures of beacons for Prometheus: each store is counted in its turn, and the stores that need help are named."""

import datetime
import pathlib
import tempfile

import psycopg
from beacons_collector.beacon_figures import MOST_SITES, BeaconFigures
from beacons_collector.metrics import MetricsFile

from lists import ListTest, entry, page
from story import UUID, at, span, stamp

NOW = datetime.datetime.now(datetime.UTC)


class FigureTest(ListTest):
    def setUp(self):
        super().setUp()
        self.connection.execute("TRUNCATE beacons.register, beacons.beacon_heard, beacons.beacon_page, beacons.battery_daily, beacons.beacon_figure")

    def lists(self, *entries, site=None):
        self.take([page("door", NOW, *entries) | ({"site": site} if site else {})])

    def count(self):
        return self.query("SELECT beacons.count_beacons_when_due()")[0][0]

    def worst(self, most=10):
        return self.query("SELECT * FROM beacons.worst_beacon_figures(%(most)s)", most=most)


def telemetry(**fields):
    return fields | {"telemetry_at": stamp(NOW), "format": "minew"}


class CountTests(FigureTest):
    def test_silent_beacons_low_and_ending_batteries_and_strangers_are_counted(self):
        self.register("1/1")
        self.register("1/2")
        # 1/1 falls silent in a day that the store covers. 1/2 loses a percent a day, and has 20 left.
        self.take([page("door", "0:00", entry("1/1", "0:00")), *[span(hour + 1, "door", at(f"{hour}:00"), at(f"{hour + 1}:00")) for hour in range(240)]])
        for day in range(15, 0, -1):
            moment = NOW - datetime.timedelta(days=day)
            self.take([page("till", moment, entry("1/2", moment, battery_percent=30 + day, telemetry_at=stamp(moment), format="minew"))])
        self.lists(entry("1/2", NOW, **telemetry(battery_percent=30)), entry("1/3", NOW, **telemetry(battery_percent=10)), entry("1/4", NOW, **telemetry(battery_mv=2400)),
                   entry("1/5", NOW, **telemetry(battery_percent=11, battery_mv=2401)), entry("1/6", NOW - datetime.timedelta(days=2)))
        self.assertEqual(self.count(), 1)
        # Strangers are 1/3, 1/4 and 1/5; 1/6 was not heard within the day.
        self.assertEqual(self.worst(), [(self.site, 1, 2, 1, 3)])

    def test_a_battery_of_a_beacon_that_was_not_heard_for_a_month_is_not_counted(self):
        old = NOW - datetime.timedelta(days=31)
        self.lists(entry("1/1", old, **telemetry(battery_percent=3)), entry("1/2", NOW, **telemetry(battery_percent=3)))
        self.count()
        self.assertEqual(self.worst(), [(self.site, 0, 1, 0, 0)])

    def test_without_a_register_no_beacon_is_a_stranger_and_a_sound_store_has_no_figures(self):
        self.lists(entry("1/1", NOW, **telemetry(battery_percent=90)))
        self.assertEqual((self.count(), self.worst()), (1, []))

    def test_a_store_has_its_turn_every_four_minutes_and_the_one_that_waited_longest_first(self):
        for site in ("a", "b"):
            self.lists(entry("1/1", NOW, **telemetry(battery_percent=5)), site=site)
        self.assertEqual((self.count(), self.count()), (2, 0))
        self.connection.execute("UPDATE beacons.beacon_figure SET counted_at = counted_at - interval '5 minutes' WHERE site = 'b'")
        self.assertEqual(self.count(), 1)

    def test_a_store_that_takes_too_long_is_left_out_and_the_next_one_has_its_turn(self):
        self.lists(entry("1/1", NOW, **telemetry(battery_percent=5)))
        with psycopg.connect(self.database.url) as other, psycopg.connect(self.database.url, autocommit=True) as collector:
            self.count()
            self.connection.execute("UPDATE beacons.beacon_figure SET counted_at = counted_at - interval '5 minutes'")
            other.execute("LOCK TABLE beacons.battery_daily IN ACCESS EXCLUSIVE MODE")
            collector.execute("SET statement_timeout = '300ms'")
            self.assertEqual(collector.execute("SELECT beacons.count_beacons_when_due()").fetchall(), [(0,)])
            self.assertEqual(self.worst(), [])
            other.rollback()
        self.lists(entry("1/1", NOW, **telemetry(battery_percent=5)), site="z")
        self.assertEqual((self.count(), self.worst()), (1, [("z", 0, 1, 0, 0)]))

    def test_a_store_that_is_gone_has_no_figures(self):
        self.lists(entry("1/1", NOW, **telemetry(battery_percent=5)))
        self.count()
        self.connection.execute("TRUNCATE beacons.beacon_page, beacons.beacon_heard")
        self.count()
        self.assertEqual(self.query("SELECT * FROM beacons.beacon_figure"), [])

    def test_one_collector_counts_at_a_time(self):
        self.lists(entry("1/1", NOW))
        with psycopg.connect(self.database.url) as other:
            other.execute("SELECT pg_advisory_xact_lock(hashtext('beacons.count_beacons'))")
            self.assertEqual(self.count(), 0)
        self.assertEqual(self.count(), 1)


class CollectorTests(FigureTest):
    def figures(self):
        self.connection.execute("DO $$ BEGIN CREATE ROLE counting LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
        self.connection.execute("GRANT beacons_collector TO counting")
        return BeaconFigures(psycopg.conninfo.make_conninfo(self.database.url, user="counting"))

    def written(self, sites):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "collector.prom"
            MetricsFile(str(file), "one").write({}, 0, sites=sites)
            return [line for line in file.read_text().splitlines() if "site=" in line]

    def test_a_collector_needs_no_more_than_its_role_and_writes_each_figure_with_its_store(self):
        self.lists(entry("1/1", NOW, **telemetry(battery_percent=5)), site='b"1')
        figures = self.figures()
        figures.count()
        self.assertEqual(self.written(figures.sites), [
            r'beacons_silent{collector="one",site="b\"1"} 0', r'beacons_battery_low{collector="one",site="b\"1"} 1',
            r'beacons_battery_ending{collector="one",site="b\"1"} 0', r'beacons_strangers{collector="one",site="b\"1"} 0'])

    def test_a_chain_reports_its_worst_stores_and_no_more(self):
        self.connection.execute(
            "INSERT INTO beacons.beacon_page SELECT 's' || i, 'door', 0, 1, now(), now(), now(), '' FROM generate_series(1, 250) i")
        self.connection.execute("INSERT INTO beacons.beacon_figure SELECT 's' || i, i, 0, 0, 0, now() FROM generate_series(1, 250) i")
        figures = self.figures()
        figures.count()
        self.assertEqual((len(figures.sites), figures.sites["s250"], "s50" in figures.sites), (MOST_SITES, (250, 0, 0, 0), False))

    def test_figures_that_cannot_be_read_are_left_out(self):
        figures = BeaconFigures("postgresql://127.0.0.1:1/none?connect_timeout=1")
        figures.sites = {"s": (1, 0, 0, 0)}
        figures.count()
        self.assertEqual(figures.sites, {})

    def test_a_beacon_of_another_uuid_is_another_beacon(self):
        self.register("1/1")
        self.lists(entry("1/1", NOW) | {"uuid": UUID[:-1] + "0"})
        self.count()
        self.assertEqual(self.worst(), [(self.site, 0, 0, 0, 1)])
