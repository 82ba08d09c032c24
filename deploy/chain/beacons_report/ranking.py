"""The stores of the chain in one week, ranked: those with the most visits first, and each beside its own week before."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import jinja2
import psycopg
from markupsafe import Markup

from .figures import difference, ends_of, grouped, minutes
from .model import named
from .source import CannotReport, Source
from .weeks import Week, monday_of, span_of

FOLDER = Path(__file__).parent
MOST_STORES = 1_000
# A store's region with the most visits stands for it, as in its own report. Stores of which nothing is known come last.
STORES = """WITH region AS (
    SELECT d.site, d.region, d.day >= %(first)s AS is_now, sum(d.visits)::integer AS visits, sum(d.visits_low)::integer AS low, sum(d.visits_high)::integer AS high,
        count(*) FILTER (WHERE d.visits_low IS NULL) AS unknown, array_agg(d.day - CASE WHEN d.day >= %(first)s THEN %(first)s ELSE %(before)s END ORDER BY d.day) AS days,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY d.dwell_p50_s) AS dwell_s, avg(coalesce(d.open_share, d.covered_share)) FILTER (WHERE d.open_share IS NOT NULL) AS heard
    FROM beacons.occupancy_daily d WHERE d.day >= %(before)s AND d.day < %(end)s GROUP BY 1, 2, 3
), main AS (
    SELECT DISTINCT ON (t.site) t.* FROM region t WHERE t.is_now ORDER BY t.site, t.visits DESC, t.region
)
SELECT s.site, coalesce(p.name, s.site), m.visits, m.low, m.high, m.unknown, m.dwell_s, m.heard, b.visits, b.low, b.high, b.unknown, b.days = m.days
FROM (SELECT site FROM beacons.store UNION SELECT site FROM main) s LEFT JOIN beacons.store p USING (site) LEFT JOIN main m USING (site)
LEFT JOIN region b ON b.site = m.site AND b.region = m.region AND NOT b.is_now
ORDER BY m.visits DESC NULLS LAST, s.site LIMIT %(most)s"""
# In a store's own time zone, the earliest of all.
DATE = """SELECT coalesce(min((%(at)s AT TIME ZONE zone)::date), (%(at)s AT TIME ZONE 'UTC')::date)
FROM (SELECT DISTINCT beacons.time_zone_of(site) FROM (SELECT site FROM beacons.store UNION SELECT site FROM beacons.gateway) s) z (zone)"""


@dataclass(frozen=True)
class Rank:
    """A store's line. `place` is None where nothing is known of the week."""

    place: int | None
    site: str
    name: str
    visits: str
    interval: str
    change: str
    dwell: str
    heard: str


def ranking(source: Source, chosen: date | None) -> tuple[Week, list[Rank]]:
    """The chosen week, or the last one that is over in each store's time zone."""
    running = monday_of(source.one(DATE, at=source.now))
    first = chosen or running - timedelta(days=7)
    if first >= running:
        raise CannotReport(f"the week {Week(first, ZoneInfo('UTC')).name} is not over in each store's time zone: the stores are ranked by whole weeks")
    rows = source.rows(STORES, first=first, before=first - timedelta(days=7), end=first + timedelta(days=7), most=MOST_STORES)
    return Week(first, ZoneInfo("UTC")), [rank(number, *row) for number, row in enumerate(rows, 1)]


def rank(place: int, site: str, name: str, visits: int | None, low: int | None, high: int | None, unknown: int | None, dwell_s: float | None,
         heard: float | None, before: int | None, before_low: int | None, before_high: int | None, before_unknown: int | None, same_days: bool | None) -> Rank:
    if visits is None:
        return Rank(None, site, named(name), "–", "–", "–", "–", "nothing")
    # A sum over days of which one is not known says too little.
    low, high = (None, None) if unknown else (low, high)
    before_low, before_high = (None, None) if before_unknown or not same_days else (before_low, before_high)
    change = None if before is None else difference(visits, low, high, before, before_low, before_high)
    return Rank(place, site, named(name), grouped(visits), ends_of(low, high), change.format("it") if change else "–",
                minutes(dwell_s) if dwell_s is not None else "–", f"{heard * 100:.0f} %" if heard is not None else "closed")


def chain_page(database: str, chosen: date | None) -> str:
    with psycopg.connect(database, connect_timeout=10, application_name="beacons_report") as connection:
        week, ranks = ranking(Source(connection), chosen)
    if not ranks:
        raise CannotReport("no store has published anything yet; deploy/chain/stores loads names")
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("chain.html").render(week=week, span=span_of(week), ranks=ranks, most=MOST_STORES,
                                                         style=Markup((FOLDER / "style.css").read_text()))
