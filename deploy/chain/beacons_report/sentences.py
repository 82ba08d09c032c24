"""The summary of a region's week: sentences that each follow from one rule, and that claim no more than the figures do."""

import statistics
from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from .figures import EXACT_BELOW, about, between, counted, difference, grouped, listed, minutes
from .model import Day, Devices, Gap, Hour, People, Region, interval_of
from .weeks import WEEKS_BEFORE, WEEKS_OF_YEAR, Week, clock, dated, span_of, weekday

MOST_COMPARED = 3
MOST_GAPS = 3
# A shorter time is shown in the figure, and in no sentence.
SHORTEST_GAP_S = 5 * 60
# With less of the hour heard, its visits are too few to be the most.
HOUR_HEARD = 0.5
# A zone with a larger share of the visits lies on everybody's way.
MOST_SHARE = 0.95
NUMBERS = ("no", "one", "two", "three", "four")


def summary(region: Region, week: Week, alone: bool, enough: float, carriers: str = "carts") -> list[str]:
    """The sentences about a region. `alone`: the store has no other one."""
    return [*total(region, week, alone), *week_before(region, week, enough), *year_before(region, week, enough), *compared(region, week, enough),
            *busiest(region, week, carriers), *dwell(region), *best_zone(region), *not_heard(region, week, alone), *most_common_way(region)]


def total(region: Region, week: Week, alone: bool) -> Iterator[str]:
    so_far = so_far_of(week)
    during = f"{so_far}from {span_of(week)}" if not so_far else f"{so_far}in the week from {span_of(week)}"
    known = region.known
    interval = interval_of(known)
    visits = sum(day.visits for day in known)
    if region.visits == 0:
        yield f"No visit was counted {during}." + (f" The true number is probably at most {grouped(interval[1])}." if interval and interval[1] else "")
    elif interval is None:
        yield f"{grouped(region.visits)} {'visit was' if region.visits == 1 else 'visits were'} counted {during}. How far the truth is from that is not known."
    else:
        without = [day for day in week.days if week.has_begun(day) and unknown(region, week, day)]
        left_out = f", without {listed([weekday(day) for day in without])}" if without else ""
        subject = "The store" if alone else "This region"
        if interval[0] <= visits <= interval[1]:
            # Of a part that was not heard, the counted number is the lower end rather than the middle.
            number = visits if all(day.is_whole for day in known) else sum(interval) / 2
            yield f"{subject} had {about(number, interval[1] - interval[0])} visits {during}{left_out}. The true number is probably {between(*interval)}."
        else:
            # Where a part was not heard, the interval lies above the counted number.
            yield f"{subject} probably had {between(*interval)} visits {during}{left_out}. {grouped(visits)} were counted."


def of_people(one: People, week: Week) -> str:
    """Says how many visits of people were counted, and what is missing."""
    so_far = so_far_of(week)
    number, left_out = sum(day.entered for day in one.days), sum(day.left_out for day in one.days)
    where = "The store" if one.is_joint else f"The gateway {one.gateway}"
    missing = f" {counted(left_out, 'count was', 'counts were')} left out, because too few people came." if left_out else ""
    partly = " Not all of the time of a day with * was heard." if any(day.partial for day in one.days) else ""
    return f"{where} counted {counted(number, 'visit', 'visits')} of people {so_far}from {span_of(week)}.{missing}{partly}"


def unknown(region: Region, week: Week, day: date) -> bool:
    """A day of which too little was heard. A day on which the store was closed is none."""
    if day in region.days:
        return region.days[day].low is None
    return any(week.local(gap.from_at).date() <= day <= week.local(gap.to_at - timedelta(microseconds=1)).date() for gap in region.gaps)


def so_far_of(week: Week) -> str:
    return "" if week.until is None else "so far "


def week_before(region: Region, week: Week, enough: float) -> Iterator[str]:
    yield from beside(region, week, enough, region.before, timedelta(days=7), "the week before")


def year_before(region: Region, week: Week, enough: float) -> Iterator[str]:
    """Says nothing where nothing is known of that week."""
    yield from beside(region, week, enough, region.year_before, timedelta(weeks=WEEKS_OF_YEAR), "the same week of last year")


