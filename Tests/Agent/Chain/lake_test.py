"""The lake: what DuckDB says of it is what PostgreSQL says; rows that come late; and exports that are killed."""

import contextlib
import datetime
import io
import os
import random
import shutil
import subprocess
import sys
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor

import psycopg
from beacons_lake import commands, source, storage
from beacons_lake import tables as storage_tables
from deltalake import DeltaTable

from lake import TABLES, InDuckDB, crowd
from servers import LONGEST_WAIT_S, ROOT
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


class LogTests(InDuckDB):
    """Queries read the files that Delta Lake's log names, and no other in the folder."""

    def test_views_pass_over_checkpoints_former_files_and_what_a_killed_export_left(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take(crowd(3), connection)
            self.export()
            former = set(self.files())
            self.take([event({"seq": 9001, "at": "9:10:20", "type": "exit", "entered": "9:00", "heard": "9:10"})], connection)
            self.export()
            connection.execute("SELECT beacons.roll_up()")
            # Readers that began before may go on with the files that they know.
            self.assertLessEqual(former, set(self.files()))
            (one,) = [path for path in self.live("visit") if f"day={DAY:%Y-%m-%d}" in path]
            shutil.copy(one, one.replace(".parquet", "0.parquet"))
            self.assertTrue(list(self.folder.glob("visit/_delta_log/*.checkpoint.parquet")))
            self.assert_same(connection)

    def test_a_view_is_that_of_one_moment_while_exports_replace_its_days(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take([event({"seq": 1, "at": "9:00", "type": "enter"})], connection)
            self.export()
            counts = []

            def replace():
                for number in range(2, 6):
                    self.take([event({"seq": number, "at": "9:00", "type": "enter", "beacon": f"1/{number}"})], connection)
                    self.export()

            with ThreadPoolExecutor(1) as pool:
                running = pool.submit(replace)
                while not running.done():
                    counts.append(len(self.view("stay")))
                running.result()
            self.assertEqual(counts, sorted(counts))
            self.assertLessEqual(set(counts), set(range(1, 6)))
            self.assertEqual(len(self.view("stay")), 5)

    def test_a_former_file_is_deleted_a_day_after_it_was_replaced(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            for number in (1, 2, 3):
                self.take([event({"seq": number, "at": "9:00", "type": "enter", "beacon": f"1/{number}"})], connection)
                self.export()
            lake, (events, *_) = storage.Lake(str(self.folder), storage_tables.TABLES), storage_tables.TABLES
            kept = [path for path in self.files() if path.startswith(f"event/day={DAY:%Y-%m-%d}/")]
            self.assertEqual((lake.sweep(events), len(kept)), (0, 3))
            with unittest.mock.patch.object(storage, "FORMER_HOURS", 0):
                self.assertEqual(lake.sweep(events), 0)
            self.assertEqual([str(self.folder / path) for path in self.files() if path.startswith(f"event/day={DAY:%Y-%m-%d}/")],
                             [path for path in self.live("event") if f"day={DAY:%Y-%m-%d}" in path])
            self.assert_same(connection)

    def test_an_export_commits_many_days_at_once(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take([event({"seq": number, "at": f"-{24 * number}:30", "type": "enter"}) for number in range(1, 40)], connection)
            self.export()
            for table in TABLES:
                delta = DeltaTable(self.folder / table)
                self.assertEqual(delta.version(), 1)
                self.assertGreater(len(delta.file_uris()), 39)


class SlowTests(InDuckDB):
    def test_a_day_that_takes_too_long_to_count_ends_the_export_with_its_name_and_the_remedy(self):
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take([span(1, "door", "9:00", "12:00")], connection)
            connection.execute("ALTER FUNCTION beacons.opening_of RENAME TO opening_soon")
            connection.execute("CREATE FUNCTION beacons.opening_of(a text, b date, c date) RETURNS TABLE (day date, during tstzmultirange) LANGUAGE sql AS "
                               f"'SELECT o.* FROM pg_sleep({LONGEST_WAIT_S}), beacons.opening_soon($1, $2, $3) o'")
            said = io.StringIO()
            with unittest.mock.patch.object(source, "LONGEST_COUNT_S", 1), contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                self.assertEqual(commands.main(["--database", self.url, "--to", str(self.folder)]), 70)
            self.assertRegex(said.getvalue().splitlines()[-1], r"^lake: occupancy_day of [\d-]+: the database counted for more than 1 s: "
                             "count the day with deploy/chain/roll-up, .* and run this again$")
            connection.execute("DROP FUNCTION beacons.opening_of")
            connection.execute("ALTER FUNCTION beacons.opening_soon RENAME TO opening_of")
            self.export()
            self.assert_same(connection)


class LargeTests(InDuckDB):
    def test_the_memory_of_an_export_does_not_grow_with_the_length_of_payloads(self):
        """Messages of databases from before the collector's limits: a few octets of exponents become megabytes of text."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.take([event({"seq": number, "at": "9:00", "type": "enter", "beacon": f"1/{number}"}) for number in range(1, 41)], connection)
            # The database guards its events against everybody but its owner.
            connection.execute("SET session_replication_role = replica")
            connection.execute("UPDATE beacons.event SET payload = payload || big.x FROM (SELECT jsonb_build_object('x', jsonb_agg(9e307)) AS x FROM generate_series(1, 40000)) big")
            connection.execute("RESET session_replication_role")
            program = ("import resource, sys; from beacons_lake.commands import main; status = main(sys.argv[1:]); "
                       "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024); sys.exit(status)")
            done = subprocess.run([sys.executable, "-c", program, "--database", self.url, "--to", self.folder, "--workers", "1"], capture_output=True, text=True,
                                  check=False, timeout=LONGEST_WAIT_S, cwd=ROOT / "deploy/chain")
            self.assertEqual(done.returncode, 0, done.stderr)
            mebibytes = int(done.stdout.split()[-1])
            print(f"figure: 40 events of 12 MB of text each: {mebibytes} MiB")
            # The text alone has 490 MB, and was there five times.
            self.assertLess(mebibytes, 800)
            self.assertEqual(self.ask(f"SELECT count(*), min(length(payload)) > 12000000 FROM {self.rows_of('event')}"), [(40, True)])


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
