"""The dashboard of figures: each of its queries, with Grafana's macros filled in, is answered by a real database to an analyst."""

import datetime
import json
import pathlib
import re

import psycopg

from published_weeks import BERLIN, PublishedWeeks, publish_ways, publish_weeks
from servers import ROOT
from story import StoryTest

DASHBOARD = json.loads((pathlib.Path(ROOT) / "deploy/monitoring/figures.json").read_text())
# The day of the store: from 23:00 on it is another one in UTC.
TODAY = datetime.datetime.now(BERLIN).date()
MONDAY = TODAY - datetime.timedelta(days=TODAY.weekday() + 7)
FROM, UNTIL = (f"'{day}T00:00:00Z'" for day in (MONDAY - datetime.timedelta(days=40), TODAY))
# Grafana's own words, as its PostgreSQL data source fills them in.
MACROS = ((r"\$__timeFilter\((\w+)\)", rf"\1 BETWEEN {FROM} AND {UNTIL}"), (r"\$__timeFrom\(\)", FROM), (r"\$__timeTo\(\)", UNTIL))


def filled_in(query, **variables):
    """A value of the format `sqlstring` is a literal, so a name may have any letters."""
    for name, value in variables.items():
        query = query.replace(f"${{{name}:sqlstring}}", "'" + value.replace("'", "''") + "'")
    for macro, text in MACROS:
        query = re.sub(macro, text, query)
    assert "$" not in query, query
    return query


class Dashboard(StoryTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.connection.execute("CREATE ROLE analyst LOGIN IN ROLE beacons_analyst")
        cls.site, connection = "it's a \"store\"", cls.connection
        connection.execute("INSERT INTO beacons.store VALUES (%s, 'Store', 'Europe/Berlin', ''), ('deaf', 'Deaf', 'UTC', '')", [cls.site])
        connection.execute("INSERT INTO beacons.store_opening SELECT %s, weekday, '8 hours', '20 hours' FROM generate_series(1, 7) weekday", [cls.site])
        publish_weeks(connection, cls.site, MONDAY, changes={1: 30})
        publish_ways(connection, cls.site, MONDAY, [("entrance", "bakery", 4)])
        yesterday = PublishedWeeks(cls.site)
        yesterday.numbers["door", "span"] = 1000
        yesterday.heard(yesterday.local(TODAY - datetime.timedelta(days=1), 0), datetime.datetime.now(datetime.UTC))
        yesterday.take(connection)
        for gateway, entered in (("door", 30), ("oven", 40), ("site", 35)):
            for day, number in ((MONDAY, 1), (MONDAY + datetime.timedelta(days=1), 2)):
                if gateway != "site" or number == 1:
                    connection.execute(
                        "INSERT INTO beacons.count VALUES (%s, %s, 'E', %s, 'visitors', %s, %s, %s, %s, 0, 5, false, NULL, %s)",
                        [cls.site, gateway, number, *(datetime.datetime.combine(day, datetime.time(hour), datetime.UTC) for hour in (10, 11)), entered,
                         entered if number == 1 else None, json.dumps([{"from_s": 60, "visits": entered}])])
        connection.execute("INSERT INTO beacons.register SELECT %s, '39ED98FF-2900-441A-802F-9C398FC199D2', 1, 7, 'trolley 7', %s", [cls.site, MONDAY])
        connection.execute("INSERT INTO beacons.beacon_figure VALUES (%s, 1, 0, 0, 0, now())", [cls.site])
        for job in ("make_days_ahead", "roll_up", "roll_up_days"):
            connection.execute(f"SELECT beacons.{job}()")
        cls.analyst = psycopg.connect(cls.database.url.replace("postgres@", "analyst@"), autocommit=True)
        cls.addClassCleanup(cls.analyst.close)

    def setUp(self):
        """The store is that of the class."""

    def answer(self, query):
        cursor = self.analyst.execute(filled_in(query, site=self.site, region="carts"))
        return [column.name for column in cursor.description], cursor.fetchall()

    def panel(self, title):
        (panel,) = (panel for panel in DASHBOARD["panels"] if panel["title"] == title)
        return self.answer(panel["targets"][0]["rawSql"])

    def own(self, rows, column=0):
        """The rows of this story's stores: other stories may be in the database."""
        return [row for row in rows if row[column] in (self.site, "deaf")]

    def test_every_query_is_answered_in_the_format_that_it_names(self):
        for panel in DASHBOARD["panels"]:
            for target in panel.get("targets", ()):
                with self.subTest(panel["title"]):
                    names, rows = self.answer(target["rawSql"])
                    self.assertEqual(len(names), len(set(names)))
                    if target["format"] == "time_series":
                        self.assertEqual(names[0], "time")
                        self.assertTrue(rows)
                        self.assertTrue(all(row[0].tzinfo and all(value is None or isinstance(value, (int, float)) for value in row[1:]) for row in rows))
                        self.assertEqual([row[0] for row in rows], sorted(row[0] for row in rows))

    def test_the_variables_list_stores_by_name_and_the_regions_of_the_chosen_one(self):
        _, site, region = DASHBOARD["templating"]["list"]
        names, rows = self.answer(site["query"])
        self.assertEqual((names, self.own(rows, 1)), (["__text", "__value"], [("Deaf", "deaf"), ("Store", self.site)]))
        self.assertEqual(self.answer(region["query"])[1], [("carts",)])

    def test_the_panels_show_what_was_published(self):
        names, rows = self.panel("Visits by day")
        days = {row[0].date(): dict(zip(names, row, strict=True)) for row in rows}
        tuesday = days[MONDAY + datetime.timedelta(days=1)]
        self.assertEqual([tuesday[name] for name in ("visits", "low", "high", "usual")], [50, 50, 51, 20])
        # Yesterday, of which the story has no visit, may be there as well.
        compared = {row[0]: row[1:] for row in self.panel("Compared with four weeks")[1] if row[0] < str(TODAY - datetime.timedelta(days=1))}
        self.assertEqual(compared, {str(MONDAY + datetime.timedelta(days=1)): (50, 20, "above")})
        self.assertEqual(self.panel("Ways between zones")[1], [("entrance", "bakery", 4)])
        self.assertEqual([row[:2] for row in self.own(self.panel("Stores that were not heard yesterday")[1])], [("deaf", "Deaf")])
        self.assertEqual([row[:2] for row in self.own(self.panel("Beacons that need help, by store")[1])], [(self.site, 1)])
        # The store's own count on Monday, and that of the gateway that counted most on Tuesday.
        self.assertEqual([row[1:] for row in self.panel("Visits of people by day")[1]], [(35, 35, 0, 0), (40, 0, 0, 1)])
        self.assertEqual(self.panel("How long people stayed")[1], [("visitors", "door", 60, 60), ("visitors", "oven", 60, 80), ("visitors", "site", 60, 35)])
        hours = {row[0]: row[1:] for row in self.panel("Visits by weekday and hour")[1]}
        self.assertEqual((min(hours), max(hours)), (0, 23))
        # 11 visits begin in that hour on a usual Tuesday, and 25 on the last one; some were there before.
        self.assertGreater(hours[11][1], hours[10][1])

    def test_panels_have_a_number_and_a_place_of_their_own(self):
        panels = DASHBOARD["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        places = [(place["x"] + x, place["y"] + y) for place in (panel["gridPos"] for panel in panels) for x in range(place["w"]) for y in range(place["h"])]
        self.assertEqual(len(places), len(set(places)))
        self.assertLess(max(x for x, _ in places), 24)
