"""The sentences of the report: each follows from one rule, and claims no more than the figures do."""

import datetime
import random
import re
import unittest
from zoneinfo import ZoneInfo

from beacons_report.figures import about, between, counted, difference, ends_of, listed, minutes
from beacons_report.gathering import usual_days
from beacons_report.model import Day, Devices, Gap, Hour, Region, Usual, Way, clean
from beacons_report.sentences import clock_changes, compared, help_needed, summary, week_before
from beacons_report.weeks import WEEKDAYS, NoWeek, Week, span_of, week_named

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime.date(2026, 11, 16)
ENOUGH = 0.5


def day(number, visits, margin=5, heard=1.0, dwell=None, is_over=True, monday=MONDAY):
    low, high = (None, None) if margin is None else (max(visits - margin, 0), visits + margin)
    return Day(monday + datetime.timedelta(days=number), visits, low, high, dwell, heard, heard, is_over)


def arrivals(chosen, mean):
    """A Poisson count: as many as fit into a day with gaps of chance between them."""
    number, after = 0, chosen.expovariate(mean)
    while after < 1:
        number, after = number + 1, after + chosen.expovariate(mean)
    return number


def week_of(*days):
    return {one.day: one for one in days}


class SentenceTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.week = Week(MONDAY, BERLIN)

    def region(self, visits=(100,) * 7, margin=5, before=None, **more):
        days = week_of(*(day(number, one, margin) for number, one in enumerate(visits)))
        earlier = week_of(*(day(number - 7, one, margin) for number, one in enumerate(before or ())))
        return Region("carts", more.pop("days", days), more.pop("earlier", earlier), more.pop("usual", {}), **more)

    def said(self, region, about_what="", alone=True):
        """The sentences with that word."""
        return [sentence for sentence in summary(region, self.week, alone, ENOUGH) if about_what in sentence]

    def at(self, number, hours):
        """A time of the week by the wall clock."""
        midnight = datetime.datetime(MONDAY.year, MONDAY.month, MONDAY.day, tzinfo=BERLIN)
        return (midnight + datetime.timedelta(days=number, hours=hours)).astimezone(datetime.UTC)

    def gap(self, number, begin, end, last=None):
        return Gap(self.at(number, begin), self.at(number if last is None else last, end))


class Total(SentenceTest):
    def test_the_number_is_rounded_and_its_interval_outwards(self):
        self.assertEqual(self.said(self.region((331,) * 7, 12), "visits from"),
                         ["The store had about 2,300 visits from Monday 16 to Sunday 22 November 2026. The true number is probably between 2,200 and 2,500."])

    def test_a_narrow_interval_leaves_more_digits(self):
        self.assertIn("about 2,320 visits", self.said(self.region((331,) * 7, 2), "visits from")[0])
        self.assertIn("between 2,300 and 2,340", self.said(self.region((331,) * 7, 2), "visits from")[0])

    def test_days_of_which_too_little_was_heard_are_left_out_by_name(self):
        days = week_of(*(day(number, 331, 2) for number in (0, 1, 2)), day(3, 7, None))
        self.assertEqual(self.said(self.region(days=days, gaps=[self.gap(4, 8, 20)]), "visits from"),
                         ["The store had about 993 visits from Monday 16 to Sunday 22 November 2026, without Thursday and Friday. "
                          "The true number is probably between 987 and 999."])

    def test_of_a_week_that_was_heard_in_part_the_middle_is_named(self):
        days = week_of(Day(MONDAY, 1630, 1600, 2400, None, 0.6, 0.6))
        self.assertIn("about 2,000 visits", self.said(self.region(days=days), "visits from")[0])

    def test_an_interval_above_the_counted_number_comes_first(self):
        days = week_of(Day(MONDAY, 242, 248, 288, None, 0.9, 0.9))
        self.assertEqual(self.said(self.region(days=days), "were counted"),
                         ["The store probably had between 240 and 290 visits from Monday 16 to Sunday 22 November 2026. 242 were counted."])

    def test_without_an_interval_it_says_so(self):
        self.assertEqual(self.said(self.region((10,) * 7, None), "counted"),
                         ["70 visits were counted from Monday 16 to Sunday 22 November 2026. How far the truth is from that is not known."])

    def test_no_visit_is_no_figure(self):
        self.assertEqual(self.said(self.region((0,) * 7, 2), "visit"),
                         ["No visit was counted from Monday 16 to Sunday 22 November 2026. The true number is probably at most 14."])

    def test_a_running_week_is_so_far(self):
        self.week = Week(MONDAY, BERLIN, self.at(3, 12))
        self.assertEqual(self.said(self.region((50, 50, 50, 20), 10), "so far"),
                         ["The store had about 170 visits so far in the week from Monday 16 to Sunday 22 November 2026. "
                          "The true number is probably between 130 and 210."])


