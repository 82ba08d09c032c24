"""The table of hours and the marks to compare with: a figure of a time that was not heard is never shown as a whole one."""

import datetime
import unittest
import warnings
from zoneinfo import ZoneInfo

from beacons_report import plots
from beacons_report.days import compared_words, mark_of
from beacons_report.hours import by_hour, hour_bars, hour_rows
from beacons_report.model import Day, Gap, Hour, Usual, named
from beacons_report.weeks import Week

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime.date(2026, 11, 16)


def at(hours, day=0):
    midnight = datetime.datetime(MONDAY.year, MONDAY.month, MONDAY.day, tzinfo=BERLIN)
    return (midnight + datetime.timedelta(days=day, hours=hours)).astimezone(datetime.UTC)


class Hours(unittest.TestCase):
    """A store that is open on Monday from 8:00 to 20:30, and on Tuesday from 8:00 on."""

    opening = (Gap(at(8), at(20.5)), Gap(at(8, 1), at(24, 1)))

    def words(self, visits, gaps=(), week=None):
        """By hour, the words of Monday and Tuesday."""
        grid, minute = by_hour([Hour(at(hour), number, 1.0) for hour, number in visits.items()], self.opening, gaps, week or Week(MONDAY, BERLIN))
        return {row["name"]: tuple(cell["words"] for cell in row["cells"][:2]) for row in hour_rows(grid, minute)}

    def test_an_open_hour_that_was_not_heard_has_no_number_and_a_closed_one_none_either(self):
        words = self.words({7: 1, 9: 4, 22: 1}, [Gap(at(10), at(11))])
        self.assertEqual([words[f"{hour}:00"][0] for hour in (7, 8, 9, 10, 11, 21, 22)], ["1", "0", "4", "?", "0", "–", "1"])

    def test_an_hour_that_was_heard_in_part_has_a_star_and_so_has_one_with_a_visit_that_lasted_over_it(self):
        words = self.words({9: 4, 10: 1, 11: 2}, [Gap(at(9.5), at(11))])
        self.assertEqual([words[f"{hour}:00"][0] for hour in (9, 10, 11)], ["4*", "1*", "2"])

    def test_a_second_without_hearing_is_no_part(self):
        self.assertEqual(self.words({9: 4}, [Gap(at(9), at(9) + datetime.timedelta(seconds=1))])["9:00"][0], "4")

    def test_deafness_after_closing_has_no_star(self):
        # What is closed is no gap, although the gateway heard half of the hour.
        grid, minute = by_hour([Hour(at(20), 3, 0.5), Hour(at(21), 1, 0.1)], self.opening, [], Week(MONDAY, BERLIN))
        self.assertEqual([row["cells"][0]["words"] for row in hour_rows(grid, minute)], ["3", "1"])

    def test_what_is_still_to_come_has_no_figure(self):
        self.assertEqual(self.words({9: 4}, week=Week(MONDAY, BERLIN, at(12)))["9:00"], ("4", "–"))

    def test_bars_of_hours_have_the_week_before_where_all_of_it_was_heard(self):
        week = Week(MONDAY, BERLIN)
        visits = [Hour(at(hour), 5, 1.0) for hour in (9, 10, 11)]
        now, _ = by_hour(visits, self.opening, [Gap(at(10, 1), at(11, 1))], week)
        before, _ = by_hour(visits, self.opening, [Gap(at(9.5), at(10))], week)
        bars = hour_bars(now, before, 0)
        self.assertEqual([bar.before for bar in bars], [None, plots.Mark(5), plots.Mark(5)])
        self.assertEqual([bar.heard for bar in bars], [True, False, True])


class Compared(unittest.TestCase):
    def test_a_day_that_was_heard_in_part_has_its_interval_in_the_place_of_its_number(self):
        for day, words, mark in ((Day(MONDAY, 100, 98, 104, None, 0.5, 1.0), "100", plots.Mark(100)),
                                 (Day(MONDAY, 163, 160, 300, None, 0.7, 0.7), "160 to 300", plots.Mark(230, 160, 300)),
                                 (Day(MONDAY, 207, 201, 204, None, 1.0, 1.0), "201 to 204", plots.Mark(202.5, 201, 204)),
                                 (Day(MONDAY, 3, None, None, None, 0.05, 0.05), "not known", None),
                                 (Usual(4, 100.0, 90.0, 120.0), "100", plots.Mark(100)),
                                 (Usual(4, 100.0, 90.0, 120.0, is_whole=False), "90 to 120", plots.Mark(105, 90, 120)),
                                 (None, "–", None)):
            with self.subTest(day):
                self.assertEqual((compared_words(day), mark_of(day)), (words, mark))


class Names(unittest.TestCase):
    def test_a_name_without_ink_is_called_blank(self):
        self.assertEqual([named(name) for name in ("", " ", "\u3164", "\u2800 ", None, "a ")], ["(blank)"] * 5 + ["a"])

    def test_names_in_any_letters_leave_room_for_the_bars(self):
        for name in ("W" * 163, "\N{CJK UNIFIED IDEOGRAPH-65E5}" * 163, "\U00012000" * 163, "i" * 163):
            with self.subTest(name[0]), warnings.catch_warnings():
                warnings.simplefilter("error")
                plots.bars_of_ways([(name, 3), ("b", 1)], "ways")
                self.assertLessEqual(sum(map(plots.width_pt, plots.cut(name))), plots.WIDTH_PT)
                self.assertTrue(plots.cut(name).endswith("…"))
