"""Generates a month of a chain in the database and measures the views. Run by Tests/Tools/chain-figures.

The script writes visits, numbers and changes in bulk, because the triggers of collectors would take hours. The schema's own roll-up makes stays
and hours. The schema's tests prove that both ways give the same.
"""

import json
import os
import re
import sys
import time

import psycopg

from servers import ROOT, PostgreSQL, run

MOST_STORES, GATEWAYS, DAYS, BEACONS = 1000, 4, 30, 200

GATEWAY = """
INSERT INTO beacons.gateway (site, gateway, newest_at)
SELECT 'store-' || s, 'g' || g, now() FROM generate_series(1, {stores}) s, generate_series(0, {gateways} - 1) g;
INSERT INTO beacons.region_gateway SELECT site, 'carts', gateway FROM beacons.gateway;
INSERT INTO beacons.number SELECT id, 'e', block, int8multirange(int8range(greatest(1, block * 4096), least({last} + 1, (block + 1) * 4096)))
FROM beacons.gateway, generate_series(0, {last} / 4096) block;
INSERT INTO beacons.coverage_span (site, gateway, epoch, span, from_at, to_at, radio)
SELECT site, gateway, 'e', 1 + 12 * d + h, day + make_interval(hours => 8 + h), day + make_interval(hours => 9 + h), 'scanning'
FROM beacons.gateway, generate_series(0, {days} - 1) d, generate_series(0, 11) h,
    LATERAL (SELECT timestamptz '{first}' + make_interval(days => d) AS day) of_day;
INSERT INTO beacons.changed SELECT 'store-' || s, 'U/1/' || m, '{first}', timestamptz '{first}' + interval '{days} days'
FROM generate_series(1, {stores}) s, generate_series(0, {beacons} - 1) m"""

# One store's day: visits over twelve hours, of a minute to a quarter of an hour.
DAY = """
WITH visit AS MATERIALIZED (
    SELECT 'store-' || s AS site, 'g' || v % {gateways} AS gateway, 2 * ({day} * ({visits} / {gateways}) + v / {gateways}) AS seq, m.minor,
        entered.at AS entered_at, entered.at + make_interval(secs => 60 + 840 * random()) AS left_at
    FROM generate_series(1, {stores}) s, generate_series(0, {visits} - 1) v,
        LATERAL (SELECT (v * 7919 + s * 104729 + {day} * 31) % {beacons} AS minor) m,
        LATERAL (SELECT timestamptz '{first}' + make_interval(days => {day}, hours => 8, secs => 43200.0 * v / {visits} + 30 * random()) AS at) entered
), event AS (
    INSERT INTO beacons.event (site, gateway, epoch, seq, at, received_at, type, region, uuid, major, minor, rssi_dbm, entered_at, last_heard_at, dwell_s)
    SELECT site, gateway, 'e', seq + 1, entered_at, entered_at, 'enter', 'carts', 'U', 1, minor, -70, NULL, NULL, NULL FROM visit
    UNION ALL
    SELECT site, gateway, 'e', seq + 2, left_at + interval '20 s', left_at + interval '20 s', 'exit', 'carts', 'U', 1, minor, -70, entered_at, left_at,
        extract(epoch FROM left_at - entered_at) FROM visit
)
INSERT INTO beacons.visit_day (site, gateway, region, uuid, major, minor, entered_at, left_at, dwell_s, exit_at)
SELECT site, gateway, 'carts', 'U', 1, minor, entered_at, left_at, extract(epoch FROM left_at - entered_at), left_at + interval '20 s' FROM visit"""

