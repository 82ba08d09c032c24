"""The command `stores`: CSV files ─► the tables beacons.store and beacons.holiday, as a whole or not at all."""

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import psycopg

from .csv_file import WrongFile, day_of, site_of, unique
from .opening_hours import HOLIDAY, Ranges, opening_hours

HEADER = ["site", "name", "time_zone", "opening_hours", "latitude", "longitude"]
MORE = ["carriers"]
HOLIDAYS_HEADER = ["site", "day"]
MOST_STORES, MOST_HOLIDAYS, LONGEST_NAME = 100_000, 1_000_000, 200
# What the beacons of a store are on, where its line names nothing.
CARRIERS, LONGEST_CARRIERS = "carts", 30
NUMBER = re.compile(r"-?\d{1,3}([.,]\d{1,15})?", re.ASCII)

LOAD = """
WITH listed AS MATERIALIZED (
    SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::float8[], %s::float8[], %s::text[])
        t (site, name, time_zone, opening_hours, latitude, longitude, carriers)
), removed AS (
    DELETE FROM beacons.store s WHERE %s AND NOT EXISTS (SELECT FROM listed t WHERE t.site = s.site) RETURNING s.site
), loaded AS (
    INSERT INTO beacons.store AS s (site, name, time_zone, opening_hours, latitude, longitude, carriers) SELECT * FROM listed
    ON CONFLICT (site) DO UPDATE SET name = excluded.name, time_zone = excluded.time_zone, opening_hours = excluded.opening_hours,
        latitude = excluded.latitude, longitude = excluded.longitude, carriers = excluded.carriers
    WHERE (s.name, s.time_zone, s.opening_hours, s.latitude, s.longitude, s.carriers)
        IS DISTINCT FROM (excluded.name, excluded.time_zone, excluded.opening_hours, excluded.latitude, excluded.longitude, excluded.carriers)
    RETURNING s.site, xmax = 0 AS is_new
)
SELECT (SELECT count(*) FROM loaded WHERE is_new), (SELECT count(*) FROM loaded WHERE NOT is_new), (SELECT count(*) FROM removed),
    ARRAY(SELECT site FROM loaded UNION SELECT site FROM removed)
"""


@dataclass(frozen=True, slots=True)
class Store:
    """A line of the file."""

    site: str
    name: str
    time_zone: str
    hours: str
    week: dict[int, Ranges] | None
    latitude: float | None
    longitude: float | None
    carriers: str


def load_stores(connection: psycopg.Connection[Any], path: Path, replaces: bool) -> str:
    """Loads a file of stores in one transaction, and returns what it changed."""
    # The database decides which zones it knows.
    zones = {name for name, in connection.execute("SELECT name FROM pg_timezone_names WHERE name !~ '^(posix|right)/'")}
    stores = stores_of(path, zones)
    with connection.transaction():
        # Two files at once are loaded one after the other.
        connection.execute("LOCK TABLE beacons.store IN SHARE ROW EXCLUSIVE MODE")
        columns = [[getattr(store, name) for store in stores] for name in ("site", "name", "time_zone", "hours", "latitude", "longitude", "carriers")]
        new, changed, removed, touched = connection.execute(LOAD, [*columns, replaces]).fetchone() or (0, 0, 0, [])
        load_hours(connection, [store for store in stores if store.site in set(touched)])
        connection.execute("SELECT beacons.count_days_anew(%s)", [touched])
    return f"{len(stores)} stores: {new} new, {changed} changed, {removed} removed"


def load_hours(connection: psycopg.Connection[Any], stores: list[Store]) -> None:
    sites = [store.site for store in stores]
    for table in ("store_opening", "store_holidays"):
        connection.execute(f"DELETE FROM beacons.{table} WHERE site = ANY (%s)", [sites])
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO beacons.store_opening VALUES (%s, %s, make_interval(mins => %s), make_interval(mins => %s))",
            [(store.site, day, *times) for store in stores for day, ranges in (store.week or {}).items() for times in ranges])
        cursor.executemany(
            "INSERT INTO beacons.store_holidays VALUES (%s)", [(store.site,) for store in stores if store.week and HOLIDAY in store.week])


