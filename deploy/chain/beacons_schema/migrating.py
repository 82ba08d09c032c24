"""Numbered SQL files, each applied once and in order."""

import contextlib
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg
from psycopg import sql

FOLDER = Path(__file__).parent.parent / "migrations"
NAME = re.compile(r"(\d{4})-[a-z0-9-]+\.sql")
ROLES = ("beacons_collector", "beacons_analyst")
# Held while migrations run, so that two who start at once do one after the other what is left to do.
LOCK = "SELECT pg_advisory_lock(hashtext('beacons.schema'))"
# Days behind today that get a partition at once; older ones get theirs when something comes for them.
DAYS_BACK = 31


class CannotMigrate(Exception):
    """The schema can't be made, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations(folder: Path = FOLDER) -> list[Migration]:
    """All files of the folder, in order, numbered from 1 without a hole."""
    found = [Migration(int(match[1]), path.name, path.read_text())
             for path in sorted(folder.glob("*.sql")) if (match := NAME.fullmatch(path.name))]
    if [one.number for one in found] != list(range(1, len(found) + 1)):
        raise CannotMigrate(f"{folder}: the files' numbers do not run from 0001 without a hole; get the folder again as a whole")
    return found


def migrate(connection: psycopg.Connection[Any], folder: Path = FOLDER) -> list[str]:
    """Brings the schema up to date; returns the names of what was applied. The connection commits each statement."""
    connection.execute(LOCK)
    if connection.info.server_version < 150000:
        raise CannotMigrate(f"PostgreSQL {connection.info.server_version // 10000} is too old: 15 or later is needed")
    make_roles(connection)
    connection.execute("CREATE SCHEMA IF NOT EXISTS beacons")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS beacons.migration (number integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL, "
        "applied_at timestamptz NOT NULL DEFAULT now())")
    known = {number: (name, digest) for number, name, digest in connection.execute("SELECT number, name, digest FROM beacons.migration")}
    files = migrations(folder)
    if newer := [name for number, (name, _) in known.items() if number > len(files)]:
        raise CannotMigrate(f"the database has {max(newer)}, which this version does not know: use the version that made it, or a later one")
    applied = []
    for one in files:
        if one.number in known:
            if known[one.number][1] != one.digest:
                raise CannotMigrate(f"{one.name} has changed since it was applied: a change goes into a file with the next number")
            continue
        with connection.transaction():
            # The file is ours; psycopg sends a text without parameters as it is, with all its statements.
            connection.execute(cast(LiteralString, one.text))
            connection.execute(
                "INSERT INTO beacons.migration (number, name, digest) VALUES (%s, %s, %s)", (one.number, one.name, one.digest))
        applied.append(one.name)
    connection.execute("SELECT beacons.make_partitions(back_days => %s)", (DAYS_BACK,))
    plan_plainly(connection)
    return applied


def plan_plainly(connection: psycopg.Connection[Any]) -> None:
    """Compiling plans takes longer than running them here. The setting is the database's, so a restored one lacks it. Only its owner may
    say so; whoever may not has been told by the first migration."""
    with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
        connection.execute(sql.SQL("ALTER DATABASE {} SET jit = off").format(sql.Identifier(connection.info.dbname)))


def make_roles(connection: psycopg.Connection[Any]) -> None:
    """Roles belong to the whole server: another database's schema may have made them, or make them right now."""
    for role in ROLES:
        try:
            connection.execute(cast(LiteralString, f"CREATE ROLE {role} NOLOGIN"))
        except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            continue
        except psycopg.errors.InsufficientPrivilege:
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone():
                raise CannotMigrate(
                    f"there is no role {role}, and {connection.info.user} may not create one: "
                    f"have a superuser run CREATE ROLE {role} NOLOGIN, then run this again") from None
