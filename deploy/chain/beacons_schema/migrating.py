"""The schema's files. Files of `tables` are applied once, in order. Files of `functions` replace all functions, views and triggers."""

import contextlib
import hashlib
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg
from psycopg import sql

FOLDER = Path(__file__).parent.parent
NAME = re.compile(r"(\d{4})-[a-z0-9-]+\.sql")
ROLES = ("beacons_collector", "beacons_analyst")
# The lock during migrations: of two commands that start at once, the second does the rest of the work.
LOCK = "SELECT pg_advisory_lock(hashtext('beacons.schema'))"
# Days before today that get a partition at once; older days get theirs with their first row.
DAYS_BACK = 31
# The tables with triggers are locked while these are replaced. A lock that waits holds up all later ones, so each try waits briefly.
LOCK_TRIES, LOCK_PAUSE_S, LONGEST_WAIT_MS = 300, 1.0, 500

RECORD = """
CREATE SCHEMA IF NOT EXISTS beacons;
CREATE TABLE IF NOT EXISTS beacons.migration (
    number integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS beacons.function_file (
    name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
COMMENT ON TABLE beacons.migration IS 'The files of deploy/chain/tables that were applied.';
COMMENT ON TABLE beacons.function_file IS 'The files of deploy/chain/functions that made the functions, views and triggers.';
"""
# One statement for each kind of object, so that the order among them does not matter. Without CASCADE: objects of others stay.
DECLARED = """
SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE p.pronamespace = 'beacons'::regnamespace AND NOT t.tgisinternal AND t.tgparentid = 0
UNION ALL SELECT 'DROP VIEW ' || string_agg(oid::regclass::text, ', ') FROM pg_class WHERE relnamespace = 'beacons'::regnamespace AND relkind = 'v'
UNION ALL SELECT 'DROP FUNCTION ' || string_agg(oid::regprocedure::text, ', ') FROM pg_proc WHERE pronamespace = 'beacons'::regnamespace
"""


class CannotMigrate(Exception):
    """The reason why the schema can't be made, with the remedy."""


@dataclass(frozen=True, slots=True)
class File:
    name: str
    text: str

    @property
    def number(self) -> int:
        return int(self.name[:4])

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def table_files(folder: Path) -> list[File]:
    """The files of tables, in order, numbered from 1 without a gap."""
    found = [File(path.name, path.read_text()) for path in sorted(folder.glob("*.sql")) if NAME.fullmatch(path.name)]
    if not found or [one.number for one in found] != list(range(1, len(found) + 1)):
        raise CannotMigrate(f"{folder}: the files' numbers do not run from 0001 without a hole; get the folder again as a whole")
    return found


def function_files(folder: Path) -> list[File]:
    """The files of functions and views, in the order of their names: a view comes after what it uses."""
    return [File(path.name, path.read_text()) for path in sorted(folder.glob("*.sql"))]


def migrate(connection: psycopg.Connection[Any], folder: Path = FOLDER) -> list[str]:
    """Brings the schema up to date; returns the names of the applied files. The connection commits each statement."""
    prepare(connection)
    tables, functions = table_files(folder / "tables"), function_files(folder / "functions")
    new = new_tables(connection, tables)
    known = dict(connection.execute("SELECT name, digest FROM beacons.function_file").fetchall())
    changed = [one for one in functions if known.get(one.name) != one.digest]
    if new or changed or len(known) != len(functions):
        replace(connection, new, functions)
    connection.execute("SELECT beacons.make_partitions(back_days => %s)", (DAYS_BACK,))
    plan_plainly(connection)
    removed = sorted(known.keys() - {one.name for one in functions})
    return [*(one.name for one in [*new, *changed]), *(f"{name} (removed)" for name in removed)]


def prepare(connection: psycopg.Connection[Any]) -> None:
    """Makes the things that the files require: the roles, the schema, and the tables of files."""
    connection.execute(LOCK)
    if connection.info.server_version < 150000:
        raise CannotMigrate(f"PostgreSQL {connection.info.server_version // 10000} is too old: 15 or later is needed")
    # Versions before 0.3.0 had the first of these tables alone.
    (is_old,) = connection.execute("SELECT to_regclass('beacons.migration') IS NOT NULL AND to_regclass('beacons.function_file') IS NULL").fetchone() or ()
    if is_old:
        raise CannotMigrate("the database was made by a version before 0.3.0, which cannot be upgraded: make the schema in a new database")
    make_roles(connection)
    execute(connection, RECORD)


def new_tables(connection: psycopg.Connection[Any], files: list[File]) -> list[File]:
    """The files that the database lacks. Raises CannotMigrate where its tables are not those of the files before them."""
    record = connection.execute("SELECT number, name, digest FROM beacons.migration ORDER BY number").fetchall()
    known = {number: (name, digest) for number, name, digest in record}
    if newer := [name for number, (name, _) in known.items() if number > len(files)]:
        raise CannotMigrate(f"the database has {max(newer)}, which this version does not know: use the version that made it, or a later one")
    for one in files:
        if one.number in known and known[one.number][1] != one.digest:
            raise CannotMigrate(f"{one.name} has changed since it was applied: a change goes into a file with the next number")
    return [one for one in files if one.number not in known]


def replace(connection: psycopg.Connection[Any], tables: list[File], functions: list[File]) -> None:
    """Applies new files of tables, and replaces all functions, views and triggers, in one transaction."""
    for turn in range(LOCK_TRIES):
        try:
            with connection.transaction():
                connection.execute(sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(LONGEST_WAIT_MS)))
                # Batches lock many tables, each in an order of its own.
                connection.execute("SELECT pg_advisory_xact_lock(hashtext('beacons.take'))")
                for (statement,) in connection.execute(DECLARED).fetchall():
                    if statement is not None:
                        execute(connection, statement)
                for one in tables:
                    execute(connection, one.text)
                    connection.execute("INSERT INTO beacons.migration (number, name, digest) VALUES (%s, %s, %s)", (one.number, one.name, one.digest))
                connection.execute("DELETE FROM beacons.function_file")
                for one in functions:
                    execute(connection, one.text)
                    connection.execute("INSERT INTO beacons.function_file (name, digest) VALUES (%s, %s)", (one.name, one.digest))
            return
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            # Collectors or a long query use a table.
            if turn == LOCK_TRIES - 1:
                raise
            time.sleep(LOCK_PAUSE_S)
        except psycopg.errors.DependentObjectsStillExist as error:
            raise CannotMigrate(
                f"an object that is not the project's uses a function or view that is replaced: drop it, and make it again afterwards: "
                f"{error.diag.message_detail}") from None


def execute(connection: psycopg.Connection[Any], text: str) -> None:
    """Executes a file of the project. psycopg sends a text without parameters unchanged, with all its statements."""
    connection.execute(cast(LiteralString, text))


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
