"""Writes the lists of a chain's beacons into the database and measures the views. Run by Tests/Tools/beacon-figures.

The script writes rows in bulk. Only the pages of the last part go through the collectors' function.
"""

import datetime
import json
import sys

import psycopg

from chain_figures import Spent
from servers import ROOT, PostgreSQL, run

GATEWAYS, BEACONS, DAYS, PAGE = 4, 100, 400, 200
UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"

FILL = """
INSERT INTO beacons.register SELECT 'store-' || s, '{uuid}', s, m, 'cart ' || m, DATE '2025-01-01'
FROM generate_series(1, {stores}) s, generate_series(1, {beacons}) m;
INSERT INTO beacons.beacon_page SELECT 'store-' || s, 'g' || g, 0, 1, now() - interval '20 min', now(), now() - interval '{days} days', 'x'
FROM generate_series(1, {stores}) s, generate_series(1, {gateways}) g;
INSERT INTO beacons.beacon_heard
SELECT 'store-' || s, '{uuid}', s, m, 'g' || (m + g) % {gateways} + 1, now() - interval '{days} days',
    CASE m WHEN {beacons} THEN now() - interval '1 day' * (2 + s % ({days} - 10)) ELSE now() - interval '21 min' END,
    now() - interval '20 min', 1000, -70, 80, 2950, 21, now() - interval '1 hour', 'minew'
FROM generate_series(1, {stores}) s, generate_series(1, {beacons}) m, generate_series(0, 1) g;
INSERT INTO beacons.covered_day
SELECT 'store-' || s, 'g' || g, d.day, tstzmultirange(tstzrange(d.day, least(now() - interval '10 min', d.day + 1)))
FROM generate_series(1, {stores}) s, generate_series(1, {gateways}) g,
    LATERAL (SELECT CURRENT_DATE - back AS day FROM generate_series(0, {days} - 1) back) d;
INSERT INTO beacons.battery_daily SELECT 'store-' || s, '{uuid}', s, m, CURRENT_DATE - back, 48, 80 + back / 10.0, 79, 2900 + 3 * back, 2890, 21
FROM generate_series(1, {stores}) s, generate_series(1, {beacons}) m, generate_series(0, 27) back"""

QUESTIONS = {
    "beacon_silent of one store": "SELECT * FROM beacons.beacon_silent WHERE site = 'store-7'",
    "beacon_silent of the chain": "SELECT * FROM beacons.beacon_silent",
    "beacon_battery of one store": "SELECT * FROM beacons.beacon_battery WHERE site = 'store-7'",
    "beacon_battery of the chain": "SELECT * FROM beacons.beacon_battery",
    "beacon_stranger of the chain": "SELECT * FROM beacons.beacon_stranger",
    "beacon of the chain": "SELECT count(*) FROM beacons.beacon",
}


def batch(hour, pages):
    """Pages of as many stores, as a collector hands them on."""
    at = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=50 - hour)
    said = at.isoformat().replace("+00:00", "Z")
    entries = [{"uuid": UUID, "major": 65535, "minor": minor, "first_heard_at": said, "last_heard_at": said, "interval_ms": 1000, "rssi_dbm": -70,
                "battery_mv": 2950, "temperature_c": 21, "telemetry_at": said, "format": "minew"} for minor in range(PAGE)]
    payload = {"schema": 1, "at": said, "page": 0, "pages": 1, "beacons": entries}
    return json.dumps([{"i": index, "kind": "beacons", "site": f"more-{index}", "gateway": "g1", "received_at": said, "payload": payload} for index in range(pages)])


def main(stores):
    database = PostgreSQL().start()
    run(ROOT / "deploy/chain/schema", "--database", database.url)
    with psycopg.connect(database.url, autocommit=True) as connection:
        process = connection.info.backend_pid
        connection.execute("SET max_parallel_workers_per_gather = 0")
        connection.execute("SET timezone = 'UTC'")
        spent = Spent(process)
        connection.execute(FILL.format(uuid=UUID, stores=stores, gateways=GATEWAYS, beacons=BEACONS, days=DAYS))
        connection.execute("VACUUM ANALYZE")
        print(f"{stores * BEACONS:,} beacons of {stores} stores written: {spent}", flush=True)
        for table in ("beacon_heard", "battery_daily", "covered_day"):
            rows, octets = connection.execute(f"SELECT count(*), pg_total_relation_size('beacons.{table}') FROM beacons.{table}").fetchone()
            print(f"{table:30} {rows:11,} rows of {octets / rows:.0f} bytes", flush=True)
        for question, text in QUESTIONS.items():
            spent = Spent(process)
            rows = connection.execute(text).fetchall()
            print(f"{question:30} {spent}, {len(rows):7,} rows", flush=True)
        for name, pages in (("page by page", 1), ("in batches of 20 pages", 20)):
            for what, hours in (("new", range(1)), ("again", range(1, 21))):
                start = 0 if pages == 1 else 30
                spent = Spent(process)
                for hour in hours:
                    connection.execute("SELECT count(*) FROM beacons.take(%s::jsonb)", (batch(start + hour, pages),))
                print(f"{f'take, {name}, {what}':40} {spent}, {1000 * spent.processor() / len(hours) / pages:.1f} ms a page of {PAGE}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
