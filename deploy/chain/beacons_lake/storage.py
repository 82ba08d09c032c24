"""A lake's folder or S3 bucket: files are written aside, read back, moved to their place, and committed.

    FOLDER/_unfinished/…                       a file that is being written; queries do not see it
    FOLDER/event/day=2026-11-01/ROWS-DIGEST-….parquet
    FOLDER/event/_delta_log/…                  Delta Lake's log: a commit adds the files of many days and removes the former ones

A file's name holds the number of its rows and their digest, so the table's snapshot has both for each day.
"""

import json
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.fs import DeltaStorageHandler
from deltalake.transaction import AddAction, CommitProperties, RemoveAction, Transaction

from .digest import Digest
from .tables import Table

UNFINISHED = "_unfinished"
# What is in memory before it goes into the file: so many rows, or so many octets where payloads are long.
ROWS_A_GROUP, OCTETS_A_GROUP, ROWS_A_CHECK = 500_000, 64 << 20, 131_072
# Whoever began to read before a file was replaced may go on reading the former one for so long.
FORMER_HOURS = 24
NAME = re.compile(r"(?:day=(\d{4}-\d\d-\d\d)/)?(\d+-[0-9a-f]{32})-[0-9a-f]{32}\.parquet")


class CannotExport(Exception):
    """The table and day that could not be exported, with the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of the snapshot, and what its name holds."""

    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Written:
    """A checked file of a day that waits for its commit, and the one in whose place it comes."""

    day: date | None
    path: str
    digest: str
    former: Kept | None


def whole(url: str) -> str:
    """A lake by one name, however the command line calls it."""
    return url.rstrip("/") if "://" in url else str(Path(url).absolute())


class Waiting:
    """Batches that become one group of rows in a file."""

    def __init__(self) -> None:
        self.batches: list[pa.RecordBatch] = []
        self.rows = self.octets = 0

    def add(self, batch: pa.RecordBatch) -> None:
        self.batches.append(batch)
        self.rows += batch.num_rows
        self.octets += batch.nbytes

    @property
    def is_full(self) -> bool:
        return self.rows >= ROWS_A_GROUP or self.octets >= OCTETS_A_GROUP

    def write_to(self, writer: pq.ParquetWriter) -> None:
        if self.batches:
            writer.write_table(pa.Table.from_batches(self.batches), row_group_size=max(self.rows, 1))
        self.batches, self.rows, self.octets = [], 0, 0


