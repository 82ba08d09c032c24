"""The visits of a store in one of its days. The same store, day and moment give the same visits."""

import math
import random
from collections import deque
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from .shops import Shop, Zone

SHORTEST_MINUTES, LONGEST_MINUTES = 5, 45
# How much the time of a visit varies: the standard deviation of its logarithm.
SPREAD = 0.5
SHORTEST_STAY_S = 30
# A cart is back at its place before it is taken again.
PAUSE = timedelta(minutes=2)


@dataclass(frozen=True)
class Stay:
    """A time in a zone."""

    zone: Zone
    begin: datetime
    end: datetime


@dataclass(frozen=True)
class Visit:
    """A cart's way through the store."""

    cart: int
    stays: tuple[Stay, ...]

    @property
    def begin(self) -> datetime:
        return self.stays[0].begin

    @property
    def end(self) -> datetime:
        return self.stays[-1].end


def visits_of(shop: Shop, day: date, now: datetime) -> list[Visit]:
    """The visits by their beginning. `now` decides only which week is the last one."""
    hours = shop.opening(day)
    if hours is None:
        return []
    chance = random.Random(f"{shop.site} {day}")
    usual = shop.visits[day.weekday()] * shop.changes.get((day - shop.last_monday(now)).days, 1)
    number = max(0, round(chance.gauss(usual, 1.1 * math.sqrt(usual))))
    opens, closes = shop.at(day, hours[0]), shop.at(day, hours[1])
    begins = sorted(opens + (closes - opens) * moment(shop.shape, chance) for _ in range(number))
    # The cart that was longest at its place is taken, so that all are used.
    free = deque(chance.sample(range(1, shop.carts + 1), shop.carts))
    away: list[Visit] = []
    found = []
    for begin in begins:
        for visit in [one for one in away if one.end + PAUSE <= begin]:
            away.remove(visit)
            free.append(visit.cart)
        minutes = min(max(chance.lognormvariate(math.log(shop.minutes), SPREAD), SHORTEST_MINUTES), LONGEST_MINUTES)
        end = min(begin + timedelta(minutes=minutes), closes)
        if end < begin + timedelta(minutes=SHORTEST_MINUTES) or not free:
            continue
        cart = free.popleft()
        visit = Visit(cart, way(shop, begin, end, chance))
        away.append(visit)
        died = shop.dies_at(cart, now)
        if died is None or end < died:
            found.append(visit)
    return found


def moment(shape: tuple[int, ...], chance: random.Random) -> float:
    """A part of the opening time, 0 to 1."""
    (half_hour,) = chance.choices(range(len(shape)), shape)
    return (half_hour + chance.random()) / len(shape)


def way(shop: Shop, begin: datetime, end: datetime, chance: random.Random) -> tuple[Stay, ...]:
    """From the entrance through zones beside each other, and at last to the checkout."""
    first, *inner = [zone for zone in shop.zones if zone.name != "checkout"]
    chosen = [zone for zone in inner if chance.random() < zone.share]
    if chance.random() < 0.3:
        chosen.reverse()
    last = [zone for zone in shop.zones if zone.name == "checkout" and chance.random() < zone.share]
    zones = [first, *chosen, *last]
    parts = [zone.weight * chance.gammavariate(3, 1 / 3) + 0.05 for zone in zones]
    stays, at = [], begin
    for zone, part in zip(zones, parts, strict=True):
        left = begin + (end - begin) * (sum(parts[:len(stays) + 1]) / sum(parts))
        until = end if zone is zones[-1] else min(max(left, at + timedelta(seconds=SHORTEST_STAY_S)), end - timedelta(seconds=1))
        stays.append(Stay(zone, whole(at), whole(until)))
        at = until
    return tuple(stays)


def whole(at: datetime) -> datetime:
    """Agents write milliseconds."""
    return at.replace(microsecond=at.microsecond // 1000 * 1000)
