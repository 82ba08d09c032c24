"""Former databases, which the migrations 0001 to 0028 or up to 0031 made: they are taken over, or refused with the remedy."""

import datetime
import pathlib
import shutil
import tempfile
import threading
import unittest

import psycopg
from beacons_schema import migrating

from former import grow, let_go, rows_of, schema_of
from servers import wait_until
from story import DAY, SCHEMA, StoryTest, event, gap, health, job, span, state, status, surge

FORMER = {28: "0028-rows-from-before.sql", 29: "0029-surges.sql", 30: "0030-few-days-at-once.sql", 31: "0031-budgets.sql"}
# What a run says: the file that takes a former database over, and the files after those that it stands for.
LATER = [one.name for one in migrating.migrations() if one.number > migrating.TAKEN_OVER_TO]
APPLIED = "applied " + ", ".join([migrating.TAKE_OVER, *LATER])
VIEWS = ("visit", "stay", "flow", "coverage", "missing")


class TakeOverTest(StoryTest):
    def connected(self, url):
        connection = psycopg.connect(url, autocommit=True)
        self.addCleanup(connection.close)
        return connection

    def grown(self, number, name):
        """A former database with a day in it, and a connection to it."""
        url = self.url_of(name)
        connection = self.connected(url)
        grow(connection, 19)
        # The limits of names came with 0020. The row stays, whatever its name.
        connection.execute("INSERT INTO beacons.event (site, gateway, epoch, seq, at, type, region) VALUES (%s, 'door', 'before', 1, %s, 'enter', %s)",
                           (self.site, DAY, "r" * 129))
        grow(connection, number)
        self.take([
            span(1, "door", "8:00", "12:00"), status("door", "12:00", "offline"), status("till", "9:00", "online"), state("till"),
            event({"seq": 1, "at": "9:00", "type": "enter"}), gap("door", 3, 4), health("door", "9:01"),
            event({"seq": 2, "at": "9:20:20", "type": "exit", "entered": "9:00", "heard": "9:20"}),
            *(event({"seq": seq, "at": f"10:{minute}", "type": "exit", "entered": f"10:{minute - 9}", "heard": f"10:{minute - 1}", "zone": zone})
              for seq, minute, zone in ((5, 19, "shelf"), (6, 29, "desk")))], connection)
        connection.execute("SELECT beacons.roll_up()")
        self.take([event({"seq": 8, "at": "11:00", "type": "enter", "beacon": "1/2"}), event({"seq": 9, "at": DAY - datetime.timedelta(days=500), "type": "enter"})],
                  connection)
        if number >= 29:
            self.take([surge(1, "door", "9:00", "9:01")], connection)
        if number >= 31:
            connection.execute("DELETE FROM beacons.budget WHERE kind = 'health'")
            connection.execute("UPDATE beacons.budget SET messages_a_day = 77 WHERE kind = 'told'")
        return url, connection

    def figures(self, connection):
        """The rows of the views. The hours end with the day's next: the present hour changes with the time."""
        said = {view: connection.execute(f"SELECT v::text FROM beacons.{view} v ORDER BY 1").fetchall() for view in VIEWS}
        hours = connection.execute("SELECT h::text FROM beacons.occupancy_hourly h WHERE hour < %s ORDER BY 1", (DAY + datetime.timedelta(days=2),))
        return said | {"occupancy_hourly": hours.fetchall()}

    def schema(self, url):
        return schema_of(self.database, url, DAY, DAY + datetime.timedelta(days=9))

    def schema_without_later_files(self):
        """The schema that the files make which replace the former ones."""
        with tempfile.TemporaryDirectory() as name:
            for one in migrating.migrations():
                if one.number <= migrating.TAKEN_OVER_TO:
                    (pathlib.Path(name) / one.name).write_text(one.text)
            url = self.url_of("without-later")
            migrating.migrate(self.connected(url), pathlib.Path(name))
        return self.schema(url)

    def whole(self, url, connection):
        return self.schema(url), migrating.record(connection), rows_of(connection), self.figures(connection)


