"""The commands `schema`, `retain` and `roll-up`: again, at once, while collectors run, and with wrong words; and a backup."""

import datetime
import os
import subprocess
import threading
import unittest

import psycopg

from count_test import count
from heat_test import sheet
from servers import LONGEST_WAIT_S, SCHEMA, run, scratch_folder
from story import StoryTest, event, job, span, surge

RETAIN = SCHEMA.with_name("retain")


class Installing(unittest.TestCase):
    def test_install_makes_the_environment_and_says_so_in_a_line(self):
        folder = scratch_folder("environment") / "venv"
        # Without the package index the line is the same, and the reason follows it.
        done = subprocess.run([SCHEMA.with_name("collector"), "--install"], capture_output=True, text=True, check=False, timeout=10 * LONGEST_WAIT_S,
                              env=os.environ | {"BEACONS_VENV": str(folder)})
        self.assertEqual(done.stderr.splitlines()[0], f"Installing the libraries of collector-requirements.txt into {folder} …")
        if done.returncode != 69:
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (0, "", 1))
            self.assertTrue((folder / "stamp").exists())


class SchemaTests(StoryTest):
    def test_a_second_time_there_is_nothing_to_do_and_nothing_is_lost(self):
        self.take([event({"seq": 1, "at": "9:00", "type": "enter"})])
        self.assertEqual(job(SCHEMA, self.database.url), (0, "up to date"))
        self.assertEqual(len(self.visits()), 1)

    def test_several_at_once_make_one_schema(self):
        url = self.url_of("several", "template0")
        running = [subprocess.Popen([SCHEMA, "--database", url], stdout=subprocess.PIPE, text=True) for _ in range(4)]
        said = sorted(one.communicate(timeout=LONGEST_WAIT_S)[0].strip() for one in running)
        self.assertEqual([one.returncode for one in running], [0] * 4)
        self.assertEqual(said[1:], ["up to date"] * 3)
        self.assertTrue(said[0].startswith("applied 0001-"))

    def test_while_collectors_run_nothing_is_held_up_or_lost(self):
        taken = []
        stopped = threading.Event()

        def collect():
            with psycopg.connect(self.database.url, autocommit=True) as connection:
                while not stopped.is_set():
                    taken.extend(self.take([event({"seq": len(taken) + 1, "at": "9:00", "type": "enter"})], connection))

        collector = threading.Thread(target=collect)
        collector.start()
        try:
            codes = [job(SCHEMA, self.database.url) for _ in range(3)]
        finally:
            stopped.set()
            collector.join()
        self.assertEqual(codes, [(0, "up to date")] * 3)
        self.assertEqual(set(taken), {"new"})
        self.assertEqual(self.query("SELECT count(*) FROM beacons.event WHERE site = %(site)s"), [(len(taken),)])

    def test_a_database_that_is_not_there_and_one_that_is_newer_are_said_in_a_line(self):
        code, words = job(SCHEMA, "postgresql://postgres@127.0.0.1:1/none")
        self.assertEqual((code, words.count("\n")), (69, 0))
        url = self.url_of("newer")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("INSERT INTO beacons.migration VALUES (9999, '9999-later.sql', 'x')")
        code, words = job(SCHEMA, url)
        self.assertEqual(code, 70)
        self.assertIn("9999-later.sql", words)

    def test_an_owner_who_may_not_create_roles_needs_only_that_they_are_there(self):
        url = self.url_of("owned", "template0")
        with psycopg.connect(self.database.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE owner LOGIN")
            connection.execute("ALTER DATABASE owned OWNER TO owner")
        code, words = job(SCHEMA, url.replace("postgres@", "owner@"))
        self.assertEqual(code, 0, words)
        with psycopg.connect(url) as connection:
            self.assertEqual(connection.execute("SHOW jit").fetchone(), ("off",))


class CommandLineTests(StoryTest):
    def test_a_wrong_command_line_ends_with_64(self):
        for command in ("schema", "retain", "roll-up", "register"):
            self.assertEqual(job(SCHEMA.parent / command, self.database.url, "--nonsense")[0], 64, command)

    def test_a_url_that_libpq_cannot_read_ends_with_64_and_is_not_tried_for_ever(self):
        for command, *options in (["schema"], ["retain", "--days", "3"], ["roll-up"], ["roll-up", "--every", "1"], ["register", "fleet.csv"]):
            for url in ("nonsense", "postgresql://h/d?colour=red"):
                code, words = job(SCHEMA.parent / command, url, *options)
                self.assertEqual(code, 64, command)
                self.assertIn("--database", words)


class RetainTests(StoryTest):
    def test_older_days_are_dropped_and_their_numbers_stay_taken(self):
        url = self.url_of("retained")
        today = datetime.datetime.now(datetime.UTC).replace(hour=9, minute=0)
        old, kept = today - datetime.timedelta(days=20), today - datetime.timedelta(days=5)
        stories = []
        for seq, moment in enumerate((old, kept)):
            stories += [
                event({"seq": 2 * seq + 1, "at": moment, "type": "enter"}),
                event({"seq": 2 * seq + 2, "at": moment + datetime.timedelta(minutes=10), "type": "exit", "entered": moment,
                       "heard": moment + datetime.timedelta(minutes=9)}),
                span(seq + 1, "door", moment, moment + datetime.timedelta(minutes=50)),
                surge(seq + 1, "door", moment, moment + datetime.timedelta(minutes=1)),
                sheet(seq + 1, moment, moment + datetime.timedelta(minutes=50), [(0, 1, 1, 5 + seq, 5)]),
                count(seq + 1, moment, moment + datetime.timedelta(minutes=15), 6, 6)]
        with psycopg.connect(url, autocommit=True) as connection:
            self.assertEqual(set(self.take(stories, connection)), {"new"})
            connection.execute("SELECT beacons.roll_up()")
            while connection.execute("SELECT beacons.roll_up_days()").fetchone() != (0,):
                pass
            self.assertEqual(connection.execute("SELECT min(day) FROM beacons.occupancy_day").fetchone(), (old.date(),))
            self.assertEqual(job(RETAIN, url, "--days", "10")[0], 0)
            self.assertEqual(connection.execute("SELECT min(day) FROM beacons.occupancy_day").fetchone(), (kept.date(),))
            for view in ("event", "visit", "stay", "coverage", "surge", "heat", "heat_sheet", "count"):
                rows = 2 if view == "event" else 1
                self.assertEqual(connection.execute(f"SELECT count(*) FROM beacons.{view}").fetchone(), (rows,), view)
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.occupancy_hourly").fetchone(), (1,))
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.missing").fetchone(), (0,))
            partitions = connection.execute("SELECT min(relname) FROM pg_class WHERE relname ~ '^event_[0-9]+$'").fetchone()
            self.assertEqual(partitions, (f"event_{today - datetime.timedelta(days=10):%Y%m%d}",))
            self.assertEqual(set(self.take([one for one in stories if one["kind"] == "event"], connection)), {"repeated"})
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.event").fetchone(), (2,))


class BackupTests(StoryTest):
    def test_a_restored_backup_says_the_same_and_goes_on(self):
        messages = [event({"seq": 1, "at": "9:00", "type": "enter"}), span(1, "door", "9:00", "10:00"),
                    event({"seq": 3, "at": "9:20:20", "type": "exit", "entered": "9:00", "heard": "9:20"})]
        self.take(messages)
        self.roll_up()
        said = [look() for look in (self.visits, self.stays, self.hours, self.coverage, self.missing)]
        url, dump = self.url_of("restored", "template0"), self.database.folder / "dump"
        programs = self.database.programs
        run(programs / "pg_dump", "--format=directory", "--jobs=2", "--schema=beacons", "--file", dump, self.database.url)
        run(programs / "pg_restore", "--exit-on-error", "--dbname", url, dump)
        self.assertEqual(job(SCHEMA, url), (0, "up to date"))
        original = self.connection
        with psycopg.connect(url, autocommit=True) as restored:
            self.connection = restored
            self.addCleanup(setattr, self, "connection", original)
            self.assertEqual([look() for look in (self.visits, self.stays, self.hours, self.coverage, self.missing)], said)
            self.assertEqual(self.take([*messages, event({"seq": 2, "at": "9:10", "type": "enter", "beacon": "1/2"})]), ["repeated"] * 3 + ["new"])
            self.assertEqual((len(self.visits()), self.missing()), (2, []))
            self.roll_up()
