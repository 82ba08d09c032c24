"""A lake beside the chain's database: exports, queries, and comparisons of both. For the tests of the lake."""

import datetime
import pathlib
import random
import re
import shutil
import subprocess

import duckdb
import psycopg
from deltalake import DeltaTable

from servers import LONGEST_WAIT_S, ROOT, SCHEMA
from story import StoryTest, count_freely, event, span, status

QUERIES = pathlib.Path(ROOT) / "deploy/chain/lake-queries"
LAKE, RETAIN = SCHEMA.with_name("lake"), SCHEMA.with_name("retain")
# Each view of the lake, and the one of PostgreSQL that says the same.
VIEWS = {"occupancy_hourly": "occupancy_hourly", "occupancy_counted": "occupancy_hourly", "occupancy_daily": "occupancy_daily",
         "stay": "stay", "flow": "flow"}
# The columns of the lake's tables, as PostgreSQL says them.
TABLES = {
    "event": ('site, gateway, epoch, seq, "at", received_at, type, region, uuid, major, minor, zone, rssi_dbm, accuracy_m, proximity, entered_at, '
              "last_heard_at, last_inside_at, dwell_s, partial, inferred, latitude, longitude, payload{}, marked"),
    "visit": "site, gateway, region, uuid, major, minor, zone, entered_at, left_at, dwell_s, partial, inferred",
    "stay": "site, uuid, major, minor, entered_at, left_at, dwell_s, gateways",
}
# The last day that an export without --settle takes.
LAST = (datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=3)).date()
MOMENT = {"event": "at", "visit": "entered_at", "stay": "entered_at"}


def crowd(seed, seconds=7200):
    """Messages of two days of a store: gateways that overlap, zones, nights, lost exits, and times that no gateway heard."""
    chance = random.Random(seed)
    messages, seq = [], 0

    def visit(gateway, beacon, entered, left, zone=None):
        nonlocal seq
        seq += 2
        row = {"seq": seq, "gateway": gateway, "beacon": f"1/{beacon}"} | ({"zone": zone} if zone else {})
        if chance.random() < 0.5:
            messages.append(event(row | {"seq": seq - 1, "at": clock(entered), "type": "enter"}))
        if chance.random() < 0.95:
            messages.append(event(row | {"at": clock(left + 20), "type": "exit", "entered": clock(entered), "heard": clock(left)}))

    for beacon in range(12):
        now = chance.randrange(0, 40_000)
        while now < 150_000:
            length = chance.choice((0, 60, 600, 3600, seconds, 20_000))
            for gateway in chance.sample(["door", "till", "yard"], chance.randint(1, 3)):
                shift = chance.randrange(-300, 300)
                visit(gateway, beacon, max(now + shift, 0), max(now + shift, 0) + length)
            for zone in chance.sample(["shelf", "till", "door"], chance.randint(0, 3)):
                visit("site", beacon, now, now + length // 3, zone)
                now += length // 3 + chance.choice((0, 60, 1800, 1801))
            now += length + chance.choice((10, 29, 30, 31, 4000, 20_000))
    for number, gateway in enumerate(("door", "till", "yard", "site")):
        at = chance.randrange(20_000)
        for place in range(8):
            end = at + chance.randrange(600, 30_000)
            radio = chance.choice(("scanning", "scanning", "replay", "stalled"))
            messages.append(span(place + 1, gateway, clock(at), clock(end), radio=radio))
            at = end + chance.choice((0, 0, 500, 9000))
        if number % 2:
            messages.append(status(gateway, clock(at), "online"))
    chance.shuffle(messages)
    return messages


def clock(seconds):
    """Seconds of a story's first day, as stories say times."""
    return f"{seconds // 3600}:{seconds // 60 % 60}:{seconds % 60}"


class LakeTest(StoryTest):
    """A database and a folder of its own for each test."""

    def setUp(self):
        super().setUp()
        self.url = self.url_of(re.sub(r"\W", "_", self.site)[-60:])
        with psycopg.connect(self.url) as connection:
            count_freely(connection)
        self.folder = pathlib.Path(self.database.folder) / f"lake-{self.site[-60:]}"
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def job(self, command, *arguments):
        return subprocess.run([command, "--database", self.url, *map(str, arguments)], capture_output=True, text=True, check=False,
                              timeout=LONGEST_WAIT_S)

    def assert_done(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def export(self, *arguments):
        return self.assert_done(self.job(LAKE, "--to", self.folder, *arguments))

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*.parquet") if "_delta_log" not in path.parts)

    def last_hour(self, connection, last_day):
        return connection.execute("SELECT (%s::date + 1)::timestamp AT TIME ZONE 'UTC'", (last_day,)).fetchone()[0]

    def expected(self, connection, view, end):
        moment = {"stay": "entered_at", "occupancy_daily": "day::timestamp AT TIME ZONE 'UTC'"}.get(view, "hour")
        # The store's own clock is for the readers of PostgreSQL: the lake has the store's time zone.
        columns = "site, region, hour, visits, beacons, mean_present, covered_share" if view == "occupancy_hourly" else "*"
        return rounded(connection.execute(f"SELECT {columns} FROM beacons.{view} WHERE {moment} < %s", (end,)).fetchall())


class InDuckDB(LakeTest):
    def ask(self, text):
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'Asia/Kolkata'")
            return connection.execute(text.replace("{lake}", str(self.folder))).fetchall()

    def live(self, table):
        """The files that Delta Lake's own reader names."""
        return sorted(DeltaTable(self.folder / table).file_uris())

    def rows_of(self, table):
        """The rows of these files, for the text of a query."""
        return f"read_parquet({self.live(table)}, hive_partitioning = true)"

    def view(self, name):
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'Asia/Kolkata'")
            connection.execute((QUERIES / "duckdb" / f"{name}.sql").read_text().replace("{lake}", str(self.folder)))
            return rounded(connection.execute(f"FROM {name}").fetchall())

    def assert_same(self, connection, last=LAST):
        """Everything in the lake is what PostgreSQL says, in views and in tables, for those that read files and for those that read the log."""
        end = self.last_hour(connection, last)
        for view, of_postgresql in VIEWS.items():
            self.assertEqual(self.view(view), self.expected(connection, of_postgresql, end), view)
        for table, columns in TABLES.items():
            stored = connection.execute(f"SELECT {columns.format('::text')} FROM beacons.{table} WHERE {MOMENT[table]} < %s", (end,)).fetchall()
            self.assertEqual(rounded(self.ask(f"SELECT {columns.format('')} FROM {self.rows_of(table)}")), rounded(stored), table)
            self.assertEqual([one for one in self.live(table) if not pathlib.Path(one).is_file()], [], table)


def rounded(rows):
    """Rows that can be compared: sorted, times in UTC, floats to nine digits."""
    return sorted((tuple(map(plain, row)) for row in rows), key=repr)


def plain(value):
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC)
    return round(value, 9) if isinstance(value, float) else value
