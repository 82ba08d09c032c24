"""The page: what each section shows, handed to a template that escapes every name."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from . import plots
from .days import absent, day_bars, day_row, dwell_rows, interval_words
from .captions import day_caption, hour_caption, table_caption
from .figures import about, counted, grouped, minutes
from .heat import heat_map
from .hours import by_hour, hour_bars, hour_rows
from .model import Device, Devices, Gap, People, Region, StoreWeek
from .plan import Plan
from .sentences import clock_changes, help_needed, of_people, summary
from .weeks import Week, clock, dated, span_of, weekday

FOLDER = Path(__file__).parent
MOST_GAPS = 15
MOST_SPOTS = 5


def page_of(found: StoreWeek, enough: float, refresh_s: int | None = None, plan: Plan | None = None) -> str:
    """The page as HTML. With `refresh_s` the browser reads it anew, without a script."""
    week = found.week
    alone = found.alone
    regions = [section(region, found, alone, enough, number) for number, region in enumerate(found.regions)]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
                                     lstrip_blocks=True)
    environment.filters["titled"] = titled
    return environment.get_template("page.html").render(
        place=found.place, week=week, span=span_of(week), until=week.until and moment(week.ends_at, week), alone=alone, regions=regions,
        style=Markup((FOLDER / "style.css").read_text()), changes=list(clock_changes(week)), help=help_needed(found.devices), refresh_s=refresh_s,
        others=[(one.name, grouped(one.visits), interval_words(*(one.interval or (None, None)))) for one in found.others], more_regions=grouped(found.more_regions),
        more=found.more_regions, more_visits=grouped(found.more_visits), floors=[floor(name, cells, number, of_floor(plan, name, found)) for number, (name, cells) in enumerate(
            found.floors.items())], floors_left_out=found.floors_left_out, devices=found.devices,
        known=counted(found.devices.gateways_known, "gateway"), strangers=counted(found.devices.strangers, "beacon"),
        gateways=[device_row(one, week) for one in found.devices.gateways], beacons=[device_row(one, week) for one in found.devices.beacons],
        as_of=found.devices.as_of and moment(found.devices.as_of, week), as_of_later=bool(found.devices.as_of and found.devices.as_of > week.midnight(week.last + timedelta(days=1))), none=none_in_need(found.devices),
        heard=heard_figure(found), first=found.regions[0].name if found.regions else None,
        lead=regions[0]["sentences"] if regions else [of_people(one, week) for one in found.people],
        people=[people_section(one, week) for one in found.people], people_left_out=found.people_left_out)


def people_section(one: People, week: Week) -> dict[str, Any]:
    """The words and figures of a region of people."""
    in_all = sum(visits for _, visits in one.dwell)
    return {
        "region": one.region, "gateway": one.gateway, "is_joint": one.is_joint, "sentence": of_people(one, week),
        "days": [(f"{weekday(day.day)} {dated(day.day)}" + ("*" if day.partial else ""), grouped(day.entered), grouped(day.left), grouped(day.peak_present),
                  grouped(day.left_out)) for day in one.days],
        "dwell": [(minutes(from_s) if from_s else "at once", grouped(visits), share_of(visits, in_all)) for from_s, visits in one.dwell]}


def section(region: Region, found: StoreWeek, alone: bool, enough: float, number: int) -> dict[str, Any]:
    """The words and figures of a region for the template."""
    week, opened = found.week, {number for number, _, _ in pieces(found.opening, Week(found.week.first, found.week.zone))}
    ways = [(f"{way.from_zone} → {way.to_zone}", way.visits) for way in region.ways]
    dwell = [(f"{weekday(day)[:2]}", region.days[day].dwell_s if day in region.days else None, absent(region, week, day, opened)) for day in week.days]
    hours, minute = by_hour(region.hours, found.opening, region.gaps, week)
    # A running week has too few days to lie beside a whole one.
    before = by_hour(region.hours_before, found.opening_before, region.gaps_before, week.before)[0] if week.until is None else None
    by_day, bars = day_bars(region, week, enough, opened), hour_bars(hours, before, minute)
    return {
        "name": region.name, "sentences": [kept(sentence) for sentence in summary(region, week, alone, enough, found.place.carriers)],
        "days": [day_row(region, week, day, day.weekday() in opened) for day in week.days],
        "day_plot": plot(plots.bars_by_day(by_day, f"r{number}day")), "day_caption": day_caption(by_day),
        "hour_plot": plot(plots.bars_by_hour(bars, 3, f"r{number}hour")) if any(hour.visits for hour in region.hours) else None,
        "hour_caption": hour_caption(bars), "hours": (rows := hour_rows(hours, minute)), "hours_caption": table_caption(rows), "weekdays": [weekday(day) for day in week.days],
        "dwell_plot": plot(plots.dwell_by_day(dwell, f"r{number}dwell")) if any(one for _, one, _ in dwell) else None, "dwell": dwell_rows(region, week),
        "way_plot": plot(plots.bars_of_ways(ways, f"r{number}way")) if ways else None,
        "zones": [(zone.name, grouped(zone.visits), share_of(zone.visits, region.visits), minutes(zone.dwell_s) if zone.dwell_s is not None else "–")
                  for zone in region.zones], "zones_left_out": region.zones_left_out,
        "ways": [(way.from_zone, way.to_zone, grouped(way.visits)) for way in region.ways], "ways_left_out": region.ways_left_out,
        "gaps": [gap_row(gap, week) for gap in sorted(sorted(region.gaps, key=lambda gap: (-gap.seconds, gap.from_at))[:MOST_GAPS], key=lambda gap: gap.from_at)],
        "gaps_left_out": max(len(region.gaps) - MOST_GAPS, 0), "not_heard": minutes(sum(gap.seconds for gap in region.gaps)),
    }


def share_of(visits: int, of: int) -> str:
    return f"{min(visits / of, 1) * 100:.0f} %" if of else "–"


def kept(sentence: str) -> str:
    """The sentence with each number and its unit on one line."""
    return sentence.replace(" %", "\N{NO-BREAK SPACE}%")


def plot(svg: str) -> Markup:
    return Markup(svg)


def titled(svg: Markup, title: str) -> Markup:
    """The figure with the title that a screen reader and the tags of a PDF say."""
    frame, end, rest = str(svg).partition(">")
    return Markup(frame) + Markup(end) + Markup("<title>{}</title>").format(title) + Markup(rest)


def moment(at: datetime, week: Week) -> str:
    local = week.local(at)
    return f"{weekday(local.date())} {dated(local.date(), year=True)}, {clock(local)}"


def brief_moment(at: datetime, week: Week) -> str:
    """For tables: `Wed 18 Nov, 14:00`."""
    local = week.local(at)
    month = dated(local.date()).split()[1][:3]
    year = f" {local.year}" if local.year != week.last.year else ""
    return f"{weekday(local.date())[:3]} {local.day} {month}{year}, {clock(local)}"


def gap_row(gap: Gap, week: Week) -> tuple[str, str, str]:
    return brief_moment(gap.from_at, week), brief_moment(gap.to_at, week), minutes(gap.seconds)


def device_row(device: Device, week: Week) -> tuple[str, str, str]:
    return device.name, device.why, brief_moment(device.since, week) if device.since else "–"


def none_in_need(devices: Devices) -> str:
    """The kinds of devices of which none needs help. Those that do have a table."""
    kinds = [kind for number, kind in ((devices.gateways_in_all, "gateway"), (devices.beacons_in_all, "beacon")) if not number]
    return f"No {' and no '.join(kinds)} needs help." if kinds else ""


def heard_figure(found: StoreWeek) -> Markup:
    """The largest region's times."""
    week = found.week
    if not found.regions:
        return Markup()
    return plot(plots.timeline([weekday(day)[:2] for day in week.days], pieces(found.opening, week), pieces(found.regions[0].gaps, week), "heard"))


