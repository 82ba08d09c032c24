"""The page: what each section shows, handed to a template that escapes every name."""

from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from . import plots
from .figures import about, counted, grouped, minutes
from .model import Device, Gap, Hour, Region, StoreWeek
from .sentences import clock_changes, help_needed, summary
from .weeks import Week, clock, dated, span_of, weekday

FOLDER = Path(__file__).parent
MOST_GAPS = 15
MOST_SPOTS = 5
# Of shades from 0 to 1, the first on which letters are white.
DARK_FROM = 0.55


def page_of(found: StoreWeek, enough: float, refresh_s: int | None = None) -> str:
    """The page as HTML. With `refresh_s` the browser reads it anew, without a script."""
    week = found.week
    alone = found.alone
    regions = [section(region, found, alone, enough, number) for number, region in enumerate(found.regions)]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
                                     lstrip_blocks=True)
    environment.filters["titled"] = titled
    return environment.get_template("page.html").render(
        place=found.place, week=week, span=span_of(week), until=week.until and moment(week.ends_at, week), alone=alone, regions=regions,
        style=Markup((FOLDER / "style.css").read_text()), changes=list(clock_changes(week)), help=help_needed(found.devices), refresh_s=refresh_s,
        others=[(one.name, grouped(one.visits), interval_words(one.interval)) for one in found.others], more_regions=grouped(found.more_regions),
        more=found.more_regions, more_visits=grouped(found.more_visits), floors=[floor(name, cells, number) for number, (name, cells) in enumerate(
            found.floors.items())], floors_left_out=found.floors_left_out, devices=found.devices,
        known=counted(found.devices.gateways_known, "gateway"), strangers=counted(found.devices.strangers, "beacon"),
        gateways=[device_row(one, week) for one in found.devices.gateways], beacons=[device_row(one, week) for one in found.devices.beacons],
        as_of=found.devices.as_of and moment(found.devices.as_of, week), enough=round(enough * 100),
        heard=heard_figure(found), first=found.regions[0].name)


def section(region: Region, found: StoreWeek, alone: bool, enough: float, number: int) -> dict[str, Any]:
    """The words and figures of a region for the template."""
    week, opened = found.week, {number for number, _, _ in pieces(found.opening, Week(found.week.first, found.week.zone))}
    ways = [(f"{way.from_zone} → {way.to_zone}", way.visits) for way in region.ways]
    dwell = [(f"{weekday(day)[:2]}", region.days[day].dwell_s if day in region.days else None, absent(region, week, day, opened)) for day in week.days]
    hours, minute = by_hour(region.hours, week)
    return {
        "name": region.name, "sentences": [kept(sentence) for sentence in summary(region, week, alone, enough)],
        "has_intervals": any(day.low is not None for day in region.days.values()),
        "days": [day_row(region, week, day, day.weekday() in opened) for day in week.days],
        "day_plot": plot(plots.bars_by_day(day_bars(region, week, enough, opened), f"r{number}day")),
        "hour_plot": plot(plots.bars_by_hour(hour_bars(region, week, minute), 3, f"r{number}hour")) if any(hour.visits for hour in region.hours) else None,
        "hours": hour_rows(hours, minute, week), "weekdays": [weekday(day) for day in week.days],
        "dwell_plot": plot(plots.dwell_by_day(dwell, f"r{number}dwell")) if any(one for _, one, _ in dwell) else None,
        "way_plot": plot(plots.bars_of_ways(ways, f"r{number}way")) if ways else None,
        "ways": [(way.from_zone, way.to_zone, grouped(way.visits)) for way in region.ways], "ways_left_out": region.ways_left_out,
        "gaps": [gap_row(gap, week) for gap in sorted(sorted(region.gaps, key=lambda gap: (-gap.seconds, gap.from_at))[:MOST_GAPS], key=lambda gap: gap.from_at)],
        "gaps_left_out": max(len(region.gaps) - MOST_GAPS, 0), "not_heard": minutes(sum(gap.seconds for gap in region.gaps)),
    }


