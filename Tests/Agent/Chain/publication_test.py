"""Another reader of the chain: PostgreSQL's own pg_recvlogical at the publication, through kills of either side."""

import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import psycopg
from pgoutput import Stream, Truncated

import waiting
from servers import SCHEMA, PostgreSQL, run
from story import EPOCH, StoryTest, event, span


class Reader:
    """A pg_recvlogical that writes what it reads to a file of its own each time it is started."""

    def __init__(self, database, folder):
        self.database, self.folder, self.process, self.files = database, folder, None, []

    def command(self, *arguments):
        return [self.database.programs / "pg_recvlogical", "-d", self.database.url, "--slot", "lake", *arguments]

    def create(self):
        run(*self.command("--create-slot", "-P", "pgoutput"))

    def start(self):
        self.files.append(self.folder / f"{len(self.files)}.bin")
        self.process = subprocess.Popen(
            [*map(str, self.command("--start", "-o", "proto_version=1", "-o", "publication_names=beacons", "--status-interval", "1",
                                    "--fsync-interval", "1", "-f", self.files[-1]))], stderr=subprocess.DEVNULL)
        # Its first connection must stand. Later ones it makes anew by itself.
        with psycopg.connect(self.database.url, autocommit=True) as connection:
            assert waiting.until(lambda: connection.execute("SELECT active FROM pg_replication_slots").fetchall() == [(True,)]), "the reader reads"

    def kill(self, number=signal.SIGKILL):
        if self.process:
            os.kill(self.process.pid, number)
            self.process.wait()
            self.process = None

    def rows(self, table):
        """The rows of a table, also those that came twice."""
        found = []
        for file in self.files:
            try:
                found += [row for name, row in Stream(file.read_bytes() if file.exists() else b"").inserted() if name == table]
            except Truncated:
                pass
        return found

    def numbers(self):
        return {int(row["seq"]) for row in self.rows("event")}


class PublicationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = PostgreSQL("wal_level=logical", "max_slot_wal_keep_size=64MB", "max_wal_size=64MB", "wal_keep_size=0").start()
        run(SCHEMA, "--database", cls.database.url)

    @classmethod
    def tearDownClass(cls):
        cls.database.kill()

    def setUp(self):
        self.connect()
        self.connection.execute("TRUNCATE beacons.event, beacons.coverage_span")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.reader = Reader(self.database, pathlib.Path(folder.name))
        self.addCleanup(self.drop)
        self.site = self.id().split(".")[-1]

    def connect(self):
        self.connection = psycopg.connect(self.database.url, autocommit=True)
        self.addCleanup(self.connection.close)

    def drop(self):
        self.reader.kill()
        with psycopg.connect(self.database.url, autocommit=True) as connection:
            self.assertTrue(waiting.until(lambda: not connection.execute("SELECT FROM pg_replication_slots WHERE active").fetchall()))
            connection.execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")

    def publish(self, *numbers):
        StoryTest.take(self, [event({"seq": number, "type": "enter", "beacon": f"1/{number}", "at": f"9:{number % 60:02}:{number // 60 % 60:02}"})
                              for number in numbers], self.connection)

    def wait_for(self, numbers):
        self.assertTrue(waiting.until(lambda: self.reader.numbers() >= set(numbers)), f"the reader lacks {set(numbers) - self.reader.numbers()}")


class Readers(PublicationTest):
    def test_a_reader_gets_what_was_published_under_the_names_of_the_tables_and_not_of_their_partitions(self):
        self.reader.create()
        self.reader.start()
        StoryTest.take(self, [span(1, "door", "9:00", "10:00")], self.connection)
        self.publish(1, 2)
        self.wait_for([1, 2])
        rows = self.reader.rows("event")
        self.assertEqual([(row["site"], row["epoch"], row["type"]) for row in rows], [(self.site, EPOCH, "enter")] * 2)
        self.assertEqual([row["radio"] for row in self.reader.rows("coverage_span")], ["scanning"])

    def test_a_reader_that_is_killed_goes_on_and_misses_nothing(self):
        self.reader.create()
        for turn in range(4):
            self.reader.start()
            self.publish(*range(turn * 50 + 1, turn * 50 + 51))
            if turn < 3:
                self.wait_for([turn * 50 + 1])
                self.reader.kill()
                self.publish(1000 + turn)
        self.wait_for([*range(1, 201), 1000, 1001, 1002])

    def test_a_server_that_is_killed_loses_nothing_that_it_had_committed(self):
        self.reader.create()
        self.reader.start()
        self.publish(*range(1, 51))
        self.database.restart()
        self.connect()
        self.publish(*range(51, 101))
        self.wait_for(range(1, 101))

    def test_a_reader_that_stays_away_costs_disk_up_to_the_limit_and_then_its_slot(self):
        self.reader.create()
        (before,), = self.connection.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn").fetchall()
        self.publish(*range(1, 1001))
        (after,), = self.connection.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn").fetchall()
        print(f"figure: a reader that is away keeps {round((after - before) / 1000)} octets of log for each event")
        self.assertEqual(self.connection.execute("SELECT wal_status IN ('reserved', 'extended') FROM pg_replication_slots").fetchall(), [(True,)])
        for _ in range(12):
            self.connection.execute("SELECT pg_logical_emit_message(false, 'fill', repeat('x', 1000000)) FROM generate_series(1, 16)")
            self.connection.execute("SELECT pg_switch_wal()")
            self.connection.execute("CHECKPOINT")
        self.assertEqual(self.connection.execute("SELECT wal_status FROM pg_replication_slots").fetchall(), [("lost",)])
        # The chain goes on without the reader.
        self.publish(2000)
