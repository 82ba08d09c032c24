"""The command line of `report`, its file, and its errors in one line."""

import argparse
import os
import sys
import tempfile
from datetime import date
from pathlib import Path

import psycopg

from beacons_collector.options import database_url
from beacons_schema.commands import EX_SOFTWARE, EX_UNAVAILABLE, Parser

from .gathering import look
from .source import CannotReport
from .weeks import NoWeek, week_named

FORMATS = (".html", ".pdf")
EPILOGUE = """Without --week: the last whole week of the store's time zone. Where the store has no figures of that week, the running one, so far.
Exit status: 0 written; 64 the command line is wrong; 69 the database is not there; 70 no report could be made, and standard error says why.
A file that was there stays as it is until the new one is complete."""


def options(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="deploy/chain/report", description="Writes the week of a store as one file for its manager.", epilog=EPILOGUE)
    parser.add_argument("--database", required=True, type=database_url, metavar="URL", help="as libpq takes it; the role beacons_analyst is enough")
    parser.add_argument("--site", required=True, help="the store, as in topics")
    parser.add_argument("--week", type=iso_week, metavar="2026-W47", help="a week of ISO 8601; the running one gives its figures so far")
    parser.add_argument("--output", required=True, type=output, metavar="FILE.html|FILE.pdf", help="one file with all that it needs")
    return parser.parse_args(arguments)


def iso_week(text: str) -> date:
    try:
        return week_named(text)
    except NoWeek as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def output(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in FORMATS:
        raise argparse.ArgumentTypeError(f"{text!r} must end with {' or '.join(FORMATS)}")
    return path


def main(arguments: list[str]) -> int:
    chosen = options(arguments)
    try:
        octets = report(chosen.database, chosen.site, chosen.week, chosen.output.suffix.lower() == ".pdf")
        write(chosen.output, octets)
    except psycopg.OperationalError as error:
        return complain(f"the database is not there: {error}", EX_UNAVAILABLE)
    except CannotReport as error:
        return complain(str(error), EX_SOFTWARE)
    except psycopg.errors.InsufficientPrivilege as error:
        return complain(f"{error}: as the owner of the schema, grant beacons_analyst to the user", EX_SOFTWARE)
    except psycopg.Error as error:
        return complain(str(error), EX_SOFTWARE)
    except OSError as error:
        return complain(f"{chosen.output} can't be written: {error.strerror or error}: look at the folder, its rights and its disk", EX_SOFTWARE)
    return 0


def report(database: str, site: str, week: date | None, as_pdf: bool) -> bytes:
    """The file's octets."""
    found, enough = look(database, site, week)
    # Matplotlib takes most of a second, which an error need not wait for.
    from .page import page_of
    page = page_of(found, enough)
    if not as_pdf:
        return page.encode()
    from .pdf import pdf_of
    return pdf_of(page)


def write(path: Path, octets: bytes) -> None:
    """Replaces the file once all of it is on the disk."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes a file for its user alone.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def complain(what: str, code: int) -> int:
    print(f"report: {' '.join(what.split())}", file=sys.stderr)
    return code
