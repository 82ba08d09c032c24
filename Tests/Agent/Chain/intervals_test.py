"""The intervals of occupancy_daily: each of their rules against a day that was worked out by hand, and nine of ten simulated store days within.

DAYS=320 with the name `intervals.StoreDays` is the proof: none of its days served to choose a number of the method. It takes a quarter of an hour
with a `beacond` that was built with optimisation.
"""

import collections
import datetime
import json
import os
import pathlib
import tempfile
import unittest

import psycopg
from beacons_collector.database import Database, Row
from beacons_collector.reading import read
from beacons_collector.topics import parse

from days_test import DayTest
from simulated import BEACOND
from store_day import StoreDay
from story import DAY, event, span, status

DAYS, FIRST = int(os.environ.get("DAYS", "8")), int(os.environ.get("FIRST", "1000"))
# Makes one store's days fail.
BROKEN = """ALTER FUNCTION beacons.visits_between RENAME TO sound_visits_between;
CREATE FUNCTION beacons.visits_between(a_site text, a_day date) RETURNS TABLE (region text, low integer, high integer) LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF a_site = 'broken' THEN
        RAISE EXCEPTION 'cannot be counted';
    END IF;
    RETURN QUERY SELECT * FROM beacons.sound_visits_between(a_site, a_day);
END $$"""
# How long a simulated store is open. The proof has longer days.
OPEN_HOURS = 4 if DAYS > 100 else 2


def minute(number):
    return f"{number // 60}:{number % 60:02}"


class IntervalTest(DayTest):
    def come(self, visits, gateway="door", lost=()):
        """Visits as (beacon, minute of the entry, minute of the last packet). Of `lost` neither the entry nor the exit comes."""
        events = sorted(
            (at, kind, index) for index, (_, entered, left) in enumerate(visits)
            for at, kind in ((entered, "enter"), (left + 1 / 3, "exit")))
        self.take([event({
            "gateway": gateway, "seq": seq, "type": kind, "beacon": f"1/{visits[index][0]}", "at": self.time(at),
            "entered": self.time(visits[index][1]), "heard": self.time(visits[index][2])})
            for seq, (at, kind, index) in enumerate(events, 1) if index not in lost])

    def time(self, minutes):
        return DAY + datetime.timedelta(minutes=minutes)

    def interval(self):
        (row,) = self.query(
            "SELECT visits, visits_low, visits_high FROM beacons.occupancy_daily WHERE site = %(site)s AND day = %(day)s", day=DAY.date())
        return row

    def hear(self, *times, gateway="door"):
        """The times, as minutes of the day, in which a gateway hears; between them it is stopped."""
        at, spans = times[0][0], []
        for begin, end in times:
            spans += [(at, begin, "stopped")] if begin > at else []
            spans += [(begin, end, "scanning")]
            at = end
        self.take([span(number, gateway, self.time(begin), self.time(end), radio) for number, (begin, end, radio) in enumerate(spans, 1)])

    # Five hundred minutes from 8:00 on, in which a new visitor comes every other minute, for 10 minutes.
    STEADY = [(number + 1, 480 + 2 * number, 490 + 2 * number) for number in range(250)]


