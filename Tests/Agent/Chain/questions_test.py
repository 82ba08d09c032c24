"""The questions of the article Chain: each of its queries, as it is printed, gives the right answer on a store that was worked out by hand."""

import datetime
import re

from days_test import DayTest
from lists import entry, page
from servers import ROOT
from story import DAY, at, event, rows_of, span, stamp, state, status

ARTICLE = (ROOT / "Sources/beacond/Documentation.docc/Chain.md").read_text()
BLOCKS = re.findall(r"```sql\n(.*?)```", ARTICLE, re.DOTALL)
# A query ends with a semicolon, and begins with a comment that has the question.
QUERIES = {question: query for block in BLOCKS for question, query in re.findall(r"-- (.*?)\n((?:(?!--).*\n)*?.*;)", block)}


class Questions(DayTest):
    """Visits of yesterday, by the database's date."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ((cls.today,),) = cls.connection.execute("SELECT current_date").fetchall()
        cls.yesterday = datetime.datetime.combine(cls.today, datetime.time(), datetime.UTC) - datetime.timedelta(days=1)

    def on(self, time, days=0):
        """A time of yesterday, or of so many days before."""
        return at(time) - DAY + self.yesterday - datetime.timedelta(days=days)

    def answer(self, words):
        (found,) = [query for question, query in QUERIES.items() if words in question]
        return self.connection.execute(found).fetchall()

    def setUp(self):
        self.site = "berlin-17"
        if self.query("SELECT FROM beacons.store WHERE site = %(site)s"):
            return
        self.place("UTC", "08:00-20:00")
        self.place("Asia/Kathmandu", "10:00-22:00", site="kathmandu-2")
        self.place("UTC", site="empty-1")
        # Heard from 8 to 18 in the last four weeks and the rest of the month before; the deaf afternoons end at 20.
        self.take([state("door"), status("door", self.on("9:00", 70), "offline", radio="off"),
                   *[span(day + 1, "door", self.on("0:00", day), self.on("18:00", day)) for day in range(70)]])
        for days in (0, 7, 14):
            self.take([event(row | {"seq": int(row["seq"]) + 100 * days} | {name: self.on(row[name], days) for name in ("at", "entered", "heard")})
                       for row in rows_of("""
                gateway seq at       type beacon zone     entered heard
                door    1   9:40:20  exit 1/1    -        9:00    9:40
                site    1   9:10:20  exit 1/1    bakery   9:00    9:10
                site    2   9:30:20  exit 1/1    checkout 9:11    9:30
                site    3   9:40:20  exit 1/1    bakery   9:31    9:40
                door    2   9:50:20  exit 1/2    -        9:20    9:50
                site    4   9:50:20  exit 1/2    bakery   9:20    9:50
                door    3   14:50:20 exit 1/3    -        14:20   14:50
                door    4   15:55:20 exit 1/4    -        15:20   15:55
            """)])
        # An entry whose exit is lost, as the next visit of the beacon shows.
        self.take([event({"seq": 11, "type": "enter", "beacon": "1/3", "at": self.on("10:00")})])
        # A list of batteries, one of which ends in 40 days, and gateways that are down.
        for day in range(28):
            moment = self.on("9:00", 27 - day)
            read = {"telemetry_at": stamp(moment), "format": "minew"}
            self.take([page("door", moment, entry("1/1", moment, battery_mv=2400 + 5 * (67 - day), **read), entry("1/2", moment, battery_mv=2950, **read))])
        self.connection.execute("INSERT INTO beacons.register SELECT %s, uuid, 1, 1, 'trolley 1', current_date FROM beacons.beacon_heard LIMIT 1", [self.site])
        now = datetime.datetime.now(datetime.UTC)
        self.take([status("till", now, "online"), status("back", now, "online", radio="unavailable"), status("door", self.on("18:00"), "offline", radio="off")])
        self.count()

    def test_each_query_of_the_article_runs_and_the_ten_questions_are_all_asked_here(self):
        for question, query in QUERIES.items():
            if not query.startswith("INSERT"):
                with self.subTest(question):
                    self.connection.execute(query)
        asked = re.findall(r"-- (\d+)\. ", ARTICLE)
        self.assertEqual(asked, [str(number) for number in range(1, 11)])
        with open(__file__, encoding="utf-8") as file:
            self.assertEqual(sorted(set(map(int, re.findall(r'answer\("(\d+)\. ', file.read())))), list(range(1, 11)))

    def test_visits_of_yesterday_by_store(self):
        self.assertEqual(self.answer("1. "), [("berlin-17", 5, 10 / 12), ("empty-1", 0, None), ("kathmandu-2", 0, None)])

    def test_days_beside_the_usual(self):
        rows = {day: rest for day, *rest in self.answer("2. ")}
        self.assertEqual(len(rows), 7)
        self.assertEqual(rows[self.yesterday.date()], [5, 2])

    def test_the_busiest_hour(self):
        self.assertEqual(self.answer("3. ")[0][0], 9)

    def test_the_time_in_zones(self):
        self.assertEqual([(zone, visits, float(minutes)) for zone, visits, minutes in self.answer("4. ")], [("bakery", 2, 24.5), ("checkout", 1, 19)])

    def test_the_visits_that_reach_the_checkout(self):
        rows = {day: rest for day, *rest in self.answer("5. ")}
        self.assertEqual(len(rows), 7)
        self.assertEqual([float(value) for value in rows[self.yesterday.date()]], [5, 1, 0.2])
        self.assertEqual(rows[self.yesterday.date() - datetime.timedelta(days=1)], [0, 0, None])

    def test_the_other_zones_of_a_zone_s_visits(self):
        self.assertEqual(self.answer("6. "), [("checkout", 2, 1)])

    def test_the_hours_that_were_not_heard(self):
        ((days,),) = self.query("SELECT (date_trunc('month', now())::date - date_trunc('month', now() - interval '1 month')::date)")
        found = {site: float(hours) for site, hours in self.answer("7. ")}
        # From the others nothing came, so they are not heard from the day on which they were loaded.
        self.assertEqual(found, {"berlin-17": days * 2, "empty-1": 0, "kathmandu-2": 0})

    def test_the_gateways_that_are_down(self):
        self.assertEqual([row[:4] for row in self.answer("8. ")],
                         [("berlin-17", "back", "online", "unavailable"), ("berlin-17", "door", "offline", "off")])

    def test_the_batteries_that_end(self):
        self.assertEqual(self.answer("9. "), [("trolley 1", 1, 1, self.yesterday.date() + datetime.timedelta(days=40))])

    def test_the_exits_that_were_lost(self):
        self.assertEqual(self.answer("10. "), [("door", 1)])