STORE_DAY = "site = 'store-7' AND {0} >= timestamptz '{first}' + interval '10 days' AND {0} < timestamptz '{first}' + interval '11 days'"
QUESTIONS = {
    "a day of one store: events": "SELECT * FROM beacons.event WHERE " + STORE_DAY.replace("{0}", "at"),
    "a day of one store: visits": "SELECT * FROM beacons.visit WHERE " + STORE_DAY.replace("{0}", "entered_at"),
    "a day of one store: stays": "SELECT * FROM beacons.stay WHERE " + STORE_DAY.replace("{0}", "entered_at"),
    "a day of one store: hours": "SELECT * FROM beacons.occupancy_hourly WHERE " + STORE_DAY.replace("{0}", "hour"),
    "a month of one store: visits by day":
        "SELECT entered_at::date, count(*), avg(dwell_s) FROM beacons.visit WHERE site = 'store-7' AND entered_at >= '{first}' GROUP BY 1",
    "a month of the chain by hour":
        "SELECT hour, sum(visits), avg(covered_share) FROM beacons.occupancy_hourly WHERE region = 'carts' AND hour >= '{first}' GROUP BY 1",
    "a day of the chain: visits by store":
        "SELECT site, count(*) FROM beacons.visit WHERE entered_at >= timestamptz '{first}' + interval '10 days' "
        "AND entered_at < timestamptz '{first}' + interval '11 days' GROUP BY 1",
    "coverage of one store": "SELECT * FROM beacons.coverage WHERE site = 'store-7'",
    "missing, the whole chain": "SELECT * FROM beacons.missing",
}


class Spent:
    """The costs of a database session since then: on a busy machine its processor time shows more than the clock."""

    def __init__(self, process):
        self.process = process
        self.begin, self.before = time.monotonic(), self.ticks()

    def ticks(self):
        with open(f"/proc/{self.process}/stat", encoding="utf-8") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))

    def processor(self):
        return (self.ticks() - self.before) / os.sysconf("SC_CLK_TCK")

    def __str__(self):
        return f"{self.processor():7.2f} s of processor, {time.monotonic() - self.begin:7.2f} s"


def partitions(plan):
    """The days whose partitions a plan really looked at."""
    found = set()
    if plan.get("Actual Loops") and (match := re.search(r"_(\d{8})$", plan.get("Relation Name", ""))):
        found.add(match[1])
    for child in plan.get("Plans", ()):
        found |= partitions(child)
    return found


def main(millions):
    database = PostgreSQL().start()
    run(ROOT / "deploy/chain/schema", "--database", database.url)
    # Up to ten million, more stores; beyond, more visits in each.
    stores = max(10, min(MOST_STORES, round(millions * 100)))
    visits = max(GATEWAYS, round(millions * 1e6 / 2 / stores / DAYS / GATEWAYS) * GATEWAYS)
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET max_parallel_workers_per_gather = 0")
        (first,) = connection.execute("SELECT (now() AT TIME ZONE 'UTC')::date - 31").fetchone()
        names = {"stores": stores, "gateways": GATEWAYS, "days": DAYS, "beacons": BEACONS, "visits": visits, "first": f"{first} 00:00Z",
                 "last": 2 * DAYS * visits // GATEWAYS}
        spent = Spent(connection.info.backend_pid)
        connection.execute(GATEWAY.format(**names))
        for day in range(DAYS):
            connection.execute(DAY.format(day=day, **names))
        events = stores * DAYS * visits * 2
        print(f"{events:,} events of {stores} stores generated: {spent}", flush=True)
        connection.execute("SET session_replication_role = origin")
        connection.execute("VACUUM ANALYZE")
        spent = Spent(connection.info.backend_pid)
        connection.execute("SELECT beacons.roll_up()")
        print(f"rolled up at once: {spent}, {1000 * spent.processor() / events:.3f} ms an event", flush=True)
        connection.execute("VACUUM ANALYZE")
        (octets,) = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        print(f"{octets / 2**30:.1f} GiB, {octets / events:.0f} bytes an event with all that is made from it, without payload", flush=True)
        for question, text in QUESTIONS.items():
            spent = Spent(connection.info.backend_pid)
            rows = connection.execute(text.format(**names)).fetchall()
            said = str(spent)
            ((plan,),) = connection.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + text.format(**names))
            plan = plan if isinstance(plan, list) else json.loads(plan)
            print(f"{question:36} {said}, {len(rows):7,} rows, {len(partitions(plan[0]['Plan'])):2} days touched", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]))
