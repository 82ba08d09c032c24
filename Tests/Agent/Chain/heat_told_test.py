"""The heat map of a simulated store, by the real `beacond site`, a broker, a collector and a database: against who really was in which room,
and against a count of the store's own lists. No cell that four beacons were in comes out, and each one that five were in does.
"""

import collections
import datetime
import json
import math
import os
import pathlib
import tempfile
import unittest

import shop
import truth_test
from servers import run
from simulated import BEACOND, UUID
from story import DAY

SITE, SEED, ROOMS, WATCHED_S, MINIMUM = "berlin-17", 1, 4, 1500, 5
# The size of a room of the simulator, metres, and the rooms in a row. Cells of one metre divide both.
WIDE_M, DEEP_M, COLUMNS = 8, 7, 2
# A beacon that has left is listed for some seconds more, and one that comes for some seconds less. Levels show the next room some seconds late.
TOTAL_ERROR, ROOM_ERROR = 0.04, 0.12
# Lists have places to a centimetre, and the map has them whole: the cell of a place so near to a border is not known.
BORDER_M = 0.0051


def number_of(room):
    """The room of a place, numbered as the simulator does; of one outside, the nearest."""
    column, row = (min(max(math.floor(place // size), 0), COLUMNS - 1) for place, size in zip(room, (WIDE_M, DEEP_M), strict=True))
    return row * COLUMNS + column + 1


class Counted:
    """The time in each cell by the store's lists: each list names a beacon's place for one second."""

    def __init__(self, messages):
        self.seconds, self.beacons, self.unsure, self.unplaced_s = collections.Counter(), collections.defaultdict(set), set(), 0
        for message in messages:
            if not message["topic"].endswith("/ranging"):
                continue
            for beacon in message["payload"]["beacons"]:
                if "position" in beacon:
                    self.count(beacon["position"], (beacon["major"], beacon["minor"]))
                else:
                    self.unplaced_s += 1

    def count(self, position, beacon):
        place = position["x_m"], position["y_m"]
        cell = tuple(math.floor(one) for one in place)
        self.seconds[cell] += 1
        self.beacons[cell].add(beacon)
        if any(abs(one - round(one)) < BORDER_M for one in place):
            self.unsure |= {tuple(math.floor(one + shift) for one, shift in zip(place, (x * BORDER_M, y * BORDER_M), strict=True))
                            for x in (-1, 1) for y in (-1, 1)}

    def with_beacons(self, wanted):
        return {cell for cell, beacons in self.beacons.items() if cell not in self.unsure and wanted(len(beacons))}


@unittest.skipUnless(os.access(BEACOND, os.X_OK), "there is no beacond to replay what was simulated")
class PublishedHeat(truth_test.Published):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tempfile.TemporaryDirectory() as folder:
            run(BEACOND, "simulate", "--scenario", "rooms", "--gateways", ROOMS, "--seconds", WATCHED_S, "--seed", SEED,
                "--write", f"{folder}/shop.btsnoop", "--truth", f"{folder}/truth.json")
            truth = json.loads(pathlib.Path(folder, "truth.json").read_text())
            keys = [f"heat_cell_m = 1\nheat_minimum = {MINIMUM}\n", *(
                f'[[site.gateway]]\nid = "g{number}"\nposition = [{gateway["x_m"]}, {gateway["y_m"]}]\n'
                for number, gateway in enumerate(truth["gateways"], 1))]
            captures = [f"{folder}/shop-{room}.btsnoop" for room in range(1, ROOMS + 1)]
            _, messages = shop.joined(BEACOND, folder, captures, SITE, "".join(keys))
        cls.rooms = collections.Counter(room for beacon in truth["beacons"] if beacon["uuid"] == UUID for room in beacon["room"])
        cls.counted = Counted(messages)
        text = json.dumps([message for message in messages if message["topic"].endswith("/heat")])
        # The store's clock is that of its gateways' messages, and may begin a millisecond before the first of them.
        for day, shown in ((DAY, "2026-01-01T"), (DAY - datetime.timedelta(days=1), "2025-12-31T")):
            text = text.replace(shown, f"{day:%Y-%m-%d}T")
        cls.sheets = json.loads(text)
        # Each sheet comes twice, as after a connection that broke.
        cls.publish_and_collect([(message["t"], message["topic"], message["payload"]) for message in cls.sheets for _ in range(2)])
        cls.heat = {(math.floor(float(x_m)), math.floor(float(y_m))): (float(seconds), int(beacons)) for x_m, y_m, seconds, beacons in cls.rows(
            f"SELECT x_m, y_m, seconds, beacons FROM beacons.heat WHERE site = '{SITE}' AND floor = 0 AND hour = '{DAY:%Y-%m-%d} 00:00Z'")}

    def test_a_cell_comes_out_exactly_where_five_beacons_were_with_its_seconds_and_beacons(self):
        few, enough = self.counted.with_beacons(lambda beacons: beacons < MINIMUM), self.counted.with_beacons(lambda beacons: beacons >= MINIMUM)
        self.assertTrue(self.counted.with_beacons(lambda beacons: beacons == MINIMUM - 1), "a cell that four beacons were in")
        self.assertTrue(self.counted.with_beacons(lambda beacons: beacons == MINIMUM), "a cell that five beacons were in")
        self.assertEqual(few & set(self.heat), set())
        self.assertEqual({cell: self.heat.get(cell) for cell in enough},
                         {cell: (self.counted.seconds[cell], len(self.counted.beacons[cell])) for cell in enough})
        self.assertTrue(all(beacons >= MINIMUM for _, beacons in self.heat.values()))
        self.assertGreater(len(enough), 10)

    def test_no_second_is_lost_between_what_is_published_and_what_is_left_out(self):
        ((omitted, unplaced),) = self.rows(f"SELECT sum(omitted_s), sum(unplaced_s) FROM beacons.heat_sheet WHERE site = '{SITE}'")
        self.assertEqual(sum(seconds for seconds, _ in self.heat.values()) + int(omitted), self.counted.seconds.total())
        self.assertEqual(int(unplaced), self.counted.unplaced_s)
        self.assertGreater(self.counted.unplaced_s, 0)

    def test_the_seconds_in_a_room_are_those_that_people_spent_there(self):
        found = collections.Counter()
        for cell, seconds in self.counted.seconds.items():
            found[number_of(cell)] += seconds
        self.assertGreater(self.rooms.total(), 5_000)
        self.assertLess(abs(found.total() - self.rooms.total()), TOTAL_ERROR * self.rooms.total())
        for room, seconds in self.rooms.items():
            self.assertLess(abs(found[room] - seconds), ROOM_ERROR * seconds, (room, found, self.rooms))
        print(f"figure: {found.total()} seconds of {self.rooms.total()} true ones, rooms {dict(found)} of {dict(self.rooms)}")

    def test_a_sheet_names_no_beacon(self):
        text = json.dumps(self.sheets)
        for word in (UUID, "major", "minor", "device", "track"):
            self.assertNotIn(word, text)