def beside(region: Region, week: Week, enough: float, former: Mapping[date, Day], distance: timedelta, name: str) -> Iterator[str]:
    """Compares the days that are over and were heard in both weeks."""
    pairs = [(region.days[day], former[day - distance]) for day in week.days if day in region.days and day - distance in former]
    pairs = [(now, then) for now, then in pairs if now.is_over and now.heard_share >= enough and then.heard_share >= enough]
    now, then = interval_of([pair[0] for pair in pairs]), interval_of([pair[1] for pair in pairs])
    if now is None or then is None:
        return
    visits, before = sum(pair[0].visits for pair in pairs), sum(pair[1].visits for pair in pairs)
    days, were = compared_days([pair[0].day for pair in pairs], region, week)
    if found := difference(visits, *now, before, *then):
        yield f"{days} {were} {found.format(name)}."
    else:
        yield f"{days} had about as many visits as {name}: a difference may be chance."


def compared_days(days: list[date], region: Region, week: Week) -> tuple[str, str]:
    """Names the days that were compared, by those that are missing where these are few."""
    known = [day for day in week.days if day in region.days or any(week.local(gap.from_at).date() == day for gap in region.gaps)]
    missing = [day for day in known if day not in days]
    if not missing and week.until is None:
        return "The week", "was"
    if 0 < len(missing) <= 2 < len(days) and week.until is None:
        return f"Without {listed([weekday(day) for day in missing])}, the week", "was"
    names = listed([weekday(day) for day in days])
    return (names, "was") if len(days) == 1 else (f"{names} together", "were")


def compared(region: Region, week: Week, enough: float) -> Iterator[str]:
    """The days that differ most from the same weekday of the four weeks before."""
    found, comparable = [], 0
    for day in week.days:
        figures, usual = region.days.get(day), region.usual.get(day)
        # One former day is the week before.
        if not figures or not usual or not figures.is_over or figures.heard_share < enough or usual.days < 2 or figures.low is None or usual.low is None:
            continue
        comparable += 1
        if words := difference(figures.visits, figures.low, figures.high, usual.visits, usual.low, usual.high, usual.days, usual.spread):
            found.append((abs(figures.middle - usual.middle) / max(usual.middle, 1), day, words.format(usual_named(day, usual.days))))
    found.sort(reverse=True)
    for _, day, words in sorted(found[:MOST_COMPARED], key=lambda one: one[1]):
        yield f"{weekday(day)} was {words}."
    if rest := sorted(day for _, day, _ in found[MOST_COMPARED:]):
        yield f"{listed([weekday(day) for day in rest])} differed as well."
    if comparable and not found:
        yield "No day was clearly above or below the same weekday of the four weeks before."


def usual_named(day: date, days: int) -> str:
    if days == WEEKS_BEFORE:
        return f"the last four {weekday(day)}s"
    return f"the last {NUMBERS[days]} {weekday(day)}s of which there are figures"


def busiest(region: Region, week: Week, carriers: str) -> Iterator[str]:
    """The hour with the most visits. Several such hours have no sentence."""
    heard = [hour for hour in region.hours if hour.covered_share >= HOUR_HEARD]
    most = max((hour.visits for hour in heard), default=0)
    top = [hour for hour in heard if hour.visits == most]
    if most == 0:
        return
    if len(top) == 1:
        yield f"Most {carriers} were there on {hour_named(top[0], week)}: {about(most)}."
    elif len(top) == 2:
        yield f"Most {carriers} were there on {hour_named(top[0], week)} and on {hour_named(top[1], week)}: {about(most)} each."


def hour_named(hour: Hour, week: Week) -> str:
    begin, end = week.local(hour.at), week.local(hour.at + timedelta(hours=1))
    return f"{weekday(begin.date())} between {clock(begin)} and {clock(end)}"


def dwell(region: Region) -> Iterator[str]:
    """The middle of the days' medians: a single long day does not move it."""
    medians = [day.dwell_s[1] for day in region.days.values() if day.dwell_s]
    if medians:
        yield f"Half of the visits lasted longer than about {minutes(statistics.median(medians))}."


