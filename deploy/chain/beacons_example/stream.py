"""All messages of a store's gateways, day by day and in the order of time, before `now` and after it."""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

from .shops import Shop, Zone
from .store_messages import EXIT_AFTER_S, UUID, StoreMessages, stamp
from .visits import Stay, Visit, visits_of

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
# Gateways publish their health each minute. Of the past, the last word is enough.
HEALTH_SINCE = 3 * MINUTE
EXIT_AFTER, OVERLAP = timedelta(seconds=EXIT_AFTER_S), timedelta(seconds=15)
LIST_HOURS = 12
CELL_M = 2
# A store publishes no cell in which fewer beacons were.
FEWEST_BEACONS = 3
AFTER_OUTAGE = timedelta(seconds=40)
# A beacon is heard last before the power fails, not in that moment.
BEFORE_OUTAGE = timedelta(milliseconds=300)
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

# The time of a message, and what adds it.
Due = tuple[datetime, Callable[[], None]]


def stream(shop: Shop, now: datetime) -> Iterator[dict[str, Any]]:
    """Messages as `beacons.take` gets them, from five weeks before `now` until the second day after it."""
    now = now.astimezone(UTC)
    story = Story(shop, now)
    day = shop.first_day(now)
    while day <= now.astimezone(shop.zone).date() + timedelta(days=2):
        for _, add in sorted(story.day(day), key=lambda due: due[0]):
            add()
        yield from story.store.messages
        story.store.messages = []
        day += timedelta(days=1)