def pieces(times: list[Gap], week: Week) -> list[tuple[int, float, float]]:
    """The parts of times by day: its number, and begin and end in hours of the wall clock."""
    parts = []
    for time in times:
        for number, day in enumerate(week.days):
            begin, end = max(time.from_at, week.midnight(day)), min(time.to_at, week.midnight(day + timedelta(days=1)), week.ends_at)
            if begin < end:
                last = 24.0 if end == week.midnight(day + timedelta(days=1)) else wall_hours(week.local(end))
                parts.append((number, wall_hours(week.local(begin)), last))
    return parts


def wall_hours(local: datetime) -> float:
    return local.hour + local.minute / 60 + local.second / 3600


def of_floor(plan: Plan | None, name: str, found: StoreWeek) -> Plan:
    """The zones of the floor. The picture is of the ground floor, or of the only one."""
    if plan is None:
        return Plan()
    zones = {name: plan.zones.get(name, [])}
    return replace(plan, zones=zones) if name == "0" or len(found.floors) == 1 else Plan(zones=zones)


def floor(name: str, cells: list[Any], number: int, plan: Plan) -> dict[str, Any]:
    """The map of a floor, and its busiest places in words."""
    # A store may have changed the size in the week. The largest one has room for all.
    size = max((cell.size_m for cell in cells if cell.size_m), default=None)
    spots = sorted(cells, key=lambda cell: (-cell.seconds, cell.x_m, cell.y_m))[:MOST_SPOTS]
    drawn, has_empty = heat_map([(cell.x_m, cell.y_m, cell.seconds / 3600) for cell in cells], size, f"floor{number}", plan, plan.zones.get(name, ()))
    return {"name": name, "plot": plot(drawn),
            "spots": [(f"{cell.x_m:g}", f"{cell.y_m:g}", minutes(cell.seconds)) for cell in spots],
            "all": about(sum(cell.seconds for cell in cells) / 3600), "empty": f" {'Empty' if plan.image else 'Dots'}: too few beacons for a figure." if has_empty else ""}
