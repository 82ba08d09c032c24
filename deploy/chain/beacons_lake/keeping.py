"""The question of retention to the lake: may a day be dropped from the database?"""

from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta

import pyarrow as pa
from deltalake.exceptions import TableNotFoundError

from .digest import Digest
from .source import Source
from .storage import CannotExport, Kept, Lake
from .tables import DAILY, Table


@dataclass(frozen=True, slots=True)
class Answer:
    """The first day that must stay, with the reason; or none. Transactions that `compared_in` does not show may have changed a day since."""

    stays: date | None
    why: str
    compared_in: str


def damage(lake: Lake, table: Table, kept: Kept) -> str | None:
    """The fault of a file that the lake names; None where it holds what its name says."""
    try:
        found = lake.digest_of(table, f"{table.name}/{kept.path}")
    except (OSError, pa.ArrowException) as error:
        return str(error)
    return None if found == kept.digest else f"{kept.path} holds {found} (rows-digest)"


def first_to_stay(source: Source, url: str, before: date) -> Answer:
    """Compares each day before a day with the lake, in order, and stops at the first one that differs. A day is compared by the number of its
    rows and their digest, in all tables, as PostgreSQL has them now."""
    source.lock(url)
    source.roll_up()
    compared_in = source.one("SELECT pg_current_snapshot()::text")
    begin, kept_since = source.first_day(), source.kept_since()
    if begin is None:
        return Answer(None, "", compared_in)
    try:
        lake = Lake(url, DAILY)
    except TableNotFoundError:
        raise CannotExport(f"{url} has no lake: run deploy/chain/lake --to {url} first") from None
    kept = {table.name: lake.kept(table) for table in DAILY}
    day = max(begin, kept_since) if kept_since else begin
    while day < before:
        with source.snapshot() as snapshot:
            for table in DAILY:
                if day not in kept[table.name]:
                    return Answer(day, f"{table.name} of {day} is not in the lake", compared_in)
                digest = Digest()
                with closing(snapshot.batches(table, day)) as batches:
                    for batch in batches:
                        digest.add(batch)
                if digest.text != kept[table.name][day].digest:
                    return Answer(day, f"{table.name} of {day} has changed since it was exported", compared_in)
                if why := damage(lake, table, kept[table.name][day]):
                    return Answer(day, f"{table.name} of {day} cannot be read in the lake: {why}", compared_in)
        day += timedelta(days=1)
    return Answer(None, "", compared_in)
