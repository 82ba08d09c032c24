"""The rules that deploy/evaluate judges by, on small cases worked out by hand. `python3 Tests/Figures/Evaluation/rules_test.py`"""

import json
import math
import os
import tempfile
import unittest
from datetime import datetime, timedelta, timezone

import readings
import companion
import crossing
import distance
import fences
import gpsdlog
import madeup
import own
import peers
import storeys
from recording import Beacon


class Peers(unittest.TestCase):
    def test_altbeacon_drops_a_tenth_and_one_more_at_each_end(self):
        self.assertEqual(peers.trimmed([-100, -71, -60]), -71)
        self.assertEqual(peers.trimmed([-100] + [-66] * 18 + [-30]), -66)

    def test_espresense_drops_what_lies_outside_tukeys_fences(self):
        self.assertAlmostEqual(peers.fenced([-110, -64, -63, -62, -61, -60]), -62)

    def test_a_window_forgets_what_is_older_than_its_length(self):
        self.assertEqual(peers.FILTERS["median 3 s"]([(0, -40), (1, -40), (3.5, -80)]), [-40, -40, -60])

    def test_kalman_settles_on_a_level_that_stays(self):
        self.assertAlmostEqual(peers.kalman()([(t, -70) for t in range(9)])[-1], -70)

    def test_the_curves_are_altbeacons(self):
        self.assertAlmostEqual(peers.NEXUS4(-59, -59), 1.01076)
        self.assertAlmostEqual(peers.NEXUS4(-50, -59), (50 / 59) ** 10)

    def test_log_is_the_textbooks(self):
        self.assertAlmostEqual(peers.log(2)(-79, -59), 10)


class Truth(unittest.TestCase):
    def test_distances_are_joined_by_straight_lines_and_end_with_the_last(self):
        beacon = Beacon(-59, [], [(10, 1), (20, 3)])
        self.assertEqual([beacon.distance_m(t) for t in (9, 10, 15, 20, 21)], [None, 1, 2, 3, None])

    def test_a_wrong_truth_file_is_refused_with_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "till"))
            with open(os.path.join(folder, "till", "truth.json"), "w") as file:
                file.write('{"uuid": "X"}')
            with self.assertRaisesRegex(own.TruthError, "till/truth.json"):
                list(own.recordings(folder, "beacond"))

    def test_a_capture_and_its_truth_are_a_recording(self):
        uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "till"))
            readings.write(os.path.join(folder, "till", "capture.btsnoop"), [
                (at_s, readings.advertising_event(uuid, 1, minor, -59, -70)) for at_s, minor in ((0, 7), (1, 8), (2, 7))])
            with open(os.path.join(folder, "till", "truth.json"), "w") as file:
                json.dump({"uuid": uuid, "beacons": [{"major": 1, "minor": 7, "distances": [[0, 1], [2, 3]], "crossings": [[0, 1, "exit"]]}]}, file)
            (found,) = own.recordings(folder, "beacond")
        self.assertEqual({key: beacon.readings for key, beacon in found.beacons.items()}, {(1, 7): [(0, -70), (2, -70)]})
        self.assertEqual((found.beacons[1, 7].distance_m(1), found.crossings), (2, {(1, 7): [(0, 1, False)]}))


class Scores(unittest.TestCase):
    def test_a_factor_of_two_is_one_and_half_a_metre_is_half(self):
        score = distance.Score()
        score.add(2, 1, 1)
        score.add(0.5, 1, 0.25)
        self.assertAlmostEqual(score.figures["mean factor, log2"], 1)
        self.assertAlmostEqual(score.figures["mean error, m"], 0.75)
        self.assertAlmostEqual(score.within, 0.5)

    def test_groups_of_a_place_count_the_same_however_long_they_are(self):
        score = distance.Score()
        for _ in range(9):
            score.add(2, 1, group="pocket")
        score.add(1, 1, group="hand")
        self.assertAlmostEqual(score.figures["mean error, m"], 0.5)

    def test_a_crossing_is_answered_once_and_in_time(self):
        found = [(8, True), (9, True), (30, False)]
        right, delays = crossing.match(found, [(10, 10, True), (12, 14, False)], crossing.Window(3, 10))
        self.assertEqual((right, delays), (1, [-2]))
        self.assertAlmostEqual(crossing.f1(answers=3, right=1, crossings=2), 0.4)

    def test_a_gate_exits_below_its_threshold_or_in_silence(self):
        readings = [(0, -80), (1, -60), (2, -72), (3, -76), (4, -60), (20, -60)]
        events = crossing.gate(readings, [rssi for _, rssi in readings], -65, -75, 5)
        self.assertEqual(events, [(1, True), (3, False), (4, True), (9, False), (20, True)])


