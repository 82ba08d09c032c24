"""Turns a batch into rows, in one transaction. `beacons.take` in the schema decides what a row can be."""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from .said import Said
from .topics import Address
from .watch import Watch

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
# Used unless the URL says otherwise: a machine that vanished is noticed within a minute.
DEFAULTS = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
LOOK_INTERVAL_S = 0.2
# The longest part of a rejected payload that is kept: enough to recognise it.
LONGEST_REJECTED_BYTES = 64 * 1024
# Remedies by SQLSTATE: the schema is missing, or the right to use it.
NO_SCHEMA = "make or upgrade the schema: deploy/chain/schema --database URL"
REMEDIES = {"3F000": NO_SCHEMA, "42883": NO_SCHEMA, "42P01": NO_SCHEMA, "42501": "as its owner: GRANT beacons_collector TO this role"}
# Classes of SQLSTATE that blame a row: data exception, integrity constraint, program limit.
ROW_AT_FAULT = ("22", "23", "54")

# Errors after which the collector tries again. psycopg passes on a system call that fails while it waits.
TROUBLE = (psycopg.Error, OSError)


@dataclass(frozen=True, slots=True)
class Row:
    """A message that can be stored: its address, and its text."""

    topic: str
    address: Address
    text: str
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Rejected:
    """A message that can't be stored, and the reason."""

    topic: str
    payload: bytes
    reason: str
    received_at: datetime
    # The store whose budget pays for it; empty where the topic names none.
    site: str = ""


class TooOld(psycopg.Error):
    """The schema knows fewer kinds of messages than this collector. Other messages would be acknowledged, and lost."""


class Away(Exception):
    """The database did not take the batch, and the wait was called off."""


class Database:
    """One connection, which is made again for as long as it takes."""

    def __init__(self, url: str, is_called_off: Callable[[], bool]) -> None:
        self.url = url
        self.is_called_off = is_called_off
        self.said = Said("database")
        self.watch = Watch(self.said, is_called_off)
        self.connection: psycopg.Connection[Any] | None = None
        self.outcomes: Counter[str] = Counter()

    def store(self, rows: list[Row], rejected: list[Rejected]) -> None:
        """Commits all of it, however long that takes. Raises Away where `is_called_off` says that it takes too long.

        Where one row makes the whole batch fail, halves are tried until it is found; it is rejected with the
        database's own words.
        """
        pause_s = FIRST_PAUSE_S
        while rows or rejected:
            try:
                return self.commit(rows, rejected)
            except TROUBLE as error:
                if isinstance(error, psycopg.Error) and (error.sqlstate or "")[:2] in ROW_AT_FAULT and rows:
                    return self.store_in_parts(rows, rejected, error)
                self.said.trouble(explained(error))
                self.close()
            self.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def wait(self, pause_s: float) -> None:
        due = time.monotonic() + pause_s
        while not self.is_called_off():
            if time.monotonic() >= due:
                return
            time.sleep(min(pause_s, LOOK_INTERVAL_S))
        raise Away

    def store_in_parts(self, rows: list[Row], rejected: list[Rejected], error: psycopg.Error) -> None:
        if len(rows) == 1:
            row, reason = rows[0], f"database: {error.sqlstate}: {error.diag.message_primary}"
            return self.store([], rejected + [rejection(row, reason)])
        half = len(rows) // 2
        self.store(rows[:half], rejected)
        self.store(rows[half:], [])

    def commit(self, rows: list[Row], rejected: list[Rejected]) -> None:
        connection = self.connected()
        outcomes: Counter[str] = Counter()
        with self.watch, connection.transaction(), connection.cursor() as cursor:
            refused = list(rejected)
            if rows:
                batch = "[" + ",".join(element(index, row) for index, row in enumerate(rows)) + "]"
                cursor.execute("SELECT i, outcome, reason FROM beacons.take(%s::jsonb)", (batch,))
                answers = cursor.fetchall()
                if len(answers) < len(rows):
                    known = {index for index, _, _ in answers}
                    kinds = sorted({row.address.kind for index, row in enumerate(rows) if index not in known})
                    raise TooOld(f"the schema does not know messages of the kind {', '.join(kinds)}; {NO_SCHEMA}")
                for index, outcome, reason in answers:
                    outcomes[outcome] += 1
                    outcomes["surges"] += outcome == "new" and rows[index].address.kind == "surge"
                    if outcome in ("conflict", "rejected"):
                        refused.append(rejection(rows[index], reason))
            if refused:
                cursor.execute(
                    "SELECT beacons.reject(%s::timestamptz[], %s::text[], %s::text[], %s::bytea[], %s::text[])",
                    ([one.received_at for one in refused], [storable(one.site) for one in refused], [storable(one.topic) for one in refused],
                     [one.payload[:LONGEST_REJECTED_BYTES] for one in refused], [storable(one.reason) for one in refused]))
        self.said.well("connected")
        outcomes["rejected"] = len(refused)
        self.outcomes += outcomes

    def connected(self) -> psycopg.Connection[Any]:
        if self.connection is None or self.connection.closed:
            self.close()
            self.connection = connect(self.url, "beacons_collector")
            self.watch.looks_at(self.connection.fileno())
        return self.connection

    def close(self) -> None:
        self.watch.looks_at(None)
        if self.connection is not None:
            self.connection.close()
        self.connection = None


def connect(url: str, name: str) -> psycopg.Connection[Any]:
    """A connection with this name in PostgreSQL's views."""
    given = conninfo_to_dict(url)
    defaults = {key: value for key, value in DEFAULTS.items() if key not in given}
    return psycopg.connect(url, autocommit=True, application_name=name, **defaults)


def explained(error: psycopg.Error | OSError) -> str:
    """The error in the database's words, with the remedy where one is known."""
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error}"
    remedy = REMEDIES.get(error.sqlstate or "")
    words = f"{error.sqlstate or type(error).__name__}: {error.diag.message_primary or error}"
    return f"{words}; {remedy}" if remedy else words


def rejection(row: Row, reason: str) -> Rejected:
    """A message that could be read, but that the database refuses."""
    return Rejected(row.topic, row.text.encode(), reason, row.received_at, row.address.site)


def element(index: int, row: Row) -> str:
    """One message in the form of `beacons.take`. The payload is JSON already and goes in unchanged."""
    address = row.address
    frame = {
        "i": index, "kind": address.kind, "site": address.site, "gateway": address.gateway, "region": address.region,
        "major": address.major, "minor": address.minor, "zone": address.zone,
        "received_at": row.received_at.isoformat(),
    }
    return json.dumps(frame)[:-1] + ', "payload": ' + row.text + "}"


def storable(text: str) -> str:
    """Removes NULs and half surrogate pairs, which MQTT's topics may have and PostgreSQL's text may not."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
