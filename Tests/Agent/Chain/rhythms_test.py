"""The intervals of stores whose visitors come in waves, after weeks that show these waves: deafness at the opening, over noon, to the closing, anywhere.

SEED=7 is other stores, and STORES=12 more of them for each rhythm and deafness.
"""

import datetime
import math
import os
import random

import psycopg

from story import DAY, EPOCH, StoryTest

SEED, STORES = int(os.environ.get("SEED", "5")), int(os.environ.get("STORES", "2"))
# Hours of the day.
OPENS, CLOSES, LAST_ENTRY = 8.0, 20.0, 19.9
WEEKS_BEFORE = datetime.timedelta(days=15)
RHYTHMS = {
    "even": lambda hour: 1.0,
    "noon and evening": lambda hour: 0.35 + wave(hour, 12.3, 1.3) + 1.2 * wave(hour, 17.8, 1.4),
    "late morning": lambda hour: 0.15 + 1.5 * wave(hour, 11.5, 1.8),
}
DEAF = {"opening": (8, 9.2), "noon": (12, 13.2), "closing": (18.8, 20), "morning": (8, 12.8), "middle": (10, 14.8), "evening": (15.2, 20)}
# The parts of ten that are not heard somewhere in the day.
ANYWHERE = (1, 4)
HIGHEST_RATE = 1.7


def wave(hour, middle, width):
    return math.exp(-(((hour - middle) / width) ** 2))


class Store:
    """Fifteen days that were heard, and one with a deafness. `visits` is the true number of that one."""

    def __init__(self, rhythm, deaf, number):
        self.site = f"{rhythm} {deaf} {number}"
        self.chance = random.Random(f"{SEED} {self.site}")
        self.rate = RHYTHMS[rhythm]
        length = CLOSES - OPENS
        if deaf in DEAF:
            self.deaf = DEAF[deaf]
        else:
            begin = self.chance.uniform(OPENS, CLOSES - length * deaf / 10)
            self.deaf = (begin, begin + length * deaf / 10)
        self.beacon = self.seq = 0
        self.events, self.spans = [], []
        usual = self.chance.randint(150, 300)
        for day in range(-WEEKS_BEFORE.days, 1):
            midnight = DAY + datetime.timedelta(days=day)
            # One day of the week has more visitors, and no day has as many as another. Weekdays of the calendar would make a test of each date its own.
            self.visits = self.publish(midnight, usual * self.chance.lognormvariate(0, 0.12) * (1.4 if day % 7 == 3 else 1), day == 0)

    def publish(self, midnight, usual, is_deaf):
        """Publishes a day; returns its true number of visits."""
        mean = sum(self.rate(OPENS + (CLOSES - OPENS) * step / 240) for step in range(240)) / 240 * (CLOSES - OPENS)
        visits, hour = [], OPENS
        while (hour := hour + self.chance.expovariate(HIGHEST_RATE * usual / mean)) < LAST_ENTRY:
            if self.chance.random() < self.rate(hour) / HIGHEST_RATE:
                visits.append((hour, min(hour + self.chance.lognormvariate(math.log(0.2), 0.6), CLOSES + 0.2)))

        def at(hour):
            return midnight + datetime.timedelta(hours=hour)

        for entered, left in visits:
            if not is_deaf or entered < self.deaf[0] or left > self.deaf[1]:
                self.beacon, self.seq = self.beacon + 1, self.seq + 1
                self.events.append((self.site, "door", EPOCH, self.seq, at(left + 20 / 3600), "exit", "carts", "u", 1, self.beacon, at(entered), at(left)))
        for begin, end in ((0, self.deaf[0]), (self.deaf[1], 24)) if is_deaf else ((0, 24),):
            self.spans.append((self.site, "door", EPOCH, len(self.spans) + 1, at(begin), at(end), "scanning"))
        return len(visits)


class Rhythms(StoryTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stores = [Store(rhythm, deaf, number) for rhythm in RHYTHMS for deaf in (*DEAF, *ANYWHERE) for number in range(STORES)]
        with psycopg.connect(cls.url_of("rhythms"), autocommit=True) as connection:
            connection.execute("SELECT beacons.make_days_ahead()")
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO beacons.store VALUES (%s, 'Store', 'UTC', '08:00-20:00')", [(store.site,) for store in cls.stores])
                connection.execute(
                    "INSERT INTO beacons.store_opening SELECT site, weekday, '8 hours', '20 hours' FROM beacons.store, generate_series(1, 7) weekday")
                for table, columns, rows in (
                        ("event", "site, gateway, epoch, seq, at, type, region, uuid, major, minor, entered_at, last_heard_at", "events"),
                        ("coverage_span", "site, gateway, epoch, span, from_at, to_at, radio", "spans")):
                    with cursor.copy(f"COPY beacons.{table} ({columns}) FROM STDIN") as copy:
                        for row in (row for store in cls.stores for row in getattr(store, rows)):
                            copy.write_row(row)
            connection.execute("ANALYZE")
            connection.execute("SELECT beacons.roll_up()")
            intervals = {site: interval for site, *interval in connection.execute(
                "SELECT s.site, v.low, v.high FROM beacons.store s CROSS JOIN LATERAL beacons.visits_between(s.site, %s) v", (DAY.date(),))}
        # Rhythm → (truth, low, high) of each store.
        cls.intervals = {rhythm: [(store.visits, *intervals[store.site]) for store in cls.stores if store.site.startswith(rhythm)] for rhythm in RHYTHMS}

    def test_the_truth_is_within_on_nine_of_ten_days_and_on_average_in_the_middle(self):
        days = [day for days in self.intervals.values() for day in days]
        for rhythm, some in (*self.intervals.items(), ("all", days)):
            print(f"figure: {rhythm}: {len(some)} days, {100 * self.within(some):.0f} % within, {100 * self.error(some):+.1f} % on average, "
                  f"± {100 * sum((high - low) / 2 / truth for truth, low, high in some) / len(some):.0f} %")
        self.assertGreaterEqual(self.within(days), 0.85)
        self.assertLess(abs(self.error(days)), 0.03)
        for rhythm, some in self.intervals.items():
            self.assertGreaterEqual(self.within(some), 0.75, rhythm)

    def within(self, days):
        return sum(low <= truth <= high for truth, low, high in days) / len(days)

    def error(self, days):
        return sum(((low + high) / 2 - truth) / truth for truth, low, high in days) / len(days)
