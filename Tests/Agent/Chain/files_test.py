"""The files of tables and functions: a fresh database and an upgraded one are the same, and a refused one stays as it was."""

import collections
import json
import pathlib
import re
import shutil
import tempfile
import threading

import psycopg
from beacons_collector.database import Database, Row
from beacons_collector.topics import parse
from beacons_schema.migrating import FOLDER, CannotMigrate, migrate

from servers import SCHEMA, run, wait_until
from story import StoryTest, at, event, job

OBJECT = re.compile(r"^CREATE (?:OR REPLACE )?(FUNCTION|VIEW|TRIGGER) (?:beacons\.)?(\w+)(.*? ON beacons\.\w+)?", re.MULTILINE)


class FilesTest(StoryTest):
    def copied(self):
        """A folder with the project's files, which a test may change."""
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        for name in ("tables", "functions"):
            shutil.copytree(FOLDER / name, folder / name)
        return folder

    def migrated(self, url, folder=FOLDER):
        with psycopg.connect(url, autocommit=True) as connection:
            return migrate(connection, folder)

    def dump(self, url):
        """The schema. A dump's key for `psql` is another one each time."""
        return re.sub(r"^\\(un)?restrict .*$", "", run(self.database.programs / "pg_dump", "--schema-only", url).decode(), flags=re.MULTILINE)

    def with_change(self, file, old, new):
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new))


class UpgradeTests(FilesTest):
    def older(self):
        """The project's files as an older version might have had them."""
        folder = self.copied()
        functions = folder / "functions"
        # A view had another order of columns, and one that is gone.
        self.with_change(functions / "70-store-visits.sql", "SELECT v.site, v.region,", "SELECT v.region, v.site, 1 AS gone,")
        # A function had other arguments, another one gave back something else, and a view and a trigger used what is gone.
        self.with_change(functions / "20-hours.sql", "CREATE FUNCTION beacons.hour_of(", "CREATE FUNCTION beacons.hour_of(at date) RETURNS date LANGUAGE sql "
                         "AS $$ SELECT at $$;\nCREATE FUNCTION beacons.hour_of(")
        self.with_change(functions / "10-partitions.sql", "CREATE FUNCTION beacons.partition_name(daily text, day date) RETURNS text",
                         "CREATE FUNCTION beacons.partition_name(daily text, day date) RETURNS varchar")
        (functions / "95-gone.sql").write_text(
            "CREATE FUNCTION beacons.gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;\n"
            "CREATE TRIGGER gone AFTER INSERT ON beacons.event FOR EACH STATEMENT EXECUTE FUNCTION beacons.gone();\n"
            "CREATE FUNCTION beacons.one_that_is_gone() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$;\n"
            "CREATE VIEW beacons.gone AS SELECT v.gone, beacons.one_that_is_gone() FROM beacons.store_visit v;\n")
        return folder

    def test_an_upgraded_database_is_what_a_fresh_one_is_and_keeps_its_rows(self):
        fresh, upgraded = self.url_of("fresh", "template0"), self.url_of("upgraded", "template0")
        self.migrated(fresh)
        self.migrated(upgraded, self.older())
        with psycopg.connect(upgraded, autocommit=True) as connection:
            self.take([event({"seq": 1, "at": "9:00", "type": "enter"})], connection)
            self.assertEqual(connection.execute("SELECT * FROM beacons.gone").fetchall(), [(1, 1)])
        self.assertNotEqual(self.dump(upgraded), self.dump(fresh))
        self.assertEqual(self.migrated(upgraded), ["10-partitions.sql", "20-hours.sql", "70-store-visits.sql", "95-gone.sql (removed)"])
        self.assertEqual(self.dump(upgraded), self.dump(fresh))
        with psycopg.connect(upgraded, autocommit=True) as connection:
            self.take([event({"seq": 2, "at": "9:10", "type": "enter"})], connection)
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.event").fetchone(), (2,))
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.visit").fetchone(), (2,))
        self.assertEqual(self.migrated(upgraded), [])

    def test_a_new_file_of_tables_may_change_what_functions_and_views_use(self):
        url, folder = self.url_of("changes"), self.copied()
        self.migrated(url)
        last = max((folder / "tables").iterdir())
        # PostgreSQL refuses to alter a column while a view uses it.
        last.with_name(f"{int(last.name[:4]) + 1:04}-next.sql").write_text("ALTER TABLE beacons.beacon_heard ALTER format TYPE varchar(40);")
        self.assertEqual([name[5:] for name in self.migrated(url, folder)], ["next.sql"])
        with psycopg.connect(url) as connection:
            self.assertEqual(connection.execute("SELECT pg_typeof(max(format))::text FROM beacons.beacon_heard").fetchone(), ("text",))
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.beacon").fetchone(), (0,))
        self.assertEqual(self.migrated(url, folder), [])

    def test_each_object_is_declared_once(self):
        found = collections.Counter(match.groups() for file in (FOLDER / "functions").iterdir() for match in OBJECT.finditer(file.read_text()))
        self.assertEqual([one for one, count in found.items() if count > 1], [])
        self.assertGreater(len(found), 100)

    def test_no_file_of_tables_uses_a_function_that_is_replaced(self):
        for file in (FOLDER / "tables").iterdir():
            self.assertNotRegex(file.read_text(), r"(CREATE|EXECUTE) FUNCTION|CREATE (OR REPLACE )?VIEW")


