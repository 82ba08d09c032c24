"""The figures and errors of the report: a page has what the views have, and an error has a remedy."""

import base64
import contextlib
import datetime
import io
import subprocess
import sys
import unittest
import unittest.mock
from zoneinfo import ZoneInfo

import psycopg
import tinyhtml5
from beacons_report.commands import main
from beacons_report.ranking import ranking
from beacons_report.source import CannotReport, Source

from published_weeks import BERLIN, USUAL, PublishedWeeks, publish_ways, publish_weeks, warm
from reported import MONDAY, NAME, TODAY, ReportTest
from story import EPOCH, UUID, stamp, status


def sunday_before(month):
    """The last Sunday of the month, of the newest year in which it is over: clocks change in the night before it in Berlin."""
    for year in (TODAY.year, TODAY.year - 1):
        last = datetime.date(year, month, 31)
        last -= datetime.timedelta(days=(last.weekday() + 1) % 7)
        if last < TODAY - datetime.timedelta(days=2):
            return last
    raise AssertionError


class Figures(ReportTest):
    is_drawn = False

    def test_the_page_has_the_figures_of_the_views_and_sentences_about_them(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, changes={1: 30, 3: -4}, deaf=[(2, 14, 15), (4, 8, 20)])
        publish_ways(self.connection, self.site, MONDAY, [("entrance", "bakery", 4), ("bakery", "checkout", 3)])
        self.count()
        self.made("--week", NAME)
        rows = self.table("Visits by day")
        views = {day: more for day, *more in self.query(
            "SELECT day, visits, visits_low, visits_high, mean_4_weeks FROM beacons.compared JOIN beacons.occupancy_daily USING (site, region, day, visits) "
            "WHERE site = %(site)s AND region = 'carts' AND day >= %(first)s AND day < %(end)s",
            first=MONDAY, end=MONDAY + datetime.timedelta(days=7))}
        for number in (0, 1, 2, 3, 5):
            visits, low, high, usual = views[MONDAY + datetime.timedelta(days=number)]
            self.assertEqual(usual, USUAL[number])
            self.assertEqual(rows[number][1:], [str(visits), f"{low} to {high}", "92 %" if number == 2 else "100 %", str(USUAL[number]), str(USUAL[number])])
        self.assertEqual([row[3] for row in rows], ["100 %", "100 %", "92 %", "100 %", "nothing", "100 %", "closed"])
        self.assertEqual(views[MONDAY + datetime.timedelta(days=1)], [50, 50, 51, 20])
        self.assertLess({"Tuesday was about 2.5 times as high as the last four Tuesdays.", "On Wednesday between 14:00 and 15:00 the store was not heard.",
                         "On Friday the store was not heard at all.", "Most carts were there on Tuesday between 11:00 and 12:00: about 28.",
                         "The most common way led from entrance to bakery: 4 times."}, set(self.sentences()), self.sentences())
        self.assertEqual(self.table("Ways between zones"), [["entrance", "bakery", "4"], ["bakery", "checkout", "3"]])
        self.assertEqual([row[2] for row in self.table("Open and not heard")], ["1 hour", "12 hours"])
        hours = {row[0]: row[1:] for row in self.table("Visits by weekday")}
        self.assertEqual(({row[4] for row in hours.values()}, {row[6] for row in hours.values()}), ({"?"}, {"–"}), hours)
        for hour, visits in self.query("SELECT hour, visits FROM beacons.occupancy_hourly WHERE site = %(site)s AND region = 'carts' AND hour >= %(first)s "
                                       "AND hour < %(end)s AND visits > 0", first=MONDAY, end=MONDAY + datetime.timedelta(days=7)):
            local = hour.astimezone(BERLIN)
            self.assertEqual(hours[f"{local.hour}:00"][local.weekday()].rstrip("*"), str(visits))

    def counted_people(self, number, day, hour, entered, left, *dwell, gateway="site", **more):
        to_at = PublishedWeeks(self.site).local(MONDAY + datetime.timedelta(days=day), hour)
        cells = [{"from_s": from_s, "visits": visits} for from_s, visits in dwell]
        return {"kind": "count", "gateway": gateway, "payload": {
            "schema": 1, "at": stamp(to_at), "clock": "synced", "gateway": gateway, "epoch": EPOCH, "count": number, "region": "visitors",
            "from_at": stamp(to_at - datetime.timedelta(hours=1)), "to_at": stamp(to_at), "minimum": 5, "entered": entered, "left": left, "present": 0,
            "dwell": cells, **({"dwell_from_at": stamp(to_at)} if cells else {}), "omitted": (entered, left).count(None), "partial": False, **more}}

    def test_people_are_counted_by_day_and_by_their_stay(self):
        self.open_store()
        counts = [self.counted_people(1, 0, 10, 12, 12, (60, 7), (300, 5)), self.counted_people(2, 0, 11, 1_200, 1_190, (300, 1_190)),
                  self.counted_people(3, 1, 10, None, None, partial=True), self.counted_people(1, 0, 10, 9, 9, (60, 9), gateway="door")]
        self.assertEqual(self.take(counts), ["new"] * 4)
        self.made("--week", NAME)
        # The store's own count has its gateway's visits.
        self.assertEqual([self.text(one) for one in self.tree.iter("h2") if "People" in self.text(one)], ["People: visitors"])
        self.assertEqual([row[1:] for row in self.table("Visits of people by day")], [["1,212", "1,202", "0", "0"], ["0", "0", "0", "1"]])
        self.assertEqual(self.table("How long people stayed"), [["60 seconds", "7", "1 %"], ["5 minutes", "1,195", "99 %"]])
        self.assertRegex(self.text(), r"The store counted 1,212 visits of people from .*\. 1 count was left out, because too few people came\. Not all of the time")

    def test_a_gateway_that_counts_for_itself_has_a_section_of_its_own(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        self.take([self.counted_people(1, 0, 10, 9, 9, (60, 9), gateway=gateway) for gateway in ("door", "gate")])
        self.count()
        self.made("--week", NAME)
        self.assertEqual([self.text(one) for one in self.tree.iter("h2") if "People" in self.text(one)], ["People: visitors, at door", "People: visitors, at gate"])
        self.assertIn("The gateway door counted 9 visits of people", self.text())

    def test_days_heard_in_part_are_compared_by_their_intervals(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY - datetime.timedelta(days=7), weeks=4, deaf=[(0, 10, 14), (1, 8, 19)])
        this = PublishedWeeks(self.site)
        this.numbers["door", "seq"], this.numbers["door", "span"] = 100_000, 1000
        for number in range(6):
            day = MONDAY + datetime.timedelta(days=number)
            this.heard(this.local(day, 8), this.local(day, 20))
        this.take(self.connection)
        self.count()
        self.made("--week", NAME)
        views = {day: (low, high) for day, low, high in self.query(
            "SELECT day, visits_low, visits_high FROM beacons.occupancy_daily WHERE site = %(site)s AND region = 'carts'")}
        monday, tuesday, wednesday = self.table("Visits by day")[:3]
        low, high = views[MONDAY - datetime.timedelta(days=7)]
        self.assertGreater(high, low + 5)
        self.assertEqual(monday[4], f"{low} to {high}")
        self.assertRegex(monday[5], r"^\d+ to \d+$")
        self.assertRegex(tuesday[4], r"^\d+ to \d+$|^not known$")
        self.assertEqual(tuesday[5], str(USUAL[1]))
        self.assertEqual(wednesday[4:], [str(USUAL[2])] * 2)

    def test_the_busiest_hours_of_several_regions_follow_the_largest_one(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=1, region="trolleys")
        small = PublishedWeeks(self.site)
        small.visit(small.local(MONDAY, 9), 5, 1, "till", "baskets")
        small.take(self.connection)
        self.made("--week", NAME)
        self.assertIn("About the region trolleys, which has the most visits:", self.text())
        headings = [self.text(one) for one in self.tree.iter("h2")]
        self.assertLess(headings.index("Region trolleys"), headings.index("Region baskets"))

    def test_both_nights_on_which_clocks_change_have_their_hours(self):
        self.connection.execute("INSERT INTO beacons.store VALUES (%s, 'Night shop', 'Europe/Berlin', '')", [self.site])
        for month, length, cell, words in ((3, 23, "–", "the clocks went forward by 1 hour"), (10, 25, "2", "the clocks went back by 1 hour")):
            with self.subTest(month=month):
                sunday = sunday_before(month)
                monday = sunday - datetime.timedelta(days=6)
                store = PublishedWeeks(self.site)
                store.numbers["door", "seq"] = store.numbers["door", "span"] = month * 100
                store.heard(store.local(monday, 0), store.local(sunday + datetime.timedelta(days=1), 0))
                # From midnight to midnight of Sunday, as a beacon that was left in the store.
                begin, end = store.local(sunday, 0), store.local(sunday + datetime.timedelta(days=1), 0)
                store.visit(begin, (end - begin).total_seconds() / 60 - 1, month)
                store.take(self.connection)
                self.count()
                self.made("--week", "{0.year}-W{0.week:02}".format(monday.isocalendar()))
                hours = {row[0]: row[7] for row in self.table("Visits by weekday")}
                self.assertEqual(hours["2:00"], cell)
                self.assertEqual(sum(int(one) for one in hours.values() if one.isdigit()), length)
                self.assertEqual(self.table("Visits by day")[6][3], "100 %")
                self.assertIn(words, " ".join(self.sentences()))
                self.assertIn("The store was heard in all of its opening time.", self.sentences())

    def test_hours_begin_where_the_stores_zone_has_them(self):
        self.connection.execute("INSERT INTO beacons.store VALUES (%s, 'Kathmandu', 'Asia/Kathmandu', '')", [self.site])
        store = PublishedWeeks(self.site, ZoneInfo("Asia/Kathmandu"))
        store.heard(store.local(MONDAY, 0), store.local(MONDAY, 24))
        store.visit(store.local(MONDAY, 9.8), 5, 1)
        store.take(self.connection)
        self.made("--week", NAME)
        self.assertIn(["9:45", "1"], [row[:2] for row in self.table("Visits by weekday")])
        self.assertIn("Most carts were there on Monday between 9:45 and 10:45: 1.", self.sentences())

    def test_a_store_with_a_heat_map_has_a_map_of_each_floor_and_its_busiest_places(self):
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        warm(self.connection, self.site, MONDAY, floors=2, columns=3, rows=2)
        self.made("--week", NAME)
        self.assertEqual([self.text(one) for one in self.tree.iter("h3")], ["Floor 0", "Floor 1"])
        # The sum of 10 hours, 2 times 5, 2 times 3.3 and 2.5.
        self.assertIn("hours of all carts together, about 29 in all.", self.text())
        self.assertEqual(self.table("The busiest places of floor 1")[:2], [["1", "1", "10 hours"], ["1", "3", "5 hours"]])
        self.connection.execute("DELETE FROM beacons.heat WHERE site = %s AND floor = 1", [self.site])
        self.made("--week", NAME)
        self.assertEqual([self.text(one) for one in self.tree.iter("h3")], ["Floor 0"])
        self.connection.execute("DELETE FROM beacons.heat WHERE site = %s", [self.site])
        self.made("--week", NAME)
        self.assertNotIn("Where carts stayed", self.text())

    def test_cells_of_two_sizes_with_one_middle_are_not_added_up(self):
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        for size, columns in ((2.0, 1), (2 / 3, 2)):
            warm(self.connection, self.site, MONDAY, columns=columns, rows=columns, size=size)
        self.made("--week", NAME)
        self.assertIn(["1", "1", "10 hours"], [row[:3] for row in self.table("The busiest places of floor 0")])

    def test_a_store_without_visits_has_zeros(self):
        store = PublishedWeeks(self.site, datetime.UTC)
        store.heard(store.local(MONDAY, 0), store.local(MONDAY, 7 * 24 - 0.001))
        store.add("state", "door", store.local(MONDAY, 0), {"region": "carts"})
        store.take(self.connection)
        self.made("--week", NAME)
        self.assertEqual([row[1] for row in self.table("Visits by day")], ["0"] * 7)
        self.assertIn("No visit was counted in any hour.", self.text())
        self.assertRegex(self.sentences()[0], "^No visit was counted from Monday")

    def test_without_a_week_it_is_the_last_whole_one_or_else_the_running_one_so_far(self):
        last = TODAY - datetime.timedelta(days=TODAY.weekday() + 7)
        store = PublishedWeeks(self.site, datetime.UTC)
        midnight = datetime.datetime.combine(TODAY, datetime.time(), datetime.UTC)
        store.visit(midnight, 0.1, 1)
        store.take(self.connection)
        self.made()
        self.assertIn("so far", self.text(self.tree.find(".//header")))
        self.assertIn("so far in the week from", self.sentences()[0])
        store.visit(store.local(last, 10), 5, 2)
        store.take(self.connection)
        self.made()
        self.assertIn("Week {0.year}-W{0.week:02} ".format(last.isocalendar()), self.text(self.tree.find(".//header")) + " ")
        self.assertNotIn("so far", self.text(self.tree.find(".//header")))

    def test_zones_have_their_share_of_the_visits_and_half_of_their_dwell(self):
        self.open_store()
        store = PublishedWeeks(self.site)
        for number in range(20):
            begin = store.local(MONDAY, 9 + number / 4)
            store.visit(begin, 10, number + 1)
            if number < 15:
                store.visit(begin, 4 + number % 3, number + 1, "site", zone="bakery")
            store.visit(begin + datetime.timedelta(minutes=7), 3, number + 1, "site", zone="checkout")
        store.heard(store.local(MONDAY, 8), store.local(MONDAY, 20))
        store.take(self.connection)
        self.count()
        self.made("--week", NAME)
        self.assertEqual(self.table("Visits that reached a zone"), [["checkout", "20", "100 %", "3 minutes"], ["bakery", "15", "75 %", "5 minutes"]])
        self.assertIn("About 75 % of the visits reached bakery.", self.sentences())

    def test_the_same_week_of_last_year_is_compared_where_it_is_known(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=1, changes={number: 60 for number in range(6)})
        self.count()
        self.made("--week", NAME)
        self.assertNotIn("last year", self.text())
        before = PublishedWeeks(self.site)
        before.numbers["door", "seq"], before.numbers["door", "span"] = 100_000, 1000
        for number in range(6):
            day = MONDAY + datetime.timedelta(days=number - 364)
            before.heard(before.local(day, 8), before.local(day, 20))
            for visit in range(30):
                before.visit(before.local(day, 9 + visit / 10), 6, visit + 1)
        before.take(self.connection)
        self.count()
        self.made("--week", NAME)
        # 530 instead of 180.
        self.assertIn("The week was about 2.9 times as high as the same week of last year.", self.sentences())

    def test_a_store_says_what_its_beacons_are_on(self):
        self.open_store()
        self.connection.execute("UPDATE beacons.store SET carriers = 'phones' WHERE site = %s", [self.site])
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        warm(self.connection, self.site, MONDAY)
        self.made("--week", NAME)
        self.assertIn("Where phones stayed", self.text())
        self.assertTrue([one for one in self.sentences() if one.startswith("Most phones were there")])
        self.assertNotRegex(self.text(), "cart |carts |visitor")

    def test_a_caption_explains_the_signs_that_its_figure_has(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        self.count()
        self.made("--week", NAME)
        captions = [self.text(one).strip() for one in self.tree.iter("figcaption")]
        self.assertEqual(captions[0], "Bar: counted visits. Black line: the true number, on nine days of ten.")
        self.assertEqual(captions[1], "Bar: visits in the hour, all days together.")
        warm(self.connection, self.site, MONDAY, columns=3, rows=2)
        self.made("--week", NAME)
        self.assertRegex([self.text(one).strip() for one in self.tree.iter("figcaption")][-1], r"^The darker, the longer: hours of all carts together, about \d+ in all\.$")
        self.connection.execute("DELETE FROM beacons.heat WHERE site = %s AND (x_m, y_m) = (3, 1)", [self.site])
        self.made("--week", NAME)
        self.assertTrue([self.text(one).strip() for one in self.tree.iter("figcaption")][-1].endswith("in all. Dots: too few beacons for a figure."))
        self.assertLessEqual(max(len(one.split()) for one in captions), 25)

    def test_devices_are_as_of_a_moment_that_may_lie_after_the_week(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        self.take([status("door", datetime.datetime.now(datetime.UTC), "online")])
        self.made("--week", NAME)
        self.assertRegex(self.text(), r"As known on \w+ \d+ \w+ \d{4}, \d+:\d\d, after this week\.")

    def test_gateways_and_beacons_that_need_somebody_are_named_with_the_cause(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=1, deaf=[(0, 8, 20), (1, 8, 20)])
        now = datetime.datetime.now(datetime.UTC)
        messages = [status("till", now - datetime.timedelta(hours=1), "offline"), status("yard", now - datetime.timedelta(hours=1), "online", "absent")]
        messages[1]["payload"]["remedy"] = "Plug the adapter in."
        self.take(messages)
        self.list_nothing()
        self.connection.execute("INSERT INTO beacons.register VALUES (%s, %s, 1, 7, 'trolley 7', %s)", [self.site, UUID, MONDAY - datetime.timedelta(days=9)])
        self.count()
        self.made("--week", NAME)
        gateways = {row[0]: row[1] for row in self.table("Gateways that need help: 3")}
        self.assertEqual(gateways["till"], "is offline: look at its power and its network, and start beacond there")
        self.assertEqual(gateways["yard"], "does not hear: its radio is absent. Plug the adapter in.")
        self.assertEqual(gateways["door"], "heard only 66 % of the opening time of this week: look at its power, its network and its Bluetooth adapter")
        self.assertEqual([row[:2] for row in self.table("Beacons that need help: 1")], [["trolley 7 (1/7)", "was never heard: is it there, and switched on?"]])
        self.assertIn("3 gateways and 1 beacon need help: see the end of this report.", self.sentences())

    def test_the_gateways_of_a_store_are_counted_without_its_own_agent_which_may_need_help(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        now = datetime.datetime.now(datetime.UTC)
        self.take([status("door", now, "online"), status("site", now, "offline")])
        self.made("--week", NAME)
        self.assertIn("The store has 1 gateway.", self.text())
        self.assertEqual([row[0] for row in self.table("Gateways that need help: 1")], ["the store's own agent"])


class Plans(ReportTest):
    def test_the_heat_map_lies_over_the_plan_that_the_page_has_and_names_its_zones(self):
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        warm(self.connection, self.site, MONDAY, floors=2, columns=3, rows=2)
        plan, configuration = self.folder / "plan.svg", self.folder / "site.toml"
        plan.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 140"><path d="M0 0H240"/></svg>')
        configuration.write_text('[site]\nid = "s"\n[[site.gateway]]\nid = "g1"\nzone = "Wein & Käse"\nposition = [4, 2]\n'
                                 '[[site.gateway]]\nid = "g2"\nzone = "Wein & Käse"\nposition = [8, 4]\n[[site.gateway]]\nid = "up"\nposition = [2, 2]\nfloor = 1\n')
        asked = ["--week", NAME, "--plan", str(plan), "--width", "24", "--config", str(configuration)]
        self.made(*asked)
        ground, upper = self.tree.findall(".//div[@class='floor']")
        images = lambda floor: [one for one in floor.iter() if str(one.tag).endswith("}image")]  # noqa: E731
        (image,) = images(ground)
        (address,) = [value for name, value in image.items() if str(name).endswith("href")]
        self.assertEqual(base64.b64decode(address.partition("base64,")[2]), plan.read_bytes())
        # In metres it is as wide as it was said to be, and keeps its shape.
        self.assertAlmostEqual(float(image.get("width")) / float(image.get("height")), 240 / 140, 2)
        self.assertIn("Wein & Käse", self.text(ground))
        self.assertEqual((images(upper), "up" in self.text(upper), "Wein" in self.text(upper)), ([], True, False))
        self.assertEqual(self.report(*asked, file=self.folder / "report.pdf"), (0, ""))
        for more, words in ((["--plan", str(plan)], "--width its width in metres"), (["--plan", str(self.file), "--width", "3"], "takes a PNG, JPEG or SVG"),
                            (["--plan", str(self.folder / "none.png"), "--width", "3"], "No such file"), (["--config", str(plan)], "beacond site check")):
            code, said_words = self.report("--week", NAME, *more)
            self.assertEqual((code, said_words.count("\n"), words in said_words), (70, 1, True), said_words)


class Ranking(ReportTest):
    """All stores of a database of its own."""

    is_drawn = False

    def test_stores_are_ranked_by_their_visits_each_beside_its_own_week_before(self):
        url = self.url_of("ranked")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("INSERT INTO beacons.store VALUES ('large', 'Large', 'Europe/Berlin', 'Mo-Sa 08:00-20:00'), ('silent', 'Silent', 'UTC', ''), "
                               "('small', 'Small', 'Europe/Berlin', 'Mo-Sa 08:00-20:00')")
            connection.cursor().executemany("INSERT INTO beacons.store_opening VALUES (%s, %s, '8 hours', '20 hours')",
                                            [(site, weekday) for site in ("large", "small") for weekday in range(1, 7)])
            publish_weeks(connection, "small", MONDAY, weeks=2)
            publish_weeks(connection, "large", MONDAY, weeks=2, changes={number: 40 for number in range(6)})
            for job in ("make_days_ahead", "roll_up", "roll_up_days"):
                connection.execute(f"SELECT beacons.{job}()")
            visits = dict(connection.execute("SELECT site, sum(visits) FROM beacons.occupancy_daily WHERE day >= %s AND day < %s::date + 7 GROUP BY 1", [MONDAY, MONDAY]))
        code, words = self.report_all("--week", NAME, url=url)
        self.assertEqual((code, words), (0, ""))
        self.tree = tinyhtml5.parse(self.file.read_text(), namespace_html_elements=False)
        rows = self.table("Stores by visits")
        self.assertEqual([row[:3] for row in rows], [["1", "Large", str(visits["large"])], ["2", "Small", str(visits["small"])], ["–", "Silent", "–"]])
        self.assertEqual([row[4] for row in rows], ["about 2.4 times as high as it", "–", "–"])
        self.assertIn("–: no clear difference, or not known.", self.text())
        # As in the report of the store itself.
        for row, site in zip(rows, ("large", "small")):
            self.assertEqual(self.report("--week", NAME, url=url, site=site), (0, ""))
            own = tinyhtml5.parse(self.file.read_text(), namespace_html_elements=False)
            self.assertIn(f"between {row[3].replace(' to ', ' and ')}", self.text(own))
        self.assertEqual([row[6] for row in rows], ["100 %", "100 %", "nothing"])
        code, words = self.report_all("--week", "{0.year}-W{0.week:02}".format(TODAY.isocalendar()), url=url)
        self.assertEqual((code, words.count("\n")), (70, 1))
        self.assertIn("is not over", words)

    def test_a_week_is_over_when_it_is_over_in_the_store_where_days_begin_last(self):
        url = self.url_of("over")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("INSERT INTO beacons.store VALUES ('first', 'First', 'Pacific/Auckland', ''), ('last', 'Last', 'Pacific/Honolulu', '')")
        # The Monday after the week begins in Honolulu at 10:00 UTC.
        ends = datetime.datetime.combine(MONDAY + datetime.timedelta(days=7), datetime.time(10), datetime.UTC)
        for before, last in ((datetime.timedelta(minutes=1), MONDAY - datetime.timedelta(days=7)), (datetime.timedelta(), MONDAY)):
            with psycopg.connect(url) as connection, unittest.mock.patch.object(Source, "now", ends - before):
                self.assertEqual(ranking(Source(connection), None)[0].first, last)
                if last == MONDAY:
                    self.assertEqual(ranking(Source(connection), MONDAY)[0].first, MONDAY)
                else:
                    self.assertRaisesRegex(CannotReport, "is not over", ranking, Source(connection), MONDAY)

    def report_all(self, *more, url):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            return main(["--database", url, "--output", str(self.file), *more]), errors.getvalue()


class Errors(ReportTest):
    is_drawn = False

    def assert_fails(self, code, words, *more, **where):
        found, said_words = self.report(*more, **where)
        self.assertEqual((found, len(said_words.splitlines())), (code, 1 if code != 64 else len(said_words.splitlines())), said_words)
        self.assertRegex(said_words, words)

    def test_each_error_names_the_remedy_in_one_line(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        self.assert_fails(70, f"no store 'each_erorr_names.*did you mean one of: {self.site}", site="each_erorr_names_the_remedy_in_one_line")
        self.assert_fails(70, rf"nothing is known of Berlin, Alexanderplatz in 2020-W10: give --week one of {NAME}", "--week", "2020-W10")
        self.assert_fails(70, "the week 2999-W10 is not here yet: the running one is", "--week", "2999-W10")
        self.assert_fails(64, "'47' is no week such as 2026-W47", "--week", "47")
        self.assert_fails(64, "must end with .html, .pdf or .zip", file=self.folder / "report.txt")
        self.assert_fails(69, "the database is not there", url="postgresql://127.0.0.1:1/none")
        self.assert_fails(70, "GRANT beacons_analyst TO", url=self.url.replace("reader@", "stranger@"))
        self.assert_fails(70, "No such file or directory: look at the folder", "--week", NAME, file=self.folder / "none/report.html")

    def test_a_database_without_the_schema_or_with_an_old_one_needs_an_upgrade(self):
        empty, old = self.url_of("no_schema", "template0"), self.url_of("old_schema", "template0")
        self.assert_fails(70, "no schema beacons: .*deploy/chain/schema --database URL makes", url=empty)
        with psycopg.connect(old, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA beacons")
        self.assert_fails(70, "older than this report: run deploy/chain/schema", url=old)

    def test_a_machine_without_pango_makes_html_and_learns_what_pdf_needs(self):
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        # As Python says it where a library of the system is missing.
        program = ("import builtins, sys\nfound = builtins.__import__\ndef without(name, *more, **named):\n    if name == 'weasyprint':\n"
                   "        raise OSError('cannot load library libpango-1.0-0')\n    return found(name, *more, **named)\nbuiltins.__import__ = without\n"
                   "from beacons_report.commands import main\nsys.exit(main(sys.argv[1:]))")
        for ending, code, words in (("pdf", 70, "apt-get install libpango-1.0-0"), ("html", 0, "")):
            done = subprocess.run([sys.executable, "-c", program, "--database", self.url, "--site", self.site, "--week", NAME,
                                   "--output", self.folder / f"x.{ending}"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)

    def test_without_pango_the_quickstart_has_its_pages_and_no_pdf(self):
        publish_weeks(self.connection, self.site, MONDAY + datetime.timedelta(days=7), weeks=1)
        # As Python says it where a library of the system is missing.
        program = ("import builtins, sys, pathlib\nfound = builtins.__import__\ndef without(name, *more, **named):\n    if name == 'weasyprint':\n"
                   "        raise OSError('cannot load library libpango-1.0-0')\n    return found(name, *more, **named)\nbuiltins.__import__ = without\n"
                   "from beacons_report.live import last_week\nprint(last_week(sys.argv[1], pathlib.Path(sys.argv[2]), 0, sys.argv[3], None).files)")
        done = subprocess.run([sys.executable, "-c", program, self.url, self.folder, self.site], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, str([f"{self.site}.html"])), done.stderr)
        self.assertIn("apt-get install libpango-1.0-0", done.stderr)

    def test_a_file_is_whole_or_as_it_was(self):
        publish_weeks(self.connection, self.site, MONDAY, weeks=1)
        self.made("--week", NAME)
        before = self.file.read_bytes()
        self.assert_fails(70, "nothing is known", "--week", "2020-W10")
        self.assertEqual(self.file.read_bytes(), before)
        (self.folder / "folder.html").mkdir()
        self.assert_fails(70, "can't be written: Is a directory", "--week", NAME, file=self.folder / "folder.html")
        self.assertEqual(sorted(one.name for one in self.folder.iterdir()), ["folder.html", "report.html"])
