"""The three stores: what differs between them, and what happened in the last weeks."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from beacons_schema.opening_hours import opening_hours

WEEKS = 5
# Many come before noon and after work. Weights of each half hour of the opening time, from its beginning to its end.
CITY = (2, 4, 5, 4, 3, 3, 4, 6, 7, 6, 5, 5, 6, 8, 10, 12, 11, 9, 6, 4, 2)
SUBURB = (3, 6, 9, 11, 12, 10, 8, 7, 6, 6, 7, 8, 9, 7, 5, 3, 2)
EVENINGS = (1, 2, 3, 5, 5, 3, 3, 4, 6, 9, 11, 8, 4)


@dataclass(frozen=True)
class Zone:
    """A part of a store with a gateway of the same name. `box_m` is left, bottom, right and top on the plan. `share` of the visits come here, and stay `weight`
    times as long as in a zone of 1."""

    name: str
    box_m: tuple[float, float, float, float]
    share: float
    weight: float


@dataclass(frozen=True)
class Shop:
    """A store. `visits` are the usual ones from Monday to Sunday; `changes` multiply those of a day, by days since the Monday of the last whole week."""

    site: str
    name: str
    time_zone: str
    hours: str
    place: tuple[float, float]
    major: int
    carts: int
    visits: tuple[int, ...]
    shape: tuple[int, ...]
    minutes: float
    zones: tuple[Zone, ...]
    changes: dict[int, float] = field(default_factory=dict)
    # (day, from hour, to hour): a power failure, in which no gateway hears.
    deaf: tuple[tuple[int, float, float], ...] = ()
    # (cart, day, hour): its beacon is silent from then on.
    dead: tuple[tuple[int, int, float], ...] = ()
    # Carts whose batteries end soon.
    weak: tuple[int, ...] = ()

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def size_m(self) -> tuple[float, float]:
        return max(zone.box_m[2] for zone in self.zones), max(zone.box_m[3] for zone in self.zones)

    @property
    def gateways(self) -> list[str]:
        return [zone.name for zone in self.zones]

    def last_monday(self, now: datetime) -> date:
        """The Monday of the last whole week of the store's calendar."""
        today = now.astimezone(self.zone).date()
        return today - timedelta(days=today.weekday() + 7)

    def first_day(self, now: datetime) -> date:
        """Five whole weeks lie between it and the running one."""
        return self.last_monday(now) - timedelta(weeks=WEEKS - 1)

    def opening(self, day: date) -> tuple[float, float] | None:
        """When it opens and closes, in hours."""
        ranges = (opening_hours(self.hours) or {}).get(day.isoweekday(), [])
        return (ranges[0][0] / 60, ranges[-1][1] / 60) if ranges else None

    def at(self, day: date, hours: float) -> datetime:
        midnight = datetime(day.year, day.month, day.day)
        return (midnight + timedelta(hours=hours)).replace(tzinfo=self.zone).astimezone(UTC)

    def outages(self, now: datetime) -> list[tuple[datetime, datetime]]:
        monday = self.last_monday(now)
        return [(self.at(monday + timedelta(days=day), begin), self.at(monday + timedelta(days=day), end)) for day, begin, end in self.deaf]

    def dies_at(self, cart: int, now: datetime) -> datetime | None:
        monday = self.last_monday(now)
        return next((self.at(monday + timedelta(days=day), hour) for number, day, hour in self.dead if number == cart), None)


# One of them is open at any hour, so that there is always one to look at.
SHOPS = (
    Shop("berlin-17", "Berlin, Alexanderplatz", "Europe/Berlin", "Mo-Sa 07:00-22:00", (52.5219, 13.4132), 17, 80, (132, 126, 135, 138, 164, 184, 0), CITY, 17,
         (Zone("entrance", (0, 0, 8, 7), 1, 0.5), Zone("bakery", (8, 0, 16, 7), 0.55, 0.9), Zone("checkout", (16, 0, 24, 7), 0.88, 1.1),
          Zone("dairy", (0, 7, 12, 14), 0.72, 1.4), Zone("wine", (12, 7, 24, 14), 0.31, 1.2)),
         deaf=((3, 13, 17.5),), weak=(23,)),
    Shop("chicago-4", "Chicago, Lincoln Park", "America/Chicago", "Mo-Sa 08:00-22:00; Su 08:00-20:00", (41.9214, -87.6513), 4, 45,
         (51, 47, 52, 54, 69, 106, 95), SUBURB, 25,
         (Zone("entrance", (0, 0, 6, 6), 1, 0.4), Zone("produce", (0, 6, 10, 12), 0.81, 1.2), Zone("frozen", (10, 6, 20, 12), 0.46, 1),
          Zone("checkout", (6, 0, 20, 6), 0.92, 1.2)),
         changes={5: 0.45, 6: 0.6}, dead=((12, 1, 10.6),)),
    Shop("singapore-2", "Singapore, Katong", "Asia/Singapore", "09:00-22:00", (1.3048, 103.9047), 2, 20, (36, 34, 37, 38, 45, 66, 61), EVENINGS, 11,
         (Zone("entrance", (0, 0, 5, 8), 1, 0.6), Zone("drinks", (5, 4, 12, 8), 0.64, 1), Zone("checkout", (5, 0, 12, 4), 0.79, 0.8)),
         changes={4: 1.6, 5: 1.6}),
)