class TakeOverTests(TakeOverTest):
    def test_a_former_database_becomes_what_a_fresh_one_is_and_keeps_its_rows_and_figures(self):
        fresh = self.url_of("fresh")
        job(SCHEMA, fresh)
        fresh_schema, fresh_record = self.schema(fresh), migrating.record(self.connected(fresh))
        for number in FORMER:
            with self.subTest(number):
                url, connection = self.grown(number, f"former-{number}")
                rows, figures = rows_of(connection), self.figures(connection)
                self.assertTrue(all(figures.values()), figures)
                self.assertNotEqual(self.schema(url), fresh_schema)
                if number == 31:
                    different = set(self.schema(url)) ^ set(self.schema_without_later_files())
                    # The files that replace the former ones make the same schema, but for one right that PUBLIC had by mistake.
                    self.assertEqual([one for one in different if not one.startswith("FUNCTION silence_patience(); Type: ACL")], [])
                self.assertEqual(job(SCHEMA, url), (0, APPLIED))
                self.assertEqual(self.schema(url), fresh_schema)
                self.assertEqual(migrating.record(connection), fresh_record)
                self.assertEqual(rows_of(connection, rows), rows)
                self.assertEqual(self.figures(connection), figures)
                if number < 31:
                    self.assertEqual(rows_of(connection, ["budget"]), rows_of(self.connected(fresh), ["budget"]))

    def test_a_second_run_changes_nothing(self):
        url, connection = self.grown(28, "twice")
        self.assertEqual(job(SCHEMA, url), (0, APPLIED))
        once = self.whole(url, connection)
        self.assertEqual(job(SCHEMA, url), (0, "up to date"))
        self.assertEqual(self.whole(url, connection), once)

    def test_it_goes_on_with_what_came_since_and_counts_as_a_fresh_one(self):
        url, connection = self.grown(28, "goes-on")
        job(SCHEMA, url)
        again = event({"seq": 1, "at": "9:00", "type": "enter"})
        left = event({"seq": 10, "at": "11:30:20", "type": "exit", "entered": "11:00", "heard": "11:30", "beacon": "1/2"})
        self.assertEqual(self.take([again, left, surge(1, "door", "9:00", "9:01")], connection), ["repeated", "new", "new"])
        original = self.connection
        self.connection = connection
        self.addCleanup(setattr, self, "connection", original)
        self.roll_up()
        self.assertIn(("1/2", "11:00", "11:30", "door"), self.stays())
        self.assertEqual(self.query("SELECT kind, messages FROM beacons.budget_daily WHERE site = %(site)s"), [("told", 2)])

    def test_files_after_those_that_it_stands_for_are_applied_after_it(self):
        _, connection = self.grown(31, "later")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "migrations"
            shutil.copytree(migrating.FOLDER, folder)
            last = max(one.number for one in migrating.migrations(folder)) + 1
            (folder / f"{last:04}-later.sql").write_text("CREATE TABLE beacons.later ();")
            self.assertEqual(migrating.migrate(connection, folder)[0], "from-0028.sql")
            self.assertEqual(migrating.migrate(connection, folder), [])
            self.assertEqual(connection.execute("SELECT to_regclass('beacons.later') IS NOT NULL").fetchone(), (True,))
            self.assertEqual([number for number, *_ in migrating.record(connection)], list(range(migrating.FIRST, last + 1)))

    def test_an_older_one_is_refused_with_its_last_file_and_the_remedy_and_left_as_it_is(self):
        url = self.url_of("older-still")
        connection = self.connected(url)
        grow(connection, 27)
        before = self.schema(url), migrating.record(connection), rows_of(connection)
        code, words = job(SCHEMA, url)
        self.assertEqual(code, 70)
        self.assertIn("ends with 0027-more-words.sql", words)
        self.assertIn("run deploy/chain/schema of a version that has 0028-rows-from-before.sql first", words)
        self.assertEqual((self.schema(url), migrating.record(connection), rows_of(connection)), before)

    def test_files_that_are_not_the_project_s_own_are_refused_with_the_remedy(self):
        url, connection = self.grown(28, "changed")
        before = self.whole(url, connection)
        for change in ("UPDATE beacons.migration SET digest = 'x' WHERE number = 3", "UPDATE beacons.migration SET name = '0003-mine.sql' WHERE number = 3",
                       "DELETE FROM beacons.migration WHERE number = 3", "INSERT INTO beacons.migration VALUES (29, '0029-mine.sql', 'x')",
                       "INSERT INTO beacons.migration VALUES (32, '0032-tables.sql', 'x')"):
            with self.subTest(change):
                kept = connection.execute("SELECT * FROM beacons.migration").fetchall()
                connection.execute(change)
                code, words = job(SCHEMA, url)
                self.assertEqual(code, 70)
                self.assertRegex(words, r"ends with 00\d\d-[a-z-]+\.sql, and that file or one before it is not the project's own: make the schema in a new database")
                connection.execute("TRUNCATE beacons.migration")
                connection.cursor().executemany("INSERT INTO beacons.migration VALUES (%s, %s, %s, %s)", kept)
        self.assertEqual(self.whole(url, connection), before)

    def test_a_failure_half_way_leaves_it_as_it_was_and_the_next_run_takes_it_over(self):
        url, connection = self.grown(28, "half-way")
        before = self.whole(url, connection)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "migrations"
            shutil.copytree(migrating.FOLDER, folder)
            text = (folder / "from-0028.sql").read_text()
            (folder / "from-0028.sql").write_text(text.replace("-- A few days at once, from 0030.\n", "SELECT 1 / 0;\n"))
            with self.assertRaises(psycopg.errors.DivisionByZero):
                migrating.migrate(connection, folder)
        let_go(connection)
        self.assertEqual(self.whole(url, connection), before)
        self.assertEqual(job(SCHEMA, url), (0, APPLIED))

    def test_while_collectors_run_nothing_is_lost(self):
        url, connection = self.grown(28, "busy")
        taken, replaced, stopped = [], [], threading.Event()

        def collect():
            with psycopg.connect(url, autocommit=True) as collector:
                while not stopped.is_set():
                    seq = 100 + 2 * len(taken)
                    try:
                        taken.append(self.take([event({"seq": seq, "at": "9:00", "type": "enter"}), gap("door", seq + 1, seq + 1)], collector))
                    except psycopg.errors.InternalError_ as error:
                        # A function was replaced between its plan and its call. Collectors try again.
                        replaced.append(error)

        collector = threading.Thread(target=collect)
        collector.start()
        try:
            wait_until(lambda: taken, "the collector takes")
            said = job(SCHEMA, url)
            before = len(taken)
            wait_until(lambda: len(taken) > before, "the collector goes on")
        finally:
            stopped.set()
            collector.join()
        self.assertEqual(said, (0, APPLIED))
        self.assertLess(len(replaced), 3)
        self.assertEqual({outcome for outcomes in taken for outcome in outcomes}, {"new"})
        for table, number in (("event", "seq"), ("gap", "from_seq")):
            self.assertEqual(connection.execute(f"SELECT count(*) FROM beacons.{table} WHERE {number} >= 100").fetchone(), (len(taken),))


if __name__ == "__main__":
    unittest.main()
