"""The file of the report: safe, bounded, readable by everybody, and the same for the same data."""

import contextlib
import csv
import os
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib

from beacons_report.tables import plain
from browser import Browser
from published_weeks import PublishedWeeks, publish_ways, publish_weeks, warm
from reported import MONDAY, NAME, ReportTest
from servers import run

# Letters that are wide, that Matplotlib's font lacks, or that have no ink.
ODD = ("W" * 80, "日本語の売り場" * 5, "\N{SHOPPING TROLLEY} \U00012000", "مدخل", " ")
HOSTILE = '<script>alert(1)</script>"\'&amp;$\\frac{'


class Files(ReportTest):
    def publish(self):
        self.open_store()
        publish_weeks(self.connection, self.site, MONDAY, weeks=2, deaf=[(2, 14, 15)])
        publish_ways(self.connection, self.site, MONDAY, [("entrance", "bakery", 4)])
        warm(self.connection, self.site, MONDAY, floors=2)
        self.count()

    def test_the_same_data_give_the_same_bytes(self):
        self.publish()
        for ending in ("html", "pdf", "zip"):
            here, there = self.folder / f"here.{ending}", self.folder / f"there.{ending}"
            self.assertEqual(self.report("--week", NAME, file=here), (0, ""))
            # In a process of its own: nothing may depend on the order of a set, on the machine's zone or on the figures before.
            run(sys.executable, "-m", "beacons_report", "--database", self.url, "--site", self.site, "--week", NAME, "--output", there,
                env=os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"})
            self.assertEqual(here.read_bytes(), there.read_bytes(), ending)

    def test_a_zip_has_the_tables_as_the_views_have_them(self):
        self.publish()
        file = self.folder / "report.zip"
        self.assertEqual(self.report("--week", NAME, file=file), (0, ""))
        with zipfile.ZipFile(file) as archive:
            tables = {name: list(csv.DictReader(archive.read(name).decode().splitlines())) for name in archive.namelist()}
        self.assertEqual(sorted(tables), ["days.csv", "devices.csv", "heat.csv", "hours.csv", "not_heard.csv", "people.csv", "people_dwell.csv", "ways.csv", "zones.csv"])
        days = self.query("SELECT region, day::text, visits::text, visits_low::text, visits_high::text FROM beacons.occupancy_daily WHERE site = %(site)s AND day >= %(first)s "
                          "AND day < %(first)s::date + 7 ORDER BY region, day", first=MONDAY)
        self.assertEqual([(row["region"], row["day"], row["visits"], row["visits_low"], row["visits_high"]) for row in tables["days.csv"]], days)
        self.assertEqual([(row["from_zone"], row["to_zone"], row["visits"]) for row in tables["ways.csv"]], [("entrance", "bakery", "4")])
        self.assertEqual(sum(float(row["seconds"]) for row in tables["heat.csv"]), self.query("SELECT sum(seconds) FROM beacons.heat WHERE site = %(site)s")[0][0])

    def test_a_name_is_no_formula_in_a_spreadsheet(self):
        self.assertEqual([plain(value) for value in ("=1+1", "@a", "-1", "entrance", -1, None)], ["'=1+1", "'@a", "'-1", "entrance", -1, None])

    def test_a_browser_shows_it_on_a_phone_without_asking_anybody_and_a_screen_reader_reads_it(self):
        self.publish()
        self.made("--week", NAME)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, Browser(profile) as browser:
            tab = browser.tab(f"file://{self.file}", width=360, height=740)
            self.assertLessEqual(tab.value("document.documentElement.scrollWidth"), 360)
            # No table scrolls, and no cell reaches out of it.
            self.assertLessEqual(tab.value("Math.max(...[...document.querySelectorAll('main *')].map((one) => one.getBoundingClientRect().right))"), 360)
            self.assertEqual(tab.value("[...document.querySelectorAll('th, td')].filter((one) => one.scrollWidth > one.clientWidth).length"), 0)
            self.assertEqual(tab.requests(), [f"file://{self.file}"])
            self.assertEqual(browser.complaints(), [])
            self.assertEqual(tab.value("document.documentElement.lang"), "en")
            # Letters of the figures as wide as those of a newspaper at least.
            self.assertGreaterEqual(tab.value("Math.min(...[...document.querySelectorAll('.plot text')].map((one) => parseFloat(getComputedStyle(one).fontSize) * "
                                              "one.ownerSVGElement.getBoundingClientRect().width / one.ownerSVGElement.viewBox.baseVal.width))"), 9)
            nodes = [node for node in tab.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
            named = {}
            for node in nodes:
                named.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
            self.assertEqual(named["RootWebArea"], [f"Berlin, Alexanderplatz: week {NAME}"])
            levels = [property["value"]["value"] for node in nodes if node["role"]["value"] == "heading" for property in node.get("properties", ())
                      if property["name"] == "level"]
            self.assertEqual(levels[0], 1)
            self.assertTrue(all(after - before <= 1 for before, after in zip(levels, levels[1:])), levels)
            images = named.get("image", []) + named.get("img", [])
            self.assertEqual(len(images), len(self.tree.findall(".//figure")))
            self.assertTrue(all(images), images)
            self.assertEqual(len(named["table"]), len(list(self.tree.iter("table"))))
            self.assertTrue(all(named["table"]), named["table"])

    def test_a_pdf_has_the_same_words_with_tags_and_fonts_within(self):
        self.publish()
        self.made("--week", NAME)
        pdf = self.folder / "report.pdf"
        self.assertEqual(self.report("--week", NAME, file=pdf), (0, ""))
        words = re.sub(r"\s+", " ", subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout)
        for sentence in self.sentences():
            # A line may end between its words.
            self.assertIn(re.sub(r"\s", "", sentence), re.sub(r"\s", "", words))
        about = subprocess.run(["pdfinfo", pdf], capture_output=True, text=True, check=True).stdout
        self.assertRegex(about, r"Tagged: +yes")
        titles = 0
        for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf.read_bytes(), re.DOTALL):
            # Fonts are streams as well, of which some are not compressed.
            with contextlib.suppress(zlib.error):
                titles += zlib.decompress(stream).count(b"/Alt (")
        self.assertEqual(titles, len(self.tree.findall(".//figure")))
        self.assertRegex(about, r"Page size: +595.\d+ x 841.\d+ pts \(A4\)")
        pages = int(re.search(r"Pages: +(\d+)", about)[1])
        self.assertLessEqual(pages, 3)
        last = subprocess.run(["pdftotext", "-layout", "-f", str(pages), pdf, "-"], capture_output=True, text=True, check=True).stdout
        self.assertGreater(len(last.split()), 60, last)
        fonts = subprocess.run(["pdffonts", pdf], capture_output=True, text=True, check=True).stdout.splitlines()[2:]
        # Those that it brings along, so that each machine gives the same pages.
        self.assertTrue(fonts and all(re.search(r"^[A-Z]{6}\+Report.* yes +yes +yes ", font) for font in fonts), fonts)

    def test_names_from_outside_stay_words(self):
        self.open_store(name=HOSTILE)
        store = PublishedWeeks(self.site)
        store.heard(store.local(MONDAY, 8), store.local(MONDAY, 20))
        for minor in range(4):
            store.visit(store.local(MONDAY, 9), 5, minor, region=HOSTILE)
            store.visit(store.local(MONDAY, 9), 5, minor, "site", HOSTILE, "<img src=x onerror=alert(1)>")
            store.visit(store.local(MONDAY, 9.2), 5, minor, "site", HOSTILE, "]]></svg>\u202eurl(#a) ${")
        for number, name in enumerate(ODD):
            store.visit(store.local(MONDAY, 10 + number), 5, 50 + number, region=name)
            for _ in range(2):
                store.visit(store.local(MONDAY, 10 + number), 5, 50 + number, "site", HOSTILE, name or "x")
                store.visit(store.local(MONDAY, 10.2 + number), 5, 50 + number, "site", HOSTILE, name[::-1] + "y")
        store.take(self.connection)
        self.made("--week", NAME)
        self.assertIn("Region (blank)", [self.text(one) for one in self.tree.iter("h2")])
        for element in ("script", "img", "iframe", "a", "form"):
            self.assertEqual(list(self.tree.iter(element)), [])
        self.assertEqual(self.text(self.tree.find(".//h1")), HOSTILE)
        self.assertEqual(self.table("Ways between zones")[0][:2], ["<img src=x onerror=alert(1)>", "]]></svg>\N{REPLACEMENT CHARACTER}url(#a) ${"])
        pdf = self.folder / "report.pdf"
        self.assertEqual(self.report("--week", NAME, file=pdf), (0, ""))
        words = subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True).stdout
        self.assertIn(HOSTILE[:25], words)
