"""Of people only counts reach the chain: the database's files, its write-ahead log, the collector's log and the lake name none of them."""

import contextlib
import datetime
import os
import pathlib
import shutil
import subprocess
import time
import unittest

import people
from collector_test import Collector
from servers import LONGEST_WAIT_S, SCHEMA, Mosquitto, run, scratch_folder, wait_until
from story import StoryTest

CONFIGURATION = """[gateway]
site = "shop"
id = "door"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
[[region]]
id = "visitors"
uuid = "{uuid}"
expand = "minor"
{own}
"""
# The export takes days that are over for three days.
BEGIN = datetime.datetime.now(datetime.UTC).replace(hour=8, minute=0, second=0, microsecond=0) - datetime.timedelta(days=6)


@unittest.skipUnless(os.environ.get("BEACOND"), "no program")
class PeopleTest(StoryTest):
    def setUp(self):
        super().setUp()
        self.began_s = time.time() - 1
        self.people = people.day(seed=11, people=40)
        self.folder = scratch_folder("people")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        people.write_capture(self.folder / "day.btsnoop", self.people, 0, 3 * people.HOUR_S, begin_s=int(BEGIN.timestamp()))
        self.broker = Mosquitto().start()
        self.addCleanup(self.broker.__exit__)
        self.collector = Collector(self.broker, self.database)
        self.addCleanup(self.collector.end)
        self.collector.is_ready()

    def play(self, own):
        configuration = self.folder / "config.toml"
        configuration.write_text(CONFIGURATION.format(port=self.broker.port, uuid=people.UUID, own=own))
        run(os.environ["BEACOND"], "replay", self.folder / "day.btsnoop", "--config", configuration, "--state", self.folder / own.split()[0],
            "--output", "mqtt", "--speed", "max")

    def is_new(self, file):
        with contextlib.suppress(FileNotFoundError):
            return file.is_file() and file.stat().st_mtime >= self.began_s
        return False

    def found(self):
        """The names of the forms that are in a file of the database, of the broker or of the lake, or in the collector's log.

        A file that has not changed since the beginning has none. Forms of four octets are somewhere in any file of that size."""
        self.connection.execute("CHECKPOINT")
        lake = self.folder / "lake"
        subprocess.run([SCHEMA.with_name("lake"), "--database", self.database.url, "--to", lake], check=True, capture_output=True, timeout=LONGEST_WAIT_S)
        files = [file for folder in (self.database.folder, self.broker.folder, lake) for file in pathlib.Path(folder).rglob("*")
                 if self.is_new(file)]
        self.assertLess({"pg_wal", "base"}, {part for file in files for part in file.parts})
        forms = {form: name for name, form in people.secrets(self.people).items() if len(form) > 5 and b"\n" not in form and (len(form) > 8 or not form.isdigit())}
        patterns = self.folder / "patterns"
        patterns.write_bytes(b"\n".join(forms) + b"\n")
        content = [self.collector.said().encode()]
        for file in files:
            # The server may delete one of its files at any time.
            with contextlib.suppress(FileNotFoundError):
                content.append(file.read_bytes())
        # One pass for all forms.
        found = subprocess.run(["grep", "-aohF", "-f", patterns], input=b"\n".join(content), capture_output=True, check=False,
                               env={"LC_ALL": "C", "PATH": os.environ["PATH"]})
        self.assertLess(found.returncode, 2, found.stderr)
        return {forms[form] for form in set(found.stdout.split(b"\n")) if form}

    def test_the_database_and_the_lake_keep_counts_and_no_person(self):
        self.play("people = true")
        least, most = 0.98 * len(self.people), 1.02 * len(self.people)
        wait_until(lambda: least <= self.query("SELECT coalesce(sum(entered), 0) FROM beacons.count_daily WHERE site = 'shop'")[0][0] <= most, "the day's visits")
        self.assertEqual(self.found(), set())
        # The search finds people where there are some.
        self.play("ranging = false")
        wait_until(lambda: self.query("SELECT 1 FROM beacons.event WHERE site = 'shop' AND type = 'exit' LIMIT 1"), "the events of the day")
        self.assertLess({"UUID in capitals", f"person {self.people[0].minor}: key"}, self.found())