def best_zone(region: Region) -> Iterator[str]:
    """The zone besides the ones that nearly all visits touch, which are the ways in and out."""
    chosen = [zone for zone in region.zones if zone.visits < MOST_SHARE * region.visits]
    if chosen and region.visits >= EXACT_BELOW and (len(chosen) == 1 or chosen[0].visits > chosen[1].visits):
        yield f"{about(chosen[0].visits / region.visits * 100).capitalize()} % of the visits reached {chosen[0].name}."


def not_heard(region: Region, week: Week, alone: bool) -> Iterator[str]:
    what = "the store" if alone else "this region"
    if [(gap.from_at, gap.to_at) for gap in region.gaps] == [(week.begins_at, week.ends_at)]:
        yield f"{what[0].upper()}{what[1:]} was not heard in the whole week{'' if week.until is None else ' so far'}."
        return
    whole = [day for day in week.days if wholly_silent(region, week, day)]
    gaps = [gap for gap in region.gaps if gap.seconds >= SHORTEST_GAP_S and week.local(gap.from_at).date() not in whole]
    if whole:
        yield f"On {listed([weekday(day) for day in whole])} {what} was not heard at all."
    named = sorted(sorted(gaps, key=lambda gap: -gap.seconds)[:MOST_GAPS], key=lambda gap: gap.from_at)
    for gap in named:
        yield f"{gap_named(gap, week)} {what} was not heard."
    if rest := [gap for gap in gaps if gap not in named]:
        times = counted(len(rest), "more time")
        yield f"There were {times} without hearing, {minutes(sum(gap.seconds for gap in rest))} in all." if len(rest) > 1 else \
            f"There was {times} without hearing, {minutes(rest[0].seconds)} long."
    if not whole and not gaps:
        yield f"{what[0].upper()}{what[1:]} was heard in all of its opening time." if not region.gaps else \
            f"{what[0].upper()}{what[1:]} was heard in nearly all of its opening time."


def wholly_silent(region: Region, week: Week, day: date) -> bool:
    """A day that was not heard, and whose silence ends with it. A longer silence is named from its beginning to its end."""
    figures = region.days.get(day)
    if not week.is_over(day) or figures is not None and figures.heard_share > 0:
        return False
    dates = [(week.local(gap.from_at).date(), week.local(gap.to_at - timedelta(microseconds=1)).date()) for gap in region.gaps]
    touching = [one for one in dates if one[0] <= day <= one[1]]
    return bool(touching) and all(one == (day, day) for one in touching)


def gap_named(gap: Gap, week: Week) -> str:
    begin, end = week.local(gap.from_at), week.local(gap.to_at)
    if begin.date() == (end - timedelta(microseconds=1)).date():
        last = "24:00" if end.date() > begin.date() else clock(end)
        return f"On {weekday(begin.date())} between {clock(begin)} and {last}"
    return f"From {weekday(begin.date())} {clock(begin)} to {weekday(end.date())} {clock(end)}"


def most_common_way(region: Region) -> Iterator[str]:
    if region.ways and (len(region.ways) == 1 or region.ways[0].visits > region.ways[1].visits):
        way = region.ways[0]
        yield f"The most common way led from {way.from_zone} to {way.to_zone}: {about(way.visits)} times." if way.visits > 1 else \
            f"One way was seen: from {way.from_zone} to {way.to_zone}."


def help_needed(devices: Devices) -> str:
    """One sentence about the devices."""
    if devices.gateways_in_all + devices.beacons_in_all == 0:
        return "No gateway and no beacon needs help."
    parts = [counted(number, kind) for number, kind in ((devices.gateways_in_all, "gateway"), (devices.beacons_in_all, "beacon")) if number]
    words = listed(parts) + (" needs help" if devices.gateways_in_all + devices.beacons_in_all == 1 else " need help")
    return f"{words[0].upper()}{words[1:]}: see the end of this report."


def clock_changes(week: Week) -> Iterator[str]:
    for day, more in week.clock_changes():
        size = minutes(abs(more.total_seconds()))
        if more > timedelta(0):
            yield f"On {weekday(day)} {dated(day)} the clocks went back by {size}, so a time of the night came twice. The tables add both."
        else:
            yield f"On {weekday(day)} {dated(day)} the clocks went forward by {size}, so a time of the night is missing."