def stores_of(path: Path, zones: set[str]) -> list[Store]:
    """The stores of a file. Raises WrongFile with the first line that is wrong."""
    stores = unique(path, HEADER, lambda fields: store_of(fields, zones), lambda store: store.site, "store", MOST_STORES, MORE)
    if not stores:
        raise WrongFile(f"{path}:1: no store in it")
    return stores


def store_of(fields: dict[str, str], zones: set[str]) -> Store:
    """A store of a line's fields. Raises ValueError with the field that is wrong."""
    site = site_of(fields["site"])
    name = fields["name"]
    if not name or len(name) > LONGEST_NAME:
        raise ValueError(f"name: must have 1 to {LONGEST_NAME} characters")
    if fields["time_zone"] not in zones:
        raise ValueError(f"time_zone: {fields['time_zone'][:50]!r} is no zone that the database knows, such as Europe/Berlin")
    try:
        week = opening_hours(fields["opening_hours"])
    except ValueError as error:
        raise ValueError(f"opening_hours: {error}") from None
    if week is not None and not any(week.values()):
        raise ValueError("opening_hours: the store is never open; leave out its line")
    latitude, longitude = (degrees(fields[name], name, most) for name, most in (("latitude", 90), ("longitude", 180)))
    if (latitude is None) != (longitude is None):
        raise ValueError("latitude and longitude: give both or neither")
    carriers = fields.get("carriers") or CARRIERS
    if len(carriers) > LONGEST_CARRIERS:
        raise ValueError(f"carriers: longer than {LONGEST_CARRIERS} characters: say what the beacons are on, such as carts or phones")
    return Store(site, name, fields["time_zone"], fields["opening_hours"], week, latitude, longitude, carriers)


def degrees(text: str, name: str, most: int) -> float | None:
    if not text:
        return None
    # A quoted field, or one between semicolons, may have a decimal comma.
    if not NUMBER.fullmatch(text) or abs(value := float(text.replace(",", "."))) > most:
        raise ValueError(f"{name}: {text[:50]} is no number from -{most} to {most}")
    return value


def load_holidays(connection: psycopg.Connection[Any], path: Path, replaces: bool) -> str:
    """Loads a file of public holidays in one transaction, and returns what it changed. An empty site stands for all stores."""
    days = holidays_of(path)
    with connection.transaction():
        connection.execute("LOCK TABLE beacons.holiday IN SHARE ROW EXCLUSIVE MODE")
        columns = [[site for site, _ in days], [day for _, day in days]]
        before = connection.execute("SELECT site, day FROM beacons.holiday").fetchall()
        if replaces:
            connection.execute(
                "DELETE FROM beacons.holiday h WHERE NOT EXISTS (SELECT FROM unnest(%s::text[], %s::date[]) t (site, day) WHERE (t.site, t.day) = (h.site, h.day))",
                columns)
        connection.execute("INSERT INTO beacons.holiday SELECT * FROM unnest(%s::text[], %s::date[]) ON CONFLICT DO NOTHING", columns)
        after = connection.execute("SELECT site, day FROM beacons.holiday").fetchall()
        changed = set(before) ^ set(after)
        sites = connection.execute("SELECT site FROM beacons.store_holidays").fetchall()
        touched = [site for site, in sites if any(one in ("", site) for one, _ in changed)]
        connection.execute("SELECT beacons.count_days_anew(%s)", [touched])
    return f"{len(days)} holidays: {len(set(after) - set(before))} new, {len(set(before) - set(after))} removed"


def holidays_of(path: Path) -> list[tuple[str, date]]:
    """The holidays of a file. Raises WrongFile with the first line that is wrong."""
    return unique(path, HOLIDAYS_HEADER, holiday_of, lambda holiday: holiday, "day", MOST_HOLIDAYS)


def holiday_of(fields: dict[str, str]) -> tuple[str, date]:
    return site_of(fields["site"]) if fields["site"] else "", day_of("day", fields["day"])
