"""The heat map of a store: each sheet counts once, in whatever order and however often sheets come."""

import datetime
import itertools
import json
import random

import psycopg
from beacons_collector.database import Database, Row
from beacons_collector.topics import parse

from story import EPOCH, StoryTest, at, at_once, stamp


def sheet(number, from_at, to_at, cells, gateway="site", epoch=EPOCH, page=0, pages=1, cell_m=2, omitted=(0, 0), unplaced_s=0):
    """A sheet as `beacond site` publishes it. A cell is floor, x_m, y_m, seconds, beacons."""
    names = ("floor", "x_m", "y_m", "seconds", "beacons")
    return {"kind": "heat", "gateway": gateway, "payload": {
        "schema": 1, "at": stamp(to_at), "clock": "synced", "gateway": gateway, "epoch": epoch, "sheet": number, "from_at": stamp(from_at),
        "to_at": stamp(to_at), "page": page, "pages": pages, "cell_m": cell_m, "cells": [dict(zip(names, cell, strict=True)) for cell in cells],
        "omitted_cells": omitted[0], "omitted_s": omitted[1], "unplaced_s": unplaced_s}}


class HeatTest(StoryTest):
    def heat(self, site=None):
        return self.query("SELECT hour, floor, x_m, y_m, seconds, beacons FROM beacons.heat WHERE site = %(site)s ORDER BY 1, 2, 4, 3",
                          **({"site": site} if site else {}))

    def test_the_sheets_of_an_hour_add_up_and_beacons_are_those_of_the_sheet_with_the_most(self):
        sheets = [sheet(1, "9:00", "9:20", [(0, 1, 1, 500, 7), (0, 3, 1, 60, 5)], omitted=(2, 9), unplaced_s=7),
                  sheet(2, "9:21", "10:00", [(0, 1, 1, 40, 5), (1, 1, 1, 8, 6)], omitted=(1, None), unplaced_s=None),
                  sheet(3, "10:00", "11:00", [(0, 1, 1, 70, 9)])]
        self.assertEqual(self.take(sheets), ["new"] * 3)
        self.assertEqual(self.heat(), [(at("9:00"), 0, 1, 1, 540, 7), (at("9:00"), 0, 3, 1, 60, 5), (at("9:00"), 1, 1, 1, 8, 6), (at("10:00"), 0, 1, 1, 70, 9)])
        self.assertEqual(self.query("SELECT to_at - from_at, omitted_cells, omitted_s, unplaced_s FROM beacons.heat_sheet WHERE site = %(site)s ORDER BY sheet LIMIT 2"),
                         [(datetime.timedelta(minutes=20), 2, 9, 7), (datetime.timedelta(minutes=39), 1, None, None)])

    def test_each_sheet_counts_once_in_any_order_and_any_batches(self):
        sheets = [sheet(number, "9:00", "9:30", [(0, 1, 1, 10 ** number, number)], page=number - 1, pages=4) for number in range(1, 5)]
        for place, order in enumerate(itertools.permutations(range(4))):
            site = f"{self.site}-{place}"
            random.seed(place)
            again = [sheets[index] for index in order] + random.choices(sheets, k=6)
            while again:
                size = random.randint(1, 4)
                self.take([{**message, "site": site} for message in again[:size]])
                again = again[size:]
            self.assertEqual(self.heat(site), [(at("9:00"), 0, 1, 1, 11110, 4)], order)

    def test_cells_of_another_size_are_cells_of_their_own(self):
        self.take([sheet(1, "9:00", "9:30", [(0, 1, 1, 5, 5)]), sheet(2, "9:30", "10:00", [(0, 1, 1, 6, 5)], cell_m=0.4)])
        self.assertEqual([seconds for *_, seconds, _ in self.heat()], [6, 5])

    def test_a_gateway_adds_nothing_to_the_heat_of_its_store(self):
        self.assertEqual(self.take([sheet(1, "9:00", "10:00", [(0, 1, 1, 500, 7)], gateway="door")]), ["rejected"])
        self.assertEqual(self.heat(), [])

    def test_a_sheet_that_cannot_be_true_is_rejected_and_leaves_its_number_free(self):
        now = datetime.datetime.now(datetime.UTC)
        wild = [now + datetime.timedelta(days=2), now - datetime.timedelta(days=402), datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)]
        sheets = [sheet(number, moment, moment, [(0, 1, 1, 5, 5)]) for number, moment in enumerate(wild, 1)]
        sheets += [sheet(4, "9:00", "10:00:00.001", [(0, 1, 1, 5, 5)]), sheet(5, "9:00", "8:59", [(0, 1, 1, 5, 5)]), sheet(6, "9:00", "10:00", [], page=1),
                   sheet(7, "9:00", datetime.datetime(9999, 12, 31, tzinfo=datetime.UTC), [])]
        self.assertEqual(self.take(sheets), ["rejected"] * 7)
        self.assertEqual(self.heat(), [])
        self.assertEqual(self.take([sheet(number, "9:00", "10:00", []) for number in range(1, 8)]), ["new"] * 7)

    def test_what_cannot_be_true_goes_to_rejected_with_its_reason_and_counts_as_no_conflict(self):
        database = Database(self.database.url, lambda: True)
        now = datetime.datetime.now(datetime.UTC)
        old = sheet(1, now - datetime.timedelta(days=500), now - datetime.timedelta(days=500), [])
        far = {"kind": "beacons", "payload": {"schema": 1, "at": stamp(now + datetime.timedelta(days=2)), "clock": "synced", "page": 0, "pages": 1, "beacons": []}}
        topics = [(f"beacons/{self.site}/site/heat", old), (f"beacons/{self.site}/door/beacons/0", far)]
        database.store([Row(topic, parse(topic, "beacons"), json.dumps(message["payload"]), now) for topic, message in topics], [])
        database.close()
        self.assertEqual((database.outcomes["rejected"], database.outcomes["conflict"]), (2, 0))
        self.assertEqual([reason.partition(":")[0] for reason, in self.query(
            "SELECT reason FROM beacons.rejected WHERE topic LIKE '%%/' || %(site)s || '/%%' ORDER BY 1")], ["at", "from_at"])

    def test_collectors_that_give_the_same_sheets_at_once_count_each_once(self):
        sheets = [sheet(number, "9:00", "10:00", [(0, x, 1, 1, 5) for x in range(40)]) for number in range(1, 31)]

        def give(seed):
            mixed = random.Random(seed).sample(sheets, len(sheets))
            with psycopg.connect(self.database.url, autocommit=True) as connection:
                for first in range(0, len(mixed), 7):
                    self.take(mixed[first:first + 7], connection)

        at_once(4, give)
        self.assertEqual({seconds for *_, seconds, _ in self.heat()}, {30})
        self.assertEqual(len(self.heat()), 40)
