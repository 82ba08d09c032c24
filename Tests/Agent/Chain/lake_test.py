"""The lake: what DuckDB says of it is what PostgreSQL says; rows that come late; and exports that are killed."""

import datetime
import os
import random
import shutil
import subprocess
import sys
import unittest

import psycopg
from deltalake import DeltaTable

from lake import TABLES, InDuckDB, crowd
from servers import LONGEST_WAIT_S
from story import DAY, event, span

# A kill in each step, before it and after it, takes minutes; without the variable some of them are drawn.
KILLS = os.environ.get("LAKE_KILLS", "3")


class ViewTests(InDuckDB):
    def test_views_and_tables_are_those_of_postgresql(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            for seed in range(2):
                self.site = f"store-{seed}"
                self.assertEqual(set(self.take(crowd(seed), connection)), {"new"})
            self.export()
            connection.execute("SELECT beacons.roll_up()")
            self.assertGreater(len(self.view("occupancy_hourly")), 100)
            self.assertGreater(len(self.view("flow")), 5)
            self.assert_same(connection)

    def test_what_comes_late_is_in_the_next_export_and_only_its_days_are_written_again(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take([span(1, "door", "9:00", "12:00"), event({"seq": 1, "at": "23:00", "type": "enter"}),
                       event({"seq": 2, "at": "26:00", "type": "enter", "beacon": "1/2"})], connection)
            self.export()
            self.assertIn("exported 0 files", self.export())
            # The exit of an entry of the day before it, a span across midnight, and another region of the gateway.
            self.take([event({"seq": 3, "at": "25:10", "type": "exit", "entered": "23:00", "heard": "25:00"}), span(2, "door", "22:00", "26:00"),
                       event({"seq": 4, "at": "50:00", "type": "enter", "region": "phones"})], connection)
            # Of 66 files. The new entry lasts, so it is in the hours of all later days.
            said = self.export()
            connection.execute("SELECT beacons.roll_up()")
            self.assert_same(connection)
            again = {path.split("/day=")[0] for path in self.files()}
            self.assertIn("coverage", again)
            self.assertLess(int(said.split()[1]), 30, said)
            self.assertIn("exported 0 files", self.export())


class KillTests(InDuckDB):
    def killed(self, *words):
        done = subprocess.run([sys.executable, "lake_killed.py", self.url, str(self.folder), *words], capture_output=True, text=True, check=False,
                              timeout=LONGEST_WAIT_S)
        self.assertIn(done.returncode, (0, -9), done.stderr)
        return done

    def test_an_export_that_is_killed_at_any_step_leaves_nothing_missing_or_double(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take(crowd(7), connection)
            self.export("--settle", "8")
            # Days that are there already and change: their files are replaced.
            self.take([event({"seq": 5001, "at": "9:10:20", "type": "exit", "entered": "9:00", "heard": "9:10"}),
                       event({"seq": 5003, "at": "30:10:20", "type": "exit", "entered": "30:00", "heard": "30:10", "beacon": "1/99"})], connection)
            connection.execute("SELECT beacons.roll_up()")
            before = self.folder.with_name("before")
            self.addCleanup(shutil.rmtree, before, ignore_errors=True)
            self.folder.rename(before)
            shutil.copytree(before, self.folder)
            steps = int(self.killed("0").stdout.split()[-1])
            self.assertGreater(steps, 20)
            words = [f"{number}{when}" for number in range(1, steps + 1) for when in ("", "+")]
            last = (DAY + datetime.timedelta(days=1)).date()
            for word in words if KILLS == "all" else random.Random(1).sample(words, int(KILLS)):
                with self.subTest(step=word):
                    shutil.rmtree(self.folder)
                    shutil.copytree(before, self.folder)
                    self.assertEqual(self.killed(word).returncode, -9)
                    # The log never names a day twice.
                    for table in TABLES:
                        days = [path.split("/")[-2] for path in DeltaTable(self.folder / table).file_uris()]
                        self.assertEqual(sorted(set(days)), sorted(days))
                    self.assertEqual(self.killed("0").returncode, 0)
                    self.assert_same(connection, last)


if __name__ == "__main__":
    unittest.main()
