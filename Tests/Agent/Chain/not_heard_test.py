"""When a store was not heard, and its gateways as they are now, against truths that were worked out by hand."""

import datetime

from days_test import DayTest
from story import DAY, at, clock, event, health, span, stamp, state, status

NAMES = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]


def last_sunday(month):
    """The newest last Sunday of the month that is over: the day on which clocks change in Europe, at most a year ago."""
    today = datetime.datetime.now(datetime.UTC).date()
    for year in (today.year, today.year - 1):
        end = datetime.date(year, month, 31)
        day = end - datetime.timedelta(days=(end.weekday() + 1) % 7)
        if day < today:
            return day


class NotHeardTest(DayTest):
    def not_heard(self, first=0, days=1, site=None):
        """The times that touch days of the story's store, and the same from the function."""
        begin, end = (DAY.date() + datetime.timedelta(days=day) for day in (first, first + days))
        ((opened, closed),) = self.query(
            "SELECT min(lower(during)), max(upper(during)) FROM beacons.days_of(%(its)s, %(begin)s, %(end)s)", its=site or self.site, begin=begin, end=end)
        clipped = "SELECT greatest(from_at, %(opened)s), least(to_at, %(closed)s) FROM {} WHERE from_at < %(closed)s AND to_at > %(opened)s {} ORDER BY 1"
        values = {"its": site or self.site, "begin": begin, "end": end, "opened": opened, "closed": closed}
        found = self.query(clipped.format("beacons.not_heard", "AND site = %(its)s"), **values)
        self.assertEqual(self.query(clipped.format("beacons.not_heard_of(%(its)s, %(begin)s, %(end)s)", ""), **values), found)
        return [(clock(start), clock(end)) for start, end in found]

    def assert_not_heard(self, expected, **which):
        self.assertEqual(self.not_heard(**which), expected)
        self.count()
        self.assertEqual(self.not_heard(**which), expected, "after the days were counted")


class NotHeard(NotHeardTest):
    def test_it_is_the_opening_time_in_which_no_gateway_could_hear(self):
        self.place("UTC", "08:00-20:00")
        self.take([span(1, "door", "7:00", "12:00"), span(1, "till", "10:00", "13:00"), span(2, "door", "12:00", "16:00", radio="unavailable"),
                   span(3, "door", "16:00", "19:00")])
        self.assert_not_heard([("13:00", "16:00"), ("19:00", "20:00")])

    def test_what_the_store_s_own_gateway_says_hears_nothing(self):
        self.place("UTC", "08:00-20:00")
        self.take([status("site", "0:00", "online"), span(1, "site", "0:00", "24:00"), span(1, "door", "8:00", "14:00")])
        self.assert_not_heard([("14:00", "20:00"), ("32:00", "44:00")], days=2)

    def test_a_day_between_two_others_on_which_no_gateway_was_heard_is_not_heard_as_a_whole(self):
        self.place("UTC", "08:00-20:00")
        self.take([state("door"), span(1, "door", "8:00", "20:00"), span(2, "door", "56:00", "68:00")])
        self.assert_not_heard([("32:00", "44:00")], first=0, days=3)

    def test_a_gateway_that_never_published_coverage_was_not_heard_though_it_published_a_visit(self):
        self.place("UTC", "08:00-20:00")
        self.publish("seq type beacon at entered heard; 1 exit 1/1 10:00:20 9:00 10:00")
        self.assert_not_heard([("8:00", "20:00")])

    def test_a_closed_day_and_a_holiday_have_none(self):
        self.place("UTC", f"{NAMES[DAY.weekday()]} 08:00-12:00; PH off")
        self.take([state("door"), span(1, "door", "9:00", "10:00")])
        self.assert_not_heard([("8:00", "9:00"), ("10:00", "12:00")], days=3)
        self.load(f"{self.site},{DAY.date()}", holidays=True, header="site,day")
        self.assertEqual(self.not_heard(days=3), [])

    def test_a_store_without_opening_hours_is_always_open_and_a_silence_over_midnight_is_one_row(self):
        self.take([span(1, "door", "0:00", "23:00"), span(2, "door", "26:00", "72:00")])
        self.assert_not_heard([("23:00", "26:00")], days=3)

    def test_opening_hours_are_those_of_the_store_s_zone_also_where_clocks_change(self):
        self.place("Europe/Berlin", "Mo-Su 01:00-05:00")
        self.connection.execute("UPDATE beacons.store SET since = current_date - 400 WHERE site = %s", [self.site])
        for day, hours in ((last_sunday(3), 3), (last_sunday(10), 5)):
            ((found,),) = self.query("SELECT sum(extract(epoch FROM to_at - from_at) / 3600)::float FROM beacons.not_heard_of(%(site)s, %(day)s, %(day)s::date + 1)",
                                     day=day)
            self.assertEqual(found, hours)

    def test_it_ends_now_while_it_lasts_and_an_open_span_is_heard(self):
        now = datetime.datetime.now(datetime.UTC)
        self.take([status("door", "9:00", "online"), state("door")])
        self.assertEqual(self.not_heard(days=12), [("0:00", "9:00")])
        self.take([status("door", now, "offline", radio="off"), span(1, "door", "9:00", "10:00")])
        ((last,),) = self.query("SELECT max(to_at) FROM beacons.not_heard WHERE site = %(site)s")
        self.assertGreaterEqual(last, now)
        self.assertLess(last, datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=1))

    def test_a_store_from_which_no_message_came_is_not_heard_since_it_was_loaded(self):
        self.place("UTC", "08:00-20:00", site=f"{self.site}-silent")
        self.connection.execute("UPDATE beacons.store SET since = %s WHERE site = %s", [DAY.date() - datetime.timedelta(days=1), f"{self.site}-silent"])
        self.assertEqual(self.not_heard(site=f"{self.site}-silent"), [("8:00", "20:00")])
        ((first,),) = self.query("SELECT min(from_at) FROM beacons.not_heard WHERE site = %(its)s", its=f"{self.site}-silent")
        self.assertEqual(clock(first), "-16:00")

    def test_a_store_that_was_loaded_today_and_published_days_before_is_looked_at_from_these_on(self):
        self.place("UTC", "08:00-20:00")
        self.take([span(1, "door", "8:00", "14:00")])
        self.assert_not_heard([("14:00", "20:00")])

    def test_days_before_the_first_one_are_of_no_row_either_where_they_are_asked_for(self):
        self.place("UTC", "08:00-20:00")
        self.take([span(1, "door", "32:00", "40:00")])
        self.assert_not_heard([("40:00", "44:00")], first=-30, days=32)

    def test_a_store_that_the_database_does_not_know_has_no_row(self):
        self.assertEqual(self.query("SELECT * FROM beacons.not_heard_of('nowhere', %(day)s, %(day)s + 2)", day=DAY.date()), [])

    def test_a_store_that_was_heard_throughout_has_no_row(self):
        self.place("UTC", "08:00-20:00")
        self.take([span(1, "door", "7:00", "21:00")])
        self.assert_not_heard([])

    def test_a_clock_of_1970_makes_no_half_century_of_them(self):
        self.take([span(1, "door", datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC), datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC))])
        ((days,),) = self.query("SELECT extract(epoch FROM sum(to_at - from_at)) / 86400 FROM beacons.not_heard WHERE site = %(site)s")
        self.assertLessEqual(days, 402)


