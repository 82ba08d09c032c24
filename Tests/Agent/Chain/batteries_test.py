"""Batteries: the days of a beacon's readings, and how many days it has left."""

import datetime
import math
import random
import statistics

from lists import ListTest, entry, page
from story import stamp

FIRST = datetime.datetime.now(datetime.UTC).replace(hour=9, minute=0, second=0, microsecond=0) - datetime.timedelta(days=100)


class BatteryTest(ListTest):
    def list_levels(self, *days, field="battery_mv", first=0, **more):
        """A list for each day, with the day's reading; None is a day without one."""
        for number, level in enumerate(days, start=first):
            moment = FIRST + datetime.timedelta(days=number)
            telemetry = {} if level is None else {field: level, "telemetry_at": stamp(moment), "format": "minew"}
            self.take([page("door", moment, entry("1/1", moment, **telemetry, **more))])

    def left(self):
        return [days for days, in self.query("SELECT days_left FROM beacons.beacon_battery WHERE site = %(site)s")]

    def daily(self, columns):
        return self.query(f"SELECT {columns} FROM beacons.battery_daily WHERE site = %(site)s ORDER BY day")


class DailyTests(BatteryTest):
    def test_a_day_has_the_mean_and_the_least_of_its_readings_each_counted_once(self):
        pages = [page(gateway, FIRST + datetime.timedelta(hours=hour),
                      entry("1/1", FIRST, battery_mv=level, battery_percent=level / 30, temperature_c=20 + hour,
                            telemetry_at=stamp(FIRST + datetime.timedelta(hours=hour - 1))))
                 for gateway, hour, level in (("door", 1, 3000), ("door", 2, 2970), ("till", 2, 2940))]
        for one in pages * 2:
            self.take([one])
        # A list that repeats the reading of the last one.
        self.take([page("till", FIRST + datetime.timedelta(hours=3), entry("1/1", FIRST, battery_mv=2940, telemetry_at=stamp(FIRST + datetime.timedelta(hours=1))))])
        self.assertEqual(self.daily("readings, battery_mv, battery_mv_min, battery_percent, battery_percent_min, round(temperature_c::numeric, 2)::float"),
                         [(3, 2970, 2940, 99, 98, 21.67)])

    def test_a_reading_counts_for_the_day_on_which_it_was_read(self):
        self.take([page("door", FIRST + datetime.timedelta(days=1), entry("1/1", FIRST, battery_mv=3000, telemetry_at=stamp(FIRST)))])
        self.assertEqual(self.daily("day"), [(FIRST.date(),)])

    def test_a_mean_is_that_of_the_readings_that_have_the_value(self):
        for minute, telemetry in enumerate(({"battery_mv": 3000},) * 3 + ({"battery_percent": 50}, {"battery_percent": 100})):
            moment = FIRST + datetime.timedelta(minutes=minute)
            self.take([page("door", moment, entry("1/1", FIRST, telemetry_at=stamp(moment), **telemetry))])
        self.assertEqual(self.daily("readings, percent_readings, mv_readings, battery_percent, battery_mv"), [(5, 2, 3, 75, 3000)])

    def test_a_beacon_without_a_battery_in_its_lists_has_no_row(self):
        self.list_levels(None, None)
        self.assertEqual((self.daily("day"), self.left()), ([], []))


