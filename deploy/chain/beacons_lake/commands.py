"""The command line of `lake`, and its errors in one line."""

import argparse
import os
import re
import sys
from contextlib import closing

import adbc_driver_manager
import psycopg
from deltalake.exceptions import DeltaError

from beacons_collector.options import database_url
from beacons_schema.options import EX_SOFTWARE, EX_UNAVAILABLE, Parser

from .export import export
from .source import Source
from .storage import CannotExport

# Two days are longer than most outages of a store's line. Later rows cost a day's file anew, no row. After one day, a day is over in all time zones.
SETTLE_DAYS = 2
MOST_WORKERS = 4
COLOUR = re.compile(r"\x1b\[\d*m")
EPILOGUE = """An S3 URL is s3://BUCKET/FOLDER, with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL in the
environment. Exit status: 0 exported; 64 the command line is wrong; 69 the database is not there; 70 a day could not be exported, and standard error
says which and why. After any of them the next export goes on."""


def options(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="deploy/chain/lake", description="Exports closed days into Delta Lake tables, each once.", epilog=EPILOGUE)
    parser.add_argument("--database", required=True, type=database_url, metavar="URL", help="as libpq takes it")
    parser.add_argument("--to", required=True, metavar="FOLDER_OR_S3_URL", help="the lake; a folder is made")
    parser.add_argument("--settle", type=days, default=SETTLE_DAYS, metavar="DAYS",
                        help=f"whole days that a day waits for late rows after its end ({SETTLE_DAYS})")
    parser.add_argument("--workers", type=workers, default=min(os.cpu_count() or 1, MOST_WORKERS), metavar="N", help="days at once (a core each)")
    return parser.parse_args(arguments)


def days(text: str) -> int:
    return within(text, 1, 400)


def workers(text: str) -> int:
    return within(text, 1, 16)


def within(text: str, least: int, most: int) -> int:
    number = int(text)
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"from {least} to {most}")
    return number


def main(arguments: list[str]) -> int:
    chosen = options(arguments)
    try:
        with closing(Source(chosen.database)) as source:
            print(export(source, chosen.to, chosen.settle, chosen.workers, lambda words: print(words, file=sys.stderr, flush=True)))
    except psycopg.OperationalError as error:
        return complain(f"the database is not there: {error}", EX_UNAVAILABLE)
    except (CannotExport, psycopg.Error, adbc_driver_manager.Error) as error:
        return complain(str(error), EX_SOFTWARE)
    except (DeltaError, OSError) as error:
        return complain(f"{chosen.to}: {error}: look at the lake's disk or bucket, and at its rights", EX_SOFTWARE)
    return 0


def complain(what: str, code: int) -> int:
    # delta-rs colours its messages.
    print(f"lake: {' '.join(COLOUR.sub('', what).split())}", file=sys.stderr)
    return code
