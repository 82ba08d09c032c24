"""The report's tables as CSV files in one archive: plain numbers, times of the store with their offset from UTC, and no rounding."""

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from .model import StoreWeek
from .weeks import Week

# The first time that the format knows: the same data give the same bytes.
NO_TIME = (1980, 1, 1, 0, 0, 0)
Table = tuple[str, Sequence[str], list[Sequence[Any]]]
# A spreadsheet takes a field that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def archive_of(found: StoreWeek) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, header, rows in tables_of(found):
            text = io.StringIO(newline="")
            table = csv.writer(text)
            table.writerow(header)
            table.writerows([plain(value) for value in row] for row in rows)
            archive.writestr(zipfile.ZipInfo(f"{name}.csv", NO_TIME), text.getvalue())
    return file.getvalue()


def plain(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and value.startswith(FORMULA) else value


def tables_of(found: StoreWeek) -> Iterator[Table]:
    """Each with its name, header and rows. A column that a view of the database has too has the view's name."""
    week = found.week
    yield "days", ("region", "day", "visits", "visits_low", "visits_high", "dwell_p25_s", "dwell_p50_s", "dwell_p75_s", "covered_share", "open_share",
                   "week_before", "mean_4_weeks", "year_before"), [
        (region.name, day, one.visits, one.low, one.high, *(one.dwell_s or (None,) * 3), one.covered_share, one.open_share,
         visits_in(region.before, week.before, week, day), region.usual[day].visits if day in region.usual else None,
         visits_in(region.year_before, week.year_before, week, day))
        for region in found.regions for day, one in region.days.items()]
    yield "hours", ("region", "local_hour", "visits", "covered_share"), [
        (region.name, time(hour.at, week), hour.visits, hour.covered_share) for region in found.regions for hour in region.hours]
    yield "zones", ("region", "zone", "visits", "share", "dwell_p50_s"), [
        (region.name, zone.name, zone.visits, zone.visits / region.visits if region.visits else None, zone.dwell_s)
        for region in found.regions for zone in region.zones]
    yield "ways", ("region", "from_zone", "to_zone", "visits"), [
        (region.name, way.from_zone, way.to_zone, way.visits) for region in found.regions for way in region.ways]
    yield "not_heard", ("region", "from_at", "to_at"), [
        (region.name, time(gap.from_at, week), time(gap.to_at, week)) for region in found.regions for gap in region.gaps]
    yield "people", ("region", "gateway", "day", "entered", "left", "peak_present", "left_out", "partial"), [
        (one.region, one.gateway, day.day, day.entered, day.left, day.peak_present, day.left_out, day.partial) for one in found.people for day in one.days]
    yield "people_dwell", ("region", "gateway", "from_s", "visits"), [
        (one.region, one.gateway, from_s, visits) for one in found.people for from_s, visits in one.dwell]
    yield "heat", ("floor", "x_m", "y_m", "cell_m", "seconds"), [
        (floor, cell.x_m, cell.y_m, cell.size_m, cell.seconds) for floor, cells in found.floors.items() for cell in cells]
    yield "devices", ("kind", "device", "what", "since"), [
        (kind, device.name, device.why, device.since and time(device.since, week))
        for kind, devices in (("gateway", found.devices.gateways), ("beacon", found.devices.beacons)) for device in devices]


def visits_in(days: Any, then: Week, week: Week, day: Any) -> int | None:
    former = then.first + (day - week.first)
    return days[former].visits if former in days else None


def time(at: datetime, week: Week) -> str:
    return week.local(at).isoformat()
