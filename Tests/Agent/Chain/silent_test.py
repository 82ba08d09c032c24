"""Silent beacons and strangers: named after a day of silence that their store could hear, and never because it could not."""

import datetime

from lists import ListTest, entry, page
from story import at, span, status


class SilentTest(ListTest):
    def setUp(self):
        super().setUp()
        # The register and the search for other stores hold for the whole chain: each story begins with an empty one.
        self.connection.execute("TRUNCATE beacons.register, beacons.beacon_heard, beacons.beacon_page")
        self.spans = 0

    def hears(self, gateway, first, last, radio="scanning"):
        """Spans of an hour from one hour to another, as gateways publish them."""
        spans = []
        for hour in range(first, last):
            self.spans += 1
            spans.append(span(self.spans, gateway, at(f"{hour}:00"), at(f"{hour + 1}:00"), radio))
        self.take(spans)

    def lists(self, gateway, hour, **heard):
        """The list of an hour: `m1="9:00"` is beacon 1/1."""
        self.take([page(gateway, f"{hour}:00", *[entry(f"1/{name[1:]}", moment) for name, moment in heard.items()])])


class SilentTests(SilentTest):
    def test_a_beacon_is_named_after_a_day_of_silence_in_which_its_store_heard_and_not_before(self):
        self.register("1/1")
        self.lists("door", 0, m1="0:00")
        self.hears("door", 0, 60)
        self.lists("door", 23, m1="0:00")
        self.assertEqual(self.silent(), [])
        self.lists("door", 24, m1="0:00")
        self.assertEqual(self.silent(), [("1/1", 1.0)])
        self.lists("door", 36)
        self.assertEqual(self.silent(), [("1/1", 1.5)])
        # It speaks again.
        self.lists("door", 48, m1="47:30")
        self.assertEqual(self.silent(), [])

    def test_one_that_is_heard_or_that_nobody_registered_is_not_named(self):
        self.register("1/1")
        self.hears("door", 0, 72)
        self.lists("door", 0, m1="0:00", m2="0:00")
        self.lists("door", 72, m1="71:59", m2="0:00")
        self.assertEqual(self.silent(), [])

    def test_a_deaf_week_names_none_and_counts_none(self):
        self.register("1/1")
        self.lists("door", 0, m1="0:00")
        self.hears("door", 0, 6)
        self.hears("door", 6, 174, radio="stalled")
        self.lists("door", 174, m1="0:00")
        self.assertEqual(self.silent(), [])
        self.hears("door", 174, 198)
        self.lists("door", 191, m1="0:00")
        self.assertEqual(self.silent(), [])
        self.lists("door", 192)
        self.assertEqual(self.silent(), [("1/1", 1.0)])
        (share,), = self.query("SELECT covered_share FROM beacons.beacon_silent WHERE site = %(site)s")
        elapsed = datetime.datetime.now(datetime.UTC) - at("0:00")
        self.assertAlmostEqual(share, datetime.timedelta(days=1) / elapsed, places=3)

    def test_without_its_lists_the_hearing_of_a_gateway_counts_for_nothing(self):
        self.register("1/1")
        self.lists("door", 0, m1="0:00")
        # The line was down for a week: the spans come first, and the list after them.
        self.hears("door", 0, 168)
        self.assertEqual(self.silent(), [])
        self.lists("door", 168, m1="167:00")
        self.assertEqual(self.silent(), [])

    def test_a_gateway_that_publishes_no_lists_makes_no_beacon_silent(self):
        self.register("1/1")
        self.hears("door", 0, 100)
        self.take([status("door", "100:00", "online")])
        self.assertEqual(self.silent(), [])
        self.lists("till", 100)
        self.assertEqual(self.silent(), [])

    def test_what_was_heard_before_the_first_list_counts_for_nothing(self):
        self.register("1/1")
        self.hears("door", 0, 96)
        self.lists("door", 48)
        self.lists("door", 71)
        self.assertEqual(self.silent(), [])
        self.lists("door", 72)
        self.assertEqual(self.silent(), [("1/1", 1.0)])

    def test_the_other_gateways_hearing_does_not_count_while_the_one_that_hears_it_is_away(self):
        self.register("1/1")
        self.register("1/2")
        self.lists("door", 0, m1="0:00")
        self.lists("till", 0, m2="0:00")
        for gateway in ("door", "till"):
            self.hears(gateway, 0, 48)
        self.lists("till", 48)
        self.assertEqual(self.silent(), [("1/2", 2.0)])
        self.lists("door", 48, m1="47:00")
        self.assertEqual(self.silent(), [("1/2", 2.0)])

    def test_a_gateway_that_heard_it_a_month_before_does_not_decide_for_the_one_that_heard_it_since(self):
        self.register("1/1", since="-960:00")
        self.lists("door", -722, m1="-722:00")
        self.lists("till", 0, m1="0:00")
        self.hears("door", 0, 48)
        self.lists("door", 48)
        self.assertEqual(self.silent(), [])

    def test_after_a_week_without_a_list_the_gateway_is_gone_and_the_others_decide(self):
        self.register("1/1")
        self.lists("door", 0, m1="0:00")
        self.lists("till", 0)
        self.hears("till", 0, 170)
        self.lists("till", 168)
        self.assertEqual(self.silent(), [])
        self.lists("till", 169)
        self.assertEqual(self.silent(), [("1/1", 7.04)])

    def test_time_that_two_gateways_heard_counts_once(self):
        self.register("1/1")
        for gateway in ("door", "till"):
            self.lists(gateway, 0, m1="0:00")
            self.hears(gateway, 0, 30)
            self.lists(gateway, 30, m1="0:00")
        self.assertEqual(self.silent(), [("1/1", 1.25)])

    def test_a_list_without_one_of_its_pages_makes_no_beacon_silent(self):
        self.register("1/1")
        self.hears("door", 0, 60)
        self.take([page("door", "0:00", pages=2), page("door", "0:00", entry("1/1", "0:00"), number=1, pages=2)])
        self.take([page("door", "48:00", pages=2)])
        self.assertEqual(self.silent(), [])
        self.take([page("door", "48:00", entry("1/1", "0:00"), number=1, pages=2)])
        self.assertEqual(self.silent(), [("1/1", 2.0)])

    def test_the_other_gateways_do_not_decide_while_a_page_of_the_one_that_hears_it_is_missing(self):
        self.register("1/1")
        self.lists("door", 0, m1="0:00")
        self.lists("till", 0)
        self.hears("till", 0, 60)
        self.take([page("door", "48:00", pages=2)])
        self.lists("till", 48)
        self.assertEqual(self.silent(), [])

    def test_one_that_was_never_heard_is_silent_from_the_day_of_its_registration_on(self):
        self.register("1/1")
        self.register("1/2", since="48:00")
        self.hears("door", 0, 100)
        self.lists("door", 0)
        self.lists("door", 71)
        self.assertEqual(self.silent(), [("1/1", 2.96)])
        self.lists("door", 72)
        self.assertEqual(self.silent(), [("1/1", 3.0), ("1/2", 1.0)])
        self.assertEqual(self.query("SELECT last_heard_at, asset FROM beacons.beacon_silent WHERE site = %(site)s AND minor = 1"), [(None, "cart")])

    def test_one_that_another_store_hears_is_silent_here_and_its_row_says_where_it_is(self):
        self.register("1/1")
        self.hears("door", 0, 60)
        self.lists("door", 0, m1="0:00")
        self.lists("door", 48)
        other = self.site + "-2"

        def heard_in():
            return self.query("SELECT heard_in, heard_there_at FROM beacons.beacon_silent WHERE site = %(site)s")

        # A store that heard it before does not hear it now.
        self.take([page("desk", "-2:00", entry("1/1", "-3:00")) | {"site": self.site + "-3"}])
        self.assertEqual(heard_in(), [(None, None)])
        self.take([page("desk", "30:00", entry("1/1", "29:00")) | {"site": other}])
        self.assertEqual(heard_in(), [(other, at("29:00"))])
        # Of several the one that heard it last, whatever the order of their lists.
        for site, hour in (("-4", 40), ("-5", 35)):
            self.take([page("desk", "41:00", entry("1/1", f"{hour}:00")) | {"site": self.site + site}])
        self.assertEqual(heard_in(), [(self.site + "-4", at("40:00"))])

    def test_a_store_that_registered_the_same_identity_hears_its_own_beacon_and_not_the_silent_one(self):
        other = self.site + "-2"
        self.register("1/1")
        self.register("1/1", site=other)
        self.hears("door", 0, 60)
        self.lists("door", 0, m1="0:00")
        self.lists("door", 48)
        self.take([page("desk", "30:00", entry("1/1", "29:00")) | {"site": other}])
        self.assertEqual(self.query("SELECT heard_in, heard_there_at FROM beacons.beacon_silent WHERE site = %(site)s"), [(None, None)])
        # A store that has none of its own has the silent one.
        self.take([page("desk", "30:00", entry("1/1", "28:00")) | {"site": self.site + "-3"}])
        self.assertEqual(self.query("SELECT heard_in, heard_there_at FROM beacons.beacon_silent WHERE site = %(site)s"), [(self.site + "-3", at("28:00"))])

    def test_the_span_that_lasts_counts_up_to_the_newest_list(self):
        self.register("1/1")
        self.take([status("door", "0:00", "online")])
        self.lists("door", 0, m1="0:00")
        self.lists("door", 25)
        self.assertEqual(self.silent(), [("1/1", 1.04)])
        self.take([span(1, "door", "0:00", "1:00"), span(2, "door", "1:00", "3:00", radio="off"), status("door", "3:00", "online")])
        self.assertEqual(self.silent(), [])

    def test_the_store_s_own_gateway_counts_for_nothing(self):
        self.register("1/1")
        self.hears("site", 0, 60)
        self.lists("site", 0, m1="0:00")
        self.lists("site", 48)
        self.assertEqual(self.silent(), [])
        for table in ("covered_day", "beacon_list"):
            self.assertEqual(self.query(f"SELECT FROM beacons.{table} WHERE site = %(site)s"), [], table)

    def test_spans_that_come_late_or_twice_count_once(self):
        self.register("1/1")
        self.lists("door", 0, m1="0:00")
        self.lists("door", 60)
        spans = [span(hour + 1, "door", at(f"{hour}:00"), at(f"{hour + 1}:00")) for hour in range(60)]
        self.take(spans[::-1])
        self.take(spans)
        self.take([span(1, "door", "0:00", "60:00", epoch="01KDVDNA0T0000000000000001")])
        self.assertEqual(self.silent(), [("1/1", 2.5)])

    def test_a_span_of_a_clock_that_was_set_makes_no_day_of_years_before(self):
        self.take([span(1, "door", datetime.datetime(1, 1, 1, tzinfo=datetime.UTC), "1:00")])
        (days,), = self.query("SELECT count(*) FROM beacons.covered_day WHERE site = %(site)s")
        self.assertEqual(days, 3)

    def test_a_gateway_whose_radio_fails_all_day_makes_no_row_that_grows_for_ever(self):
        with self.connection.transaction(force_rollback=True):
            self.connection.execute("CREATE OR REPLACE FUNCTION beacons.most_pieces() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 10'")
            for minute in range(20):
                self.take([span(minute + 1, "door", f"1:{minute:02}", f"1:{minute:02}:30")])
            (pieces,), = self.query("SELECT (SELECT count(*) FROM unnest(during)) FROM beacons.covered_day WHERE site = %(site)s")
            self.assertEqual(pieces, 10)


class StrangerTests(SilentTest):
    def strangers(self):
        return [(f"{major}/{minor}", where) for major, minor, where in self.query(
            "SELECT major, minor, registered_in FROM beacons.beacon_stranger WHERE site = %(site)s ORDER BY 1, 2")]

    def test_what_a_store_hears_and_has_not_registered_is_a_stranger_and_its_row_says_where_it_belongs(self):
        self.register("1/1")
        self.register("1/2", site="berlin-17")
        self.lists("door", 0, m1="0:00", m2="0:00", m3="0:00")
        self.assertEqual(self.strangers(), [("1/2", "berlin-17"), ("1/3", None)])

    def test_one_that_its_store_registered_is_none_though_another_store_has_the_same_number(self):
        self.register("1/1")
        self.register("1/1", site="berlin-17")
        self.lists("door", 30, m1="29:00")
        self.assertEqual(self.strangers(), [])

    def test_one_that_moved_to_another_store_is_none_in_its_former_one(self):
        self.register("1/1", site="berlin-17", since="48:00")
        self.lists("door", 30, m1="29:00")
        self.assertEqual(self.strangers(), [])
        self.lists("door", 60, m1="59:00")
        self.assertEqual(self.strangers(), [("1/1", "berlin-17")])
