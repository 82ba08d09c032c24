"""Turns a batch into rows, in one transaction. `beacons.take` in the schema decides what a row can be."""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from .contract import CONTRACT
from .log_once import LogOnce
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
# The version of the schema's functions that this collector calls, and the kinds that it hands on.
OLDEST_SCHEMA = 1
KINDS = {kind.name for kind in CONTRACT.kinds.values() if kind.is_kept}
# Classes of SQLSTATE that blame a row: data exception, integrity constraint, program limit.
ROW_AT_FAULT = ("22", "23", "54")
# Any other failure may come from the contents of a message too: a timeout, a lack of memory, a crash. So many times in a row it is the same one
# before the messages are suspected.
ATTEMPTS = 3
# A full or broken disk is no message's fault, even where a smaller message still finds room.
NO_ROW_AT_FAULT = ("53100", "58030")

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
    """The schema offers less than this collector needs. Messages that it does not know would be acknowledged, and lost."""


class Unanswered(Exception):
    """The database took a batch, and did not say of each message what became of it."""


class Away(Exception):
    """The database did not take the batch, and the wait was called off."""


class Database:
    """One connection, which is made again for as long as it takes."""

    def __init__(self, url: str, is_called_off: Callable[[], bool]) -> None:
        self.url = url
        self.is_called_off = is_called_off
        self.log = LogOnce("database")
        self.watch = Watch(self.log, is_called_off)
        self.connection: psycopg.Connection[Any] | None = None
        self.outcomes: Counter[str] = Counter()

    def store(self, rows: list[Row], rejected: list[Rejected], attempts: int = ATTEMPTS) -> None:
        """Commits all of it, however long that takes. Raises Away where `is_called_off` says that it takes too long.

        Where one message makes the whole batch fail, halves are tried until it is found; it is rejected with the database's own words. A message
        is at fault where the database says so, or where it fails as before each time, and others of its kind do not.
        """
        pause_s, failures, before = FIRST_PAUSE_S, 0, ""
        while rows or rejected:
            try:
                return self.commit(rows, rejected)
            except Unanswered:
                return self.store_in_parts(rows, rejected, "unanswered")
            except TROUBLE as error:
                reason = f"database: {cause(error)}: {error.diag.message_primary or error if isinstance(error, psycopg.Error) else error}"
                if cause(error)[:2] in ROW_AT_FAULT and rows:
                    return self.store_in_parts(rows, rejected, reason)
                self.log.trouble(explained(error))
                self.close()
                failures = failures + 1 if cause(error) == before else 1
                before = cause(error)
                if failures >= attempts and not isinstance(error, TooOld) and before not in NO_ROW_AT_FAULT and self.takes_others(rows):
                    return self.store_in_parts(rows, rejected, reason)
            self.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def wait(self, pause_s: float) -> None:
        due = time.monotonic() + pause_s
        while not self.is_called_off():
            if time.monotonic() >= due:
                return
            time.sleep(min(pause_s, LOOK_INTERVAL_S))
        raise Away

    def store_in_parts(self, rows: list[Row], rejected: list[Rejected], reason: str) -> None:
        if rows and rejected:
            self.store([], rejected)
            self.store_in_parts(rows, [], reason)
        elif len(rows) == 1:
            self.store([], [rejection(rows[0], reason)])
        elif len(rejected) == 1:
            # Even its octets make the database fail.
            self.store([], [Rejected("", b"", reason, rejected[0].received_at)])
        else:
            for part in (slice(None, len(rows) // 2), slice(len(rows) // 2, None)) if rows else ():
                # The whole has failed often enough to halve a half at its first failure.
                self.store(rows[part], [], ATTEMPTS if len(rows[part]) == 1 else 1)
            for one in rejected:
                self.store([], [one])

    def takes_others(self, rows: list[Row]) -> bool:
        """Whether the database takes the contract's own examples of the kinds of these messages. Nothing of that stays."""
        examples = [Row("", Address(kind, "", ""), json.dumps(CONTRACT.kinds[kind].schema["examples"][0]), datetime.now(UTC))
                    for kind in sorted({row.address.kind for row in rows})]
        try:
            connection = self.connected()
            with self.watch, connection.transaction(force_rollback=True), connection.cursor() as cursor:
                self.take(cursor, examples)
                self.reject(cursor, [Rejected("", b"", "", datetime.now(UTC))])
            return True
        except TROUBLE:
            self.close()
            return False

    def commit(self, rows: list[Row], rejected: list[Rejected]) -> None:
        connection = self.connected()
        outcomes: Counter[str] = Counter()
        with self.watch, connection.transaction(), connection.cursor() as cursor:
            refused = list(rejected)
            answers = self.take(cursor, rows)
            if {index for index, _, _ in answers} != set(range(len(rows))):
                raise Unanswered
            for index, outcome, reason in answers:
                outcomes[outcome] += 1
                outcomes["surges"] += outcome == "new" and rows[index].address.kind == "surge"
                if outcome in ("conflict", "rejected"):
                    refused.append(rejection(rows[index], reason))
            kept = self.reject(cursor, refused)
        self.log.well("connected")
        outcomes["rejected"] = kept
        outcomes["over_budget"] += len(refused) - kept
        self.outcomes += outcomes

    def take(self, cursor: psycopg.Cursor[Any], rows: list[Row]) -> list[tuple[int, str, str]]:
        """Returns the place, the outcome and perhaps the reason of each message, as the database answers."""
        if not rows:
            return []
        batch = "[" + ",".join(element(index, row) for index, row in enumerate(rows)) + "]"
        return cursor.execute("SELECT i, outcome, reason FROM beacons.take(%s::jsonb)", (batch,)).fetchall()

    def reject(self, cursor: psycopg.Cursor[Any], refused: list[Rejected]) -> int:
        """Returns how many of them are within their stores' budgets, and kept."""
        if not refused:
            return 0
        # Payloads go in the binary form: written as text they cost four times as much.
        ((kept,),) = cursor.execute(
            "SELECT beacons.reject(%s::timestamptz[], %s::text[], %s::text[], %b::bytea[], %s::text[])",
            ([one.received_at for one in refused], [storable(one.site) for one in refused], [storable(one.topic) for one in refused],
             [one.payload[:LONGEST_REJECTED_BYTES] for one in refused], [storable(one.reason) for one in refused])).fetchall()
        return int(kept)

    def connected(self) -> psycopg.Connection[Any]:
        if self.connection is None or self.connection.closed:
            self.close()
            self.connection = connect(self.url, "beacons_collector")
            self.watch.looks_at(self.connection.fileno())
            try:
                require(self.connection)
            except TROUBLE:
                self.close()
                raise
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


def require(connection: psycopg.Connection[Any]) -> None:
    """Raises TooOld where the schema lacks what this collector needs."""
    (version, kinds) = connection.execute("SELECT version, kinds FROM beacons.offered()").fetchone() or (0, [])
    if version < OLDEST_SCHEMA:
        raise TooOld(f"the schema is older than this collector; {NO_SCHEMA}")
    if missing := sorted(KINDS.difference(kinds)):
        raise TooOld(f"the schema does not know messages of the kind {', '.join(missing)}; {NO_SCHEMA}")


def cause(error: psycopg.Error | OSError) -> str:
    """The SQLSTATE of an error, or its class."""
    return isinstance(error, psycopg.Error) and error.sqlstate or type(error).__name__


def explained(error: psycopg.Error | OSError) -> str:
    """The error in the database's words, with the remedy where one is known."""
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error}"
    remedy = REMEDIES.get(error.sqlstate or "")
    words = f"{cause(error)}: {error.diag.message_primary or error}"
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
