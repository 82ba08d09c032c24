"""Opening hours in OpenStreetMap's syntax: the common subset is read, and anything else is an error."""

import unittest

from beacons_schema.opening_hours import opening_hours


def read(text):
    """The times of each weekday as short words: `1: 8:00-20:00`."""
    week = opening_hours(text)
    return week and {day: " ".join(f"{begin // 60}:{begin % 60:02}-{end // 60}:{end % 60:02}" for begin, end in ranges) for day, ranges in week.items()}


def days(*times):
    return dict(enumerate(times, 1))


class OpeningHours(unittest.TestCase):
    def test_rules_name_days_and_times(self):
        self.assertEqual(read("Mo-Fr 08:00-20:00; Sa 09:00-18:00; PH off"), days(*["8:00-20:00"] * 5, "9:00-18:00", "", ""))

    def test_a_rule_without_days_holds_on_each_day(self):
        self.assertEqual(read("10:00-22:00"), days(*["10:00-22:00"] * 7))

    def test_a_later_rule_replaces_an_earlier_one_on_its_days(self):
        self.assertEqual(read("Mo-Su 08:00-20:00; We 10:00-12:00; Su off"), days("8:00-20:00", "8:00-20:00", "10:00-12:00", *["8:00-20:00"] * 3, ""))

    def test_days_may_be_lists_and_go_over_the_end_of_the_week(self):
        self.assertEqual(read("Sa-Mo,We 08:00-09:00"), days("8:00-9:00", "", "8:00-9:00", "", "", "8:00-9:00", "8:00-9:00"))
        self.assertEqual(read("Mo 08:00-09:00; Su,PH 10:00-11:00"), days("8:00-9:00", *[""] * 5, "10:00-11:00", "10:00-11:00"))

    def test_a_day_may_have_several_times_and_end_after_midnight(self):
        self.assertEqual(read("Mo 14:00-18:00,08:00-12:00; Fr 22:00-02:00; Sa 22:00-26:30; Su 08:00-24:00"),
                         days("8:00-12:00 14:00-18:00", "", "", "", "22:00-26:00", "22:00-26:30", "8:00-24:00"))

    def test_always_open_is_24_7_or_nothing(self):
        self.assertIsNone(read("24/7"))
        self.assertIsNone(read(" "))
        self.assertEqual(read("24/7; PH off"), days(*["0:00-24:00"] * 7, ""))

    def test_anything_else_is_an_error_that_shows_the_part(self):
        for text, part in (
                ("Mo-Fr 8-20", "'8-20' is no time"), ("Mo-Fr 08:00-20:00; sometimes", "'sometimes' is no time"), ("Mo-Fr", "no rule"),
                ("mo-fr 08:00-20:00", "no time"), ("Mo-Fr 08:00-20:00;; Sa off", "'' is no rule"), ("Mo-PH 08:00-20:00", "a range of public holidays"),
                ("Mo 08:60-20:00", "no time of a day"), ("Mo 24:00-25:00", "no time of a day"), ("Mo 08:00-50:00", "no time of a day"),
                ("Mo 08:00-12:00,11:00-13:00", "overlap"), ("Jan-Mar 08:00-20:00", "no time"), ("Mo-Fr 08:00+", "no time"),
                ("Mo-Fr sunrise-sunset", "no time"), ("week 1-10 Mo 08:00-09:00", "no time"), ("Mo ٠٨:00-20:00", "no time"), ("x" * 600, "longer than"),
                ("Mo-Fr 08:00-20:00 \"by appointment\"", "no time"), ("Mo,-Fr 08:00-20:00", "no time"), (";" * 60, "longer than")):
            with self.subTest(text), self.assertRaisesRegex(ValueError, part.replace("(", r"\(")):
                opening_hours(text)
