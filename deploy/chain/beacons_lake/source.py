"""The chain's database, read a day at a time: rows as Arrow, which PostgreSQL sends in its binary COPY format."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

import adbc_driver_postgresql.dbapi as adbc
import psycopg
import pyarrow as pa
from psycopg import sql

from .storage import CannotExport, whole
from .tables import Table

BATCH_BYTES = 16 << 20
# A day before this cannot be true: see `marked`.
PLAUSIBLE_DAYS = 400
# Another export of this lake may be ending, or the server has not yet seen that its process was killed.
LOCK_WAIT = "15s"
# The longest count of what is still due when an export asks for it. A collector counts days as long: see beacons_collector/roll_up.py.
LONGEST_COUNT_S = 60

FIRST_ROWS = (
    "SELECT min(at) FROM beacons.event_default WHERE at >= %(from)s", "SELECT min(entered_at) FROM beacons.visit_day_default WHERE entered_at >= %(from)s",
    "SELECT min(entered_at) FROM beacons.visit_long WHERE entered_at >= %(from)s",
    "SELECT min(entered_at) FROM beacons.stay_day_default WHERE entered_at >= %(from)s",
    "SELECT min(entered_at) FROM beacons.stay_long WHERE entered_at >= %(from)s",
    "SELECT min(from_at) FROM beacons.coverage_span WHERE to_at >= %(from)s",
    "SELECT min(from_at) FROM beacons.coverage_open WHERE from_at >= %(from)s")


class Source:
    """A connection for questions. Rows come over connections of their own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.connection = psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="beacons_lake")
        # Connections for rows that wait for the next day. A new one reads all types of the database, which takes longer than a small day.
        self.idle: SimpleQueue[adbc.Connection] = SimpleQueue()

    def one(self, query: Any, values: Any = None) -> Any:
        row = self.connection.execute(query, values).fetchone()
        return row[0] if row else None

    def lock(self, lake: str) -> None:
        """One export of a lake at a time. The lock ends with the process."""
        self.connection.execute(sql.SQL("SET lock_timeout = {}").format(sql.Literal(LOCK_WAIT)))
        try:
            self.connection.execute("SELECT pg_advisory_lock(hashtext('beacons.lake'), hashtext(%s))", (whole(lake),))
        except psycopg.errors.LockNotAvailable:
            raise CannotExport(f"another export into {lake} runs: wait for its end") from None
        self.connection.execute("RESET lock_timeout")

    @property
    def name(self) -> str:
        """The database in which numbers of transactions mean something. A restored backup is another one."""
        return str(self.one("SELECT format('beacons/%s/%s', system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database())) "
                            "FROM pg_control_system()"))

    @property
    def today(self) -> date:
        return self.one("SELECT (now() AT TIME ZONE 'UTC')::date")

    def oldest_open(self) -> int:
        """The oldest transaction that is not visible to each later snapshot."""
        return int(self.one("SELECT pg_snapshot_xmin(pg_current_snapshot())::text"))

    def roll_up(self) -> None:
        """Counts what has come. An analyst may not; the views are right without it, and slower."""
        if self.one("SELECT has_function_privilege('beacons.roll_up()', 'EXECUTE')"):
            self.connection.execute("SELECT beacons.make_days_ahead()")
            self.connection.execute("SELECT beacons.roll_up()")
            if self.one("SELECT has_function_privilege('beacons.roll_up_days()', 'EXECUTE')"):
                self.connection.execute(f"SET statement_timeout = '{LONGEST_COUNT_S}s'")
                try:
                    # A day that takes longer stays due.
                    self.connection.execute("SELECT beacons.roll_up_days()")
                except psycopg.errors.QueryCanceled:
                    raise too_slow("days that are due") from None
                self.connection.execute("RESET statement_timeout")

    def kept_since(self) -> date | None:
        """The first day that retention has not dropped; None where it never ran."""
        return self.one("SELECT CASE WHEN isfinite(kept_since) THEN (kept_since AT TIME ZONE 'UTC')::date END FROM beacons.progress")

    def first_day(self) -> date | None:
        """The first day with rows."""
        partitions = self.connection.execute(
            "SELECT c.relname FROM beacons.daily d JOIN pg_inherits i ON i.inhparent = format('beacons.%I', d.name)::regclass "
            "JOIN pg_class c ON c.oid = i.inhrelid WHERE d.name IN ('event', 'visit_day', 'stay_day') AND c.relname ~ '_[0-9]{8}$' "
            "ORDER BY right(c.relname, 8)").fetchall()
        found = []
        for partition, in partitions:
            if self.one(sql.SQL("SELECT EXISTS (SELECT FROM beacons.{})").format(sql.Identifier(partition))):
                found.append(datetime.strptime(partition[-8:], "%Y%m%d").date())
                break
        since = datetime.combine(self.today - timedelta(days=PLAUSIBLE_DAYS), time(), UTC)
        for query in FIRST_ROWS:
            if moment := self.one(query, {"from": since}):
                found.append(max(since, moment.astimezone(UTC)).date())
        return min(found, default=None)

    def changed_since(self, kind: str, until: int) -> set[date]:
        """The days that a transaction changed which that number does not cover."""
        return {day for day, in self.connection.execute(
            "SELECT DISTINCT day FROM beacons.day_changed WHERE kind = %s AND changed_by >= %s::text::xid8", (kind, str(until)))}

    @contextmanager
    def snapshot(self) -> Iterator["Snapshot"]:
        """All tables as of one moment."""
        try:
            connection = self.idle.get_nowait()
        except Empty:
            connection = adbc.connect(self.url or "postgresql://")
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute("SET LOCAL TIME ZONE 'UTC'")
            yield Snapshot(connection)
            connection.rollback()
        except BaseException:
            connection.close()
            raise
        self.idle.put(connection)

    def close(self) -> None:
        """Ends all connections, and with them the lock."""
        while not self.idle.empty():
            self.idle.get_nowait().close()
        self.connection.close()


class Snapshot:
    def __init__(self, connection: adbc.Connection) -> None:
        self.connection = connection

    def batches(self, table: Table, day: date | None) -> Iterator[pa.RecordBatch]:
        """The rows of a day. A batch has dictionaries for its texts: the digest and the file need each text once."""
        with self.connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": str(BATCH_BYTES)})
            if table.is_counted:
                cursor.execute(f"SET LOCAL statement_timeout = '{LONGEST_COUNT_S}s'")
            begun_s = monotonic()
            try:
                cursor.execute(table.query_of(day))
                for batch in cursor.fetch_record_batch():
                    yield prepared(table, batch)
            except (OSError, adbc.Error) as error:
                # The driver's stream has no SQLSTATE.
                if table.is_counted and monotonic() - begun_s >= LONGEST_COUNT_S:
                    raise too_slow(f"{table.name} of {day}") from error
                raise
            if table.is_counted:
                cursor.execute("SET LOCAL statement_timeout TO DEFAULT")


def too_slow(what: str) -> CannotExport:
    return CannotExport(f"{what}: the database counted for more than {LONGEST_COUNT_S} s: count the day with deploy/chain/roll-up, which waits for it, "
                        "look at its stores in the view budget_daily, and run this again")


def prepared(table: Table, batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = []
    for field in table.schema:
        column = batch.column(field.name)
        if column.type != field.type:
            column = column.cast(field.type)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, schema=table.schema)
