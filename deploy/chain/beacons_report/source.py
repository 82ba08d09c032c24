"""The questions to the database. One transaction reads all of them as of one moment, with the rights of beacons_analyst."""

import difflib
import functools
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import psycopg

from .model import Cell, CountDay, Day, Gap, Hour, People, Place, Way, ZoneWeek, clean, named
from .weeks import WEEKS_BEFORE, WEEKS_OF_YEAR, Week, monday_of

NEAREST_NAMES = 3
NEAREST_WEEKS = 5
DAYS = """SELECT d.region, d.day, d.visits, d.visits_low, d.visits_high, d.dwell_p25_s, d.dwell_p50_s, d.dwell_p75_s,
    d.covered_share, d.open_share
FROM beacons.occupancy_daily d WHERE d.site = %(site)s AND d.day >= %(first)s AND d.day < %(end)s ORDER BY d.region, d.day"""
HOURS = """SELECT region, hour, visits, covered_share FROM beacons.occupancy_hourly
WHERE site = %(site)s AND region = ANY (%(regions)s) AND hour >= %(first)s AND hour < %(end)s ORDER BY region, hour"""
# What was open and not heard, by region. The last row of each region ends with the figures.
GAPS = """WITH heard AS (
    SELECT r.region, range_agg(h.reported) AS during
    FROM beacons.hearing(%(site)s, %(from)s, %(until)s) h JOIN beacons.region_gateway r ON r.site = %(site)s AND r.gateway = h.gateway
    WHERE r.gateway <> 'site' AND h.hears AND NOT isempty(h.reported) GROUP BY 1
), open AS (
    SELECT range_agg(piece) AS during FROM beacons.opening_of(%(site)s, %(first)s, %(end)s) o CROSS JOIN LATERAL unnest(o.during) piece
)
SELECT asked.region, lower(piece), upper(piece) FROM unnest(%(regions)s::text[]) asked (region) LEFT JOIN heard h USING (region) CROSS JOIN open o
CROSS JOIN LATERAL unnest(coalesce(o.during, '{}') * tstzmultirange(tstzrange(%(from)s, %(until)s)) - coalesce(h.during, '{}')) piece
ORDER BY 1, 2"""
OPENING = """SELECT lower(piece), upper(piece) FROM beacons.opening_of(%(site)s, %(first)s, %(end)s) o CROSS JOIN LATERAL unnest(o.during) piece ORDER BY 1"""
WAYS = """SELECT region, from_zone, to_zone, visits, ways FROM (
    SELECT region, from_zone, to_zone, sum(visits)::integer AS visits, count(*) OVER (PARTITION BY region) AS ways,
        row_number() OVER (PARTITION BY region ORDER BY sum(visits) DESC, from_zone, to_zone) AS place
    FROM beacons.flow WHERE site = %(site)s AND region = ANY (%(regions)s) AND hour >= %(from)s AND hour < %(until)s GROUP BY 1, 2, 3) w
WHERE place <= %(most)s ORDER BY region, place"""
ZONES = """SELECT region, zone, visits, dwell_s, zones FROM (
    SELECT region, zone, sum(visits)::integer AS visits, percentile_cont(0.5) WITHIN GROUP (ORDER BY dwell_p50_s) AS dwell_s,
        count(*) OVER (PARTITION BY region) AS zones, row_number() OVER (PARTITION BY region ORDER BY sum(visits) DESC, zone) AS place
    FROM beacons.zone_daily WHERE site = %(site)s AND region = ANY (%(regions)s) AND day >= %(first)s AND day < %(end)s GROUP BY 1, 2) z
WHERE place <= %(most)s ORDER BY region, place"""
# Where the store counts as a whole, its gateways are left out: their visits are among its own.
PEOPLE = """SELECT region, gateway, day, entered, "left", peak_present, left_out, partial FROM beacons.count_daily c
WHERE site = %(site)s AND day >= %(first)s AND day < %(end)s AND (gateway = 'site' OR NOT EXISTS (
    SELECT FROM beacons.count_daily j WHERE j.site = c.site AND j.region = c.region AND j.gateway = 'site' AND j.day >= %(first)s AND j.day < %(end)s))
ORDER BY region, gateway, day"""
DWELL = """SELECT region, gateway, from_s, sum(visits)::integer FROM beacons.count_dwell_daily
WHERE site = %(site)s AND day >= %(first)s AND day < %(end)s GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""
HEAT = """SELECT floor::text, x_m, y_m, sum(seconds)::double precision, cell_m FROM beacons.heat
WHERE site = %(site)s AND hour >= %(from)s AND hour < %(until)s GROUP BY 1, 2, 3, cell_m ORDER BY 1, 2, 3, cell_m"""


class CannotReport(Exception):
    """A report that can't be made, with the reason and the remedy."""