class WeekBefore(SentenceTest):
    def test_a_difference_beyond_both_intervals_is_named_with_its_range(self):
        self.assertEqual(self.said(self.region((440,) * 7, 8, (400,) * 7), "week before"), ["The week was about 10 % above the week before (between 5 and 15 %)."])

    def test_intervals_that_overlap_are_no_difference(self):
        self.assertEqual(self.said(self.region((1040,) * 7, 30, (1000,) * 7), "week before"),
                         ["The week had about as many visits as the week before: a difference may be chance."])

    def test_a_difference_that_chance_makes_is_none(self):
        self.assertEqual(self.said(self.region((107,) * 7, 1, (100,) * 7), "week before"),
                         ["The week had about as many visits as the week before: a difference may be chance."])

    def test_without_intervals_there_is_no_comparison(self):
        self.assertEqual(self.said(self.region((200,) * 7, None, (100,) * 7), "week before"), [])

    def test_only_days_that_were_heard_in_both_weeks_count(self):
        days = week_of(*(day(number, 440, 8, 0.2 if number == 4 else 1.0) for number in range(7)))
        self.assertEqual(self.said(self.region(days=days, before=(400,) * 7, margin=8), "week before"),
                         ["Without Friday, the week was about 10 % above the week before (between 5 and 15 %)."])

    def test_of_a_running_week_only_days_that_are_over_count(self):
        self.week = Week(MONDAY, BERLIN, self.at(2, 12))
        days = week_of(day(0, 50, 2), day(1, 50, 2), day(2, 20, 2, is_over=False))
        self.assertEqual(self.said(self.region(days=days, before=(100,) * 7, margin=2), "week before"),
                         ["Monday and Tuesday together were about 50 % below the week before (between 46 and 53 %)."])


class Compared(SentenceTest):
    def usual(self, *numbers, days=4, margin=15, visits=500, spread=0):
        return {MONDAY + datetime.timedelta(days=number): Usual(days, visits, visits - margin, visits + margin, spread) for number in numbers}

    def test_a_day_above_and_one_below(self):
        self.assertEqual(self.said(self.region((500, 600, 500, 400, 500, 500, 500), 15, usual=self.usual(0, 1, 2, 3)), "last four"),
                         ["Tuesday was about 20 % above the last four Tuesdays (between 13 and 27 %).",
                          "Thursday was about 20 % below the last four Thursdays (between 14 and 26 %)."])

    def test_intervals_that_overlap_are_no_difference(self):
        self.assertEqual(self.said(self.region((570,) * 7, 60, usual=self.usual(0, 1)), "four weeks"),
                         ["No day was clearly above or below the same weekday of the four weeks before."])

    def test_intervals_that_touch_overlap(self):
        self.assertIsNone(difference(600, 550, 650, 500, 450, 550))
        self.assertIsNotNone(difference(602, 551, 653, 500, 450, 550))

    def test_a_difference_that_chance_makes_is_none(self):
        # Two standard deviations of 1.5 times both numbers: 500 and a mean of four.
        self.assertIsNone(difference(562, 561, 563, 500, 499, 501, 4))
        self.assertIsNotNone(difference(566, 565, 567, 500, 499, 501, 4))
        self.assertIsNone(difference(566, 565, 567, 500, 499, 501, 1))

    def test_days_that_differ_among_themselves_allow_another_one_as_different(self):
        for spread, named in ((40, 1), (50, 0)):
            self.assertEqual(len(self.said(self.region((600,) + (500,) * 6, 1, usual=self.usual(0, spread=spread)), "last four")), named)

    def test_the_number_of_people_who_come_varies_by_chance_without_a_sentence(self):
        chosen = random.Random(20261116)
        weeks, days, named = 120, 7, {200: 0, 260: 0, 140: 0}
        for number in named:
            for _ in range(weeks):
                former = week_of(*(day(one - 7 * ago, arrivals(chosen, 200), 1) for ago in (1, 2, 3, 4) for one in range(days)))
                now = week_of(*(day(one, arrivals(chosen, number), 1) for one in range(days)))
                region = self.region(days=now, usual=usual_days(former, self.week, ENOUGH))
                named[number] += sum(len(re.findall(f"({'|'.join(WEEKDAYS)})", sentence.split(" the last ")[0]))
                                     for sentence in compared(region, self.week, ENOUGH) if "No day" not in sentence)
        self.assertLess(named[200], 0.02 * weeks * days)
        self.assertGreater(named[260], 0.6 * weeks * days)
        self.assertGreater(named[140], 0.6 * weeks * days)

    def test_weeks_that_vary_by_chance_have_no_difference(self):
        chosen, named = random.Random(20261117), 0
        for _ in range(200):
            region = self.region([arrivals(chosen, 200) for _ in range(7)], 1, [arrivals(chosen, 200) for _ in range(7)])
            named += "may be chance" not in next(week_before(region, self.week, ENOUGH))
        self.assertLess(named, 0.03 * 200)

    def test_a_day_that_was_heard_in_part_is_compared_by_the_middle_of_what_it_may_be(self):
        days = week_of(Day(MONDAY, 500, 600, 700, None, 0.8, 0.8))
        self.assertEqual(self.said(self.region(days=days, usual=self.usual(0)), "Mondays"), ["Monday was about 30 % above the last four Mondays (between 16 and 45 %)."])

    def test_days_that_are_missing_are_left_out_of_the_number(self):
        self.assertEqual(self.said(self.region((600,) + (500,) * 6, 15, usual=self.usual(0, days=3)), "figures"),
                         ["Monday was about 20 % above the last three Mondays of which there are figures (between 13 and 27 %)."])

    def test_a_single_former_day_is_no_usual_one(self):
        self.assertEqual(self.said(self.region((600,) + (500,) * 6, 3, usual=self.usual(0, days=1)), "four"), [])

    def test_a_day_that_was_hardly_heard_is_not_compared(self):
        days = week_of(day(0, 100, 3, 0.4), day(1, 500, 3))
        self.assertEqual(self.said(self.region(days=days, usual=self.usual(0)), "four"), [])

    def test_a_day_that_is_not_over_is_not_compared(self):
        days = week_of(day(0, 100, 3, is_over=False))
        self.assertEqual(self.said(self.region(days=days, usual=self.usual(0)), "four"), [])

    def test_three_days_have_a_sentence_and_the_others_are_named(self):
        found = self.said(self.region((600, 650, 700, 750, 575, 500, 500), 15, usual=self.usual(0, 1, 2, 3, 4)), "")
        self.assertEqual([sentence.split()[0] for sentence in found if "last four" in sentence], ["Tuesday", "Wednesday", "Thursday"])
        self.assertIn("Monday and Friday differed as well.", found)

    def test_small_numbers_have_no_percent(self):
        self.assertEqual(self.said(self.region((15,) + (0,) * 6, 2, usual=self.usual(0, visits=5, margin=2)), "Mondays"),
                         ["Monday was above the last four Mondays: 15 instead of 5."])

    def test_twice_as_many_is_a_multiple(self):
        self.assertEqual(self.said(self.region((1250,) + (500,) * 6, 15, usual=self.usual(0)), "Mondays"),
                         ["Monday was about 2.5 times as high as the last four Mondays."])


