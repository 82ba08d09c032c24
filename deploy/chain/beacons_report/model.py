"""A store's week as the report shows it. All texts are cleaned, all lists bounded."""

import unicodedata
from dataclasses import dataclass, field
from datetime import date, datetime

from .weeks import Week

# Names come from stores. A longer one is cut.
MOST_LETTERS = 80
# Fillers and the empty pattern of Braille, which are letters and signs to Unicode.
INKLESS = " \u115f\u1160\u2800\u3164\uffa0"
# Seconds are missing at the ends of a day that was heard.
HEARD_WHOLLY = 0.99


@dataclass(frozen=True)
class Place:
    """A row of beacons.store, or its defaults."""

    site: str
    name: str
    time_zone: str
    # What its beacons are on.
    carriers: str = "carts"


@dataclass(frozen=True)
class Day:
    """A row of occupancy_daily. `low` and `high` are None where no interval is known."""

    day: date
    visits: int
    low: int | None
    high: int | None
    dwell_s: tuple[float, float, float] | None
    covered_share: float
    open_share: float | None
    is_over: bool = True

    @property
    def heard_share(self) -> float:
        """Of the opening time; of the whole day where the store was closed."""
        return self.covered_share if self.open_share is None else self.open_share

    @property
    def middle(self) -> float:
        """The most probable number: the middle of the interval."""
        return self.visits if self.low is None or self.high is None else (self.low + self.high) / 2

    @property
    def is_whole(self) -> bool:
        """The counted number stands for the true one: all was heard, and it lies in its interval."""
        heard = self.open_share is None or self.open_share >= HEARD_WHOLLY
        return heard and (self.low is None or self.high is None or self.low <= self.visits <= self.high)


@dataclass(frozen=True)
class Hour:
    """A row of occupancy_hourly."""

    at: datetime
    visits: int
    covered_share: float


@dataclass(frozen=True)
class Usual:
    """The weekday in the weeks before, as far as it was heard: the means of visits and of both ends of the intervals.
    `spread` is the standard deviation of these days. `is_whole`: each of them was heard wholly."""

    days: int
    visits: float
    low: float | None
    high: float | None
    spread: float = 0
    is_whole: bool = True

    @property
    def middle(self) -> float:
        return self.visits if self.low is None or self.high is None else (self.low + self.high) / 2


@dataclass(frozen=True)
class Gap:
    """A time in which the store was open and not heard."""

    from_at: datetime
    to_at: datetime

    @property
    def seconds(self) -> float:
        return (self.to_at - self.from_at).total_seconds()


@dataclass(frozen=True)
class Way:
    """A way between two zones."""

    from_zone: str
    to_zone: str
    visits: int


@dataclass(frozen=True)
class ZoneWeek:
    """A zone in the week. `dwell_s` is the middle of the days' medians."""

    name: str
    visits: int
    dwell_s: float | None


@dataclass
class Region:
    """The figures of one region."""

    name: str
    days: dict[date, Day]
    before: dict[date, Day]
    usual: dict[date, Usual]
    hours: list[Hour] = field(default_factory=list)
    hours_before: list[Hour] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    gaps_before: list[Gap] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    ways_left_out: int = 0
    zones: list[ZoneWeek] = field(default_factory=list)
    zones_left_out: int = 0
    year_before: dict[date, Day] = field(default_factory=dict)

    @property
    def visits(self) -> int:
        return sum(day.visits for day in self.days.values())

    @property
    def known(self) -> list[Day]:
        """The days with an interval: enough of them was heard to say what they may be."""
        return [day for day in self.days.values() if day.low is not None]


@dataclass(frozen=True)
class CountDay:
    """A row of count_daily: the visits of people in a day. `left_out`: the counts whose numbers were too small to publish."""

    day: date
    entered: int
    left: int
    peak_present: int
    left_out: int
    partial: int


@dataclass
class People:
    """The counts of a region of people at one gateway, or in the whole store."""

    region: str
    gateway: str
    days: list[CountDay]
    # The shortest dwell of each cell, in seconds, with its visits.
    dwell: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_joint(self) -> bool:
        return self.gateway == "site"


@dataclass(frozen=True)
class Brief:
    """A region that has no section of its own."""

    name: str
    visits: int
    interval: tuple[int, int] | None


@dataclass(frozen=True)
class Cell:
    """A cell of a heat map by its middle. `size_m` is its side, where the database has it."""

    x_m: float
    y_m: float
    seconds: float
    size_m: float | None = None


@dataclass(frozen=True)
class Device:
    """A gateway or beacon that needs help, and why."""

    name: str
    why: str
    since: datetime | None = None


@dataclass
class Devices:
    """Devices that need help: the first of them, and how many there are."""

    gateways: list[Device] = field(default_factory=list)
    gateways_in_all: int = 0
    gateways_known: int = 0
    beacons: list[Device] = field(default_factory=list)
    beacons_in_all: int = 0
    strangers: int = 0
    as_of: datetime | None = None


@dataclass
class StoreWeek:
    """Everything that the report says."""

    place: Place
    week: Week
    opening: list[Gap]
    opening_before: list[Gap]
    regions: list[Region]
    others: list[Brief]
    more_regions: int
    more_visits: int
    floors: dict[str, list[Cell]]
    floors_left_out: int
    devices: Devices
    people: list[People] = field(default_factory=list)
    people_left_out: int = 0

    @property
    def alone(self) -> bool:
        """The store has one region, so its figures are those of the store."""
        return len(self.regions) == 1 and not self.others


def interval_of(days: list[Day]) -> tuple[int, int] | None:
    lows, highs = [day.low for day in days], [day.high for day in days]
    if not days or None in lows or None in highs:
        return None
    return sum(low for low in lows if low is not None), sum(high for high in highs if high is not None)


def clean(text: str | None, most: int = MOST_LETTERS) -> str:
    """A name from outside on one line. Control characters and changes of the writing direction would reach beyond it."""
    shown = "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") else letter for letter in text or "")
    shown = " ".join(shown.split())
    return shown if len(shown) <= most else shown[:most - 1] + "…"


def named(text: str | None) -> str:
    """A name as it can be seen: letters without ink stand for a blank one."""
    shown = clean(text)
    return shown if shown.strip(INKLESS) else "(blank)"