class Source:
    """A connection that only reads."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        connection.execute("SET LOCAL TIME ZONE 'UTC'")
        self.look()

    def rows(self, query: str, **values: Any) -> list[Any]:
        return self.connection.execute(query, values).fetchall()

    def one(self, query: str, **values: Any) -> Any:
        row = self.connection.execute(query, values).fetchone()
        return row[0] if row else None

    def look(self) -> None:
        """Refuses a database without the views, or a user who may not read them."""
        user = self.one("SELECT current_user")
        grant = f"as its owner, run: GRANT beacons_analyst TO \"{user}\""
        if not self.one("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'beacons')"):
            raise CannotReport("the database has no schema beacons: is it the chain's? deploy/chain/schema --database URL makes the schema")
        if not self.one("SELECT has_schema_privilege('beacons', 'USAGE')"):
            raise CannotReport(f"the user {user} may not read the schema beacons: {grant}")
        views = self.one("SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest(%(names)s::text[]) name",
                         names=["beacons.store", "beacons.store_visit", "beacons.heat_sheet"])
        if not views:
            raise CannotReport("the schema of the database is older than this report: run deploy/chain/schema --database URL")
        if not self.one("SELECT has_table_privilege('beacons.occupancy_daily', 'SELECT')"):
            raise CannotReport(f"the user {user} may not read the figures: {grant}")

    @property
    def now(self) -> datetime:
        return self.one("SELECT date_trunc('minute', now())")

    def place(self, site: str) -> Place:
        """The store. An unknown one is an error that has the nearest names."""
        found = self.rows("SELECT name, time_zone, carriers FROM beacons.store WHERE site = %(site)s", site=site)
        if found:
            return Place(site, named(found[0][0] or site), found[0][1], named(found[0][2]))
        if self.one("SELECT EXISTS (SELECT FROM beacons.region_gateway WHERE site = %(site)s) OR EXISTS (SELECT FROM beacons.status WHERE site = %(site)s)",
                    site=site):
            return Place(site, named(site), "UTC")
        known = [name for name, in self.rows("SELECT site FROM beacons.store UNION SELECT site FROM beacons.gateway ORDER BY 1")]
        near = difflib.get_close_matches(site, known, NEAREST_NAMES, 0.5) or known[:NEAREST_NAMES]
        names = ", ".join(named(name) for name in near)
        remedy = f"did you mean one of: {names}?" if near else "no store has published anything yet; deploy/chain/stores loads names"
        raise CannotReport(f"no store {clean(site)!r} ({len(known)} known): {remedy}")

    def week(self, place: Place, chosen: date | None) -> Week:
        """The chosen week; or the last whole one; or, where the store has no figures of that one, the running week."""
        zone, now = ZoneInfo(place.time_zone), self.now
        running = monday_of(now.astimezone(zone).date())
        last = running - timedelta(days=7)
        if chosen is None:
            chosen = last if self.has_days(place.site, last) or not self.has_days(place.site, running) else running
        if chosen > running:
            raise CannotReport(f"the week {Week(chosen, zone).name} is not here yet: the running one is {Week(running, zone).name}")
        week = Week(chosen, zone, now if chosen == running else None)
        if not self.has_days(place.site, chosen):
            raise CannotReport(f"nothing is known of {place.name} in {week.name}: {self.nearest(place, week)}")
        return week

    def has_days(self, site: str, first: date) -> bool:
        return bool(self.one("SELECT EXISTS (SELECT FROM beacons.occupancy_daily WHERE site = %(site)s AND day >= %(first)s AND day < %(end)s) OR "
                             "EXISTS (SELECT FROM beacons.count_daily WHERE site = %(site)s AND day >= %(first)s AND day < %(end)s)",
                             site=site, first=first, end=first + timedelta(days=7)))

    def nearest(self, place: Place, week: Week) -> str:
        weeks = self.rows("SELECT date_trunc('week', day::timestamp)::date AS week FROM beacons.occupancy_daily WHERE site = %(site)s "
                          "GROUP BY 1 ORDER BY abs(date_trunc('week', day::timestamp)::date - %(first)s), 1 LIMIT %(most)s",
                          site=place.site, first=week.first, most=NEAREST_WEEKS)
        if not weeks:
            return "its gateways have published nothing; look at beacond on one of them, and at the broker"
        return "give --week one of " + ", ".join(Week(first, week.zone).name for first, in sorted(weeks))

    def days(self, place: Place, week: Week) -> dict[str, dict[date, Day]]:
        """By region, the days of the week, of the weeks before, and of the same week of the year before."""
        found: dict[str, dict[date, Day]] = {}
        last_year = week.first - timedelta(weeks=WEEKS_OF_YEAR)
        for first, end in ((week.first - timedelta(weeks=WEEKS_BEFORE), week.first + timedelta(days=7)), (last_year, last_year + timedelta(days=7))):
            for region, day, visits, low, high, p25, p50, p75, covered, opened in self.rows(DAYS, site=place.site, first=first, end=end):
                dwell = None if p50 is None else (p25, p50, p75)
                found.setdefault(region, {})[day] = Day(day, visits, low, high, dwell, covered, opened, week.is_over(day))
        return found

    @functools.cached_property
    def heard_enough(self) -> float:
        return self.one("SELECT beacons.heard_enough()")

    def hours(self, place: Place, week: Week, regions: Sequence[str]) -> dict[str, list[Hour]]:
        found: dict[str, list[Hour]] = {}
        for region, at, visits, share in self.rows(HOURS, site=place.site, regions=list(regions), first=week.begins_at, end=week.ends_at):
            found.setdefault(region, []).append(Hour(at, visits, share))
        return found

    def gaps(self, place: Place, week: Week, regions: Sequence[str]) -> dict[str, list[Gap]]:
        found: dict[str, list[Gap]] = {}
        for region, begin, end in self.rows(GAPS, site=place.site, regions=list(regions), **times(week)):
            found.setdefault(region, []).append(Gap(begin, end))
        return found

    def opening(self, place: Place, week: Week) -> list[Gap]:
        return [Gap(begin, end) for begin, end in self.rows(OPENING, site=place.site, **times(week))]

    def ways(self, place: Place, week: Week, regions: Sequence[str], most: int) -> dict[str, tuple[list[Way], int]]:
        """By region, the most frequent ways and the number of the others."""
        found: dict[str, tuple[list[Way], int]] = {}
        for region, start, end, visits, in_all in self.rows(WAYS, site=place.site, regions=list(regions), most=most, **times(week)):
            ways, _ = found.setdefault(region, ([], 0))
            ways.append(Way(named(start), named(end), visits))
            found[region] = ways, in_all - len(ways)
        return found

    def zones(self, place: Place, week: Week, regions: Sequence[str], most: int) -> dict[str, tuple[list[ZoneWeek], int]]:
        """By region, the zones with the most visits and the number of the others."""
        found: dict[str, tuple[list[ZoneWeek], int]] = {}
        for region, zone, visits, dwell, in_all in self.rows(ZONES, site=place.site, regions=list(regions), most=most, first=week.first,
                                                             end=week.first + timedelta(days=7)):
            zones, _ = found.setdefault(region, ([], 0))
            zones.append(ZoneWeek(named(zone), visits, dwell))
            found[region] = zones, in_all - len(zones)
        return found

    def people(self, place: Place, week: Week) -> list[People]:
        """The counts of each region of people: those of the store, or of each gateway where the store has none."""
        found: dict[tuple[str, str], People] = {}
        for region, gateway, *day in self.rows(PEOPLE, site=place.site, **times(week)):
            found.setdefault((region, gateway), People(named(region), named(gateway), [])).days.append(CountDay(*day))
        for region, gateway, from_s, visits in self.rows(DWELL, site=place.site, **times(week)):
            if (region, gateway) in found:
                found[region, gateway].dwell.append((from_s, visits))
        return list(found.values())

    def heat(self, place: Place, week: Week) -> dict[str, list[Cell]]:
        """The cells of each floor. A store may have none."""
        floors: dict[str, list[Cell]] = {}
        for floor, *cell in self.rows(HEAT, site=place.site, **times(week)):
            floors.setdefault(named(floor), []).append(Cell(*cell))
        return floors


def times(week: Week) -> dict[str, Any]:
    return {"from": week.begins_at, "until": week.ends_at, "first": week.first, "end": week.first + timedelta(days=7)}
