"""The command `register`: a CSV file ─► the table beacons.register, as a whole or not at all."""

import re
from dataclasses import astuple, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import psycopg

from .csv_file import WrongFile, day_of, site_of, unique

HEADER = ["site", "uuid", "major", "minor", "asset", "since"]
# A chain of 20,000 stores with 50 beacons each.
MOST_BEACONS, LONGEST_ASSET = 1_000_000, 200
HIGHEST_VALUE = 65535
# As config.toml takes it: with its dashes, or 32 digits.
UUID = re.compile(r"([0-9A-F]{8})(-?)([0-9A-F]{4})\2([0-9A-F]{4})\2([0-9A-F]{4})\2([0-9A-F]{12})")

# A store and an identity name a row. Stores may number their beacons alike.
LOAD = """
WITH listed AS MATERIALIZED (
    SELECT * FROM unnest(%s::text[], %s::text[], %s::integer[], %s::integer[], %s::text[], %s::date[]) t (site, uuid, major, minor, asset, since)
), removed AS (
    DELETE FROM beacons.register r WHERE %s AND NOT EXISTS (
        SELECT FROM listed t WHERE t.site = r.site AND t.uuid = r.uuid AND t.major = r.major AND t.minor = r.minor)
    RETURNING 1
), loaded AS (
    INSERT INTO beacons.register AS r (site, uuid, major, minor, asset, since) SELECT site, uuid, major, minor, asset, since FROM listed
    ON CONFLICT (site, uuid, major, minor) DO UPDATE SET asset = excluded.asset, since = excluded.since
    WHERE (r.asset, r.since) IS DISTINCT FROM (excluded.asset, excluded.since)
    RETURNING xmax = 0 AS is_new
)
SELECT (SELECT count(*) FROM loaded WHERE is_new), (SELECT count(*) FROM loaded WHERE NOT is_new), (SELECT count(*) FROM removed)
"""


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
    """The beacons of a file. Raises WrongFile with the first line that is wrong."""
    beacons = unique(
        path, HEADER, beacon_of, lambda beacon: (beacon.site, beacon.uuid, beacon.major, beacon.minor), "beacon", MOST_BEACONS)
    if not beacons:
        raise WrongFile(f"{path}:1: no beacon in it")
    return beacons


def beacon_of(fields: dict[str, str]) -> Beacon:
    """A beacon of a line's fields. Raises ValueError with the field that is wrong."""
    for name, value in fields.items():
        if not value:
            raise ValueError(f"{name}: empty")
    uuid = UUID.fullmatch(fields["uuid"].upper())
    if not uuid:
        raise ValueError(f"uuid: {fields['uuid'][:50]} is none, such as 39ED98FF-2900-441A-802F-9C398FC199D2")
    if len(fields["asset"]) > LONGEST_ASSET:
        raise ValueError(f"asset: longer than {LONGEST_ASSET} characters")
    return Beacon(site_of(fields["site"]), "-".join(uuid.group(1, 3, 4, 5, 6)), value_of("major", fields["major"]), value_of("minor", fields["minor"]), fields["asset"],
                  day_of("since", fields["since"]))


def value_of(name: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > HIGHEST_VALUE:
        raise ValueError(f"{name}: {text[:50]} is no number from 0 to {HIGHEST_VALUE}")
    return int(text)
