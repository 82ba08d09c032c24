"""Retention that asks the lake, and the command line of exports."""

import datetime
import subprocess

import psycopg

from lake import LAKE, RETAIN, InDuckDB, rounded
from servers import LONGEST_WAIT_S
from story import DAY, event, rows_of


class RetainTests(InDuckDB):
    def test_a_day_is_dropped_only_when_the_lake_has_it_as_it_is(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take([event(row) for row in rows_of("seq at type entered heard; 1 9:30:20 exit 9:15 9:30; 2 33:30:20 exit 33:15 33:30")], connection)
            days = (datetime.datetime.now(datetime.UTC).date() - DAY.date()).days - 2
            no_lake = self.job(RETAIN, "--days", days, "--lake", self.folder)
            self.assertEqual((no_lake.returncode, "run deploy/chain/lake" in no_lake.stderr), (70, True), no_lake.stderr)
            self.export()
            rows = rounded(self.ask(f"FROM {self.rows_of('visit')}"))
            self.take([event({"seq": 3, "at": "33:50:20", "type": "exit", "entered": "33:45", "heard": "33:50"})], connection)
            kept_back = self.job(RETAIN, "--days", days, "--lake", self.folder)
            self.assertEqual(kept_back.returncode, 70)
            self.assertIn(f"event of {DAY + datetime.timedelta(days=1):%Y-%m-%d} has changed", kept_back.stderr)
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.event").fetchone(), (2,))
            self.export()
            self.assertIn("dropped", self.assert_done(self.job(RETAIN, "--days", days, "--lake", self.folder)))
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.visit").fetchone(), (0,))
            # The lake keeps what the database has dropped, after further exports as well.
            self.export()
            self.assertEqual(len(self.ask(f"FROM {self.rows_of('visit')}")), len(rows) + 1)

    def test_a_damaged_file_keeps_its_day(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take([event({"seq": 1, "at": "9:30:20", "type": "exit", "entered": "9:15", "heard": "9:30"})], connection)
            self.export()
            (path,) = (self.folder / "visit" / f"day={DAY:%Y-%m-%d}").iterdir()
            octets = bytearray(path.read_bytes())
            octets[len(octets) // 2] ^= 0xFF
            path.write_bytes(octets)
            kept_back = self.job(RETAIN, "--days", "5", "--lake", self.folder)
            self.assertEqual(kept_back.returncode, 70)
            self.assertIn(f"visit of {DAY:%Y-%m-%d} cannot be read", kept_back.stderr)


class CommandLineTests(InDuckDB):
    def test_what_is_wrong_is_said_in_a_line(self):
        file = self.folder.with_suffix(".file")
        file.write_text("")
        for arguments, code in ((["--nonsense"], 64), (["--to", self.folder, "--settle", "-1"], 64), (["--to", file / "lake"], 70)):
            done = self.job(LAKE, *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
        self.url = "postgresql://postgres@127.0.0.1:1/none"
        done = self.job(LAKE, "--to", self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (69, 1))

    def test_a_second_export_waits_for_the_first(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take([event({"seq": 1, "at": "9:30:20", "type": "exit", "entered": "9:15", "heard": "9:30"})], connection)
            running = [subprocess.Popen([LAKE, "--database", self.url, "--to", self.folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                       for _ in range(2)]
            said = [one.communicate(timeout=LONGEST_WAIT_S) for one in running]
            self.assertEqual([one.returncode for one in running], [0, 0], said)
            self.assertEqual(sum("exported 0 files" in words for words, _ in said), 1)
