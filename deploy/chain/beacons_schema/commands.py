"""The commands `schema`, `retain`, `roll-up`, `register` and `stores`: one connection, one job, and errors in one line."""

import argparse
import signal
import sys
import threading
from typing import Any

import psycopg

from .csv_file import WrongFile
from .migrating import CannotMigrate, migrate
from .options import EX_DATAERR, EX_SOFTWARE, EX_UNAVAILABLE, parse
from .register import register
from .retention import CannotRetain, one_row, retain
from .stores import load_holidays, load_stores

def main(arguments: list[str]) -> int:
    chosen = parse(arguments)
    if chosen.command == "roll-up" and chosen.every:
        return roll_up_again_and_again(chosen.database, chosen.every)
    try:
        with connected(chosen.database) as connection:
            print(JOBS[chosen.command](connection, chosen))
    except psycopg.OperationalError as error:
        return complain(chosen.command, f"the database is not there: {error}", EX_UNAVAILABLE)
    except WrongFile as error:
        return complain(chosen.command, str(error), EX_DATAERR)
    except (psycopg.Error, CannotMigrate, CannotRetain) as error:
        return complain(chosen.command, str(error), EX_SOFTWARE)
    return 0


def connected(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="beacons_schema")


def complain(command: str, what: str, code: int) -> int:
    print(f"{command}: {' '.join(what.split())}", file=sys.stderr)
    return code


def make_schema(connection: psycopg.Connection[Any], _: argparse.Namespace) -> str:
    applied = migrate(connection)
    return "applied " + ", ".join(applied) if applied else "up to date"


def drop_days(connection: psycopg.Connection[Any], chosen: argparse.Namespace) -> str:
    return retain(connection, chosen.database, chosen.days, chosen.lake)


def roll_up(connection: psycopg.Connection[Any], _: argparse.Namespace) -> str:
    return f"counted in {count(connection)} changes"


def load_register(connection: psycopg.Connection[Any], chosen: argparse.Namespace) -> str:
    return register(connection, chosen.file, chosen.replace)


def load_places(connection: psycopg.Connection[Any], chosen: argparse.Namespace) -> str:
    return (load_holidays if chosen.holidays else load_stores)(connection, chosen.file, chosen.replace)


def count(connection: psycopg.Connection[Any]) -> int:
    """Counts what has come, and returns how many changes that were."""
    # In a transaction of its own, because it locks tables that a roll-up reads.
    connection.execute("SELECT beacons.make_days_ahead()")
    (counted,) = one_row(connection, "SELECT beacons.roll_up()")
    connection.execute("SELECT beacons.roll_up_days()")
    return int(counted)


def roll_up_again_and_again(url: str, every_s: int) -> int:
    """Runs until SIGTERM. It waits for a database that is away, and reports each cause once."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    said = None
    while not stopped.is_set():
        try:
            with connected(url) as connection:
                said = None
                while not stopped.is_set():
                    count(connection)
                    stopped.wait(every_s)
        except psycopg.Error as error:
            if said != str(error):
                said = str(error)
                complain("roll-up", said, 0)
            stopped.wait(every_s)
    return 0


JOBS = {"schema": make_schema, "retain": drop_days, "roll-up": roll_up, "register": load_register, "stores": load_places}
