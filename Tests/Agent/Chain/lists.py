"""Lists of beacons as gateways publish them, and a register: for the tests of beacons.

A beacon is `major/minor`, as in a story.
"""

from story import UUID, StoryTest, at, clock, stamp


def entry(beacon, heard, first=None, **more):
    """A beacon in a list, last heard at `heard`."""
    major, minor = map(int, beacon.split("/"))
    return {"uuid": UUID, "major": major, "minor": minor, "first_heard_at": stamp(first or heard), "last_heard_at": stamp(heard),
            "interval_ms": 1000, "rssi_dbm": -70} | more


def page(gateway, moment, *entries, number=0, pages=1):
    return {"kind": "beacons", "gateway": gateway, "payload": {
        "schema": 1, "at": stamp(moment), "clock": "synced", "page": number, "pages": pages, "beacons": list(entries)}}


class ListTest(StoryTest):
    def register(self, beacon, since="-240:00", site=None, asset="cart"):
        major, minor = map(int, beacon.split("/"))
        self.connection.execute(
            "INSERT INTO beacons.register VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (site, uuid, major, minor) DO UPDATE SET since = excluded.since",
            (site or self.site, UUID, major, minor, asset, at(since).date()))

    def beacons(self, columns="first_heard_at, last_heard_at, gateways", site=None):
        return [(f"{major}/{minor}", *[clock(value) if hasattr(value, "tzinfo") else value for value in rest]) for major, minor, *rest in self.query(
            f"SELECT major, minor, {columns} FROM beacons.beacon WHERE site = %(its)s ORDER BY 1, 2", its=site or self.site)]

    def silent(self, site=None):
        """The silent beacons with their covered days."""
        return [(f"{major}/{minor}", round(days, 2)) for major, minor, days in self.query(
            "SELECT major, minor, silent_days FROM beacons.beacon_silent WHERE site = %(its)s ORDER BY 1, 2", its=site or self.site)]
