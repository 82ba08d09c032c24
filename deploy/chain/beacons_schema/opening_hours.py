"""Opening hours in OpenStreetMap's syntax, the common subset: `Mo-Fr 08:00-20:00; Sa 09:00-12:00,13:00-18:00; PH off`.

A rule names days, and times or `off`. A later rule replaces an earlier one on the days that it names. Days are Mo to Su, ranges of them,
lists, and PH for public holidays; a rule without days holds on each day. A time range may end after midnight, as 22:00-02:00 or 22:00-26:00.
https://wiki.openstreetmap.org/wiki/Key:opening_hours
"""

import re

WEEKDAYS = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
HOLIDAY = 8
DAY_MINUTES = 24 * 60
# More than a year of rules is a mistake.
MOST_RULES, LONGEST_TEXT = 50, 500
DAYS = r"(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)"
RULE = re.compile(rf"(?:(?P<days>{DAYS}(?:-{DAYS})?(?:\s*,\s*{DAYS}(?:-{DAYS})?)*)(?:\s+|$))?(?P<times>.*)")
RANGE = re.compile(r"(\d\d):(\d\d)\s*-\s*(\d\d):(\d\d)", re.ASCII)

# Minutes since midnight: from, and to, which may lie on the next day.
Ranges = list[tuple[int, int]]


def opening_hours(text: str) -> dict[int, Ranges] | None:
    """The opening times by weekday, 1 for Monday to 7, and 8 for a public holiday if a rule names it; None for a store that is always open.

    Raises ValueError with the part that is not understood.
    """
    text = text.strip()
    if text in ("", "24/7"):
        return None
    if len(text) > LONGEST_TEXT or text.count(";") >= MOST_RULES:
        raise ValueError(f"longer than {LONGEST_TEXT} characters or {MOST_RULES} rules")
    week: dict[int, Ranges] = {day: [] for day in range(1, 8)}
    for rule in text.removesuffix(";").split(";"):
        found = RULE.fullmatch(rule.strip())
        if not found or not found["times"].strip():
            raise ValueError(f"{rule.strip()[:50]!r} is no rule such as Mo-Fr 08:00-20:00")
        times = times_of(found["times"].strip(), rule.strip())
        for day in days_of(found["days"]) if found["days"] else [*range(1, 8)]:
            week[day] = times
    return week


def days_of(text: str) -> list[int]:
    days = []
    for part in re.split(r"\s*,\s*", text):
        first, _, last = part.partition("-")
        if last and "PH" in (first, last):
            raise ValueError(f"{part}: a range of public holidays")
        if first == "PH":
            days.append(HOLIDAY)
            continue
        begin, end = WEEKDAYS.index(first), WEEKDAYS.index(last or first)
        # Sa-Mo goes over the end of the week.
        days += [(begin + step) % 7 + 1 for step in range((end - begin) % 7 + 1)]
    return days


def times_of(text: str, rule: str) -> Ranges:
    if text in ("off", "closed"):
        return []
    if text == "24/7":
        return [(0, DAY_MINUTES)]
    ranges = []
    for part in text.split(","):
        found = RANGE.fullmatch(part.strip())
        if not found:
            raise ValueError(f"{rule[:50]!r}: {part.strip()[:30]!r} is no time such as 08:00-20:00")
        hour, minute, to_hour, to_minute = map(int, found.groups())
        begin, end = hour * 60 + minute, to_hour * 60 + to_minute
        if hour > 23 or minute > 59 or to_minute > 59 or end > 2 * DAY_MINUTES:
            raise ValueError(f"{rule[:50]!r}: {part.strip()} is no time of a day")
        # 22:00-02:00 ends on the next day.
        ranges.append((begin, end if end > begin else end + DAY_MINUTES))
    ranges.sort()
    for (_, end), (begin, _) in zip(ranges, ranges[1:], strict=False):
        if begin < end:
            raise ValueError(f"{rule[:50]!r}: two of its times overlap")
    return ranges
