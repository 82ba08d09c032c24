"""Visits and stays, against truths that were worked out by hand."""

import itertools
import random

import psycopg

from story import StoryTest, event, rows_of

MORNING = """
    seq  at       type   beacon  entered  heard
    1    9:00     enter  1/1     -        -
    2    9:10     enter  1/2     -        -
    3    9:20:20  exit   1/1     9:00     9:20
    4    9:40     enter  1/1     -        -
    5    9:50:20  exit   1/1     9:40     9:50
"""
MORNING_VISITS = [("1/1", "9:00", "9:20", 1200, False), ("1/2", "9:10", None, None, False), ("1/1", "9:40", "9:50", 600, False)]


class VisitTests(StoryTest):
    def test_an_entry_and_its_exit_are_a_visit_and_an_entry_alone_is_open(self):
        self.publish(MORNING)
        self.assertEqual(self.visits(), MORNING_VISITS)

    def test_any_order_of_arrival_in_batches_of_any_size_gives_the_same_visits(self):
        messages = [event(row) for row in rows_of(MORNING)]
        for turn, order in enumerate(itertools.permutations(messages)):
            self.site = f"order-{turn}"
            cut = turn % 5
            self.take(order[:cut]), self.take(order[cut:])
            self.assertEqual(self.visits(), MORNING_VISITS, [one["payload"]["seq"] for one in order])

    def test_entries_of_one_moment_are_one_visit_whether_they_come_together_or_not(self):
        messages = [event({"seq": seq, "at": "9:00", "type": "enter"}) for seq in range(1, 1001)]
        for cut in (0, 1, 500):
            self.site = f"moment-{cut}"
            self.take(messages[:cut]), self.take(messages[cut:])
            self.assertEqual(self.visits(), [("1/1", "9:00", None, None, False)], cut)

    def test_of_many_entries_in_a_row_the_last_is_open(self):
        messages = [event({"seq": seq, "at": f"9:{seq // 60}:{seq % 60}", "type": "enter"}) for seq in range(0, 3000, 3)]
        for turn in range(3):
            self.site = f"row-{turn}"
            random.Random(turn).shuffle(messages)
            self.take(messages[:turn * 300]), self.take(messages[turn * 300:])
            self.assertEqual([one[1] for one in self.visits() if one[2] is None], ["9:49:57"])

    def test_what_comes_again_changes_nothing(self):
        self.assertEqual(self.publish(MORNING), ["new"] * 5)
        self.assertEqual(self.publish(MORNING), ["repeated"] * 5)
        self.assertEqual(self.visits(), MORNING_VISITS)

    def test_rows_that_are_inserted_into_event_by_hand_count_too(self):
        self.connection.execute(
            "INSERT INTO beacons.event (site, gateway, epoch, seq, at, type, region, uuid, major, minor, entered_at, last_heard_at) "
            "SELECT %s, 'door', 'e', seq, at, type, 'carts', 'u', 1, minor, entered_at, last_heard_at FROM (VALUES "
            "  (1, timestamptz '2026-11-01 09:00Z', 'enter', 1, NULL::timestamptz, NULL::timestamptz), "
            "  (2, timestamptz '2026-11-01 09:10Z', 'enter', 2, NULL, NULL), "
            "  (4, timestamptz '2026-11-01 09:20Z', 'exit', 1, timestamptz '2026-11-01 09:00Z', timestamptz '2026-11-01 09:19Z')"
            ") events (seq, at, type, minor, entered_at, last_heard_at)", (self.site,))
        self.assertEqual(self.query("SELECT minor, dwell_s FROM beacons.visit WHERE site = %(site)s ORDER BY 1"), [(1, 1140), (2, None)])
        self.assertEqual(self.missing(), [("door", 3, 3)])
        self.assertEqual(len(self.query("SELECT FROM beacons.stay WHERE site = %(site)s")), 2)

    def test_an_exit_whose_entry_was_lost_or_before_the_start_is_a_visit_by_itself(self):
        self.publish("seq at type entered heard says; 1 9:01 exit 8:50 9:00 partial; 7 11:01 exit 10:50 11:00 -")
        self.assertEqual(self.visits(), [("1/1", "8:50", "9:00", 600, True), ("1/1", "10:50", "11:00", 600, False)])

    def test_an_exit_because_nobody_looks_any_more_closes_its_visit(self):
        self.publish("seq at type entered heard says; 1 9:00 enter - - -; 2 9:10 exit 9:00 9:08 unmonitored")
        self.assertEqual(self.visits(), [("1/1", "9:00", "9:08", 480, False)])

    def test_an_entry_at_the_moment_of_an_exit_begins_the_next_visit(self):
        story = "seq at type entered heard; 1 9:00 enter - -; 2 9:20 exit 9:00 9:19; 3 9:20 enter - -"
        for turn, order in enumerate(itertools.permutations([event(row) for row in rows_of(story)])):
            self.site = f"next-{turn}"
            for message in order:
                self.take([message])
            self.assertEqual(self.visits(), [("1/1", "9:00", "9:19", 1140, False), ("1/1", "9:20", None, None, False)], turn)

    LOST_EXIT = "seq at type entered heard; 1 9:00 enter - -; 3 10:00 enter - -; 4 10:31 exit 10:00 10:30"

    def test_an_entry_that_lost_its_exit_is_no_open_visit_once_a_later_one_is_known(self):
        truth = [("1/1", "9:00", "9:00", 0, True), ("1/1", "10:00", "10:30", 1800, False)]
        for turn, order in enumerate(itertools.permutations([event(row) for row in rows_of(self.LOST_EXIT)])):
            self.site = f"lost-{turn}"
            for message in order:
                self.take([message])
            self.assertEqual(self.visits(), truth, turn)

    def test_a_lost_exit_that_comes_after_all_closes_its_visit(self):
        self.publish(self.LOST_EXIT)
        self.publish("seq at type entered heard; 2 9:31 exit 9:00 9:30")
        self.assertEqual(self.visits(), [("1/1", "9:00", "9:30", 1800, False), ("1/1", "10:00", "10:30", 1800, False)])

    def test_regions_zones_and_gateways_are_kept_apart(self):
        self.publish("""
            gateway  seq  at     type   region  zone   entered  heard
            door     1    9:00   enter  carts   -      -        -
            door     2    9:00   enter  all     -      -        -
            till     1    9:00   enter  carts   -      -        -
            site     1    9:00   enter  carts   shelf  -        -
            door     3    9:10   exit   carts   -      9:00     9:09
        """)
        self.assertEqual(self.query(
            "SELECT gateway, region, zone, left_at IS NULL FROM beacons.visit WHERE site = %(site)s ORDER BY 1, 2, 3"),
            [("door", "all", None, True), ("door", "carts", None, False), ("site", "carts", "shelf", True), ("till", "carts", None, True)])

    def test_a_circle_is_entered_when_it_was_crossed_and_left_when_last_inside(self):
        circle = {"schema": 1, "epoch": "e", "region": "depot", "center": {"latitude": 52, "longitude": 13}, "radius_m": 150}
        enter = circle | {"seq": 1, "type": "enter", "at": "2026-11-01T09:00:20.000Z"}
        leave = circle | {"seq": 2, "type": "exit", "at": "2026-11-01T10:00:20.000Z", "entered_at": "2026-11-01T09:00:00.000Z",
                          "last_inside_at": "2026-11-01T10:00:00.000Z", "dwell_s": 3600, "location": {"latitude": 52.1, "longitude": 13.2}}
        self.take([{"kind": "event", "gateway": "van", "payload": payload} for payload in (leave, enter)])
        self.assertEqual(self.query("SELECT uuid, dwell_s, left_at - entered_at = '1 h' FROM beacons.visit WHERE site = %(site)s"),
                         [(None, 3600, True)])
        self.assertEqual(self.query("SELECT latitude, longitude FROM beacons.event WHERE site = %(site)s AND seq = 2"), [(52.1, 13.2)])
        self.assertEqual(self.query("SELECT FROM beacons.stay WHERE site = %(site)s"), [])

    def test_events_that_are_deleted_by_hand_take_their_visits_along(self):
        self.publish(MORNING)
        self.roll_up()
        self.connection.execute("DELETE FROM beacons.event WHERE site = %s AND seq IN (2, 3)", (self.site,))
        # The entry of 9:00 has lost its exit, as the later visit shows.
        self.assertEqual(self.visits(), [("1/1", "9:00", "9:00", 0, True), ("1/1", "9:40", "9:50", 600, False)])
        self.connection.execute("DELETE FROM beacons.event WHERE site = %s", (self.site,))
        self.assertEqual((self.visits(), self.stays(), self.publish(MORNING)[0]), ([], [], "conflict"))

    def test_an_event_that_is_there_is_not_changed(self):
        self.publish(MORNING)
        with self.assertRaises(psycopg.errors.RaiseException):
            self.connection.execute("UPDATE beacons.event SET at = now()")

    def test_a_visit_of_more_than_a_day_is_one(self):
        self.publish("seq at type entered heard; 1 9:00 enter - -; 2 60:01 exit 9:00 60:00")
        self.assertEqual(self.visits(), [("1/1", "9:00", "60:00", 51 * 3600, False)])


