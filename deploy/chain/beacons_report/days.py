"""The rows and bars of a region's days, each beside the week before and the usual number."""

from datetime import date, timedelta

from . import plots
from .figures import grouped, minutes
from .model import Day, Region, Usual
from .weeks import MONTHS, Week, weekday


def day_bars(region: Region, week: Week, enough: float, opened: set[int]) -> list[plots.Bar]:
    bars = []
    for day in week.days:
        now, before, usual = region.days.get(day), region.before.get(day - timedelta(days=7)), region.usual.get(day)
        bars.append(plots.Bar(
            weekday(day)[:2], now and now.visits, now and now.low, now and now.high, mark_of(before), mark_of(usual),
            now is None or now.heard_share >= enough, absent(region, week, day, opened)))
    return bars


def day_row(region: Region, week: Week, day: date, is_open: bool) -> dict[str, str]:
    now, before, usual = region.days.get(day), region.before.get(day - timedelta(days=7)), region.usual.get(day)
    row = {"name": weekday(day), "date": brief_date(day), "before": compared_words(before), "usual": compared_words(usual)}
    if now is None:
        return row | {"visits": "–", "interval": "–", "heard": "not yet" if not week.has_begun(day) else "nothing" if is_open else "closed"}
    heard = (f"{now.heard_share * 100:.0f} %" if is_open else "closed") + ("" if now.is_over else " so far")
    return row | {"visits": grouped(now.visits), "interval": interval_words(now.low, now.high), "heard": heard}


def mark_of(one: Day | Usual | None) -> plots.Mark | None:
    """A number that stands for the true one has a mark. Otherwise its interval has one."""
    if one is None or not one.is_whole and (one.low is None or one.high is None):
        return None
    return plots.Mark(one.visits) if one.is_whole else plots.Mark(one.middle, one.low, one.high)


def compared_words(one: Day | Usual | None) -> str:
    """The number; of days that were heard in part, its interval, because what was counted is too low."""
    if one is None:
        return "–"
    return grouped(one.visits) if one.is_whole else interval_words(one.low, one.high)


def interval_words(low: float | None, high: float | None) -> str:
    return "not known" if low is None or high is None else f"{grouped(low)} to {grouped(high)}"


def absent(region: Region, week: Week, day: date, opened: set[int]) -> str:
    """The words in the place of a bar that a day has not."""
    if not week.has_begun(day):
        return ""
    if day.weekday() not in opened:
        return "closed"
    return "?" if day not in region.days or region.days[day].heard_share == 0 else ""


def dwell_rows(region: Region, week: Week) -> list[tuple[str, str, str, str, str]]:
    """The days with visits: their names, and the times in which a quarter, half and three quarters of the visits had ended."""
    days = [region.days[day] for day in week.days if day in region.days]
    return [(weekday(day.day), brief_date(day.day), *(minutes(seconds) for seconds in day.dwell_s)) for day in days if day.dwell_s]


def brief_date(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1][:3]}"