class RefusedTests(FilesTest):
    def assert_refused(self, url, folder, why, error=CannotMigrate):
        before = self.dump(url)
        with self.assertRaisesRegex(error, why):
            self.migrated(url, folder)
        self.assertEqual(self.dump(url), before)

    def test_a_database_of_a_version_before_is_refused_in_one_sentence_and_left_as_it_is(self):
        url = self.url_of("former", "template0")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA beacons")
            connection.execute("CREATE TABLE beacons.migration (number integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL, applied_at timestamptz)")
            connection.execute("INSERT INTO beacons.migration VALUES (1, '0001-tables.sql', 'x')")
        self.assert_refused(url, FOLDER, "made by a version before 0.3.0, which cannot be upgraded: make the schema in a new database")
        self.assertEqual(job(SCHEMA, url)[0], 70)

    def test_a_file_of_tables_that_changed_and_one_that_is_not_known_are_refused(self):
        url, folder = self.url_of("tables"), self.copied()
        self.migrated(url)
        first = min((folder / "tables").iterdir())
        self.with_change(first, "text NOT NULL", "text  NOT NULL")
        self.assert_refused(url, folder, f"{first.name} has changed since it was applied: a change goes into a file with the next number")
        last = max((folder / "tables").iterdir())
        shutil.copy(FOLDER / "tables" / first.name, first)
        last.unlink()
        self.assert_refused(url, folder, f"the database has {last.name}, which this version does not know")
        first.unlink()
        self.assert_refused(url, folder, "do not run from 0001 without a hole")

    def test_a_file_with_a_fault_leaves_the_database_as_it_was(self):
        url, folder = self.url_of("fault"), self.copied()
        self.migrated(url)
        self.with_change(folder / "functions/99-rights.sql", "GRANT USAGE", "SELECT 1 / 0;\nGRANT USAGE")
        self.assert_refused(url, folder, "division by zero", psycopg.errors.DivisionByZero)

    def test_a_view_of_others_is_not_dropped_with_the_view_that_it_uses(self):
        url, folder = self.url_of("others"), self.copied()
        self.migrated(url)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE VIEW public.own AS SELECT * FROM beacons.visit")
        with open(folder / "functions/99-rights.sql", "a", encoding="utf-8") as file:
            file.write("-- Changed.\n")
        self.assert_refused(url, folder, "drop it, and make it again afterwards: view own depends on view beacons.visit")


class BusyTests(FilesTest):
    def test_while_collectors_run_nothing_is_lost_or_rejected(self):
        url, folder = self.url_of("busy"), self.copied()
        self.migrated(url)
        stopped, collectors, stored = threading.Event(), [Database(url, lambda: False) for _ in range(2)], [0, 0]

        def collect(place):
            topic = f"b/{self.site}/gateway-{place}/region/carts/event"
            while not stopped.is_set():
                payload = event({"seq": stored[place] + 1, "at": "9:00", "type": "enter"})["payload"]
                collectors[place].store([Row(topic, parse(topic, "b"), json.dumps(payload), at("9:01"))], [])
                stored[place] += 1

        threads = [threading.Thread(target=collect, args=(place,)) for place in range(2)]
        for thread in threads:
            thread.start()
        try:
            for turn in range(3):
                before = list(stored)
                wait_until(lambda before=before: all(now > then for now, then in zip(stored, before, strict=True)), "the collectors go on")
                with open(folder / "functions/99-rights.sql", "a", encoding="utf-8") as file:
                    file.write(f"-- {turn}\n")
                self.assertEqual(self.migrated(url, folder), ["99-rights.sql"])
        finally:
            stopped.set()
            for thread in threads:
                thread.join()
            for collector in collectors:
                collector.close()
        with psycopg.connect(url) as connection:
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.event").fetchone(), (sum(stored),))
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.rejected").fetchone(), (0,))
            self.assertEqual([one.outcomes["new"] for one in collectors], stored)
