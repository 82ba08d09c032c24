"""The command `register`: a CSV file ─► the table beacons.register, as a whole or not at all."""

import csv
import io
import re
from dataclasses import astuple, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import psycopg

HEADER = ["site", "uuid", "major", "minor", "asset", "since"]
# A chain of 20,000 stores with 50 beacons each. The file is read into memory.
LARGEST_FILE_BYTES, MOST_BEACONS = 128 << 20, 1_000_000
# A site is a level of a topic; an asset is a name.
LONGEST_SITE_BYTES, LONGEST_ASSET = 128, 200
HIGHEST_VALUE = 65535
UUID = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

# A store and an identity name a row. Stores may number their beacons alike.
LOAD = """
WITH told AS MATERIALIZED (
    SELECT * FROM unnest(%s::text[], %s::text[], %s::integer[], %s::integer[], %s::text[], %s::date[]) t (site, uuid, major, minor, asset, since)
), removed AS (
    DELETE FROM beacons.register r WHERE %s AND NOT EXISTS (
        SELECT FROM told t WHERE t.site = r.site AND t.uuid = r.uuid AND t.major = r.major AND t.minor = r.minor)
    RETURNING 1
), loaded AS (
    INSERT INTO beacons.register AS r (site, uuid, major, minor, asset, since) SELECT site, uuid, major, minor, asset, since FROM told
    ON CONFLICT (site, uuid, major, minor) DO UPDATE SET asset = excluded.asset, since = excluded.since
    WHERE (r.asset, r.since) IS DISTINCT FROM (excluded.asset, excluded.since)
    RETURNING xmax = 0 AS is_new
)
SELECT (SELECT count(*) FROM loaded WHERE is_new), (SELECT count(*) FROM loaded WHERE NOT is_new), (SELECT count(*) FROM removed)
"""


class CannotRegister(Exception):
    """The fault of a file, with its line."""


@dataclass(frozen=True, slots=True)
class Beacon:
    """A line of the file."""

    site: str
    uuid: str
    major: int
    minor: int
    asset: str
    since: date


def register(connection: psycopg.Connection[Any], path: Path, replaces: bool) -> str:
    """Loads a file in one transaction, and returns what it changed."""
    beacons = beacons_of(path)
    columns = [list(column) for column in zip(*map(astuple, beacons), strict=True)]
    with connection.transaction():
        # Two files at once are loaded one after the other.
        connection.execute("LOCK TABLE beacons.register IN SHARE ROW EXCLUSIVE MODE")
        row = connection.execute(LOAD, [*columns, replaces]).fetchone()
    new, changed, removed = row or (0, 0, 0)
    return f"{len(beacons)} beacons: {new} new, {changed} changed, {removed} removed"


def beacons_of(path: Path) -> list[Beacon]:
    """The beacons of a file. Raises CannotRegister with the first line that is wrong."""
    text = text_of(path)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found: dict[tuple[str, str, int, int], tuple[Beacon, int]] = {}
    line = 1
    try:
        header = next(reader, [])
        if header != HEADER:
            raise ValueError(f"the first line must be {','.join(HEADER)}")
        for fields in reader:
            line = reader.line_num
            # Excel leaves empty lines at the end.
            if not fields:
                continue
            beacon = beacon_of(fields)
            identity = (beacon.site, beacon.uuid, beacon.major, beacon.minor)
            if identity in found:
                raise ValueError(f"the beacon of line {found[identity][1]} again")
            if len(found) == MOST_BEACONS:
                raise ValueError(f"more than {MOST_BEACONS} beacons")
            found[identity] = (beacon, line)
    except csv.Error as error:
        raise CannotRegister(f"{path}:{reader.line_num}: {error}") from None
    except ValueError as error:
        raise CannotRegister(f"{path}:{line}: {error}") from None
    if not found:
        raise CannotRegister(f"{path}:{line}: no beacon in it")
    return [beacon for beacon, _ in found.values()]


def text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            octets = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise CannotRegister(f"{path}: {error.strerror}") from None
    if len(octets) > LARGEST_FILE_BYTES:
        raise CannotRegister(f"{path}: longer than {LARGEST_FILE_BYTES >> 20} MiB")
    try:
        # With the mark that Excel puts before the first line, or without it.
        return octets.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = octets.count(b"\n", 0, error.start) + 1
        raise CannotRegister(f"{path}:{line}: not UTF-8: save it as CSV UTF-8") from None


def beacon_of(fields: list[str]) -> Beacon:
    """A beacon of a line's fields. Raises ValueError with the field that is wrong."""
    if len(fields) != len(HEADER):
        raise ValueError(f"{len(fields)} fields, not {len(HEADER)}")
    told = {name: field.strip() for name, field in zip(HEADER, fields, strict=True)}
    for name, value in told.items():
        if not value:
            raise ValueError(f"{name}: empty")
        if not value.isprintable():
            raise ValueError(f"{name}: has a character that cannot be printed")
    if len(told["site"].encode()) > LONGEST_SITE_BYTES or any(sign in told["site"] for sign in "/+#"):
        raise ValueError(f"site: must be one topic level of at most {LONGEST_SITE_BYTES} bytes, without /, + and #")
    if not UUID.fullmatch(told["uuid"].upper()):
        raise ValueError(f"uuid: {told['uuid'][:50]} is none, such as 39ED98FF-2900-441A-802F-9C398FC199D2")
    if len(told["asset"]) > LONGEST_ASSET:
        raise ValueError(f"asset: longer than {LONGEST_ASSET} characters")
    return Beacon(told["site"], told["uuid"].upper(), value_of("major", told["major"]), value_of("minor", told["minor"]), told["asset"],
                  day_of(told["since"]))


def value_of(name: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > HIGHEST_VALUE:
        raise ValueError(f"{name}: {text[:50]} is no number from 0 to {HIGHEST_VALUE}")
    return int(text)


def day_of(text: str) -> date:
    try:
        if DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise ValueError(f"since: {text[:50]} is no day such as 2026-11-21")
