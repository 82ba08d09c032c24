"""A store's week, put together from the answers of the database and cut to a size that can be read."""

import statistics
from collections.abc import Mapping
from datetime import date, timedelta

import psycopg

from .model import Brief, Cell, Day, Region, StoreWeek, Usual, interval_of, named
from .source import Source
from .upkeep import devices_of
from .weeks import WEEKS_BEFORE, Week

# A section takes four pages in print.
MOST_SECTIONS = 3
MOST_BRIEF = 20
MOST_WAYS = 10
MOST_ZONES = 15
MOST_FLOORS = 6
MOST_PEOPLE = 6


def look(database: str, site: str, chosen: date | None) -> tuple[StoreWeek, float]:
    """The store's week, and the least share of a day that has to be heard for a comparison."""
    with psycopg.connect(database, connect_timeout=10, application_name="beacons_report") as connection:
        source = Source(connection)
        return gather(source, site, chosen), source.heard_enough


def gather(source: Source, site: str, chosen: date | None) -> StoreWeek:
    place = source.place(site)
    week = source.week(place, chosen)
    days = source.days(place, week)
    ranked = sorted((name for name in days if any(day in days[name] for day in week.days)),
                    key=lambda name: (-sum(days[name][day].visits for day in week.days if day in days[name]), name))
    shown, brief, more = ranked[:MOST_SECTIONS], ranked[MOST_SECTIONS:MOST_SECTIONS + MOST_BRIEF], ranked[MOST_SECTIONS + MOST_BRIEF:]
    enough = source.heard_enough
    hours, hours_before = source.hours(place, week, shown), source.hours(place, week.before, shown)
    gaps, gaps_before = source.gaps(place, week, shown), source.gaps(place, week.before, shown)
    ways = source.ways(place, week, shown, MOST_WAYS)
    zones = source.zones(place, week, shown, MOST_ZONES)
    regions = []
    for name in shown:
        found, left_out = ways.get(name, ([], 0))
        in_zones, zones_left_out = zones.get(name, ([], 0))
        regions.append(Region(
            named(name), these(days[name], week), these(days[name], week.before), usual_days(days[name], week, enough), hours.get(name, []),
            hours_before.get(name, []), gaps.get(name, []), gaps_before.get(name, []), found, left_out,
            in_zones, zones_left_out, these(days[name], week.year_before)))
    floors = source.heat(place, week)
    busiest = sorted(floors, key=lambda floor: -sum(cell.seconds for cell in floors[floor]))[:MOST_FLOORS]
    people = source.people(place, week)
    return StoreWeek(
        place, week, source.opening(place, week), source.opening(place, week.before), regions, [brief_of(name, these(days[name], week)) for name in brief], len(more),
        sum(day.visits for name in more for day in these(days[name], week).values()), chosen_floors(floors, busiest),
        len(floors) - len(busiest), devices_of(source, place, week), people[:MOST_PEOPLE], max(0, len(people) - MOST_PEOPLE))


def these(days: Mapping[date, Day], week: Week) -> dict[date, Day]:
    return {day: days[day] for day in week.days if day in days}


def brief_of(name: str, days: Mapping[date, Day]) -> Brief:
    figures = list(days.values())
    return Brief(named(name), sum(day.visits for day in figures), interval_of(figures))


def chosen_floors(floors: Mapping[str, list[Cell]], busiest: list[str]) -> dict[str, list[Cell]]:
    return {floor: floors[floor] for floor in sorted(busiest)}


def usual_days(days: Mapping[date, Day], week: Week, enough: float) -> dict[date, Usual]:
    """As the view `compared` has it, with the means of the ends of the intervals. They hold the mean with a greater chance than one day's interval."""
    found = {}
    for day in week.days:
        before = [days[day - timedelta(weeks=number)] for number in range(1, WEEKS_BEFORE + 1) if day - timedelta(weeks=number) in days]
        before = [one for one in before if one.heard_share >= enough]
        if before:
            interval = interval_of(before)
            low, high = (None, None) if interval is None else (interval[0] / len(before), interval[1] / len(before))
            spread = statistics.stdev(one.middle for one in before) if len(before) > 1 else 0
            found[day] = Usual(len(before), sum(one.visits for one in before) / len(before), low, high, spread, all(one.is_whole for one in before))
    return found
