"""A store whose report a test reads: for the tests of the report."""

import contextlib
import datetime
import io
import pathlib
import re
import shutil
import tempfile
import unittest.mock

import tinyhtml5
from beacons_report import heat, plots
from beacons_report.commands import main

from lists import page
from published_weeks import PublishedWeeks
from story import StoryTest

TODAY = datetime.datetime.now(datetime.UTC).date()
# A week that is over everywhere and counted.
MONDAY = TODAY - datetime.timedelta(days=TODAY.weekday() + 14)
NAME = "{0.year}-W{0.week:02}".format(MONDAY.isocalendar())


class ReportTest(StoryTest):
    # To draw the figures takes most of the time. Tests of the page's words leave them out.
    is_drawn = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not cls.connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'reader'").fetchone():
            cls.connection.execute("CREATE ROLE reader LOGIN IN ROLE beacons_analyst")
            cls.connection.execute("CREATE ROLE stranger LOGIN")
        cls.url = cls.database.url.replace("postgres@", "reader@")

    def setUp(self):
        super().setUp()
        for module in () if self.is_drawn else (plots, heat):
            self.enterContext(unittest.mock.patch.object(module, "svg_of", lambda drawn, name: f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}"></svg>'))
        # A site has at most 128 octets.
        self.site = self.site[5:100]
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder / "report.html"

    def open_store(self, name="Berlin, Alexanderplatz", zone="Europe/Berlin"):
        """From 8 to 20, but on Sundays."""
        self.connection.execute("INSERT INTO beacons.store VALUES (%s, %s, %s, 'Mo-Sa 08:00-20:00')", [self.site, name, zone])
        self.connection.cursor().executemany("INSERT INTO beacons.store_opening VALUES (%s, %s, '8 hours', '20 hours')",
                                             [(self.site, weekday) for weekday in range(1, 7)])

    def list_nothing(self):
        """A gateway could hear for 40 hours, and its lists name no beacon."""
        store = PublishedWeeks(self.site, datetime.UTC)
        store.heard(store.local(MONDAY, 0), store.local(MONDAY, 40), "back")
        store.take(self.connection)
        for hours in (0, 40):
            self.take([page("back", store.local(MONDAY, hours))])

    def count(self):
        for job in ("make_days_ahead", "roll_up", "roll_up_days"):
            self.connection.execute(f"SELECT beacons.{job}()")

    def report(self, *more, url=None, file=None, site=None):
        """The exit status, and what standard error says."""
        words = io.StringIO()
        with contextlib.redirect_stderr(words):
            try:
                code = main(["--database", url or self.url, "--site", site or self.site, "--output", str(file or self.file), *more])
            except SystemExit as end:
                code = end.code
        return code, words.getvalue()

    def made(self, *more, **where):
        self.assertEqual(self.report(*more, **where), (0, ""))
        self.tree = tinyhtml5.parse(self.file.read_text(), namespace_html_elements=False)
        return self.tree

    def text(self, element=None):
        return re.sub(r"\s+", " ", "".join((self.tree if element is None else element).itertext()).replace("\N{NO-BREAK SPACE}", " "))

    def table(self, caption):
        """The rows of the table with that caption, a list of texts each."""
        for table in self.tree.iter("table"):
            if self.text(table.find("caption")).startswith(caption):
                return [[self.text(cell).strip() for cell in row] for row in table.find("tbody")]
        raise AssertionError(f"no table {caption}")

    def sentences(self):
        return [self.text(item).strip() for item in self.tree.find(".//section[@class='summary']").iter("li")]
