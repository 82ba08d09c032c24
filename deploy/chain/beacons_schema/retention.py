"""The command `retain`: drops whole days, and with a lake only days that the lake has."""

import time
from datetime import date
from itertools import groupby
from typing import Any

import psycopg
from psycopg import sql

# Ten minutes of tries. A longer query is reported, and the command runs again tomorrow.
LOCK_TRIES, LOCK_PAUSE_S = 300, 1.5
# No collector waits longer for a day to be dropped; each of its partitions takes a part of that.
LONGEST_WAIT_MS = 500
PARTITIONS = ("SELECT to_date(right(partition, 8), 'YYYYMMDD'), daily, partition FROM beacons.partitions_before(%s) "
              "ORDER BY right(partition, 8), daily")
# Has a day changed since a snapshot? Coverage and hours have no partitions.
CHANGED = ("SELECT EXISTS (SELECT FROM beacons.day_changed WHERE kind IN ('event', 'visit', 'stay') AND day = %s "
           "AND NOT pg_visible_in_snapshot(changed_by, %s::text::pg_snapshot))")


class CannotRetain(Exception):
    """The day that retention may not drop, with the reason and the remedy."""


def retain(connection: psycopg.Connection[Any], url: str, days: int, lake: str | None) -> str:
    if lake is not None:
        return retain_with_lake(connection, url, days, lake)
    (since,) = one_row(connection, "SELECT beacons.retain_from(%s)::date", (days,))
    dropped = drop_before(connection, since, None)
    forget_before(connection, since)
    return said(since, dropped)


def retain_with_lake(connection: psycopg.Connection[Any], url: str, days: int, lake: str) -> str:
    """Says that days are dropped only as it drops them. Where it ends before, an export still finds those that are there."""
    try:
        # The lake's libraries are in an environment of their own.
        from beacons_lake.keeping import first_to_stay
        from beacons_lake.source import Source
        from beacons_lake.storage import CannotExport
    except ImportError as error:
        raise CannotRetain(f"--lake needs the libraries of the lake ({error}): run deploy/chain/retain of the project") from error

    (since,) = one_row(connection, "SELECT (now() AT TIME ZONE 'UTC')::date - %s", (days,))
    try:
        answer = first_to_stay(Source(url), lake, since)
    except CannotExport as error:
        raise CannotRetain(str(error)) from error
    if answer.stays:
        days, since = days + (since - answer.stays).days, answer.stays
    dropped = drop_before(connection, since, answer.compared_in)
    connection.execute("SELECT beacons.retain_from(%s)", (days,))
    forget_before(connection, since)
    if answer.stays:
        raise CannotRetain(f"{said(since, dropped)}; {answer.why}: run deploy/chain/lake --to {lake}, then this again")
    return said(since, dropped)


def forget_before(connection: psycopg.Connection[Any], since: date) -> None:
    connection.execute("SELECT beacons.forget_before(%s)", (since,))


def said(since: date, dropped: int) -> str:
    return f"kept since {since}, dropped {dropped} partitions"


def drop_before(connection: psycopg.Connection[Any], since: date, compared_in: str | None) -> int:
    partitions = connection.execute(PARTITIONS, (since,)).fetchall()
    for day, rows in groupby(partitions, key=lambda row: row[0]):
        drop(connection, day, [(table, partition) for _, table, partition in rows], compared_in)
    return len(partitions)


def drop(connection: psycopg.Connection[Any], day: date, partitions: list[tuple[str, str]], compared_in: str | None) -> None:
    """Detaches a day's partitions. That locks the tables, since PostgreSQL has no other way where there is a default partition.
    A waiting lock holds up all later ones, so each try waits briefly. The next one comes when an analyst's long query
    may be over. Under the locks no row can come any more: a day that changed since its comparison with the lake stays."""
    for turn in range(LOCK_TRIES):
        try:
            with connection.transaction():
                connection.execute(sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(LONGEST_WAIT_MS // len(partitions))))
                for table, partition in partitions:
                    connection.execute(sql.SQL("ALTER TABLE beacons.{} DETACH PARTITION beacons.{}").format(
                        sql.Identifier(table), sql.Identifier(partition)))
                if compared_in is not None:
                    if one_row(connection, CHANGED, (day, compared_in))[0]:
                        raise CannotRetain(f"{day} has changed while this ran: run deploy/chain/lake, then this again")
                    connection.execute("UPDATE beacons.progress SET kept_since = greatest(kept_since, (%s + 1)::timestamp AT TIME ZONE 'UTC')", (day,))
                for _, partition in partitions:
                    connection.execute(sql.SQL("DROP TABLE beacons.{}").format(sql.Identifier(partition)))
            return
        except psycopg.errors.LockNotAvailable:
            if turn == LOCK_TRIES - 1:
                raise
            time.sleep(LOCK_PAUSE_S)


def one_row(connection: psycopg.Connection[Any], query: Any, values: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    return connection.execute(query, values).fetchone() or (None,)
