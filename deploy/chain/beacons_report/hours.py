"""The visits by weekday and hour, and the bars of their sums. A figure of an hour that was not heard is never shown as a whole one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from . import plots
from .figures import grouped
from .model import HEARD_WHOLLY, Gap, Hour
from .weeks import Week

HOUR = timedelta(hours=1)
# Of shades from 0 to 1, the first on which letters are white.
DARK_FROM = 0.55


@dataclass
class WallHour:
    """An hour of a day by the clock on the wall, which a night may have twice. `deaf_s` is a part of `open_s`."""

    visits: int = 0
    open_s: float = 0
    deaf_s: float = 0

    @property
    def is_whole(self) -> bool:
        return self.deaf_s <= (1 - HEARD_WHOLLY) * self.open_s

    @property
    def is_unknown(self) -> bool:
        return not self.visits and 0 < HEARD_WHOLLY * self.open_s <= self.deaf_s

    @property
    def words(self) -> str:
        if self.is_unknown:
            return "?"
        if not self.visits and not self.open_s:
            return "–"
        return grouped(self.visits) + ("" if self.is_whole else "*")


Grid = dict[tuple[int, int], WallHour]


def by_hour(hours: Iterable[Hour], opening: Iterable[Gap], gaps: Iterable[Gap], week: Week) -> tuple[Grid, int]:
    """The hours by weekday and hour, as far as the week has come; and the minute at which they begin by the wall clock."""
    visits = {hour.at: hour.visits for hour in hours}
    opened, deaf = seconds_by_hour(opening), seconds_by_hour(gaps)
    grid: Grid = {}
    minutes: dict[int, int] = defaultdict(int)
    at = whole_hour(week.begins_at + HOUR - timedelta(microseconds=1))
    while at < week.ends_at:
        local = week.local(at)
        cell = grid.setdefault((local.weekday(), local.hour), WallHour())
        cell.visits += visits.get(at, 0)
        cell.open_s += opened[at]
        cell.deaf_s += deaf[at]
        minutes[local.minute] += 1
        at += HOUR
    return grid, max(minutes, key=lambda minute: (minutes[minute], -minute), default=0)


def seconds_by_hour(times: Iterable[Gap]) -> dict[datetime, float]:
    found: dict[datetime, float] = defaultdict(float)
    for time in times:
        at = whole_hour(time.from_at)
        while at < time.to_at:
            found[at] += (min(time.to_at, at + HOUR) - max(time.from_at, at)).total_seconds()
            at += HOUR
    return found


def whole_hour(at: datetime) -> datetime:
    """The figures have whole hours of UTC."""
    return at.replace(minute=0, second=0, microsecond=0)


def hours_shown(grid: Grid) -> range:
    """From the first hour with a visit to the last one; all where there is none."""
    busy = [hour for (_, hour), cell in grid.items() if cell.visits]
    return range(min(busy), max(busy) + 1) if busy else range(24)


def hour_rows(grid: Grid, minute: int) -> list[dict[str, Any]]:
    """A row for each hour: a cell for each day with its words and shade."""
    most = max((cell.visits for cell in grid.values()), default=0)
    return [{"name": f"{hour}:{minute:02}", "cells": [shaded(grid.get((day, hour), WallHour()), most) for day in range(7)]} for hour in hours_shown(grid)]


def shaded(cell: WallHour, most: int) -> dict[str, Any]:
    share = cell.visits / most if most else 0
    return {"words": cell.words, "shade": shade_of(share) if cell.visits or cell.words == "0" else None, "white": share >= DARK_FROM}


def shade_of(share: float) -> str:
    """From white to a dark blue that is dark in grey as well."""
    return "#" + "".join(f"{round(255 + (dark - 255) * share):02x}" for dark in (0x1f, 0x3f, 0x66))


def hour_bars(now: Grid, before: Grid | None, minute: int) -> list[plots.Bar]:
    """The sums of all days. `before` are the hours of the week before, which have a figure where all of them was heard."""
    bars = []
    for hour in hours_shown(now):
        these = of_hour(now, hour)
        those = of_hour(before, hour) if before else []
        is_whole = those and all(cell.is_whole for cell in those)
        bars.append(plots.Bar(
            f"{hour}:{minute:02}" if minute else str(hour), sum(cell.visits for cell in these) if these else None,
            before=plots.Mark(sum(cell.visits for cell in those)) if is_whole else None, heard=not any(cell.is_unknown for cell in these)))
    return bars


def of_hour(grid: Grid, hour: int) -> Sequence[WallHour]:
    return [grid[day, hour] for day in range(7) if (day, hour) in grid]
