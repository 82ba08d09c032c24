"""Visits of a store: the query that an analyst writes first gives the right number."""


from days_test import DayTest
from story import DAY, at, clock, span


class StoreVisits(DayTest):
    def store_visits(self):
        return [(f"{major}/{minor}", (day - DAY.date()).days, clock(entered), clock(left), dwell) for major, minor, day, entered, left, dwell in self.query(
            "SELECT major, minor, day, entered_at, left_at, dwell_s FROM beacons.store_visit WHERE site = %(site)s ORDER BY entered_at, major, minor")]

    def test_what_several_gateways_and_the_site_say_of_one_stay_is_one_visit(self):
        self.publish("""
            seq gateway type beacon at       entered heard zone
            1   door    exit 1/1    10:00:20 9:00    10:00 -
            1   till    exit 1/1    10:30:20 9:50    10:30 -
            1   back    exit 1/1    10:45:20 10:30   10:45 -
            1   site    exit 1/1    10:46:20 9:00    10:45 -
            2   site    exit 1/1    10:46:20 9:00    10:45 bakery
            2   door    exit 1/1    12:00:20 11:00   12:00 -
        """)
        self.assert_always(self.store_visits, [("1/1", 0, "9:00", "10:45", 6300.0), ("1/1", 0, "11:00", "12:00", 3600.0)])

    def test_an_open_visit_has_no_end_and_takes_in_what_other_gateways_saw_since(self):
        self.publish("seq gateway type beacon at entered heard; 1 door enter 1/1 9:00 - -; 1 till exit 1/1 10:30:20 9:50 10:30")
        self.assert_always(self.store_visits, [("1/1", 0, "9:00", None, None)])

    def test_a_visit_published_late_lies_between_two_others_and_counts_in_its_own_hours(self):
        self.publish("""
            seq gateway type  beacon at       entered heard says
            1   door    exit  1/1    9:30:05  9:00    9:30  -
            1   site    exit  1/1    9:30:10  9:00    9:30  -
            2   site    enter 1/1    12:00    -       -     -
            1   till    exit  1/1    11:10:05 10:50   11:10 -
            3   site    exit  1/1    11:10:10 10:50   11:10 late
            2   door    exit  1/1    12:40:05 12:00   12:40 -
            4   site    exit  1/1    12:40:10 12:00   12:40 -
        """)
        self.assert_always(self.store_visits, [("1/1", 0, "9:00", "9:30", 1800.0), ("1/1", 0, "10:50", "11:10", 1200.0), ("1/1", 0, "12:00", "12:40", 2400.0)])
        self.assertEqual(self.query("SELECT count(*), count(left_at) FROM beacons.visit WHERE site = %(site)s AND gateway = 'site'"), [(3, 3)])
        self.assertEqual([(hour, visits) for hour, visits, *_ in self.hours("24:00") if visits], [("9:00", 1), ("10:00", 1), ("11:00", 1), ("12:00", 1)])

    def test_the_day_is_the_store_s_own(self):
        self.place("Asia/Kathmandu")
        self.publish("seq type beacon at entered heard; 1 exit 1/1 21:00:20 20:00 21:00")
        self.assertEqual(self.store_visits(), [("1/1", 1, "20:00", "21:00", 3600.0)])

    def test_the_number_of_a_day_is_that_of_occupancy_daily(self):
        self.take([span(1, "door", "0:00", "24:00")])
        self.publish("\n".join(["seq gateway type beacon at entered heard", *(
            f"{number} {gateway} exit 1/{number % 7} {9 + number // 7}:40:20 {9 + number // 7}:{number % 5 + 10} {9 + number // 7}:40"
            for number in range(1, 40) for gateway in ("door", "till"))]))
        ((counted,),) = self.query("SELECT count(*) FROM beacons.store_visit WHERE site = %(site)s AND region = 'carts' AND day = %(day)s", day=DAY.date())
        self.assertEqual((counted, self.days()), (39, [(0, 39)]))

    def test_other_regions_are_visits_of_their_own(self):
        self.publish("seq type beacon at entered heard region; 1 exit 1/1 10:00:20 9:00 10:00 carts; 2 exit 1/1 10:00:20 9:30 10:00 tills")
        self.assertEqual(len(self.store_visits()), 2)
        self.assertEqual(self.query("SELECT count(*) FROM beacons.store_visit WHERE site = %(site)s AND region = 'tills' AND entered_at = %(at)s", at=at("9:30")), [(1,)])
