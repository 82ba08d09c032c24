"""A day of a store, written out as a table, taken by a real database: for the tests of the views.

Times are of one day, ten days ago; a beacon is `major/minor`. Each story has a store of its own.
"""

import atexit
import concurrent.futures
import datetime
import json
import subprocess
import unittest

import psycopg

from servers import LONGEST_WAIT_S, PostgreSQL

UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
EPOCH = "01KDVDNA0T0000000000000000"
DAY = datetime.datetime.now(datetime.UTC).replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(days=10)


def at(time):
    """`9:00`, `9:00:30`, `25:00` (an hour into the next day) or `-1:00` (an hour before the day) → a time."""
    if time is None or isinstance(time, datetime.datetime):
        return time
    parts = [float(part) for part in time.lstrip("-").split(":")] + [0.0, 0.0]
    since = datetime.timedelta(hours=parts[0], minutes=parts[1], seconds=parts[2])
    return DAY - since if time.startswith("-") else DAY + since


def stamp(moment):
    """A time as agents write it."""
    return at(moment).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def clock(moment):
    """A time as stories say it; None where there is none."""
    if moment is None:
        return None
    hours, rest = divmod(round((moment - DAY).total_seconds()), 3600)
    text = f"{hours}:{rest // 60:02}"
    return text if rest % 60 == 0 else f"{text}:{rest % 60:02}"


def rows_of(table):
    """A table with a heading → a dict for each row. `-` is a field that is not there. A row ends with its line or with a semicolon."""
    heading, *rows = [line.split() for line in table.strip().replace(";", "\n").splitlines()]
    return [{name: value for name, value in zip(heading, row, strict=True) if value != "-"} for row in rows]


def event(row):
    """A row of a story → a message as the collector hands it on."""
    major, minor = map(int, row.get("beacon", "1/1").split("/"))
    payload = {
        "schema": 1, "at": stamp(row["at"]), "clock": "synced", "epoch": row.get("epoch", EPOCH), "seq": int(row["seq"]),
        "type": row["type"], "region": row.get("region", "carts"), "uuid": UUID, "major": major, "minor": minor,
        "rssi_dbm": -70.5, "accuracy_m": 2.5, "accuracy_error_m": 1, "proximity": "near",
    }
    if row["type"] == "exit":
        entered, heard = row["entered"], row["heard"]
        payload |= {"entered_at": stamp(entered), "last_heard_at": stamp(heard), "proximity": "unknown", "accuracy_m": -1,
                    "dwell_s": (at(heard) - at(entered)).total_seconds()}
    for word in row.get("says", "").split(","):
        if word:
            payload[word] = True
    if "zone" in row:
        payload["zone"] = row["zone"]
    return {"kind": "event", "gateway": row.get("gateway", "door"), "zone": row.get("zone"), "payload": payload}


def span(number, gateway, from_at, to_at, radio="scanning", epoch=EPOCH):
    return {"kind": "coverage", "gateway": gateway, "payload": {
        "schema": 1, "at": stamp(to_at), "clock": "synced", "epoch": epoch, "span": number, "from_at": stamp(from_at),
        "to_at": stamp(to_at), "radio": radio}}


def surge(number, gateway, from_at, to_at, refused=700, epoch=EPOCH):
    return {"kind": "surge", "gateway": gateway, "payload": {
        "schema": 1, "at": stamp(to_at), "clock": "synced", "epoch": epoch, "surge": number, "from_at": stamp(from_at),
        "to_at": stamp(to_at), "region": "carts", "refused": refused, "identities": 690}}


def status(gateway, moment, state, radio="scanning"):
    return {"kind": "status", "gateway": gateway, "payload": {
        "schema": 1, "at": stamp(moment), "clock": "synced", "state": state, "version": "0.2.0", "epoch": EPOCH, "radio": radio,
        "remedy": ""}}


def health(gateway, moment, received_at=None):
    """As a collector hands it on; received now where nothing else is said."""
    message = {"kind": "health", "gateway": gateway, "payload": {"schema": 1, "at": stamp(moment), "clock": "synced"}}
    return message | ({"received_at": stamp(received_at)} if received_at else {})


def state(gateway, region="carts"):
    return {"kind": "state", "gateway": gateway, "payload": {"region": region}}


def gap(gateway, first, last):
    return {"kind": "gap", "gateway": gateway, "payload": {
        "schema": 1, "at": stamp("12:00"), "clock": "synced", "epoch": EPOCH, "from_seq": first, "to_seq": last, "cause": "disk"}}


def job(command, url, *arguments):
    """The exit status of a command of deploy/chain, and what it says."""
    done = subprocess.run([command, "--database", url, *arguments], capture_output=True, text=True, check=False, timeout=LONGEST_WAIT_S)
    return done.returncode, done.stdout.strip() or done.stderr.strip()


def at_once(number, give):
    """Calls give(0), give(1) and so on at the same time; an error of one of them fails the test."""
    with concurrent.futures.ThreadPoolExecutor(number) as pool:
        list(pool.map(give, range(number)))