def kept(sentence: str) -> str:
    """The sentence with each number and its unit on one line."""
    return sentence.replace(" %", "\N{NO-BREAK SPACE}%")


def plot(svg: str) -> Markup:
    return Markup(svg)


def titled(svg: Markup, title: str) -> Markup:
    """The figure with the title that a screen reader and the tags of a PDF say."""
    frame, end, rest = str(svg).partition(">")
    return Markup(frame) + Markup(end) + Markup("<title>{}</title>").format(title) + Markup(rest)


def interval_words(interval: tuple[int, int] | None) -> str:
    return "not known" if interval is None else f"{grouped(interval[0])} to {grouped(interval[1])}"


def moment(at: datetime, week: Week) -> str:
    local = week.local(at)
    return f"{weekday(local.date())} {dated(local.date(), year=True)}, {clock(local)}"


def absent(region: Region, week: Week, day: date, opened: set[int]) -> str:
    """The words in the place of a bar that a day has not."""
    if not week.has_begun(day):
        return ""
    if day.weekday() not in opened:
        return "closed"
    return "?" if day not in region.days or region.days[day].heard_share == 0 else ""


def brief_moment(at: datetime, week: Week) -> str:
    """For tables: `Wed 18 Nov, 14:00`."""
    local = week.local(at)
    month = dated(local.date()).split()[1][:3]
    year = f" {local.year}" if local.year != week.last.year else ""
    return f"{weekday(local.date())[:3]} {local.day} {month}{year}, {clock(local)}"


def day_bars(region: Region, week: Week, enough: float, opened: set[int]) -> list[plots.Bar]:
    bars = []
    for day in week.days:
        now, before, usual = region.days.get(day), region.before.get(day - timedelta(days=7)), region.usual.get(day)
        bars.append(plots.Bar(
            weekday(day)[:2], now and now.visits, now and now.low, now and now.high, before.visits if before and before.heard_share >= enough else None,
            usual and usual.visits, now is None or now.heard_share >= enough, absent(region, week, day, opened)))
    return bars


def day_row(region: Region, week: Week, day: date, is_open: bool) -> dict[str, str]:
    now, before, usual = region.days.get(day), region.before.get(day - timedelta(days=7)), region.usual.get(day)
    row = {"name": weekday(day), "date": f"{day.day} {dated(day).split()[1][:3]}", "before": grouped(before.visits) if before else "–",
           "usual": grouped(usual.visits) if usual else "–"}
    if now is None:
        return row | {"visits": "–", "interval": "–", "heard": "not yet" if not week.has_begun(day) else "nothing" if is_open else "closed", "dwell": "–"}
    heard = (f"{now.heard_share * 100:.0f} %" if is_open else "closed") + ("" if now.is_over else " so far")
    return row | {"visits": grouped(now.visits), "interval": "not known" if now.low is None or now.high is None else f"{grouped(now.low)} to {grouped(now.high)}",
                  "heard": heard, "dwell": "–" if now.dwell_s is None else minutes(now.dwell_s[1])}


Grid = dict[tuple[int, int], tuple[int, float]]


def by_hour(hours: list[Hour], week: Week) -> tuple[Grid, int]:
    """Visits and the least share heard, by weekday and hour of the wall clock; and the minute at which the hours begin there."""
    grid: Grid = {}
    minutes_of: dict[int, int] = defaultdict(int)
    for hour in hours:
        local = week.local(hour.at)
        place = local.weekday(), local.hour
        visits, share = grid.get(place, (0, 1.0))
        grid[place] = visits + hour.visits, min(share, hour.covered_share)
        minutes_of[local.minute] += 1
    return grid, max(minutes_of, key=lambda minute: (minutes_of[minute], -minute), default=0)


def hours_shown(grid: Grid) -> range:
    """From the first hour with a visit to the last one; all where there is none."""
    busy = [hour for (_, hour), (visits, _) in grid.items() if visits]
    return range(min(busy), max(busy) + 1) if busy else range(24)


