"""Zones by day: visits, dwell, and the visits that were in two zones, against truths that were worked out by hand."""

import datetime

from days_test import DayTest
from story import DAY, at, event, rows_of


class ZoneTest(DayTest):
    def zones(self):
        return [((day - DAY.date()).days, *rest) for day, *rest in self.query(
            "SELECT day, zone, visits, dwell_p50_s FROM beacons.zone_daily WHERE site = %(site)s AND region = 'carts' ORDER BY 1, 2")]

    def conversion(self):
        return [((day - DAY.date()).days, *rest) for day, *rest in self.query(
            "SELECT day, from_zone, to_zone, visits_from, visits_both FROM beacons.conversion WHERE site = %(site)s AND region = 'carts' ORDER BY 1, 2, 3")]

    def assert_zones(self, zones, conversion):
        """Right at once, and after the days are counted."""
        for moment in ("at once", "after the days were counted"):
            self.assertEqual(self.zones(), zones, moment)
            self.assertEqual(self.conversion(), conversion, moment)
            self.count()


class Zones(ZoneTest):
    def test_a_visit_that_comes_back_to_a_zone_counts_there_once_with_all_its_time(self):
        self.publish("""
            gateway seq at      type beacon zone  entered heard
            door    1   9:40:20 exit 1/1    -     9:00    9:40
            site    1   9:10:20 exit 1/1    shelf 9:00    9:10
            site    2   9:20:20 exit 1/1    till  9:12    9:20
            site    3   9:40:20 exit 1/1    shelf 9:25    9:40
        """)
        self.assert_zones([(0, "shelf", 1, 1500.0), (0, "till", 1, 480.0)], [(0, "shelf", "till", 1, 1), (0, "till", "shelf", 1, 1)])

    def test_two_visits_of_one_beacon_count_twice_and_what_one_lacks_is_not_in_both(self):
        self.publish("""
            gateway seq at       type beacon zone  entered heard
            door    1   9:10:20  exit 1/1    -     9:00    9:10
            door    2   9:40:20  exit 1/1    -     9:20    9:40
            site    1   9:10:20  exit 1/1    shelf 9:00    9:10
            site    2   9:30:20  exit 1/1    shelf 9:20    9:30
            site    3   9:40:20  exit 1/1    till  9:31    9:40
            site    4   10:00:20 exit 1/2    bread 9:50    10:00
        """)
        self.assert_zones([(0, "bread", 1, 600.0), (0, "shelf", 2, 600.0), (0, "till", 1, 540.0)],
                          [(0, "bread", "shelf", 1, 0), (0, "bread", "till", 1, 0), (0, "shelf", "bread", 2, 0), (0, "shelf", "till", 2, 1),
                           (0, "till", "bread", 1, 0), (0, "till", "shelf", 1, 1)])

    def test_where_no_gateway_reports_the_region_zones_at_most_half_an_hour_apart_are_one_visit(self):
        self.publish("""
            gateway seq at       type beacon zone  entered heard
            site    1   9:10:20  exit 1/1    shelf 9:00    9:10
            site    2   9:50:20  exit 1/1    till  9:40    9:50
            site    3   10:30:20 exit 1/1    door  10:21   10:30
        """)
        self.assert_zones([(0, "door", 1, 540.0), (0, "shelf", 1, 600.0), (0, "till", 1, 600.0)],
                          [(0, "door", "shelf", 1, 0), (0, "door", "till", 1, 0), (0, "shelf", "door", 1, 0), (0, "shelf", "till", 1, 1),
                           (0, "till", "door", 1, 0), (0, "till", "shelf", 1, 1)])

    def test_a_day_begins_at_midnight_in_the_store_and_a_dwell_is_of_the_day_on_which_it_ends(self):
        # Midnight in Kathmandu is 18:15 UTC.
        self.place("Asia/Kathmandu")
        self.publish("""
            gateway seq at       type beacon zone  entered heard
            door    1   19:15:20 exit 1/1    -     17:15   19:15
            site    1   18:45:20 exit 1/1    shelf 17:45   18:45
            site    2   19:15:20 exit 1/1    till  18:50   19:15
        """)
        self.assert_zones([(0, "shelf", 1, None), (1, "shelf", 1, 3600.0), (1, "till", 1, 1500.0)], [(1, "shelf", "till", 1, 1), (1, "till", "shelf", 1, 1)])

    def test_a_store_that_gets_another_zone_is_counted_anew(self):
        self.publish("gateway seq at type beacon zone entered heard; site 1 21:00:20 exit 1/1 shelf 20:00 21:00")
        self.assert_zones([(0, "shelf", 1, 3600.0)], [])
        self.place("Asia/Kathmandu")
        self.assert_zones([(1, "shelf", 1, 3600.0)], [])

    def test_a_visit_that_lasts_counts_and_has_no_dwell_yet(self):
        now = datetime.datetime.now(datetime.UTC)
        self.take([event({"seq": 1, "type": "enter", "gateway": "site", "zone": "shelf", "at": now - datetime.timedelta(seconds=1)})])
        self.assertEqual([row[1:] for row in self.zones()][-1], ("shelf", 1, None))

    def test_several_gateways_of_a_zone_are_one_and_another_region_has_visits_of_its_own(self):
        self.take([event(row) for row in rows_of("""
            gateway seq at      type region zone  entered heard
            door    1   9:10:20 exit carts  shelf 9:00    9:10
            till    1   9:20:20 exit carts  shelf 9:05    9:20
            till    2   9:20:20 exit other  till  9:05    9:20
        """)])
        self.assert_zones([(0, "shelf", 1, 1200.0)], [])

    def test_a_late_event_changes_a_day_that_was_counted(self):
        rows = rows_of("""
            gateway seq at      type beacon zone  entered heard
            site    1   9:10:20 exit 1/1    shelf 9:00    9:10
            site    2   9:20:20 exit 1/1    till  9:11    9:20
        """)
        self.take([event(rows[0])])
        self.assert_zones([(0, "shelf", 1, 600.0)], [])
        self.take([event(rows[1])])
        self.assert_zones([(0, "shelf", 1, 600.0), (0, "till", 1, 540.0)], [(0, "shelf", "till", 1, 1), (0, "till", "shelf", 1, 1)])

    def test_beyond_a_hundred_zones_those_with_the_most_visits_count(self):
        rows = []
        for number in range(120):
            for beacon in range(2 if number >= 20 else 1):
                rows.append({"seq": len(rows) + 1, "gateway": "site", "type": "exit", "beacon": f"1/{beacon}", "zone": f"z{number}",
                             "at": at(f"9:{number % 60:02}:30"), "entered": at(f"9:{number % 60:02}"), "heard": at(f"9:{number % 60:02}:20")})
        self.take([event(row) for row in rows])
        self.assertEqual({(zone, visits) for _, zone, visits, _ in self.zones()}, {(f"z{number}", 2) for number in range(20, 120)})
        self.assertEqual(len(self.conversion()), 100 * 99)

    def test_retention_and_truncate_delete_the_rows_of_their_days(self):
        self.publish("gateway seq at type beacon zone entered heard; site 1 9:10:20 exit 1/1 shelf 9:00 9:10")
        self.count()
        kept = lambda: self.query("SELECT count(*) FROM beacons.zone_day WHERE site = %(site)s")  # noqa: E731
        self.assertEqual(kept(), [(1,)])
        for statement in ("SELECT beacons.forget_before(%s)", "TRUNCATE beacons.event"):
            with self.connection.transaction(force_rollback=True):
                self.connection.execute(statement, [DAY.date() + datetime.timedelta(days=1)] if "%s" in statement else None)
                self.assertEqual(kept(), [(0,)])