class Busiest(SentenceTest):
    def hours(self, *visits, share=1.0):
        return [Hour(self.at(5, 10 + number), one, share) for number, one in enumerate(visits)]

    def test_the_busiest_hour_by_the_wall_clock(self):
        self.assertEqual(self.said(self.region(hours=self.hours(4, 9, 3)), "Most carts"), ["Most carts were there on Saturday between 11:00 and 12:00: 9."])

    def test_two_hours_with_the_same_number_are_both_named_and_three_none(self):
        self.assertEqual(self.said(self.region(hours=self.hours(9, 3, 9)), "Most carts"),
                         ["Most carts were there on Saturday between 10:00 and 11:00 and on Saturday between 12:00 and 13:00: 9 each."])
        self.assertEqual(self.said(self.region(hours=self.hours(9, 9, 9)), "Most carts"), [])

    def test_an_hour_that_was_hardly_heard_is_not_the_busiest(self):
        self.assertEqual(self.said(self.region(hours=self.hours(9, share=0.3) + self.hours(0, 5)), "Most carts"),
                         ["Most carts were there on Saturday between 11:00 and 12:00: 5."])


class NotHeard(SentenceTest):
    def test_a_gap_by_the_wall_clock(self):
        self.assertEqual(self.said(self.region(gaps=[self.gap(1, 14, 15)]), "not heard"), ["On Tuesday between 14:00 and 15:00 the store was not heard."])

    def test_a_region_among_others_is_called_so(self):
        self.assertEqual(self.said(self.region(gaps=[self.gap(1, 14, 15)]), "not heard", alone=False),
                         ["On Tuesday between 14:00 and 15:00 this region was not heard."])

    def test_a_gap_over_midnight(self):
        self.assertEqual(self.said(self.region(gaps=[self.gap(1, 22, 8, last=3)]), "not heard"), ["From Tuesday 22:00 to Thursday 8:00 the store was not heard."])

    def test_a_week_without_hearing_is_one_sentence(self):
        self.assertEqual(self.said(self.region(gaps=[self.gap(0, 0, 24, last=6)]), "heard"), ["The store was not heard in the whole week."])

    def test_days_without_hearing_are_named_together(self):
        days = week_of(*(day(number, 100) for number in (0, 3, 4)))
        self.assertEqual(self.said(self.region(days=days, gaps=[self.gap(1, 8, 20), self.gap(2, 8, 20)]), "not heard"),
                         ["On Tuesday and Wednesday the store was not heard at all."])

    def test_three_longest_gaps_are_named_and_the_others_summed(self):
        gaps = [self.gap(0, 9, 10), self.gap(1, 9, 11), self.gap(2, 9, 9.5), self.gap(3, 9, 12), self.gap(4, 9, 9.25)]
        self.assertEqual([sentence for sentence in self.said(self.region(gaps=gaps)) if "hear" in sentence],
                         ["On Monday between 9:00 and 10:00 the store was not heard.", "On Tuesday between 9:00 and 11:00 the store was not heard.",
                          "On Thursday between 9:00 and 12:00 the store was not heard.", "There were 2 more times without hearing, 45 minutes in all."])

    def test_short_gaps_are_nearly_none(self):
        self.assertEqual(self.said(self.region(gaps=[self.gap(1, 14, 14.05)]), "heard"), ["The store was heard in nearly all of its opening time."])
        self.assertEqual(self.said(self.region(), "heard"), ["The store was heard in all of its opening time."])