class DaysLeftTests(BatteryTest):
    def test_a_level_that_falls_evenly_has_the_days_until_the_limit(self):
        self.list_levels(*[2900 - 5 * day for day in range(28)])
        self.assertEqual(self.left(), [(2900 - 5 * 27 - 2400) // 5])
        self.assertEqual(self.query("SELECT ends_on FROM beacons.beacon_battery WHERE site = %(site)s"),
                         [((FIRST + datetime.timedelta(days=27 + (2900 - 5 * 27 - 2400) // 5)).date(),)])

    def test_a_level_at_the_limit_has_no_day_left(self):
        self.list_levels(2410, 2400, 2400, 2400)
        self.assertEqual(self.left(), [0])
        self.list_levels(2410, 2401, 2401, 2401, first=30)
        self.assertEqual(self.left(), [None])

    def test_percent_counts_where_it_comes_and_the_smaller_of_both_is_shown(self):
        self.list_levels(*[80 - day for day in range(28)], field="battery_percent")
        self.assertEqual(self.left(), [43])
        self.list_levels(*[50 - day / 2 for day in range(28)], field="battery_percent", first=40, battery_mv=2990)
        self.assertEqual(self.left(), [53])
        self.connection.execute("UPDATE beacons.battery_daily SET battery_mv = 2400 + 10 * (%s - day) WHERE site = %s",
                                ((FIRST + datetime.timedelta(days=97)).date(), self.site))
        self.assertEqual(self.left(), [30])

    def test_too_few_days_a_flat_battery_and_one_that_rises_say_nothing(self):
        for name, days in (("few", [2900 - 5 * day for day in range(13)]), ("flat", [2950] * 28), ("rising", [2900 + day for day in range(28)])):
            with self.subTest(name):
                self.site = f"battery-{name}"
                self.list_levels(*days)
                self.assertEqual(self.left(), [None])

    def test_a_battery_that_only_wavers_says_nothing_all_but_once_in_twenty_times(self):
        chance = random.Random(1)
        levels = [[chance.gauss(2950, 10) for _ in range(28)] for _ in range(400)]
        forecasts = sum(self.days_until(level) is not None for level in levels)
        few = sum((self.days_until(level) or 9999) < 60 for level in levels)
        print(f"figure: a battery that wavers by 10 mV and does not fall: {forecasts} of 400 have days left, {few} fewer than 60")
        self.assertLess(forecasts, 400 / 20)

    def days_until(self, levels, lowest=2400):
        days = [FIRST.date() + datetime.timedelta(days=day) for day in range(len(levels))]
        return self.query("SELECT beacons.days_until(%(days)s, %(levels)s::double precision[], %(lowest)s)", days=days, levels=levels, lowest=lowest)[0][0]

    def test_a_cold_night_and_a_wrong_reading_move_it_by_no_more_than_days(self):
        levels = [2900 - 5 * day for day in range(28)]
        self.assertAlmostEqual(self.days_until(levels), 73, delta=0.01)
        for place, wrong in ((3, 0), (20, 2600), (26, 3300)):
            with self.subTest(place):
                self.assertAlmostEqual(self.days_until([*levels[:place], wrong, *levels[place + 1:]]), 73, delta=1)

    def test_a_battery_that_is_empty_has_no_day_left_however_few_days_it_has(self):
        self.list_levels(9, field="battery_percent")
        self.assertEqual(self.left(), [0])

    def test_a_new_battery_says_nothing_until_its_own_slope_is_known(self):
        self.list_levels(*[2500 - 3 * day for day in range(28)], *[3000] * 6)
        self.assertEqual(self.left(), [None])
        self.list_levels(*[3000 - 4 * day for day in range(28)], first=34)
        self.assertEqual(self.left(), [(3000 - 4 * 27 - 2400) // 4])

    def test_a_new_battery_has_no_days_left_until_its_own_slope_is_known(self):
        self.list_levels(*[30 - day for day in range(28)], field="battery_percent")
        self.assertEqual(self.left(), [0])
        for day in range(28, 40):
            self.list_levels(100, field="battery_percent", first=day)
            self.assertEqual(self.left(), [None], day)

    def test_one_wrong_reading_is_not_the_end(self):
        self.list_levels(*[3000] * 28, 2300)
        self.assertEqual(self.left(), [None])
        self.list_levels(2300, first=29)
        self.assertEqual(self.left(), [0])

    def test_days_without_a_reading_do_not_bend_the_slope(self):
        self.list_levels(*[2900 - 5 * day if day % 2 else None for day in range(29)])
        self.assertEqual(self.left(), [73])

    def test_the_row_names_the_asset_in_the_store_that_registered_the_beacon(self):
        self.list_levels(2900)
        self.register("1/1")
        self.assertEqual(self.query("SELECT asset, battery_mv, days, days_left FROM beacons.beacon_battery WHERE site = %(site)s"), [("cart", 2900, 1, None)])
        self.connection.execute("UPDATE beacons.register SET site = 'elsewhere' WHERE site = %s", (self.site,))
        self.assertEqual(self.query("SELECT asset FROM beacons.beacon_battery WHERE site = %(site)s"), [(None,)])


# The curves are those that two makers of Bluetooth chips give with their programs for a CR2032: the voltage by the used part of the capacity.
# Nordic's is that of an Energizer cell in four straight pieces. Silicon Labs' is the mean of the data sheets of Energizer, Maxell and
# Panasonic. They agree on the end and differ on the way: at 2.9 V one has used 58 %, the other 20 %.
CURVES = {
    "nordic": [(0, 3000), (58, 2900), (82, 2740), (94, 2440), (100, 2100)],
    "silabs": [(0, 3000), (20, 2900), (40, 2800), (60, 2700), (70, 2600), (80, 2500), (90, 2400), (100, 2000)],
}
# How a beacon's own reading is off from day to day, and what a cold or warm day does to the cell.
NOISE_MV, MV_PER_DEGREE = 8, 1.5


def voltage(curve, used):
    for (start, high), (end, low) in zip(CURVES[curve], CURVES[curve][1:], strict=False):
        if used <= end:
            return high + (low - high) * (used - start) / (end - start)
    return CURVES[curve][-1][1]


def capacity_at(curve, limit_mv):
    """The used part of the capacity at which a cell falls to a voltage."""
    for (start, high), (end, low) in zip(CURVES[curve], CURVES[curve][1:], strict=False):
        if low <= limit_mv:
            return start + (end - start) * (high - limit_mv) / (high - low)
    raise AssertionError(f"{curve} does not fall to {limit_mv} mV")


def life(curve, days, seed, limit_mv=2400):
    """The daily voltages of a cell whose capacity lasts `days`, until it has fallen to the limit."""
    chance = random.Random(f"{curve} {days} {seed}")
    levels = []
    for day in range(math.ceil(days * capacity_at(curve, limit_mv) / 100)):
        degrees = 4 * math.sin(2 * math.pi * (day + 40 * seed) / 365) + chance.gauss(0, 1)
        levels.append(round(voltage(curve, 100 * day / days) + chance.gauss(0, NOISE_MV) + MV_PER_DEGREE * degrees))
    return levels


class CurveTests(BatteryTest):
    """How far ahead the end of a real cell can be forecast: from published curves of a CR2032, for beacons of one to four years."""

    LIVES = (365, 730, 1460)

    def forecasts(self, curve, days, seed):
        """The days that are left in truth, and those that the database says, for each third of the last 400 days."""
        levels = life(curve, days, seed)
        ends = range(max(28, len(levels) - 400), len(levels) + 1, 3)
        said_days = self.query(
            "SELECT beacons.days_until(d.days, w.levels, 2400) FROM unnest(%(ends)s::integer[]) WITH ORDINALITY e (last, place) "
            "CROSS JOIN LATERAL (SELECT (%(levels)s::double precision[])[last - 27:last] AS levels) w "
            "CROSS JOIN LATERAL (SELECT array_agg(DATE '2026-01-01' + i ORDER BY i) AS days FROM generate_series(1, 28) i) d ORDER BY place",
            ends=list(ends), levels=[float(level) for level in levels])
        return [(len(levels) - end, forecast) for end, (forecast,) in zip(ends, said_days, strict=True)]

    def test_the_end_of_a_coin_cell_is_forecast_weeks_ahead_and_not_years(self):
        far = []
        for curve in CURVES:
            for days in self.LIVES:
                with self.subTest(curve, days=days):
                    estimates = [self.forecasts(curve, days, seed) for seed in range(10)]
                    # The rule of the article, and how many days there are in truth when it first fires.
                    notice = sorted(next((truth for truth, estimate in one if estimate is not None and estimate < 90), 0) for one in estimates)
                    errors = sorted(abs(estimate - truth) for one in estimates for truth, estimate in one if truth <= 30 and estimate is not None)
                    print(f"figure: a CR2032 by {curve} that lasts {days} days: below 90 days left first {notice[0]:.0f} to {notice[-1]:.0f} days before 2,400 mV, "
                          f"{notice[5]:.0f} at the median; in the last 30 days off by {errors[len(errors) // 2]:.0f} days at the median")
                    self.assertGreaterEqual(notice[0], 21)
                    self.assertLessEqual(notice[-1], 300)
                    self.assertLessEqual(errors[len(errors) // 2], 18)
                    far.append(statistics.median([estimate for one in estimates for truth, estimate in one if 175 <= truth <= 185 and estimate is not None]))
        print(f"figure: with 180 days left in truth, days_left is {min(far):.0f} to {max(far):.0f} at the median of the six")
