"""The tables of the lake: their columns, and the query that reads a day of each from the database.

    at the folder   from PostgreSQL                     the day of a row
    event           table event                         of `at`
    coverage        view coverage, cut at midnight      of `from_at`
    visit, stay     views visit and stay                of `entered_at`
    occupancy_hour  view occupancy_hourly               of `hour`
    occupancy_day   view occupancy_daily                the store's own `day`
    deaf            coverage_span whose radio is deaf, cut at midnight
    region_gateway  table region_gateway, as a whole    none: it is small, and each export replaces it where it changed
    store           table store, as a whole             none
"""

from dataclasses import dataclass
from datetime import date, timedelta

import pyarrow as pa

MOMENT = pa.timestamp("us", tz="UTC")
TEXT, LONG, INTEGER, NUMBER, FLAG = pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_()
BEACON = {"uuid": TEXT, "major": INTEGER, "minor": INTEGER}
SPAN = {"site": TEXT, "gateway": TEXT, "from_at": MOMENT, "to_at": MOMENT}


@dataclass(frozen=True, slots=True)
class Table:
    """`changes_with` is the kind of record in beacons.day_changed; a table without one is exported as a whole."""

    name: str
    columns: dict[str, pa.DataType]
    query: str
    changes_with: str | None = None

    @property
    def schema(self) -> pa.Schema:
        """The columns in the files. The day of a row stands in the folder's name."""
        return pa.schema(list(self.columns.items()))

    @property
    def is_daily(self) -> bool:
        return self.changes_with is not None

    @property
    def is_counted(self) -> bool:
        """Whether the database may have to count the rows as it is asked for them."""
        return self.changes_with in ("hour", "day")

    def query_of(self, day: date | None) -> str:
        """The query of a day. It has no parameters, because COPY takes none; a day cannot hold SQL."""
        if day is None:
            return self.query
        begin, end = f"timestamptz '{day} 00:00+00'", f"timestamptz '{day + timedelta(days=1)} 00:00+00'"
        return self.query.format(begin=begin, end=end, day=day)


def rows_of(source: str, columns: dict[str, pa.DataType], moment: str) -> str:
    names = ", ".join("payload::text AS payload" if name == "payload" else name for name in columns)
    return f"SELECT {names} FROM beacons.{source} WHERE {moment} >= {{begin}} AND {moment} < {{end}}"


def spans_of(source: str) -> str:
    """The times of each gateway within a day, those that touch joined."""
    return (
        "SELECT site, gateway, lower(span) AS from_at, upper(span) AS to_at FROM ("
        "SELECT site, gateway, range_agg(tstzrange(from_at, to_at) * tstzrange({begin}, {end})) AS spans FROM ("
        f"{source}) span WHERE from_at < {{end}} AND (to_at IS NULL OR to_at > {{begin}}) GROUP BY site, gateway) joined "
        "CROSS JOIN LATERAL unnest(spans) span")


EVENT = {
    "site": TEXT, "gateway": TEXT, "epoch": TEXT, "seq": LONG, "at": MOMENT, "received_at": MOMENT, "type": TEXT, "region": TEXT, **BEACON,
    "zone": TEXT, "rssi_dbm": NUMBER, "accuracy_m": NUMBER, "proximity": TEXT, "entered_at": MOMENT, "last_heard_at": MOMENT,
    "last_inside_at": MOMENT, "dwell_s": NUMBER, "partial": FLAG, "inferred": FLAG, "latitude": NUMBER, "longitude": NUMBER, "payload": TEXT,
    "marked": FLAG}
VISIT = {
    "site": TEXT, "gateway": TEXT, "region": TEXT, **BEACON, "zone": TEXT, "entered_at": MOMENT, "left_at": MOMENT, "dwell_s": NUMBER,
    "partial": FLAG, "inferred": FLAG}
STAY = {"site": TEXT, **BEACON, "entered_at": MOMENT, "left_at": MOMENT, "dwell_s": NUMBER, "gateways": pa.list_(TEXT)}
HOUR = {"site": TEXT, "region": TEXT, "hour": MOMENT, "visits": INTEGER, "beacons": INTEGER, "mean_present": NUMBER, "covered_share": NUMBER}
DAY = {
    "site": TEXT, "region": TEXT, "visits": INTEGER, "visits_low": INTEGER, "visits_high": INTEGER, "beacons": INTEGER, "mean_present": NUMBER,
    "peak_present": INTEGER, "peak_at": MOMENT, "dwell_p25_s": NUMBER, "dwell_p50_s": NUMBER, "dwell_p75_s": NUMBER, "covered_share": NUMBER, "open_share": NUMBER}
STORE = {"site": TEXT, "name": TEXT, "time_zone": TEXT, "opening_hours": TEXT, "latitude": NUMBER, "longitude": NUMBER}
SPANS = "SELECT site, gateway, from_at, to_at FROM beacons.coverage_span WHERE "

TABLES = (
    Table("event", EVENT, rows_of("event", EVENT, "at"), "event"),
    Table("coverage", SPAN, spans_of(
        f"{SPANS} beacons.hears(radio) UNION ALL SELECT site, gateway, from_at, to_at FROM beacons.coverage_open"), "coverage"),
    Table("deaf", SPAN, spans_of(f"{SPANS} NOT beacons.hears(radio)"), "coverage"),
    Table("visit", VISIT, rows_of("visit", VISIT, "entered_at"), "visit"),
    Table("stay", STAY, rows_of("stay", STAY, "entered_at"), "stay"),
    Table("occupancy_hour", HOUR, rows_of("occupancy_hourly", HOUR, "hour"), "hour"),
    Table("occupancy_day", DAY, f"SELECT {', '.join(DAY)} FROM beacons.occupancy_daily WHERE day = '{{day}}'", "day"),
    Table("store", STORE, f"SELECT {', '.join(STORE)} FROM beacons.store"),
    Table("region_gateway", {"site": TEXT, "region": TEXT, "gateway": TEXT}, "SELECT site, region, gateway FROM beacons.region_gateway"),
    Table("exported", {"table_name": TEXT, "day": pa.date32(), "rows": LONG, "digest": TEXT}, ""),
)
DAILY = tuple(table for table in TABLES if table.is_daily)
EXPORTED = TABLES[-1]
WHOLE = tuple(table for table in TABLES if not table.is_daily and table is not EXPORTED)