def count_freely(connection):
    """Stories of ten days ago are counted again and again, and have few messages. So their late hours have no budget."""
    connection.execute("DELETE FROM beacons.budget WHERE kind = 'hours'")
    connection.execute("INSERT INTO beacons.budget (site, kind) VALUES ('', 'hours')")


class StoryTest(unittest.TestCase):
    """One database for all tests of a file; a store of its own for each."""

    maxDiff = None
    database = None

    @classmethod
    def setUpClass(cls):
        if StoryTest.database is None:
            StoryTest.database = PostgreSQL(has_schema=True).start()
            StoryTest.connection = psycopg.connect(cls.database.url, autocommit=True)
            count_freely(cls.connection)
            atexit.register(StoryTest.connection.close)

    def setUp(self):
        self.site = self.id().split(".")[-1]

    @classmethod
    def url_of(cls, name, template="template1"):
        """A database of its own, with the schema; empty where the template is template0."""
        cls.connection.execute(f'CREATE DATABASE "{name}" TEMPLATE {template} STRATEGY file_copy')
        cls.connection.execute(f'ALTER DATABASE "{name}" SET jit = off')
        return f"{cls.database.server}/{name}"

    def query(self, text, **values):
        return self.connection.execute(text, {"site": self.site} | values).fetchall()

    def take(self, messages, connection=None):
        """The outcome of each message, by its place."""
        now = datetime.datetime.now(datetime.UTC).isoformat()
        batch = [{"i": index, "site": self.site, "received_at": now} | message for index, message in enumerate(messages)]
        outcomes = (connection or self.connection).execute("SELECT i, outcome FROM beacons.take(%s::jsonb)", (json.dumps(batch),))
        return [outcome for _, outcome in sorted(outcomes.fetchall())]

    def publish(self, table):
        return self.take([event(row) for row in rows_of(table)])

    def visits(self):
        return [(f"{major}/{minor}", clock(entered), clock(left), dwell, partial) for major, minor, entered, left, dwell, partial in self.query(
            "SELECT major, minor, entered_at, left_at, dwell_s, partial FROM beacons.visit WHERE site = %(site)s ORDER BY entered_at, major, minor")]

    def stays(self):
        return [(f"{major}/{minor}", clock(entered), clock(left), ",".join(gateways)) for major, minor, entered, left, gateways in self.query(
            "SELECT major, minor, entered_at, left_at, gateways FROM beacons.stay WHERE site = %(site)s ORDER BY entered_at, major, minor")]

    def hours(self, until="48:00"):
        """Hour, visits, beacons, present on average, share covered."""
        return [(clock(hour), visits, beacons, mean and round(mean, 3), round(share, 3)) for hour, visits, beacons, mean, share in self.query(
            "SELECT hour, visits, beacons, mean_present, covered_share FROM beacons.occupancy_hourly "
            "WHERE site = %(site)s AND hour < %(until)s ORDER BY region, hour", until=at(until))]

    def flow(self):
        return [(clock(hour), first, second, visits) for hour, first, second, visits in self.query(
            "SELECT hour, from_zone, to_zone, visits FROM beacons.flow WHERE site = %(site)s ORDER BY 1, 2, 3")]

    def coverage(self):
        return [(gateway, clock(start), clock(end)) for gateway, start, end in self.query(
            "SELECT gateway, from_at, to_at FROM beacons.coverage WHERE site = %(site)s ORDER BY 1, 2")]

    def missing(self):
        return self.query("SELECT gateway, from_seq, to_seq FROM beacons.missing WHERE site = %(site)s ORDER BY 1, 2")

    def roll_up(self):
        """As collectors do it; and then the figures are those of a fresh count."""
        self.connection.execute("SELECT beacons.make_days_ahead()")
        # The next one counts the hours that one leaves.
        for _ in range(10):
            self.connection.execute("SELECT beacons.roll_up()")
            if not self.query("SELECT FROM beacons.changed WHERE site = %(site)s LIMIT 1"):
                break
        for view, fresh, columns in (("occupancy_hourly", "occupancy_of", "site, region, hour, visits, beacons, mean_present, covered_share"), ("flow", "flow_of", "*")):
            ((different,),) = self.query(
                f"WITH expected AS (SELECT {columns} FROM beacons.{view} WHERE site = %(site)s AND hour >= %(from)s AND hour < %(until)s), "
                f"counted AS (SELECT %(site)s::text AS site, c.* FROM beacons.{fresh}(%(site)s, %(from)s, %(until)s) c) "
                "SELECT count(*) FROM ((TABLE expected EXCEPT TABLE counted) UNION ALL (TABLE counted EXCEPT TABLE expected)) d",
                **{"from": DAY - datetime.timedelta(days=1), "until": DAY + datetime.timedelta(days=4)})
            self.assertEqual(different, 0, f"{view} is not what a fresh count says")

    def assert_always(self, look, expected):
        """Right at once, and after a roll-up."""
        self.assertEqual(look(), expected)
        self.roll_up()
        self.assertEqual(look(), expected, "after a roll-up")