class Story:
    """A store's weeks. Numbers are given in the order of time, so each day's messages are sorted before they are added."""

    def __init__(self, shop: Shop, now: datetime) -> None:
        self.shop, self.now = shop, now
        self.store = StoreMessages(shop.site, shop.zone)
        self.outages = shop.outages(now)
        self.began_at = shop.at(shop.first_day(now), 0)
        for gateway in [*shop.gateways, "site"]:
            self.store.restart(gateway, epoch(f"{shop.site} {gateway}", self.began_at))
        # Where carts stand and wait differs from place to place.
        self.warmth = random.Random(shop.site)
        self.cells = {zone.name: self.cells_of(zone) for zone in shop.zones}

    def day(self, day: date) -> Iterator[Due]:
        begin, end = self.shop.at(day, 0), self.shop.at(day + timedelta(days=1), 0)
        visits = visits_of(self.shop, day, self.now)
        yield from self.gateways(begin, end)
        for visit in visits:
            yield from self.by_gateways(visit)
            yield from self.by_zones(visit)
        yield from self.lists(begin, end)
        yield from self.sheets(visits, end)

    def gateways(self, begin: datetime, end: datetime) -> Iterator[Due]:
        """Whether the gateways are there, and when they could hear."""
        for gateway in [*self.shop.gateways, "site"]:
            if begin == self.began_at:
                yield begin, lambda gateway=gateway: self.store.status(self.began_at, gateway)
            for off, on in self.outages:
                if begin <= off < end:
                    yield off, lambda gateway=gateway, off=off: self.store.status(off, gateway, "offline", "stopped")
                    yield on, lambda gateway=gateway, on=on: self.start_again(gateway, on)
            minute = max(begin, self.now - HEALTH_SINCE).replace(second=0, microsecond=0) + MINUTE
            while minute <= end:
                yield minute, lambda gateway=gateway, minute=minute: self.store.health(minute, gateway)
                minute += MINUTE
            if gateway != "site":
                hours = [begin + number * HOUR for number in range(round((end - begin) / HOUR) + 1)]
                for first, last in itertools.pairwise(hours):
                    for since, until in self.heard(first, last):
                        yield until, lambda gateway=gateway, since=since, until=until: self.store.heard(since, until, gateway)

    def start_again(self, gateway: str, at: datetime) -> None:
        self.store.restart(gateway, epoch(f"{self.shop.site} {gateway}", at))
        self.store.status(at, gateway)

    def heard(self, begin: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
        """The parts of a time without outages."""
        for off, on in self.outages:
            if off < end and on > begin:
                return [(first, last) for first, last in ((begin, min(off, end)), (max(on, begin), end)) if first < last]
        return [(begin, end)]

    def by_gateways(self, visit: Visit) -> Iterator[Due]:
        """A gateway hears the cart from a little before it comes to its zone until a little after."""
        for stay in visit.stays:
            begin, end = max(visit.begin, stay.begin - OVERLAP), min(visit.end, stay.end + OVERLAP)
            yield from self.pair(visit.cart, stay.zone.name, begin, end, None, EXIT_AFTER)

    def by_zones(self, visit: Visit) -> Iterator[Due]:
        for stay in visit.stays:
            yield from self.pair(visit.cart, "site", stay.begin, stay.end, stay.zone.name, timedelta(0))

    def pair(self, cart: int, gateway: str, begin: datetime, end: datetime, zone: str | None, after: timedelta) -> Iterator[Due]:
        """An exit, which is a whole visit, and of one that goes on the entry. A failure of the power ends a visit; its exit comes when the power is back."""
        at, words = end + after, {}
        for off, on in self.outages:
            if off <= begin < on:
                return
            if begin < off < end + after:
                end, at, words = min(end, max(begin, off - BEFORE_OUTAGE)), on + AFTER_OUTAGE, {"inferred": True}
        level = -58.0 - (cart * 7 + len(gateway)) % 24
        if at > self.now:
            yield begin, lambda: self.store.enter(begin, cart, gateway, self.shop.major, zone=zone, rssi_dbm=level)
        yield at, lambda: self.store.exit(begin, end, cart, gateway, self.shop.major, zone=zone, at=at, rssi_dbm=level, **words)

    def lists(self, begin: datetime, end: datetime) -> Iterator[Due]:
        """The gateway at the entrance lists the carts, which stand there at night."""
        # The list after a beacon's last sign says when that was.
        for cart in range(1, self.shop.carts + 1):
            died = self.shop.dies_at(cart, self.now)
            if died and begin <= died < end:
                yield died + MINUTE, lambda died=died: self.store.listed(died + MINUTE, self.shop.gateways[0], self.batteries(died + MINUTE))
        at = begin
        while at < end:
            if self.heard(at - MINUTE, at) == [(at - MINUTE, at)] and at > self.began_at:
                yield at, lambda at=at: self.store.listed(at, self.shop.gateways[0], self.batteries(at))
            at += LIST_HOURS * HOUR if at + LIST_HOURS * HOUR < self.now or at >= self.now else 10 * MINUTE

    def batteries(self, at: datetime) -> list[dict[str, Any]]:
        days = (at - self.began_at).total_seconds() / 86400
        found = []
        for cart in range(1, self.shop.carts + 1):
            died = self.shop.dies_at(cart, self.now)
            if died and at > died + 10 * MINUTE:
                continue
            percent = 58 - 1.1 * days if cart in self.shop.weak else 97 - cart * 11 % 40 - days / 14
            heard = min(at - timedelta(seconds=cart % 9 + 1), died or at)
            found.append({
                "uuid": UUID, "major": self.shop.major, "minor": cart, "first_heard_at": stamp(self.began_at), "last_heard_at": stamp(heard), "interval_ms": 1000,
                "rssi_dbm": -60 - cart % 20, "battery_percent": round(percent), "battery_mv": round(2450 + 6 * percent), "temperature_c": 21.5,
                "telemetry_at": stamp(heard), "format": "eddystone_tlm"})
        return found

    def sheets(self, visits: list[Visit], end: datetime) -> Iterator[Due]:
        """The heat map of each hour that had carts."""
        hours: dict[datetime, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
        for visit in visits:
            for stay in visit.stays:
                for begin, last in self.heard(stay.begin, stay.end):
                    for hour, seconds in by_hour(Stay(stay.zone, begin, last)):
                        hours[hour][stay.zone.name].append((visit.cart, seconds))
        for hour, zones in hours.items():
            at = min(hour + HOUR, end)
            yield at, lambda hour=hour, zones=zones: self.sheet(hour, zones)

    def sheet(self, hour: datetime, zones: dict[str, list[tuple[int, float]]]) -> None:
        cells, omitted = [], 0
        for name, stays in zones.items():
            seconds, carts = sum(length for _, length in stays), len({cart for cart, _ in stays})
            for x, y, share in self.cells[name]:
                # Not each cart comes to each place of its zone.
                beacons = round(carts * min(1, 3 * share * len(self.cells[name]) / 4))
                if beacons < FEWEST_BEACONS:
                    omitted += 1
                else:
                    cells.append({"floor": 0, "x_m": x, "y_m": y, "seconds": round(seconds * share), "beacons": beacons})
        self.store.sheet(hour, hour + HOUR, CELL_M, cells, omitted)

    def cells_of(self, zone: Zone) -> list[tuple[float, float, float]]:
        """The cells of a zone by their middles, with the share of the zone's time that carts spend in each."""
        left, bottom, right, top = zone.box_m
        middles = [(x, y) for x in steps(left, right) for y in steps(bottom, top)]
        parts = [self.warmth.gammavariate(2, 1) + 0.1 for _ in middles]
        return [(x, y, part / sum(parts)) for (x, y), part in zip(middles, parts, strict=True)]


def steps(begin: float, end: float) -> list[float]:
    """The middles of the cells of a grid that lie between two places."""
    first = int(begin // CELL_M) * CELL_M + CELL_M / 2
    return [at for number in range(64) if begin <= (at := first + number * CELL_M) < end]


def by_hour(stay: Stay) -> Iterator[tuple[datetime, float]]:
    at = stay.begin
    while at < stay.end:
        hour = at.replace(minute=0, second=0, microsecond=0)
        until = min(stay.end, hour + HOUR)
        yield hour, (until - at).total_seconds()
        at = until


def epoch(name: str, at: datetime) -> str:
    """A ULID, as an agent makes one at its start: the time, and letters by chance."""
    milliseconds, chance = round(at.timestamp() * 1000), random.Random(f"{name} {at}")
    return "".join(LETTERS[milliseconds >> shift & 31] for shift in range(45, -1, -5)) + "".join(chance.choices(LETTERS, k=16))