class Intervals(IntervalTest):
    def test_a_day_that_was_heard_as_a_whole_is_as_it_was_counted(self):
        self.hear((0, 1440))
        self.come(self.STEADY)
        self.assertEqual(self.interval(), (250, 250, 251))
        self.count()
        self.assertEqual(self.interval(), (250, 250, 251), "after the days were counted")

    def test_a_silence_just_long_enough_for_an_exit_is_within_one_visit(self):
        self.hear((0, 1440))
        # Each visitor is not heard for 25 s in the middle of the visit.
        self.come([half for beacon, entered, left in self.STEADY for half in ((beacon, entered, entered + 5), (beacon, entered + 5 + 25 / 60, left))])
        visits, low, high = self.interval()
        self.assertEqual((visits, low), (500, 250))
        self.assertLess(high, 260)

    def test_a_trolley_that_is_used_again_is_a_visit_each_time(self):
        self.hear((0, 1440))
        self.come([(number % 5 + 1, entered, left - 2) for number, (_, entered, left) in enumerate(self.STEADY)])
        self.assertEqual(self.interval(), (250, 249, 251))

    def test_where_trolleys_are_used_again_after_any_silence_short_ones_are_visits_as_well(self):
        self.hear((0, 1440))
        # Each of 240 trolleys is used twice, after 21 to 85 s: as many silences are short as later ones show.
        self.come([use for number in range(240) for use in (
            (number + 1, 480 + 2 * number, 485 + 2 * number),
            (number + 1, 485 + 2 * number + (21 + number * 64 / 239) / 60, 490 + 2 * number))])
        visits, low, high = self.interval()
        self.assertEqual(visits, 480)
        self.assertLessEqual(low, 480)
        self.assertGreater(high, 470)

    def test_what_came_and_went_in_a_deafness_is_added(self):
        # Two hours of deafness hide 56 visits: those that begin in its first 110 minutes.
        self.place(opening_hours="08:00-16:20")
        self.hear((0, 600), (720, 1440))
        self.come([visit for visit in self.STEADY if not (600 <= visit[1] and visit[2] <= 720)])
        visits, low, high = self.interval()
        self.assertEqual(visits, 250 - 56)
        self.assertTrue(visits < low <= 250 <= high, (low, high))
        self.assertLess(high - low, 50)

    def test_a_deafness_shorter_than_any_visit_hides_none(self):
        self.hear((0, 600), (608, 1440))
        self.come(self.STEADY)
        self.assertEqual(self.interval()[1:], (250, 251))

    def test_a_deafness_while_the_store_is_closed_hides_none(self):
        self.place(opening_hours="08:00-18:00")
        self.hear((470, 1090))
        self.come(self.STEADY)
        self.assertEqual(self.interval(), (250, 250, 251))

    def test_opening_time_before_a_gateway_s_first_word_was_not_heard(self):
        self.place(opening_hours="06:00-18:00")
        self.hear((480, 1090))
        self.come(self.STEADY)
        visits, low, high = self.interval()
        # Two more hours at one visitor in two minutes, but for those that were still there.
        self.assertEqual(visits, 250)
        self.assertTrue(low > 265 and low <= 305 <= high, (low, high))

    def test_without_opening_hours_nothing_is_missed_before_the_first_word_and_after_a_goodbye(self):
        self.hear((480, 1000))
        self.take([status("door", self.time(1000), "offline")])
        self.come(self.STEADY)
        self.assertEqual(self.interval(), (250, 250, 251))

    def test_what_another_gateway_hears_is_not_missed(self):
        self.hear((0, 600), (720, 1440))
        self.hear((0, 1440), gateway="till")
        self.come([visit for visit in self.STEADY if not 600 <= visit[1] <= 720])
        self.come(self.STEADY, gateway="till")
        visits, low, high = self.interval()
        self.assertEqual((visits, low), (250, 250))
        self.assertLess(high, 253)

    def test_what_only_the_deaf_gateway_hears_is_missed(self):
        self.place(opening_hours="08:00-16:20")
        self.hear((0, 600), (720, 1440))
        self.hear((0, 1440), gateway="till")
        others, own = self.STEADY[::2], self.STEADY[1::2]
        self.come([visit for visit in own if not (600 <= visit[1] and visit[2] <= 720)])
        self.come(others, gateway="till")
        visits, low, high = self.interval()
        self.assertTrue(visits < low <= 250 <= high, (visits, low, high))

    def test_visits_whose_entry_and_exit_never_came_are_added(self):
        self.hear((0, 1440))
        self.come(self.STEADY, lost=set(range(100, 130)))
        visits, low, high = self.interval()
        self.assertEqual(visits, 220)
        self.assertTrue(visits < low <= 250 <= high, (low, high))
        self.assertLess(high - low, 30)

    def test_a_visit_whose_exit_came_is_not_added_again(self):
        self.hear((0, 1440))
        self.take([event({"seq": 2 * number, "type": "exit", "beacon": f"1/{beacon}", "at": self.time(left + 1 / 3), "entered": self.time(entered),
                          "heard": self.time(left)}) for number, (beacon, entered, left) in enumerate(self.STEADY, 1)])
        visits, low, high = self.interval()
        self.assertEqual((visits, low), (250, 250))
        self.assertLess(high, 275)

    def test_a_trolley_that_was_there_before_and_after_a_long_deafness_may_have_been_used_again(self):
        self.place(opening_hours="08:00-16:15")
        self.hear((0, 600), (720, 1440))
        # Ten trolleys are used for 10 of every 15 minutes. Seven of them are in use when the deafness begins and when it ends.
        uses = [[(beacon, start, start + 10) for start in range(480 + 3 * beacon // 2, 965, 15)] for beacon in range(10)]
        pairs = []
        for own in uses:
            before, after = [use for use in own if use[1] < 600], [use for use in own if use[2] > 720]
            if before[-1][2] > 600 and after[0][1] < 720:
                pairs += [*before[:-1], (before[-1][0], before[-1][1], after[0][2]), *after[1:]]
            else:
                pairs += before + after
        self.come(pairs)
        visits, low, high = self.interval()
        self.assertLessEqual(visits, sum(map(len, uses)) - 70)
        self.assertTrue(low <= sum(map(len, uses)) <= high, (visits, low, high))

    def test_who_is_there_while_a_gateway_loses_its_state_is_counted_once(self):
        # The gateway starts again after a minute, with numbers of its own, and knows of no visitor. Sixty are there for the whole morning.
        self.place(opening_hours="08:00-16:00")
        there = range(1, 61)
        self.take([event({"seq": number, "beacon": f"1/{number}", "type": "enter", "at": self.time(490 + number / 2)}) for number in there])
        self.take([event({"seq": number, "epoch": "01KDVDNB0T0000000000000000", "beacon": f"1/{number}", "type": "exit", "at": self.time(700 + number),
                          "entered": self.time(601 + number / 600), "heard": self.time(700 + number - 1 / 3)}) for number in there])
        self.take([span(1, "door", self.time(480), self.time(600)), span(1, "door", self.time(601), self.time(960), epoch="01KDVDNB0T0000000000000000")])
        visits, low, high = self.interval()
        self.assertEqual(visits, 120)
        self.assertTrue(low <= 60 <= high, (low, high))
        self.assertLess(high, 66)

    def test_where_less_than_a_tenth_was_heard_nothing_is_said(self):
        self.place(opening_hours="08:00-18:00")
        self.hear((480, 530))
        self.come(self.STEADY[:20])
        self.assertEqual(self.interval(), (20, None, None))

    def test_coverage_that_comes_late_widens_the_interval_of_a_day_that_was_counted(self):
        self.hear((0, 600))
        self.come([visit for visit in self.STEADY if not (600 <= visit[1] and visit[2] <= 720)])
        self.count()
        before = self.interval()
        self.take([span(2, "door", self.time(600), self.time(720), "stopped"), span(3, "door", self.time(720), self.time(1440))])
        self.count()
        self.assertGreater(self.interval()[2], before[2])


class OtherDays(IntervalTest):
    def test_the_day_after_changes_no_interval_that_was_counted_before_it_came(self):
        # Deaf from 18 to 23, and on the next day twice as many come.
        self.hear((0, 1080), (1380, 1440))
        self.come([(1 + number, 2 * number, 2 * number + 10) for number in range(710) if not 530 < number < 695])
        self.count()
        self.take([span(10, "door", self.time(1440), self.time(2880))] + [
            event({"seq": 10_000 + number, "beacon": f"1/{2000 + number}", "type": "exit", "at": self.time(1451 + number),
                   "entered": self.time(1440 + number), "heard": self.time(1450 + number)}) for number in range(1400)])
        self.count()
        fresh = self.query("SELECT visits, visits_low, visits_high FROM beacons.days_with_intervals(%(site)s, %(day)s, %(day)s + 1)", day=DAY.date())
        self.assertEqual(self.interval(), fresh[0])

    # Two visitors an hour from 8:00 on, and thirty in the hour before noon.
    RHYTHM = [(number, minute) for number, minute in enumerate(
        [m for hour in range(8, 20) for m in range(60 * hour, 60 * hour + 60, 30) if hour != 11] + list(range(660, 720, 2)), 1)]

    def week_of_noons(self, days):
        """So many days before the story's in which most visitors come before noon; then the day itself, on which nothing was heard then."""
        events, seq = [], 0
        for day in range(-days, 1):
            for number, begin in self.RHYTHM:
                if day < 0 or not 655 <= begin < 720:
                    seq += 1
                    at = begin + 1440 * day
                    events.append(event({"seq": seq, "beacon": f"{days + day + 1}/{number}", "type": "exit", "at": self.time(at + 5 + 1 / 3),
                                         "entered": self.time(at), "heard": self.time(at + 5)}))
        self.place(opening_hours="08:00-20:00")
        self.hear((-1440 * days, 655), (725, 1440))
        self.take(events)
        self.count()
        return self.interval()

    def test_the_same_hours_of_former_weeks_show_what_a_deafness_hid(self):
        visits, low, high = self.week_of_noons(15)
        self.assertEqual(visits, 22)
        self.assertTrue(low <= 52 <= high, (low, high))
        self.assertLess(high - low, 52)

    def test_without_former_days_the_hours_around_show_it_and_know_no_noon(self):
        visits, low, high = self.week_of_noons(0)
        self.assertEqual(visits, 22)
        self.assertTrue(22 <= low <= 24 <= high < 52, (low, high))


class Limits(IntervalTest):
    def test_beyond_the_visits_of_one_beacon_nothing_is_said_of_its_region_alone(self):
        self.hear((0, 1440))
        self.come([(1, number + 0.1, number + 0.2) for number in range(1010)])
        self.take([event({"gateway": "till", "seq": seq, "region": "doors", "type": "exit", "at": self.time(610), "entered": self.time(600),
                          "heard": self.time(605)}) for seq in (1,)])
        self.hear((0, 1440), gateway="till")
        visits_of = dict((region, (visits, low)) for region, visits, low in self.query(
            "SELECT region, visits, visits_low FROM beacons.occupancy_daily WHERE site = %(site)s AND day = %(day)s", day=DAY.date()))
        self.assertEqual(visits_of, {"carts": (1010, None), "doors": (1, 1)})

    def test_beyond_the_times_of_deafness_the_longest_count(self):
        # A gateway that stops every minute for 6 s, and once for two hours.
        self.place(opening_hours="08:00-16:20")
        self.hear(*[(start, start + 0.9) for start in range(600)], (720, 1440))
        self.come([visit for visit in self.STEADY if not (600 <= visit[1] and visit[2] <= 720)])
        visits, low, high = self.interval()
        self.assertTrue(visits < low <= 250 <= high, (visits, low, high))


    def test_beyond_a_thousand_holes_in_the_coverage_the_longest_count(self):
        # A gateway that stops 1,100 times for 3 s, the last time for two hours more: 100 of the short stops count as heard.
        starts = [53 * number / 60 for number in range(1100)]
        again = 53 * 1100 / 60 + 120
        self.hear(*[(start, start + 50 / 60) for start in starts], (again, 1440))
        self.come([(1, 10, 20)])
        heard_s = 86400 - (7200 + 3) - 999 * 3
        self.assert_days([(0, round(heard_s / 86400, 4))], "covered_share")

    def test_beyond_the_missing_numbers_of_a_day_nothing_is_said_and_every_other_store_is_counted(self):
        self.hear((0, 1440))
        self.take([event({"seq": seq, "type": "exit", "at": self.time(minute), "entered": self.time(minute - 10), "heard": self.time(minute)})
                   for seq, minute in ((1, 600), (2**40, 660))])
        self.count()
        self.assertEqual(self.interval(), (2, None, None))


    def test_a_day_that_cannot_be_counted_costs_no_other_its_turn_and_waits(self):
        url = self.url_of("uncountable")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(BROKEN)
            for self.site in ("broken", "sound"):
                self.take([span(1, "door", self.time(0), self.time(1440)), event({"seq": 1, "type": "exit", "beacon": "1/1", "at": self.time(61),
                           "entered": self.time(50), "heard": self.time(60)})], connection)
            for job in ("make_days_ahead", "roll_up", "roll_up_days", "roll_up_days"):
                connection.execute(f"SELECT beacons.{job}()")
            self.assertEqual(connection.execute("SELECT DISTINCT site FROM beacons.occupancy_day").fetchall(), [("sound",)])
            self.assertEqual(connection.execute("SELECT DISTINCT site, failed_at > now() - interval '1 minute' FROM beacons.due_day WHERE day < now() - interval '2 days'").fetchall(),
                             [("broken", True)])


@unittest.skipUnless(os.access(BEACOND, os.X_OK), "there is no beacond to replay what was simulated")
class StoreDays(DayTest):
    """Simulated store days through real agents: the truth lies within the interval on nine of ten."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # The counted days: (kind, lost share, missing share) → (truth, counted, low, high).
        cls.intervals = collections.defaultdict(list)
        collector = Database(cls.database.url, lambda: False)
        cls.addClassCleanup(collector.close)
        for number in range(FIRST, FIRST + DAYS):
            with tempfile.TemporaryDirectory() as folder:
                day = StoreDay(number, OPEN_HOURS, pathlib.Path(folder))
            cls.keep(collector, day)
            rows = cls.connection.execute(
                "SELECT visits, visits_low, visits_high FROM beacons.occupancy_daily WHERE site = %s AND day = %s", (day.site, DAY.date())).fetchall()
            cls.intervals[day.kind, day.lost, day.missing].append((day.visits, *rows[0]))

    @classmethod
    def keep(cls, collector, day):
        rows = []
        for _, topic, payload in day.messages:
            address = parse(topic, "beacons")
            text = json.dumps(payload).replace("2026-01-01T", f"{DAY:%Y-%m-%d}T")
            rows.append(Row(topic, address, read(text.encode(), address), datetime.datetime.now(datetime.UTC)))
        for first in range(0, len(rows), 500):
            collector.commit(rows[first:first + 500], [])
        cls.connection.execute("INSERT INTO beacons.store VALUES (%s, %s, 'UTC', 'as simulated')", (day.site, day.site))
        cls.connection.execute(
            "INSERT INTO beacons.store_opening SELECT %s, weekday, %s, %s FROM generate_series(1, 7) weekday",
            (day.site, *[datetime.timedelta(seconds=second) for second in day.open]))

    def within(self, days):
        return sum(low <= truth <= high for truth, _, low, high in days) / len(days)

    def half_width(self, days):
        return sum((high - low) / 2 / truth for truth, _, low, high in days) / len(days)

    def test_the_truth_is_within_on_nine_of_ten_days_and_the_interval_is_narrow_where_all_was_heard(self):
        days = [day for group in self.intervals.values() for day in group]
        for part in ("kind", "lost", "missing"):
            groups = collections.defaultdict(list)
            for key, group in self.intervals.items():
                groups[key[("kind", "lost", "missing").index(part)]] += group
            for value, group in groups.items():
                print(f"figure: {part} {value}: {len(group)} days, {100 * self.within(group):.1f} % within, ± {100 * self.half_width(group):.1f} %, "
                      f"counted {100 * sum(day[1] - day[0] for day in group) / sum(day[0] for day in group):+.1f} %")
        print(f"figure: all: {len(days)} days, {100 * self.within(days):.1f} % within, ± {100 * self.half_width(days):.1f} %")
        self.assertGreaterEqual(self.within(days), 0.85 if DAYS > 100 else 0.75)
        self.assertLessEqual(self.within(days), 0.95 if DAYS > 100 else 1)
        heard = [day for (_, lost, missing), group in self.intervals.items() for day in group if not lost and not missing]
        self.assertGreater(len(heard), 0)
        self.assertLessEqual(self.half_width(heard), 0.05)

    def test_what_was_counted_is_further_from_the_truth_than_the_middle_of_the_interval(self):
        days = [day for (_, lost, _), group in self.intervals.items() for day in group if lost]
        counted = sum(abs(visits - truth) for truth, visits, _, _ in days)
        middle = sum(abs((low + high) / 2 - truth) for truth, _, low, high in days)
        self.assertLess(middle, counted / 2)
