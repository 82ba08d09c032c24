"""The command line of `report`. It needs no library."""

import argparse
from datetime import date
from pathlib import Path

from beacons_collector.options import HELP, database_url
from beacons_schema.options import Parser

from .weeks import NoWeek, week_named

__all__ = ["HELP", "parse"]

FORMATS = (".html", ".pdf", ".zip")
EPILOGUE = """Without --week: the last whole week of the store's time zone. Where the store has no figures of that week, the running one, so far.
Exit status: 0 written; 64 the command line is wrong; 69 the database is not there; 70 no report could be made, and standard error says why.
A file that was there stays as it is until the new one is complete."""


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="deploy/chain/report", description="Writes the week of a store as one file for its manager.", epilog=EPILOGUE)
    parser.add_argument("--database", required=True, type=database_url, metavar="URL", help="as libpq takes it; the role beacons_analyst is enough")
    parser.add_argument("--site", help="the store, as in topics; without it the report ranks all stores")
    parser.add_argument("--week", type=iso_week, metavar="2026-W47", help="a week of ISO 8601; the running one gives its figures so far")
    parser.add_argument("--plan", type=Path, metavar="PICTURE", help="the plan under the heat map, as for deploy/page/build: PNG, JPEG or SVG")
    parser.add_argument("--width", type=float, metavar="METRES", help="its width")
    parser.add_argument("--config", type=Path, metavar="FILE", help="the configuration of beacond site, for the names of zones on the heat map")
    parser.add_argument("--output", required=True, type=output, metavar="FILE.html|FILE.pdf|FILE.zip", help="one file with all that it needs; a ZIP has each table as CSV")
    return parser.parse_args(arguments)


def iso_week(text: str) -> date:
    try:
        return week_named(text)
    except NoWeek as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def output(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in FORMATS:
        raise argparse.ArgumentTypeError(f"{text!r} must end with {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    return path