class StayTests(StoryTest):
    TWO_GATEWAYS = """
        gateway  seq  at        type   beacon  entered  heard
        door     1    9:00      enter  1/1     -        -
        till     1    9:05      enter  1/1     -        -
        door     2    9:10:20   exit   1/1     9:00     9:10
        till     2    9:30:20   exit   1/1     9:05     9:30
        door     3    9:30:29   enter  1/1     -        -
        door     4    9:40:20   exit   1/1     9:30:29  9:40
        door     5    9:40:30   enter  1/1     -        -
        door     6    9:50:20   exit   1/1     9:40:30  9:50
        till     3    9:10      enter  1/2     -        -
    """
    TRUTH = [("1/1", "9:00", "9:40", "door,till"), ("1/2", "9:10", None, "till"), ("1/1", "9:40:30", "9:50", "door")]

    def test_visits_less_than_30_s_apart_are_one_stay_at_whatever_gateway(self):
        self.publish(self.TWO_GATEWAYS)
        self.assert_always(self.stays, self.TRUTH)

    def test_any_order_with_roll_ups_in_between_gives_the_same_stays(self):
        messages = [event(row) for row in rows_of(self.TWO_GATEWAYS)]
        chance = random.Random(7)
        for turn in range(20):
            self.site = f"stays-{turn}"
            chance.shuffle(messages)
            for message in messages:
                self.take([message])
                if chance.random() < 0.4:
                    self.roll_up()
            self.assert_always(self.stays, self.TRUTH)

    def test_the_store_s_own_gateway_and_its_zones_are_left_out(self):
        self.publish("gateway seq at type zone entered heard; site 1 9:00 enter - - -; site 2 9:00 enter shelf - -; door 1 9:01 enter - - -")
        self.assert_always(self.stays, [("1/1", "9:01", None, "door")])

    def test_an_exit_that_comes_days_late_ends_a_stay_that_was_counted_as_open(self):
        self.publish("seq at type; 1 9:00 enter; 3 40:00 enter")
        self.roll_up()
        self.assertEqual(self.stays(), [("1/1", "9:00", "9:00", "door"), ("1/1", "40:00", None, "door")])
        self.publish("seq at type entered heard; 2 39:01 exit 9:00 39:00")
        self.assert_always(self.stays, [("1/1", "9:00", "39:00", "door"), ("1/1", "40:00", None, "door")])
