"""The command line of `schema`, `retain`, `roll-up`, `register` and `stores`. It needs no library."""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from beacons_collector.options import HELP, database_url

__all__ = ["HELP", "parse"]

# sysexits.h: a wrong command line, a wrong file, a missing service, a job that could not be done.
EX_USAGE, EX_DATAERR, EX_UNAVAILABLE, EX_SOFTWARE = 64, 65, 69, 70


COMMANDS = {
    "schema": "Makes or upgrades the schema beacons, with its roles and the partitions of the last month and of tomorrow. Safe at any time.",
    "retain": "Drops rows that are older than a number of days. Safe while collectors run.",
    "roll-up": "Counts new rows: stays, and the figures of the hours and days that they touch.",
    "register": "Loads the register of beacons from a file: which beacon belongs to which store, on what, and since when.",
    "stores": "Loads the stores of the chain, or their public holidays, from a file.",
}


class Parser(argparse.ArgumentParser):
    """A parser that ends with 64 for a wrong command line, like every command of the project."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(EX_USAGE, f"{self.prog}: {message}\n")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="deploy/chain")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in COMMANDS.items():
        command = commands.add_parser(name, prog=f"deploy/chain/{name}", description=what)
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
            command.add_argument("file", type=Path, metavar="FILE.csv", help="its first line is site,name,time_zone,opening_hours,latitude,longitude, perhaps with carriers behind it")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100_000:
        raise argparse.ArgumentTypeError("from 1 to 100000")
    return number
