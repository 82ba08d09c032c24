"""Numbered SQL files, each applied once and in order. The table beacons.migration records them."""

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
# A number is given once. The files 1 to 31 grew over time, and the files from FIRST to TAKEN_OVER_TO replace them.
FIRST, TAKEN_OVER_TO = 32, 48
# Turns a database of the former files into one of the files from FIRST to TAKEN_OVER_TO.
TAKE_OVER = "from-0028.sql"
# The new files that are applied before it: those that only replace functions, and the budgets where they are missing.
FUNCTIONS, BUDGETS, FIRST_WITH_BUDGETS = (43, 46, 47), 45, 31
# The former databases that it takes over: the last file, and the digest of the complete record.
TAKEN_OVER = {
    "0028-rows-from-before.sql": "ed56073f062a5d6483cc6d5380495ea60b7e09adab19649bee1ecd59a8399ee9",
    "0029-surges.sql": "40551b2a7eb741bb17b018992a9fd48639d2044c52da033fefd8a643b8cedcc2",
    "0030-few-days-at-once.sql": "bd132e4a492e70bb8ac437ff821b993616372830cedf984afd13687307130fb5",
    "0031-budgets.sql": "6cef67dcd1efb019f8c6f4046b465d0d78021662d9dd5a31e2b103e2cb03c45e",
}
ROLES = ("beacons_collector", "beacons_analyst")
# The lock during migrations: of two commands that start at once, the second does the rest of the work.
LOCK = "SELECT pg_advisory_lock(hashtext('beacons.schema'))"
# Days before today that get a partition at once; older days get theirs with their first row.
DAYS_BACK = 31


class CannotMigrate(Exception):
    """The reason why the schema can't be made, with the remedy."""


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations(folder: Path = FOLDER) -> list[Migration]:
    """All files of the folder, in order, numbered from FIRST without a gap."""
    found = [Migration(int(match[1]), path.name, path.read_text())
             for path in sorted(folder.glob("*.sql")) if (match := NAME.fullmatch(path.name))]
    if not found or [one.number for one in found] != list(range(FIRST, FIRST + len(found))):
        raise CannotMigrate(f"{folder}: the files' numbers do not run from {FIRST:04} without a hole; get the folder again as a whole")
    return found


def migrate(connection: psycopg.Connection[Any], folder: Path = FOLDER) -> list[str]:
    """Brings the schema up to date; returns the names of the applied files. The connection commits each statement."""
    prepare(connection)
    files = migrations(folder)
    applied = take_over(connection, files, folder)
    known = {number: (name, digest) for number, name, digest in record(connection)}
    if newer := [name for number, (name, _) in known.items() if number > files[-1].number]:
        raise CannotMigrate(f"the database has {max(newer)}, which this version does not know: use the version that made it, or a later one")
    for one in files:
        if one.number in known:
            if known[one.number][1] != one.digest:
                raise CannotMigrate(f"{one.name} has changed since it was applied: a change goes into a file with the next number")
            continue
        with connection.transaction():
            execute(connection, one.text)
            note(connection, one)
        applied.append(one.name)
    connection.execute("SELECT beacons.make_partitions(back_days => %s)", (DAYS_BACK,))
    plan_plainly(connection)
    return applied


def prepare(connection: psycopg.Connection[Any]) -> None:
    """Makes the things that the files require: the roles, the schema, and the table of migrations."""
    connection.execute(LOCK)
    if connection.info.server_version < 150000:
        raise CannotMigrate(f"PostgreSQL {connection.info.server_version // 10000} is too old: 15 or later is needed")
    make_roles(connection)
    connection.execute("CREATE SCHEMA IF NOT EXISTS beacons")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS beacons.migration (number integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL, "
        "applied_at timestamptz NOT NULL DEFAULT now())")


def take_over(connection: psycopg.Connection[Any], files: list[Migration], folder: Path) -> list[str]:
    """Takes over a database of the former files, in one transaction; it has the record of a fresh one then. Returns the name of what was
    applied, and nothing where the database has no former files."""
    found = record(connection)
    if not found or found[0][0] >= FIRST:
        return []
    last = found[-1][1]
    if last < min(TAKEN_OVER):
        raise CannotMigrate(
            f"the database ends with {last}, and this version takes over databases that end with {min(TAKEN_OVER)} to {max(TAKEN_OVER)}: "
            f"run deploy/chain/schema of a version that has {min(TAKEN_OVER)} first, then this one")
    if TAKEN_OVER.get(last) != hashlib.sha256("".join(f"{number} {name} {digest}\n" for number, name, digest in found).encode()).hexdigest():
        raise CannotMigrate(
            f"the database ends with {last}, and that file or one before it is not the project's own: make the schema in a new database, "
            "and insert the rows of event, gap, coverage_span, surge, status, health, location and track there")
    with connection.transaction():
        for one in files:
            if one.number in FUNCTIONS or (one.number == BUDGETS and found[-1][0] < FIRST_WITH_BUDGETS):
                execute(connection, one.text)
        execute(connection, (folder / TAKE_OVER).read_text())
        connection.execute("DELETE FROM beacons.migration")
        for one in files:
            if one.number <= TAKEN_OVER_TO:
                note(connection, one)
    return [TAKE_OVER]


def record(connection: psycopg.Connection[Any]) -> list[tuple[int, str, str]]:
    return connection.execute("SELECT number, name, digest FROM beacons.migration ORDER BY number").fetchall()


def execute(connection: psycopg.Connection[Any], text: str) -> None:
    """Executes a file of the project. psycopg sends a text without parameters unchanged, with all its statements."""
    connection.execute(cast(LiteralString, text))


def note(connection: psycopg.Connection[Any], one: Migration) -> None:
    connection.execute("INSERT INTO beacons.migration (number, name, digest) VALUES (%s, %s, %s)", (one.number, one.name, one.digest))


def plan_plainly(connection: psycopg.Connection[Any]) -> None:
    """Compiling plans takes longer than running them here. The setting is the database's, so a restored one lacks it. Only its owner may
    say so; where another user makes the schema, the setting stays as it is."""
    with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
        connection.execute(sql.SQL("ALTER DATABASE {} SET jit = off").format(sql.Identifier(connection.info.dbname)))


def make_roles(connection: psycopg.Connection[Any]) -> None:
    """Creates the roles, which belong to the whole server: another database's schema may have made them, or may be making them."""
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