class Fences(unittest.TestCase):
    BEGIN = datetime(2024, 5, 6, tzinfo=timezone.utc)
    CIRCLE = {"latitude": 52.5, "longitude": 13.4, "radius_m": 100}

    def at(self, seconds):
        return self.BEGIN + timedelta(seconds=seconds)

    def way(self, *fixes):
        """Fixes of (seconds, metres east, accuracy)."""
        return [fences.Fix(self.at(at_s), gpsdlog.degrees(0, east_m, (52.5, 13.4)), accuracy_m)
                for at_s, east_m, accuracy_m in fixes]

    def test_metres_there_and_back_are_the_same(self):
        for north_m, east_m in ((300, -400), (-120, 50)):
            place = gpsdlog.degrees(north_m, east_m, (52.5, 13.4))
            self.assertAlmostEqual(gpsdlog.distance_m((52.5, 13.4), place), math.hypot(north_m, east_m), delta=0.05)

    def test_a_plain_circle_takes_every_fix_at_its_word(self):
        way = self.way((0, 99, 50), (1, 101, 50), (2, 99, 50))
        self.assertEqual(fences.naive(way, self.CIRCLE), [(self.at(1), False), (self.at(2), True)])

    def test_a_crossing_is_reported_once_by_its_own_kind_and_the_rest_is_wrong(self):
        truth = {**self.CIRCLE, "crossings": [{"at": gpsdlog.clock(self.at(150))}, {"at": gpsdlog.clock(self.at(250))}],
                 "stays": [{"inside": side, "start": gpsdlog.clock(self.at(start)), "end": gpsdlog.clock(self.at(end))}
                           for side, start, end in ((False, 0, 140), (True, 160, 240), (False, 260, 900))]}
        way = self.way((130, 400, 5), (155, 20, 5), (252, 115, 5), (254, 121, 5), (300, 300, 5))
        events = [(self.at(5), False), (self.at(175), True), (self.at(274), False)]
        self.assertEqual(fences.judge(way, truth, events), (2, 2, 0, [20, 20]))
        events += [(self.at(500), True), (self.at(520), False)]
        self.assertEqual(fences.judge(way, truth, events)[:3], (2, 2, 2))
        self.assertEqual(fences.judge(way, truth, events[:1])[:3], (2, 0, 0))


class MadeUp(unittest.TestCase):
    def test_a_way_has_as_many_samples_as_the_peers(self):
        self.assertEqual([len(companion.places_of(way)) for way in companion.WAYS], [61, 121])
        self.assertAlmostEqual(companion.places_of("diagonal_walk")[-1][0], 5.5)

    def test_a_list_answers_the_sample_before_it_and_a_place_counts_until_the_next(self):
        here, there = {"x_m": 3.0, "y_m": 2.0}, {"x_m": 4.5, "y_m": 2.0}
        lists = [(1.0, "living", here), (2.0, None, None), (3.0, "bedroom", there)]
        found = companion.judged([(3, 2), (3, 1), (4.5, 2), (4, 2)], lists)
        self.assertEqual((found[companion.MOST], found[companion.ROOM], found[companion.ZONE]), (1, 0.25, 0.25))
        self.assertAlmostEqual(found[companion.MEAN], 1.5 / 4)

    def test_levels_fall_by_the_exponent(self):
        self.assertAlmostEqual(madeup.level_dbm(3, 10), -89)

    def test_a_slab_takes_its_loss_once_between_two_floors(self):
        below, above = storeys.spots(are_above=True)[0], storeys.spots(are_above=True)[4]
        point = (4, 3, storeys.BEACON_M, 0)
        same, other = (storeys.level_dbm(spot, point, 2, 10) - storeys.shelves_db(spot.name, 0, 2, 1) for spot in (below, above))
        self.assertAlmostEqual(same - other, 10 + 20 * math.log10(5 / 1.5))

    def test_time_on_the_stairs_and_the_first_seconds_are_not_judged(self):
        truth = [(0, 0, 1, 0)] * 12 + [(0, 0, 2, None)] + [(0, 0, 4.5, 1)] * 3
        lists = [(second, None, {"floor": int(second > 14)}) for second in range(1, 16)]
        self.assertEqual(storeys.judged(truth, lists), (5, 3, 1, 1))


class Captures(unittest.TestCase):
    def test_what_is_written_is_read_again(self):
        uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "capture.btsnoop")
            events = [(t, readings.advertising_event(uuid, 7, 65535, -59, -60 - t)) for t in (1, 0)]
            readings.write(path, events)
            self.assertEqual(list(readings.read(path)), [(t, 7, 65535, -59, -60 - t, uuid) for t in (0.0, 1.0)])


if __name__ == "__main__":
    unittest.main()