def hour_rows(grid: Grid, minute: int, week: Week) -> list[dict[str, Any]]:
    """A row for each hour: a cell for each day with its visits and shade. An hour that was heard in part has a mark."""
    most = max((visits for visits, _ in grid.values()), default=0)
    rows = []
    for hour in hours_shown(grid):
        cells = []
        for day in range(7):
            if (day, hour) not in grid:
                cells.append({"words": "–", "shade": None, "white": False, "part": False})
                continue
            visits, share = grid[day, hour]
            shade = visits / most if most else 0
            cells.append({"words": grouped(visits) if share > 0 or visits else "?", "shade": shade_of(shade) if share > 0 or visits else None,
                          "white": shade >= DARK_FROM, "part": 0 < share < 0.99})
        rows.append({"name": f"{hour}:{minute:02}", "cells": cells})
    return rows


def shade_of(share: float) -> str:
    """From white to a dark blue that is dark in grey as well."""
    return "#" + "".join(f"{round(255 + (dark - 255) * share):02x}" for dark in (0x1f, 0x3f, 0x66))


def hour_bars(region: Region, week: Week, minute: int) -> list[plots.Bar]:
    now, _ = by_hour(region.hours, week)
    before, _ = by_hour(region.hours_before, week.before)
    bars = []
    for hour in hours_shown(now):
        these = [now[day, hour] for day in range(7) if (day, hour) in now]
        those = [before[day, hour][0] for day in range(7) if (day, hour) in before]
        bars.append(plots.Bar(f"{hour}:{minute:02}" if minute else str(hour), sum(visits for visits, _ in these) if these else None,
                              before=sum(those) if those and week.until is None else None, heard=all(share > 0 or visits for visits, share in these)))
    return bars


def gap_row(gap: Gap, week: Week) -> tuple[str, str, str]:
    return brief_moment(gap.from_at, week), brief_moment(gap.to_at, week), minutes(gap.seconds)


def device_row(device: Device, week: Week) -> tuple[str, str, str]:
    return device.name, device.why, brief_moment(device.since, week) if device.since else "–"


def heard_figure(found: StoreWeek) -> Markup:
    """The largest region's times."""
    week = found.week
    return plot(plots.timeline([weekday(day)[:2] for day in week.days], pieces(found.opening, week), pieces(found.regions[0].gaps, week), "heard"))


def pieces(times: list[Gap], week: Week) -> list[tuple[int, float, float]]:
    """The parts of times by day: its number, and begin and end in hours of the wall clock."""
    parts = []
    for time in times:
        for number, day in enumerate(week.days):
            begin, end = max(time.from_at, week.midnight(day)), min(time.to_at, week.midnight(day + timedelta(days=1)), week.ends_at)
            if begin < end:
                last = 24.0 if end == week.midnight(day + timedelta(days=1)) else wall_hours(week.local(end))
                parts.append((number, wall_hours(week.local(begin)), last))
    return parts


def wall_hours(local: datetime) -> float:
    return local.hour + local.minute / 60 + local.second / 3600


def floor(name: str, cells: list[Any], number: int) -> dict[str, Any]:
    """The map of a floor, and its busiest places in words."""
    # A store may have changed the size in the week. The largest one has room for all.
    size = max((cell.size_m for cell in cells if cell.size_m), default=None)
    spots = sorted(cells, key=lambda cell: (-cell.seconds, cell.x_m, cell.y_m))[:MOST_SPOTS]
    return {"name": name, "plot": plot(plots.heat_map([(cell.x_m, cell.y_m, cell.seconds / 3600) for cell in cells], size, f"floor{number}")),
            "spots": [(f"{cell.x_m:g}", f"{cell.y_m:g}", minutes(cell.seconds)) for cell in spots],
            "all": about(sum(cell.seconds for cell in cells) / 3600)}
