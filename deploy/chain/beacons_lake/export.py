"""Exports closed days: each day of each table once, and again where it changed.

A day is closed when it ended at least the settle time ago. Rows that come still later are recorded in beacons.day_changed, and the next export
writes the day anew. An export may end at any point: the next one compares what it finds, and goes on.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, timedelta
from time import monotonic

import pyarrow as pa
from deltalake.transaction import Transaction

from .source import Source
from .storage import CannotExport, Kept, Lake, Written
from .tables import DAILY, EXPORTED, TABLES, WHOLE, Table

Say = Callable[[str], None]
# One commit has the files of many days. A long export commits in between: what is committed is not written again after a kill.
FILES_A_COMMIT, COMMIT_INTERVAL_S = 1000, 60.0


@dataclass(slots=True)
class Job:
    """A day, and its tables with the files that the lake has of them."""

    day: date | None
    tables: list[tuple[Table, Kept | None]] = field(default_factory=list)


def export(source: Source, url: str, settle_days: int, workers: int, say: Say) -> str:
    source.lock(url)
    lake = Lake(url, TABLES, is_new=True)
    lake.sweep_unfinished()
    for table in TABLES:
        if stale := lake.sweep(table):
            say(f"{table.name}: deleted {stale} files of an export that was killed")
    # Before the first row is read: what is committed from now on is new for the next export.
    until, name = source.oldest_open(), source.name
    source.roll_up()
    jobs = planned(source, lake, settle_days)
    written = 0
    waiting = Uncommitted(lake)
    with ThreadPoolExecutor(workers) as pool:
        whole = Job(None, [(table, lake.kept(table).get(None)) for table in WHOLE])
        running = [pool.submit(export_day, source, lake, job, say) for job in [*jobs, whole]]
        try:
            for one in as_completed(running):
                written += waiting.add(one.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    waiting.commit(Transaction(name, until))
    waiting.add(list_days(lake, say))
    waiting.commit()
    days = lake.kept(DAILY[0])
    return f"exported {written} files; the lake has {len(days)} days" + (f" until {max(filter(None, days))}" if days else "")


class Uncommitted:
    """Checked files that wait for the next commit of their tables."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.files: dict[str, list[Written]] = {}
        self.count, self.due = 0, monotonic() + COMMIT_INTERVAL_S

    def add(self, files: list[tuple[Table, Written]]) -> int:
        """Adds the files of a day, and commits where it is time. Returns how many files these are."""
        for table, file in files:
            self.files.setdefault(table.name, []).append(file)
        self.count += len(files)
        if self.count >= FILES_A_COMMIT or self.count and monotonic() >= self.due:
            self.commit()
        return len(files)

    def commit(self, seen: Transaction | None = None) -> None:
        """Commits each table once. `seen` belongs into the log of each daily table, because the next export then asks for later changes alone."""
        for table in TABLES:
            self.lake.publish(table, self.files.pop(table.name, []), seen if table.is_daily else None)
        self.count, self.due = 0, monotonic() + COMMIT_INTERVAL_S


def planned(source: Source, lake: Lake, settle_days: int) -> list[Job]:
    """The days to look at: those that are missing in a table, and those that changed."""
    first, kept_since = source.first_day(), source.kept_since()
    if first is None:
        return []
    first = max(first, kept_since) if kept_since else first
    last = source.today - timedelta(days=settle_days + 1)
    jobs: dict[date, Job] = {}
    for table in DAILY:
        kept = lake.kept(table)
        # Days between two exports without any row are in the lake too: an empty day differs from a missing one.
        begin = min([first, *(day for day in kept if day and (not kept_since or day >= kept_since))])
        seen = lake.seen_until(table, source.name)
        changed = None if seen is None else source.changed_since(table.changes_with or "", seen)
        for number in range((last - begin).days + 1):
            day = begin + timedelta(days=number)
            if day not in kept or changed is None or day in changed:
                jobs.setdefault(day, Job(day)).tables.append((table, kept.get(day)))
    return [jobs[day] for day in sorted(jobs)]


def list_days(lake: Lake, say: Say) -> list[tuple[Table, Written]]:
    """Writes which days the lake has of each table. Queries end with the last one, and files without rows show them no day."""
    rows = [(table.name, day, *kept.digest.split("-")) for table in DAILY for day, kept in sorted(lake.kept(table).items())]
    names, days, counts, digests = zip(*rows, strict=True) if rows else ((), (), (), ())
    batch = pa.record_batch([pa.array(names, pa.string()), pa.array(days, pa.date32()), pa.array(map(int, counts), pa.int64()),
                             pa.array(digests, pa.string())], schema=EXPORTED.schema)
    return export_rows(iter([batch]), lake, EXPORTED, None, lake.kept(EXPORTED).get(None), say)


def export_day(source: Source, lake: Lake, job: Job, say: Say) -> list[tuple[Table, Written]]:
    """Writes a day's tables as of one moment; returns the files that wait for a commit."""
    written = []
    with source.snapshot() as snapshot:
        for table, former in job.tables:
            with closing(snapshot.batches(table, job.day)) as batches:
                written += export_rows(batches, lake, table, job.day, former, say)
    return written


def export_rows(batches: Iterator[pa.RecordBatch], lake: Lake, table: Table, day: date | None, former: Kept | None, say: Say) -> list[tuple[Table, Written]]:
    """Writes a table, or a day of it, unless the lake has the same rows. Returns the file that waits for a commit, if any."""
    try:
        path, digest = lake.write(table, day, batches)
        if former and former.digest == digest:
            lake.files.delete_file(path)
            return []
    except (OSError, pa.ArrowException) as error:
        raise CannotExport(f"{table.name} of {day or 'all days'}: {' '.join(str(error).split())}: look at the lake's disk or bucket; "
                           "the next export goes on here") from error
    say(f"{table.name} {day or ''}: {digest.partition('-')[0]} rows{', again' if former else ''}")
    return [(table, Written(day, path, digest, former))]
