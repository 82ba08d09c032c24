"""ISO weeks of a store: their days and hours by the clock on the store's wall."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
# The weeks before that a day is compared with.
WEEKS_BEFORE = 4
# The week of the year before whose days are the same weekdays, at nearly the same place of the year.
WEEKS_OF_YEAR = 52


class NoWeek(ValueError):
    """A text that names no week."""


@dataclass(frozen=True)
class Week:
    """A week from Monday to Sunday. `until` is the moment of the figures where the week is not over."""

    first: date
    zone: ZoneInfo
    until: datetime | None = None

    @property
    def name(self) -> str:
        year, week, _ = self.first.isocalendar()
        return f"{year}-W{week:02}"

    @property
    def days(self) -> list[date]:
        return [self.first + timedelta(days=number) for number in range(7)]

    @property
    def last(self) -> date:
        return self.first + timedelta(days=6)

    @property
    def begins_at(self) -> datetime:
        return self.midnight(self.first)

    @property
    def ends_at(self) -> datetime:
        """The end of the figures: of a running week, so far."""
        end = self.midnight(self.first + timedelta(days=7))
        return end if self.until is None else min(end, max(self.until, self.begins_at))

    @property
    def before(self) -> "Week":
        return Week(self.first - timedelta(days=7), self.zone)

    @property
    def year_before(self) -> "Week":
        return Week(self.first - timedelta(weeks=WEEKS_OF_YEAR), self.zone)

    def midnight(self, day: date) -> datetime:
        return datetime(day.year, day.month, day.day, tzinfo=self.zone).astimezone(UTC)

    def is_over(self, day: date) -> bool:
        return self.midnight(day + timedelta(days=1)) <= self.ends_at

    def has_begun(self, day: date) -> bool:
        return self.midnight(day) < self.ends_at

    def local(self, at: datetime) -> datetime:
        return at.astimezone(self.zone)

    def clock_changes(self) -> list[tuple[date, timedelta]]:
        """Days that are not 24 hours long, with the time that they have more, or less."""
        lengths = ((day, self.midnight(day + timedelta(days=1)) - self.midnight(day)) for day in self.days)
        return [(day, length - timedelta(days=1)) for day, length in lengths if length != timedelta(days=1)]


def week_named(text: str) -> date:
    """The Monday of a week such as 2026-W47."""
    found = re.fullmatch(r"(\d{4})-W(\d{2})", text)
    try:
        if not found:
            raise ValueError
        return date.fromisocalendar(int(found[1]), int(found[2]), 1)
    except ValueError:
        raise NoWeek(f"{text!r} is no week such as 2026-W47") from None


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def weekday(day: date) -> str:
    return WEEKDAYS[day.weekday()]


def dated(day: date, year: bool = False) -> str:
    """`16 November`, with the year where it is wanted."""
    return f"{day.day} {MONTHS[day.month - 1]}" + (f" {day.year}" if year else "")


def span_of(week: Week) -> str:
    """`Monday 16 to Sunday 22 November 2026`."""
    first, last = week.first, week.last
    begin = f"{weekday(first)} {first.day}"
    if first.month != last.month:
        begin += f" {MONTHS[first.month - 1]}" + (f" {first.year}" if first.year != last.year else "")
    return f"{begin} to {weekday(last)} {dated(last, year=True)}"


def clock(at: datetime) -> str:
    """`14:05`, of a local time."""
    return f"{at.hour}:{at.minute:02}"