class GatewayNow(NotHeardTest):
    def gateways(self):
        return [(gateway, state_, radio, version, clock(at)) for gateway, state_, radio, version, at in self.query(
            "SELECT gateway, state, radio, version, told_at FROM beacons.gateway_now WHERE site = %(site)s ORDER BY gateway")]

    def test_each_gateway_has_its_newest_status(self):
        self.take([status("door", "9:00", "online"), status("till", "9:00", "online", radio="unavailable")])
        self.take([status("door", "11:00", "offline", radio="off")])
        self.assertEqual(self.gateways(), [("door", "offline", "off", "0.2.0", "11:00"), ("till", "online", "unavailable", "0.2.0", "9:00")])

    def test_one_whose_health_stopped_is_silent_since_its_last_word(self):
        now = datetime.datetime.now(datetime.UTC)
        self.take([status("door", "9:00", "online") | {"received_at": stamp("9:00")}, status("till", "9:00", "online") | {"received_at": stamp("9:00")},
                   health("door", "10:00", received_at="10:00"), health("till", now)])
        self.assertEqual([row[:2] for row in self.gateways()], [("door", "silent"), ("till", "online")])
        self.assertEqual(self.gateways()[0][4], "10:00")


class LocalHour(DayTest):
    def test_an_hour_has_its_beginning_by_the_store_s_clock_beside_that_in_utc(self):
        self.place("Asia/Kathmandu")
        self.take([event({"seq": 1, "type": "exit", "beacon": "1/1", "at": "10:30:05", "entered": "10:05", "heard": "10:30"})])
        look = lambda: self.query("SELECT hour, local_hour FROM beacons.occupancy_hourly WHERE site = %(site)s AND visits = 1")  # noqa: E731
        self.assert_always(look, [(at("10:00"), at("15:45").replace(tzinfo=None))])

    def test_two_hours_have_the_same_local_one_where_the_clock_goes_back(self):
        self.place("Europe/Berlin")
        # The last Sunday of the newest October that is over.
        now = datetime.datetime.now(datetime.UTC)
        last = datetime.datetime(now.year if now.month > 10 else now.year - 1, 10, 31, tzinfo=datetime.UTC)
        begin = last - datetime.timedelta(days=last.isoweekday() % 7)
        self.take([state("door"), span(1, "door", begin, begin + datetime.timedelta(hours=3))])
        look = lambda: [(hour.hour, local.hour) for hour, local in self.query(  # noqa: E731
            "SELECT hour, local_hour FROM beacons.occupancy_hourly WHERE site = %(site)s AND covered_share > 0 ORDER BY hour")]
        self.assert_always(look, [(0, 2), (1, 2), (2, 3)])