class Lake:
    """The folder, with a Delta table for each table. The environment has the options of S3 (AWS_…), as delta-rs takes them."""

    def __init__(self, url: str, tables: tuple[Table, ...], is_new: bool = False) -> None:
        self.url = whole(url)
        if is_new and "://" not in self.url:
            Path(self.url).mkdir(parents=True, exist_ok=True)
        self.files = pafs.PyFileSystem(DeltaStorageHandler(self.url, {}))
        self.deltas: dict[str, DeltaTable] = {}
        for table in tables:
            self.deltas[table.name] = self.create(table) if is_new else DeltaTable(f"{self.url}/{table.name}")

    def create(self, table: Table) -> DeltaTable:
        columns = list(table.schema) + ([pa.field("day", pa.date32())] if table.is_daily else [])
        delta = DeltaTable.create(
            f"{self.url}/{table.name}", pa.schema(columns), mode="ignore", partition_by=["day"] if table.is_daily else None,
            description=f"beacons.{table.name} of closed days, by deploy/chain/lake")
        if delta.version() == 0:
            # Queries without a connector of Delta Lake begin with the newest checkpoint.
            delta.create_checkpoint()
        return delta

    def kept(self, table: Table) -> dict[date | None, Kept]:
        """The file of each day in the table's newest snapshot."""
        delta = self.deltas[table.name]
        delta.update_incremental()
        found: dict[date | None, Kept] = {}
        actions = pa.table(delta.get_add_actions(flatten=True))
        for path, size in zip(actions["path"].to_pylist(), actions["size_bytes"].to_pylist(), strict=True):
            match = NAME.fullmatch(path)
            if not match:
                raise CannotExport(f"{table.name}: {path} is not the file of an export: another program wrote into this lake; export into a new folder")
            found[date.fromisoformat(match[1]) if match[1] else None] = Kept(path, size, match[2])
        return found

    def seen_until(self, table: Table, source: str) -> int | None:
        """The oldest transaction of a database whose changes may be missing in the table."""
        return self.deltas[table.name].transaction_version(source)

    def write(self, table: Table, day: date | None, batches: Iterator[pa.RecordBatch]) -> tuple[str, str]:
        """Writes a file aside, reads it back, and returns its path and digest."""
        path = f"{UNFINISHED}/{uuid.uuid4().hex}.parquet"
        sent, waiting = Digest(), Waiting()
        with self.files.open_output_stream(path) as stream, \
                pq.ParquetWriter(stream, table.schema, compression="zstd", compression_level=1, store_schema=False) as writer:
            for batch in batches:
                sent.add(batch)
                waiting.add(batch)
                if waiting.is_full:
                    waiting.write_to(writer)
            waiting.write_to(writer)
        written = self.digest_of(table, path)
        if written != sent.text:
            self.files.delete_file(path)
            raise CannotExport(f"{table.name} of {day}: the file holds {written} and the database sent {sent.text} (rows-digest): "
                               "the disk or the memory changed it; check both, and run this again")
        return path, sent.text

    def digest_of(self, table: Table, path: str) -> str:
        """Reads a file as queries will read it."""
        digest = Digest()
        texts = [name for name, kind in table.columns.items() if kind == pa.string() and name != "payload"]
        with self.files.open_input_file(path) as stream, closing(pq.ParquetFile(stream, read_dictionary=texts)) as file:
            # One group after the other: a batch of the whole file would join the long payloads of several.
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(ROWS_A_CHECK, row_groups=[group]):
                    digest.add(batch)
        return digest.text

    def publish(self, table: Table, files: list[Written], seen: Transaction | None = None) -> None:
        """Moves checked files to their places, and commits all of them instead of the former ones. `seen` is what the table now shows of a database."""
        if not files and seen is None:
            return
        actions: list[AddAction | RemoveAction] = []
        for file in files:
            actions += self.actions(table, file)
        self.commit(table, actions, CommitProperties(app_transactions=[seen] if seen else None))
        if files:
            self.deltas[table.name].create_checkpoint()
            self.deltas[table.name].cleanup_metadata()

    def actions(self, table: Table, file: Written) -> list[AddAction | RemoveAction]:
        """Moves a file to its place, and returns what its commit says."""
        name = f"{file.digest}-{uuid.uuid4().hex}.parquet"
        if file.day is not None:
            name = f"day={file.day}/{name}"
            self.files.create_dir(f"{table.name}/day={file.day}")
        size = self.files.get_file_info(file.path).size
        self.files.move(file.path, f"{table.name}/{name}")
        values = {} if file.day is None else {"day": str(file.day)}
        stats = json.dumps({"numRecords": int(file.digest.partition("-")[0])})
        now_ms = time.time_ns() // 1_000_000
        actions: list[AddAction | RemoveAction] = [AddAction(name, size, values, now_ms, True, stats)]
        if file.former:
            actions.append(RemoveAction(file.former.path, deletion_timestamp=now_ms, data_change=True, partition_values=values, size=file.former.size))
        return actions

    def commit(self, table: Table, actions: list[AddAction | RemoveAction], properties: CommitProperties) -> None:
        delta = self.deltas[table.name]
        delta.update_incremental()
        delta.create_write_transaction(
            actions, "append", delta.schema(), ["day"] if table.is_daily else None, commit_properties=properties)
        delta.update_incremental()

    def sweep(self, table: Table) -> int:
        """Deletes the files that no snapshot of the last hours names. Returns how many of these a killed export left."""
        named = {f"{table.name}/{one.path}" for one in self.kept(table).values()}
        former, recent = self.former(table, 0), self.former(table, 0) - self.former(table, FORMER_HOURS)
        stale = [path for path in self.parquet_files(table.name) if path not in named and path not in recent]
        for path in stale:
            self.files.delete_file(path)
        return len(set(stale) - former)

    def former(self, table: Table, hours: int) -> set[str]:
        """The files that commits removed at least so many hours ago."""
        paths = self.deltas[table.name].vacuum(hours, dry_run=True, enforce_retention_duration=False)
        return {f"{table.name}/{unquote(path)}" for path in paths}

    def sweep_unfinished(self) -> None:
        for path in self.parquet_files(UNFINISHED):
            self.files.delete_file(path)

    def parquet_files(self, folder: str) -> list[str]:
        listed = self.files.get_file_info(pafs.FileSelector(folder, allow_not_found=True, recursive=True))
        return [one.path for one in listed if one.path.endswith(".parquet") and "/_delta_log/" not in one.path]
