"""The commands `schema`, `retain`, `roll-up`, `register` and `stores`: one connection, one job, and errors in one line."""

import argparse
import signal
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

import psycopg

from beacons_collector.options import database_url

from .csv_file import WrongFile
from .migrating import CannotMigrate, migrate
from .register import register
from .retention import CannotRetain, one_row, retain
from .stores import load_holidays, load_stores

# sysexits.h: a wrong command line, a wrong file, a missing service, a job that could not be done.
EX_USAGE, EX_DATAERR, EX_UNAVAILABLE, EX_SOFTWARE = 64, 65, 69, 70


class Parser(argparse.ArgumentParser):
    """A parser that ends with 64 for a wrong command line, like every command of the project."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(EX_USAGE, f"{self.prog}: {message}\n")


def options(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="deploy/chain")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("schema", "retain", "roll-up", "register", "stores"):
        command = commands.add_parser(name)
        command.add_argument("--database", required=True, type=database_url, metavar="URL", help="as libpq takes it")
        if name == "retain":
            command.add_argument("--days", required=True, type=positive, help="whole days that are kept before today")
            command.add_argument("--lake", metavar="FOLDER_OR_S3_URL", help="drop only days that this lake has")
        if name == "roll-up":
            command.add_argument("--every", type=positive, metavar="SECONDS", help="go on until SIGTERM")
        if name == "register":
            command.add_argument("--replace", action="store_true", help="remove the beacons that the file lacks")
            command.add_argument("file", type=Path, metavar="FILE.csv", help="its first line is site,uuid,major,minor,asset,since")
        if name == "stores":
            command.add_argument("--replace", action="store_true", help="remove the stores, or the holidays, that the file lacks")
            command.add_argument("--holidays", action="store_true", help="the file has public holidays: its first line is site,day")
            command.add_argument("file", type=Path, metavar="FILE.csv", help="its first line is site,name,time_zone,opening_hours,latitude,longitude")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100_000:
        raise argparse.ArgumentTypeError("from 1 to 100000")
    return number


def main(arguments: list[str]) -> int:
    chosen = options(arguments)
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
