"""The command line of `report`, its file, and its errors in one line."""

import argparse
import os
import sys
import tempfile
from datetime import date
from pathlib import Path

import psycopg

from beacons_schema.options import EX_SOFTWARE, EX_UNAVAILABLE

from .gathering import look
from .options import parse
from .source import CannotReport
from .tables import archive_of


def main(arguments: list[str]) -> int:
    chosen = parse(arguments)
    try:
        octets = report(chosen)
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


def report(chosen: argparse.Namespace) -> bytes:
    """The file's octets."""
    form = chosen.output.suffix.lower()
    if chosen.site is None:
        return chain_report(chosen.database, chosen.week, form)
    found, enough = look(chosen.database, chosen.site, chosen.week)
    if form == ".zip":
        return archive_of(found)
    # Matplotlib takes most of a second, which an error need not wait for.
    from .page import page_of
    from .plan import read_plan
    page = page_of(found, enough, plan=read_plan(chosen.plan, chosen.width, chosen.config))
    if form == ".html":
        return page.encode()
    from .pdf import pdf_of
    return pdf_of(page)


def chain_report(database: str, week: date | None, form: str) -> bytes:
    from .ranking import chain_page
    if form == ".zip":
        raise CannotReport("a ZIP has the tables of one store: name it with --site")
    page = chain_page(database, week)
    if form == ".html":
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