class Others(SentenceTest):
    def test_the_middle_of_the_days_medians_is_the_dwell(self):
        days = week_of(*(day(number, 9, dwell=(60, seconds, 4000)) for number, seconds in enumerate((600, 700, 90000))))
        self.assertEqual(self.said(self.region(days=days), "lasted"), ["Half of the visits lasted longer than about 12 minutes."])

    def test_the_most_common_way_is_one_without_an_equal(self):
        ways = [Way("entrance", "bakery", 40), Way("bakery", "checkout", 33)]
        self.assertEqual(self.said(self.region(ways=ways), "way"), ["The most common way led from entrance to bakery: about 40 times."])
        self.assertEqual(self.said(self.region(ways=[ways[0], Way("bakery", "checkout", 40)]), "way"), [])

    def test_devices(self):
        self.assertEqual(help_needed(Devices()), "No gateway and no beacon needs help.")
        self.assertEqual(help_needed(Devices(gateways_in_all=1)), "1 gateway needs help: see the end of this report.")
        self.assertEqual(help_needed(Devices(gateways_in_all=2, beacons_in_all=3)), "2 gateways and 3 beacons need help: see the end of this report.")

    def test_both_nights_on_which_clocks_change(self):
        def said(text):
            return list(clock_changes(Week(week_named(text), BERLIN)))
        self.assertEqual(said("2026-W43"), ["On Sunday 25 October the clocks went back by 1 hour, so a time of the night came twice. The tables add both."])
        self.assertEqual(said("2026-W13"), ["On Sunday 29 March the clocks went forward by 1 hour, so a time of the night is missing."])
        self.assertEqual(said("2026-W44"), [])


class Words(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual([about(number) for number in (0, 7, 19, 23, 146, 2312, 98765)],
                         ["0", "7", "19", "about 23", "about 150", "about 2,300", "about 99,000"])
        self.assertEqual([between(*ends) for ends in ((0, 0), (3, 9), (396, 449), (101, 1001))],
                         ["exactly 0", "between 3 and 9", "between 390 and 450", "between 100 and 1,100"])
        self.assertEqual([ends_of(*ends) for ends in ((0, 0), (3, 9), (897, 941), (None, 9))], ["0 to 0", "3 to 9", "890 to 950", "not known"])
        self.assertEqual([counted(number, "gateway") for number in (0, 1, 2)], ["no gateway", "1 gateway", "2 gateways"])
        self.assertEqual([minutes(seconds) for seconds in (1, 45, 720, 3600, 4500, 5400, 43200, 45000, 172800, 216000)],
                         ["1 second", "45 seconds", "12 minutes", "1 hour", "75 minutes", "1.5 hours", "12 hours", "12.5 hours", "2 days", "2.5 days"])
        self.assertEqual([listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])], ["a", "a and b", "a, b and c"])

    def test_weeks(self):
        self.assertEqual(week_named("2026-W53"), datetime.date(2026, 12, 28))
        for wrong in ("2025-W53", "2026-W00", "W47", "2026-47", "2026-W4", "0000-W01"):
            with self.subTest(wrong), self.assertRaises(NoWeek):
                week_named(wrong)
        self.assertEqual(span_of(Week(datetime.date(2026, 12, 28), BERLIN)), "Monday 28 December 2026 to Sunday 3 January 2027")
        self.assertEqual(span_of(Week(datetime.date(2026, 11, 30), BERLIN)), "Monday 30 November to Sunday 6 December 2026")

    def test_a_name_stays_on_its_line(self):
        self.assertEqual(clean("a\u202eb\nc\x00 d\t e"), "a?b?c? d? e".replace("?", "\N{REPLACEMENT CHARACTER}"))
        self.assertEqual(len(clean("x" * 500)), 80)
