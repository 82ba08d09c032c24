"""The cost of a message for the chain, for each octet of it: the worst legal messages of each kind beside ordinary ones.

A case's messages go through the collector's own reading into a database of their own, and are counted by roll-ups. The cost is counted as rows,
octets of the write-ahead log, and processor time of the collector and of the database. No verdict rests on how long it took.

    deploy/benchmark chain-cost
"""

import datetime
import json
import statistics
import time
import unittest
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from beacons_collector.database import Row, element
from beacons_collector.reading import read
from beacons_collector.topics import parse

from servers import SCHEMA, PostgreSQL, run
from story import EPOCH, UUID

MESSAGES, BATCH = 2000, 500
# How often hours and days are counted: once a minute.
ROLL_UPS = 5
REPEATS = 3
# No message costs more than so many times the median of ordinary ones.
MOST = 20
NOW = datetime.datetime.now(datetime.UTC).replace(microsecond=0)


def ago(**time_ago: float) -> str:
    return (NOW - datetime.timedelta(**time_ago)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def common(**more: object) -> dict[str, object]:
    return {"schema": 1, "at": ago(), "epoch": EPOCH, **more}


def event(number: int, kind: str = "enter", **more: object) -> dict[str, object]:
    return common(clock="synced", seq=number, type=kind, region="carts", uuid=UUID, major=1, minor=number % 65536, rssi_dbm=-70.5, accuracy_m=2.5,
                  accuracy_error_m=1, proximity="near") | more


def fix(second: float) -> dict[str, object]:
    return {"at": ago(seconds=second), "latitude": 52.5, "longitude": 13.4, "horizontal_accuracy_m": 5}


def entry(number: int, **more: object) -> dict[str, object]:
    return {"uuid": UUID, "major": number // 65536, "minor": number % 65536, "first_heard_at": ago(days=1), "last_heard_at": ago(), "rssi_dbm": -70} | more


def cell(number: int) -> dict[str, object]:
    return {"floor": 0, "x_m": number % 100, "y_m": number // 100, "seconds": 60, "beacons": 5}


@dataclass(frozen=True)
class Case:
    """A sort of messages: for each number the topic below the site, and the payload."""

    kind: str
    name: str
    message: Callable[[int], tuple[str, dict[str, object]]]
    messages: int = MESSAGES
    is_ordinary: bool = False


def ordinary() -> Iterator[Case]:
    def case_of(kind: str, message: Callable[[int], tuple[str, dict[str, object]]], messages: int = MESSAGES) -> Case:
        return Case(kind, "ordinary", message, messages, is_ordinary=True)

    yield case_of("event", lambda n: (f"g{n % 4}/region/carts/event", event(n // 2 + 1, at=ago(seconds=3000 - n), epoch=EPOCH[:-1] + str(n % 4), minor=n // 8) if n % 8 < 4 else event(
        n // 2 + 1, "exit", at=ago(seconds=2900 - n), epoch=EPOCH[:-1] + str(n % 4), minor=n // 8, entered_at=ago(seconds=3000 - n), last_heard_at=ago(seconds=2920 - n), dwell_s=80)))
    yield case_of("coverage", lambda n: (f"g{n % 4}/coverage", common(clock="synced", span=n, from_at=ago(hours=1 + n // 40 / 60), to_at=ago(hours=n // 40 / 60), radio="scanning")))
    yield case_of("status", lambda n: (f"g{n % 4}/status", common(clock="synced", at=ago(seconds=n), state="online", version="0.3.0", radio="scanning", remedy="")))
    yield case_of("health", lambda n: (f"g{n % 4}/health", common(clock="synced", at=ago(seconds=n), tracks=3, instances=4, queue_depth=0, reports_per_s=118.4,
                                                                  reconnects=1, uptime_s=n, started_at=ago(days=1))))
    yield case_of("location", lambda n: (f"g{n % 4}/location", common(clock="synced", at=ago(seconds=n), service="standard", fix=fix(n), age_s=0.25, device="/dev/ttyUSB0")))
    yield case_of("track", lambda n: (f"g{n % 4}/location/track", common(clock="synced", batch=n, finished="distance", fixes=[fix(n * 60 + one) for one in range(60)])), 200)
    yield case_of("surge", lambda n: (f"g{n % 4}/surge", common(clock="synced", surge=n, from_at=ago(seconds=n + 60), to_at=ago(seconds=n), region="carts", refused=700, identities=600)))
    yield case_of("gap", lambda n: (f"g{n % 4}/gap", common(clock="synced", from_seq=2 * n, to_seq=2 * n, cause="disk")))
    yield case_of("state", lambda n: (f"g{n % 4}/region/carts/state", common(clock="synced", region="carts", state="inside", since=ago(), event_seq=n)))
    yield case_of("beacons", lambda n: (f"g{n % 4}/beacons/{n // 4 % 5}", common(clock="synced", at=ago(seconds=3000 - n), page=n // 4 % 5, pages=5, beacons=[
        entry(n // 4 % 5 * 20 + one, battery_percent=90, telemetry_at=ago(seconds=3000 - n)) for one in range(20)])), 400)
    yield case_of("heat", lambda n: ("site/heat", common(clock="synced", sheet=n, from_at=ago(hours=n + 1), to_at=ago(hours=n), page=0, pages=1, cell_m=2, cells=[cell(one) for one in range(100)],
                                                         omitted_cells=0, omitted_s=0, unplaced_s=0)), 100)


def worst() -> Iterator[Case]:
    yield Case("event", "entries of 399 days ago without an exit", lambda n: ("g/region/carts/event", event(n, at=ago(days=399, seconds=-n))))
    yield Case("event", "visits of 399 days", lambda n: ("g/region/carts/event", event(n, "exit", entered_at=ago(days=399), last_heard_at=ago(seconds=1), dwell_s=1)))
    yield Case("event", "a visit in each of 399 days", lambda n: ("g/region/carts/event", event(
        n, "exit", at=ago(hours=4.7 * n), entered_at=ago(hours=4.7 * n + 1), last_heard_at=ago(hours=4.7 * n), dwell_s=3600)))
    yield Case("event", "one beacon in a zone for each", lambda n: (f"g/region/carts/1/1/zone/z{n}/event", event(n, minor=1, zone=f"z{n}", at=ago(seconds=3000 - n))))
    yield Case("event", "visits of one beacon in days to come", lambda n: ("g/region/carts/event", event(
        n, "exit", minor=1, at=ago(days=-30, seconds=-40 * n), entered_at=ago(days=-30, seconds=1 - 40 * n), last_heard_at=ago(days=-30, seconds=-40 * n), dwell_s=1)))
    yield Case("event", "a region and a gateway for each", lambda n: (f"g{n}/region/r{n}/event", event(n, region=f"r{n}")))
    yield Case("event", "numbers that make a block each", lambda n: ("g/region/carts/event", event(n * 5000)))
    yield Case("event", "one beacon from zone to zone", lambda n: (f"g/region/carts/1/1/zone/z{n % 2}/event", event(n, minor=1, zone=f"z{n % 2}", at=ago(seconds=3000 - n))))
    yield Case("event", "one beacon in a hundred zones of each day", lambda n: (f"site/region/carts/1/1/zone/z{n % 100}/event", event(
        n, "exit", minor=1, zone=f"z{n % 100}", at=ago(days=2 + n // 100, seconds=20 * (n % 100)), entered_at=ago(days=2 + n // 100, seconds=20 * (n % 100) + 15),
        last_heard_at=ago(days=2 + n // 100, seconds=20 * (n % 100)), dwell_s=15)))
    yield Case("state", "a region for each", lambda n: (f"g/region/r{n}/state", common(region=f"r{n}", state="inside", since=ago(), event_seq=0)))
    yield Case("coverage", "399 days", lambda n: (f"g{n % 100}/coverage", common(span=n, from_at=ago(days=399, seconds=-n), to_at=ago(), radio="scanning")))
    yield Case("coverage", "39 days of gateways of their own", lambda n: (f"g{n}/coverage", common(span=n, from_at=ago(days=39 + n % 360), to_at=ago(days=n % 360), radio="scanning")))
    yield Case("coverage", "399 days of a thousand regions", lambda n: (f"g/region/r{n}/state", common(region=f"r{n}", state="inside", since=ago(), event_seq=0)) if n < 1000 else (
        "g/coverage", common(span=n, from_at=ago(days=399, seconds=-n), to_at=ago(), radio="scanning")))
    yield Case("coverage", "short spans of all regions", lambda n: (f"g/region/r{n}/state", common(region=f"r{n}", state="inside", since=ago(), event_seq=0)) if n < 1000 else (
        "g/coverage", common(span=n, from_at=ago(seconds=n, milliseconds=500), to_at=ago(seconds=n), radio="scanning")))
    yield Case("coverage", "a second of each minute", lambda n: ("g/coverage", common(span=n, from_at=ago(minutes=n, seconds=1), to_at=ago(minutes=n), radio="scanning")))
    yield Case("status", "399 days ago", lambda n: (f"g{n % 100}/status", common(at=ago(days=399, seconds=-n), state="online", radio="scanning", remedy="")))
    yield Case("event", "visits of an hour with a thousand holes", lambda n: ("g/coverage", common(span=n, from_at=ago(seconds=3 * n + 1), to_at=ago(seconds=3 * n), radio="scanning")) if n < 1000 else (
        "g/region/carts/event", event(n, "exit", entered_at=ago(minutes=50), last_heard_at=ago(), dwell_s=3000)))
    yield Case("event", "visits of a day with a thousand holes", lambda n: ("g/coverage", common(span=n, from_at=ago(days=2, seconds=80 * n + 40), to_at=ago(days=2, seconds=80 * n), radio="scanning")) if n < 1000 else (
        "g/region/carts/event", event(n, "exit", at=ago(days=2), entered_at=ago(days=2, hours=22), last_heard_at=ago(days=2), dwell_s=79200)), 4000)
    yield Case("status", "after a thousand spans", lambda n: ("g/coverage", common(span=n, from_at=ago(seconds=n + 1), to_at=ago(seconds=n), radio="scanning")) if n < 1000 else (
        "g/status", common(at=ago(seconds=n), state="online", radio="scanning", remedy="")))
    yield Case("health", "a gateway for each", lambda n: (f"g{n}/health", {"schema": 1, "at": ago()}))
    yield Case("health", "each of another day", lambda n: ("g/health", {"schema": 1, "at": ago(hours=4.7 * n)}))
    yield Case("gap", "short", lambda n: ("g/gap", common(from_seq=2 * n, to_seq=2 * n, cause="disk")))
    yield Case("location", "each of another day", lambda n: ("g/location", {"schema": 1, "at": ago(), "service": "standard", "fix": fix(17000 * n)}))
    yield Case("track", "full batches over 399 days", lambda n: ("g/location/track", common(batch=n, finished="distance", fixes=[fix(9500 * one + n) for one in range(3600)])), 10)
    yield Case("surge", "short", lambda n: ("g/surge", common(surge=n, from_at=ago(), to_at=ago(), region="r", refused=1, identities=1)))
    yield Case("beacons", "one beacon on each page", lambda n: (f"g{n // 100}/beacons/{n % 100}", {"schema": 1, "at": ago(), "page": n % 100, "pages": 100, "beacons": [entry(n)]}))
    yield Case("beacons", "batteries of other days", lambda n: (f"g{n}/beacons/0", {"schema": 1, "at": ago(), "page": 0, "pages": 1, "beacons": [
        entry(n * 200 + one, battery_mv=3000, telemetry_at=ago(days=one % 30)) for one in range(200)]}), 100)
    yield Case("beacons", "the same page again and again", lambda n: ("g/beacons/0", {"schema": 1, "at": ago(seconds=3000 - n), "page": 0, "pages": 1, "beacons": []}))
    yield Case("heat", "full sheets", lambda n: ("site/heat", common(sheet=n, from_at=ago(hours=n + 1), to_at=ago(hours=n), page=0, pages=1, cell_m=1, cells=[cell(one) for one in range(500)],
                                                                         omitted_cells=0)), 40)


@dataclass(frozen=True)
class Cost:
    """For each octet received: rows that are left, octets of the write-ahead log, microseconds of processors."""

    rows: float
    wal: float
    collector_us: float
    database_us: float

    def least(self, other: "Cost") -> "Cost":
        return Cost(*(min(pair) for pair in zip(self.values(), other.values(), strict=True)))

    def beyond(self, usual: "Cost") -> list[str]:
        """The parts of the cost that are more than so many times the usual ones."""
        names = ("rows", "octets of the log", "time of the collector", "time of the database")
        return [name for name, one, median in zip(names, self.values(), usual.values(), strict=True) if one > MOST * median]

    def values(self) -> tuple[float, ...]:
        return self.rows, self.wal, self.collector_us, self.database_us


class CostTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The command schema sets jit for its own database alone.
        cls.database = PostgreSQL("jit=off", "autovacuum=off", "full_page_writes=off", "max_wal_size=16GB", "checkpoint_timeout=1d").start()
        cls.addClassCleanup(cls.database.__exit__)
        run(SCHEMA, "--database", cls.database.url)
        # The template has a connection of none.
        cls.address = cls.database.url.rpartition("/")[0]

    def cost(self, case):
        with psycopg.connect(f"{self.address}/template1", autocommit=True) as owner:
            owner.execute("DROP DATABASE IF EXISTS cost")
            owner.execute("CREATE DATABASE cost TEMPLATE postgres STRATEGY file_copy")
        with psycopg.connect(f"{self.address}/cost", autocommit=True) as connection:
            # Plans and caches of the connection are no message's cost.
            connection.execute("SELECT * FROM beacons.take('[]')")
            connection.execute("SELECT beacons.roll_up()")
            messages = [case.message(number) for number in range(1, case.messages + 1)]
            payloads = [(f"beacons/s/{rest}", json.dumps(payload, separators=(",", ":")).encode()) for rest, payload in messages]
            begin = self.measured(connection)
            collector_s = sum(self.take(connection, payloads[start:start + BATCH]) for start in range(0, len(payloads), BATCH))
            for _ in range(ROLL_UPS):
                connection.execute("SELECT beacons.roll_up()")
                connection.execute("SELECT beacons.roll_up_days()")
            rows, wal, database_us = (after - before for after, before in zip(self.measured(connection), begin, strict=True))
        octets = sum(len(topic) + len(payload) for topic, payload in payloads)
        return Cost(rows / octets, wal / octets, collector_s * 1e6 / octets, database_us / octets)

    def take(self, connection, part):
        """The seconds of this process that the collector's own work takes."""
        begin = time.process_time()
        rows = []
        for topic, payload in part:
            address = parse(topic, "beacons")
            rows.append(Row(topic, address, read(payload, address), NOW))
        batch = "[" + ",".join(element(index, row) for index, row in enumerate(rows)) + "]"
        spent = time.process_time() - begin
        answers = connection.execute("SELECT outcome FROM beacons.take(%s::jsonb)", (batch,)).fetchall()
        self.assertEqual(len(answers), len(part))
        return spent

    def measured(self, connection):
        """Rows that are there, octets of the log, and the backend's time on a processor."""
        connection.execute("SELECT pg_stat_force_next_flush()")
        rows, wal, pid = connection.execute(
            "SELECT sum(n_tup_ins - n_tup_del)::bigint, (SELECT pg_current_wal_insert_lsn() - '0/0')::bigint, pg_backend_pid() FROM pg_stat_user_tables "
            "WHERE relname NOT LIKE 'rolling_%'").fetchone()
        return rows, wal, int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1000

    def test_no_message_costs_more_than_twenty_times_an_ordinary_one(self):
        costs = {case: self.cost(case) for case in [*ordinary(), *worst()]}
        usual = Cost(*map(statistics.median, zip(*(cost.values() for case, cost in costs.items() if case.is_ordinary), strict=True)))
        for case in costs:
            # What else the machine does costs time, and never saves it.
            for _ in range(REPEATS - 1):
                if costs[case].beyond(usual):
                    costs[case] = costs[case].least(self.cost(case))
        print(f"figure: {'':48}{'rows/KiB':>10}{'WAL/octet':>10}{'collector':>10}{'database':>10} µs/KiB")
        for case, cost in [*costs.items(), (Case("median", "of ordinary ones", lambda n: ("", {})), usual)]:
            print(f"figure: {case.kind + ': ' + case.name:48}{cost.rows * 1024:10.2f}{cost.wal:10.2f}{cost.collector_us * 1024:10.0f}{cost.database_us * 1024:10.0f}")
        self.assertEqual({f"{case.kind}: {case.name}": beyond for case, cost in costs.items() if (beyond := cost.beyond(usual))}, {})
