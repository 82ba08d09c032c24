"""Figures in words: rounded numbers, intervals, comparisons and lists."""

import math
from collections.abc import Sequence

# Fewer are written as counted. More are written to two digits.
EXACT_BELOW = 20
# Of fewer visits, a share in percent would say more than is known.
PERCENT_FROM = 20
# Visitors come in groups, so the variance of their number is so many times its mean.
UNEVENNESS = 1.5
# A difference is named from so many standard deviations on.
BEYOND_CHANCE = 2


def grouped(number: float) -> str:
    """`12,345`."""
    return f"{round(number):,}"


def step(number: float) -> int:
    """The last digit that a rounded number keeps: 2,312 is written in hundreds."""
    return 1 if number < EXACT_BELOW else 10 ** max(0, int(math.log10(number)) - 1)


def about(number: float, width: float = 0) -> str:
    """`about 2,300`; a small number as it is. With an interval, as many digits as its width leaves."""
    if number < EXACT_BELOW and number == int(number):
        return grouped(number)
    size = width_step(width) if width else step(number)
    return "about " + grouped(round(number / size) * size)


def between(low: float, high: float) -> str:
    """`between 2,230 and 2,400`: the ends are rounded outwards."""
    first, last = outwards(low, high)
    return f"exactly {grouped(first)}" if first == last else f"between {grouped(first)} and {grouped(last)}"


def ends_of(low: float | None, high: float | None) -> str:
    """An interval for a table, rounded as between() does: `2,230 to 2,400`."""
    return "not known" if low is None or high is None else " to ".join(grouped(end) for end in outwards(low, high))


def outwards(low: float, high: float) -> tuple[float, float]:
    size = width_step(high - low)
    return math.floor(low / size) * size, math.ceil(high / size) * size


def width_step(width: float) -> int:
    return 10 ** int(math.log10(width)) if width >= EXACT_BELOW else 1


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 gateway`, `3 gateways`, `no gateway`."""
    return f"{'no' if number == 0 else grouped(number)} {one if number in (0, 1) else many or one + 's'}"


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def minutes(seconds: float) -> str:
    """`45 seconds`, `12 minutes`, `1.5 hours`, `3 days`."""
    if seconds < 90:
        return counted(max(round(seconds), 0), "second")
    if seconds < 3600 or seconds < 2 * 3600 and seconds % 1800:
        return counted(round(seconds / 60), "minute")
    if seconds >= 48 * 3600:
        return f"{seconds / 86400:.1f}".removesuffix(".0") + " days"
    hours = f"{seconds / 3600:.1f}".removesuffix(".0")
    return "1 hour" if hours == "1" else f"{hours} hours"


def chance(number: float, usual: float, days: int = 1, spread: float = 0) -> float:
    """The most by which a number differs from the mean of so many days by chance alone. `spread`: the standard deviation of these days among themselves."""
    return BEYOND_CHANCE * max(math.sqrt(UNEVENNESS * (number + usual / days)), spread * math.sqrt(1 + 1 / days))


def difference(visits: float, low: float | None, high: float | None, usual: float, usual_low: float | None, usual_high: float | None,
               days: int = 1, spread: float = 0) -> str | None:
    """`about 8 % above {} (between 3 and 14 %)`, where {} stands for the usual figure, a mean of so many days. None where there may be no difference,
    where chance alone makes one so large, or where an interval is not known."""
    if low is None or high is None or usual_low is None or usual_high is None:
        return None
    if low <= usual_high and high >= usual_low:
        return None
    middle, usual_middle = (low + high) / 2, (usual_low + usual_high) / 2
    if abs(middle - usual_middle) <= chance(middle, usual_middle, days, spread):
        return None
    # Where a part was not heard, the counted number lies outside of the interval.
    visits = visits if low <= visits <= high else middle
    usual = usual if usual_low <= usual <= usual_high else usual_middle
    above = low > usual_high
    if usual < PERCENT_FROM:
        usual_words = f"{usual:.1f}".removesuffix(".0")
        return f"{'above' if above else 'below'} {{}}: {grouped(visits)} instead of {usual_words}"
    least, most = ratio(low, usual_high), ratio(high, usual_low)
    if above and most is not None and least is not None and least + most >= 4:
        return f"about {(least + most) / 2:.1f} times as high as {{}}"
    ends = sorted(abs(one - 1) * 100 for one in (least, most) if one is not None)
    percent = sum(ends) / 2 if len(ends) == 2 else abs(middle / usual_middle - 1) * 100
    said = f"about {max(1, round(percent))} % {'above' if above else 'below'} {{}}"
    if len(ends) < 2:
        return said
    first, last = math.floor(ends[0]), math.ceil(ends[1])
    return said + (f" (between {first} and {last} %)" if first >= 1 else f" (at most {last} %)")


def ratio(number: float, of: float) -> float | None:
    return number / of if of > 0 else None
