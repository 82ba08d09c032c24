"""Five weeks of a store, taken by a real database: for the tests of the report. Each weekday has its number of visits, and the figures are known."""

import datetime
import json
from zoneinfo import ZoneInfo

from beacons_example.store_messages import StoreMessages

BERLIN = ZoneInfo("Europe/Berlin")
# Monday to Sunday, closed on Sunday.
USUAL = (24, 20, 26, 22, 30, 48, 0)


class PublishedWeeks(StoreMessages):
    """Messages of one store, which a database takes."""

    def __init__(self, site, zone=BERLIN):
        super().__init__(site, zone)

    def take(self, connection):
        for first in range(0, len(self.messages), 1000):
            batch = [{"i": number} | message for number, message in enumerate(self.messages[first:first + 1000])]
            connection.execute("SELECT count(*) FROM beacons.take(%s::jsonb)", (json.dumps(batch),))
        self.messages = []


def publish_weeks(connection, site, monday, weeks=5, changes=None, deaf=(), region="carts", zone=BERLIN, gateway="door"):
    """The weeks up to that of `monday`: heard on weekdays from 8 to 20. `changes` are visits more or less of a day of the last week;
    `deaf` its (day, from hour, to hour) without hearing and without visits."""
    store, minor = PublishedWeeks(site, zone), 0
    for number in range(-7 * (weeks - 1), 7):
        day = monday + datetime.timedelta(days=number)
        visits = USUAL[day.weekday()] + (changes or {}).get(number, 0)
        silent = sorted((begin, end) for which, begin, end in deaf if which == number)
        edges = [8.0] + [edge for pair in silent for edge in pair] + [20.0]
        if USUAL[day.weekday()]:
            for begin, end in zip(edges[::2], edges[1::2]):
                if begin < end:
                    store.heard(store.local(day, begin), store.local(day, end), gateway)
        for visit in range(visits):
            # Half of the visits come in the hour from 11 on.
            hours = 11 + visit % 30 / 40 if visit % 2 else 8.5 + 10 * visit / max(visits, 1)
            if any(begin - 0.5 <= hours < end for begin, end in silent):
                continue
            minor = minor % 60000 + 1
            store.visit(store.local(day, hours), 6 + 4 * (visit % 5), minor, gateway, region)
    store.take(connection)
    return store


def publish_ways(connection, site, monday, ways, gateway="site", region="carts"):
    """Ways between zones on Monday: (from, to, number)."""
    store, minor = PublishedWeeks(site), 0
    for start, end, number in ways:
        for _ in range(number):
            minor += 1
            begin = store.local(monday, 9 + minor % 100 / 20)
            store.visit(begin, 5, minor, gateway, region, start)
            store.visit(begin + datetime.timedelta(minutes=6), 5, minor, gateway, region, end)
    store.take(connection)


def warm(connection, site, monday, floors=1, columns=12, rows=8, size=2.0):
    """A heat map: the nearer to one corner, the longer."""
    hour = datetime.datetime(monday.year, monday.month, monday.day, 12, tzinfo=datetime.UTC)
    connection.cursor().executemany(
        "INSERT INTO beacons.heat (site, floor, x_m, y_m, cell_m, hour, seconds, beacons) VALUES (%s, %s, %s, %s, %s, %s, %s, 7)",
        [(site, floor, size * (x + 0.5), size * (y + 0.5), size, hour, 36000 / (1 + x + y)) for floor in range(floors) for x in range(columns)
         for y in range(rows) if (x + y) % 11 != 10])
