"""Coverage, missing numbers, and figures by the hour, against truths that were worked out by hand."""

import datetime
import random

import psycopg

from story import EPOCH, StoryTest, event, gap, health, rows_of, span, stamp, state, status


class CoverageTests(StoryTest):
    def test_spans_that_touch_are_joined_and_those_of_a_deaf_radio_left_out(self):
        self.take([
            span(1, "door", "9:00", "10:00"), span(3, "door", "10:30", "11:00", radio="replay"),
            span(2, "door", "10:00", "10:30", radio="stalled"), span(5, "door", "11:20", "12:00"),
            span(4, "door", "11:00", "11:20"), span(1, "till", "9:00", "9:30", radio="stopped")])
        self.assertEqual(self.coverage(), [("door", "9:00", "10:00"), ("door", "10:30", "12:00")])

    def test_it_lasts_while_the_newest_status_says_that_the_gateway_is_there_and_hears(self):
        self.take([status("door", "9:00", "online"), status("till", "9:00", "online", radio="off")])
        self.assertEqual(self.coverage(), [("door", "9:00", None)])
        self.take([span(1, "door", "9:00", "10:00")])
        self.assertEqual(self.coverage(), [("door", "9:00", None)])

    def test_a_will_ends_it_at_the_last_span_that_was_published(self):
        self.take([status("door", "9:00", "online"), span(1, "door", "9:00", "10:00")])
        self.take([status("door", "9:00", "offline")])
        self.assertEqual(self.coverage(), [("door", "9:00", "10:00")])

    def test_a_retained_status_that_comes_again_is_not_news(self):
        birth, will = status("door", "9:00", "online"), status("door", "9:00", "offline")
        self.assertEqual(self.take([birth]) + self.take([will]) + self.take([birth]), ["new", "new", "repeated"])
        self.assertEqual(self.coverage(), [])

    def test_after_a_break_it_lasts_from_the_new_status_on_and_the_break_is_filled_by_its_spans(self):
        self.take([span(1, "door", "9:00", "10:00"), status("door", "11:00", "online")])
        self.assertEqual(self.coverage(), [("door", "9:00", "10:00"), ("door", "11:00", None)])
        self.take([span(2, "door", "10:00", "11:00"), span(3, "door", "11:00", "11:30")])
        self.assertEqual(self.coverage(), [("door", "9:00", None)])


    def test_a_gateway_that_has_fallen_silent_was_heard_until_its_last_word(self):
        minutes = datetime.timedelta(minutes=1)
        now = datetime.datetime.now(datetime.UTC)
        self.take([status("door", now - 60 * minutes, "online") | {"received_at": stamp(now - 60 * minutes)},
                   status("till", now - 60 * minutes, "online") | {"received_at": stamp(now - 60 * minutes)},
                   status("back", now - 60 * minutes, "online") | {"received_at": stamp(now - 60 * minutes)},
                   health("door", now - 10 * minutes, now - 10 * minutes), health("till", now - minutes, now - minutes)])
        open_ends = {gateway: end for gateway, end in self.query("SELECT gateway, to_at FROM beacons.coverage WHERE site = %(site)s")}
        # The back never published health, so its silence says nothing.
        self.assertEqual((open_ends["till"], open_ends["back"]), (None, None))
        self.assertLess(abs(open_ends["door"] - (now - 10 * minutes)), datetime.timedelta(seconds=1))
        self.take([health("door", now)])
        self.assertEqual(self.query("SELECT to_at FROM beacons.coverage WHERE site = %(site)s AND gateway = 'door'"), [(None,)])

    def test_a_line_that_is_down_is_not_heard_and_shown_so_in_the_hours(self):
        hours, now = datetime.timedelta(hours=1), datetime.datetime.now(datetime.UTC)
        began, silent = now - 6 * hours, now - 4 * hours
        self.take([status("door", began, "online") | {"received_at": stamp(began)}, state("door"), health("door", silent, silent)])
        for _ in range(2):
            shares = [share for share, in self.query("SELECT covered_share FROM beacons.occupancy_hourly WHERE site = %(site)s ORDER BY hour")]
            self.assertAlmostEqual(sum(shares), 2, delta=0.01)
            self.connection.execute("SELECT beacons.roll_up()")


class MissingTests(StoryTest):
    def numbers(self, *seqs, epoch=EPOCH):
        self.take([event({"seq": seq, "at": "9:00", "type": "enter", "beacon": f"1/{seq % 60000}", "epoch": epoch}) for seq in seqs])

    def test_nothing_is_missing_where_every_number_came_or_stands_in_a_gap(self):
        self.numbers(9, 5, 7)
        self.assertEqual(self.missing(), [("door", 6, 6), ("door", 8, 8)])
        self.take([gap("door", 6, 6)])
        self.assertEqual(self.missing(), [("door", 8, 8)])
        self.numbers(8)
        self.assertEqual(self.missing(), [])

    def test_it_counts_from_the_first_number_that_was_seen_to_the_last(self):
        self.numbers(100, 103)
        self.take([gap("door", 1, 100), gap("door", 102, 200)])
        self.assertEqual(self.missing(), [("door", 101, 101)])

    def test_epochs_and_gateways_are_kept_apart(self):
        self.numbers(1, 3)
        self.numbers(2, 4, epoch="01KDVDNA0T0000000000000001")
        self.assertEqual(self.query("SELECT epoch, from_seq FROM beacons.missing WHERE site = %(site)s ORDER BY 1"),
                         [(EPOCH, 2), ("01KDVDNA0T0000000000000001", 3)])

    def test_a_hole_across_many_thousand_numbers_is_one(self):
        self.numbers(1, 2, 50_000, 4095, 4096)
        self.assertEqual(self.missing(), [("door", 3, 4094), ("door", 4097, 49_999)])

    def test_the_largest_number_there_is_stops_nothing(self):
        self.numbers(2**63 - 2)
        self.assertEqual(self.missing(), [])
        self.take([gap("door", 21, 2**63 - 1), gap("door", 2**63 - 1, 2**63 - 1)])
        self.assertEqual(self.missing(), [])


class OccupancyTests(StoryTest):
    def test_visits_beacons_and_presence_in_each_hour_that_they_touch(self):
        self.take([span(1, "door", "9:00", "12:00")])
        self.publish("seq at type beacon entered heard; 1 9:30:20 exit 1/1 9:15 9:30; 2 9:50:20 exit 1/1 9:45 9:50; 3 11:15:20 exit 1/2 9:30 11:15")
        # 9 h: 20 min of 1/1 and 30 min of 1/2 in 60. 10 h: 1/2 all the time. 11 h: 15 min.
        self.assert_always(self.hours, [("9:00", 3, 2, 0.833, 1), ("10:00", 1, 1, 1, 1), ("11:00", 1, 1, 0.25, 1)])

    def test_what_several_gateways_hear_counts_once(self):
        self.take([span(1, "door", "9:00", "10:00"), span(1, "till", "9:00", "10:00")])
        self.publish("""
            gateway  seq  at        type  beacon  entered  heard
            door     1    9:30:20   exit  1/1     9:00     9:30
            till     1    9:45:20   exit  1/1     9:15     9:45
            site     1    9:45:20   exit  1/1     9:00     9:45
        """)
        self.assert_always(self.hours, [("9:00", 1, 1, 0.75, 1)])

    def test_the_mean_is_over_the_time_that_any_gateway_of_the_region_could_hear(self):
        self.take([span(1, "door", "9:00", "9:15"), span(1, "till", "9:10", "9:30"), span(1, "other", "9:00", "10:00")])
        self.publish("""
            gateway  seq  at        type  region  beacon  entered  heard
            door     1    9:50:20   exit  carts   1/1     9:15     9:50
            till     1    9:05:20   exit  carts   1/2     9:05     9:05
            other    1    9:05:20   exit  phones  1/3     9:05     9:05
        """)
        # The carts' gateways heard for 30 min, and 1/1 was there in 15 of them.
        self.assert_always(self.hours, [("9:00", 2, 2, 0.5, 0.5), ("9:00", 1, 1, 0, 1)])

    def test_no_visits_differs_from_not_heard(self):
        self.take([span(1, "door", "9:00", "11:00"), span(2, "door", "11:00", "12:00", radio="stalled")])
        self.publish("seq at type entered heard; 1 9:10:20 exit 9:00 9:10; 2 13:10:20 exit 13:00 13:10")
        self.assert_always(self.hours, [("9:00", 1, 1, 0.167, 1), ("10:00", 0, 0, 0, 1), ("11:00", 0, 0, None, 0), ("13:00", 1, 1, None, 0)])

    def test_a_visit_across_midnight_stands_in_both_days(self):
        self.take([span(1, "door", "23:00", "25:00")])
        self.publish("seq at type entered heard; 1 24:30:20 exit 23:30 24:30")
        self.assert_always(self.hours, [("23:00", 1, 1, 0.5, 1), ("24:00", 1, 1, 0.5, 1)])

    def test_who_is_inside_counts_until_the_exit_comes_however_late(self):
        self.take([span(1, "door", "9:00", "12:00")])
        self.publish("seq at type; 1 9:30 enter")
        self.roll_up()
        self.assertEqual(self.hours("12:00"), [("9:00", 1, 1, 0.5, 1), ("10:00", 1, 1, 1, 1), ("11:00", 1, 1, 1, 1)])
        self.publish("seq at type entered heard; 2 10:30:20 exit 9:30 10:30")
        self.assert_always(self.hours, [("9:00", 1, 1, 0.5, 1), ("10:00", 1, 1, 0.5, 1), ("11:00", 0, 0, 0, 1)])

    def test_coverage_that_comes_late_is_counted_in(self):
        self.publish("seq at type entered heard; 1 9:30:20 exit 9:00 9:30")
        self.roll_up()
        self.assertEqual(self.hours(), [("9:00", 1, 1, None, 0)])
        self.take([span(1, "door", "9:00", "10:00")])
        self.assert_always(self.hours, [("9:00", 1, 1, 0.5, 1)])

    def test_an_exit_that_turns_out_to_be_lost_takes_its_hours_back(self):
        self.take([span(1, "door", "0:00", "8:00")])
        self.publish("seq at type zone; 1 0:05 enter -; 11 0:05 enter shelf; 12 0:10 enter till")
        self.roll_up()
        self.assertEqual([visits for _, visits, *_ in self.hours("5:00")], [1] * 5)
        self.take([gap("door", 2, 2)])
        self.publish("seq at type entered heard; 3 6:29:20 exit 6:10 6:29")
        self.roll_up()
        self.assertEqual([visits for _, visits, *_ in self.hours("5:00")], [1] * 5, "till is still inside")
        self.publish("seq at type zone entered heard; 13 6:29:20 exit till 6:10 6:29")
        self.roll_up()
        self.assertEqual([visits for _, visits, *_ in self.hours("5:00")], [1, 1, 1, 1, 1], "shelf is still inside")
        self.publish("seq at type zone entered heard; 14 6:40:20 exit shelf 6:30 6:40")
        self.roll_up()
        self.assertEqual([visits for _, visits, *_ in self.hours("5:00")], [2, 0, 0, 0, 0])

    def test_coverage_that_was_open_is_taken_back_where_its_span_is_lost(self):
        self.take([status("door", "3:00", "online"), state("door")])
        self.roll_up()
        self.assertEqual([share for *_, share in self.hours("6:00")], [1, 1, 1])
        self.take([span(2, "door", "6:30", "7:30")])
        self.roll_up()
        self.assertEqual([share for *_, share in self.hours("7:00")], [0.5])

    def test_a_region_that_nobody_was_in_has_hours_as_soon_as_a_gateway_publishes_its_state(self):
        self.take([span(1, "door", "9:00", "11:00")])
        self.roll_up()
        self.assertEqual(self.hours(), [])
        self.assertEqual(self.take([state("door"), state("door")]), ["unkept", "unkept"])
        self.assert_always(self.hours, [("9:00", 0, 0, 0, 1), ("10:00", 0, 0, 0, 1)])

    def test_a_second_gateway_s_first_event_counts_its_coverage_before_it(self):
        self.take([span(1, "door", "9:00", "9:30"), span(1, "till", "9:30", "11:00"), state("door")])
        self.roll_up()
        self.assertEqual(self.hours(), [("9:00", 0, 0, 0, 0.5)])
        self.publish("gateway seq at type entered heard; till 1 10:30:20 exit 10:00 10:30")
        self.assert_always(self.hours, [("9:00", 0, 0, 0, 1), ("10:00", 1, 1, 0.5, 1)])

    def test_a_visit_of_days_is_in_every_hour_of_them(self):
        self.take([span(1, "door", "0:00", "96:00")])
        self.publish("seq at type entered heard; 1 80:00:20 exit 8:00 80:00")
        hours = self.hours("96:00")
        self.assertEqual(sum(beacons for _, _, beacons, _, _ in hours), 73)
        self.assertEqual(sum(mean for _, _, _, mean, _ in hours), 72)
        self.assertEqual(len(hours), 96)

    def test_any_order_with_roll_ups_in_between_gives_the_same_figures(self):
        messages = [event(row) for row in rows_of("""
            gateway  seq  at        type   zone   beacon  entered  heard
            door     1    9:00      enter  -      1/1     -        -
            till     1    9:20      enter  -      1/1     -        -
            door     2    9:30:20   exit   -      1/1     9:00     9:30
            till     2    10:15:20  exit   -      1/1     9:20     10:15
            site     1    9:00      enter  shelf  1/1     -        -
            site     2    9:20:20   exit   shelf  1/1     9:00     9:20
            site     3    9:20:10   enter  till   1/1     -        -
            site     4    10:15:20  exit   till   1/1     9:20:10  10:15
        """)] + [span(1, "door", "9:00", "10:00"), span(2, "door", "10:00", "10:20"), span(1, "till", "9:00", "9:30")]
        chance = random.Random(11)
        for turn in range(15):
            self.site = f"figures-{turn}"
            chance.shuffle(messages)
            for message in messages:
                self.take([message])
                if chance.random() < 0.3:
                    self.roll_up()
            # 10 h: covered for 20 min, and there in 15 of them.
            self.assert_always(self.hours, [("9:00", 1, 1, 1, 1), ("10:00", 1, 1, 0.75, 0.333)])
            self.assertEqual(self.flow(), [("9:00", "shelf", "till", 1)])


class HostileTests(StoryTest):
    def test_a_name_that_no_index_has_room_for_is_refused_and_not_kept_for_a_roll_up_to_fail_at(self):
        with self.assertRaises(psycopg.errors.CheckViolation):
            self.take([event({"seq": 1, "at": "9:00", "type": "enter", "region": "店" * 43})])
        self.assertEqual(self.take([event({"seq": 1, "at": "9:00", "type": "enter", "region": "店" * 42})]), ["new"])
        self.roll_up()


class FlowTests(StoryTest):
    def test_visits_to_zones_that_follow_each_other_are_a_flow_in_the_hour_of_the_second(self):
        self.publish("""
            gateway  seq  at       type   zone   beacon  entered  heard
            site     1    9:50:20  exit   shelf  1/1     9:00     9:50
            site     2    10:10:20 exit   till   1/1     10:01    10:10
            site     3    10:20:20 exit   shelf  1/1     10:11    10:20
            site     4    9:50:20  exit   shelf  1/2     9:00     9:50
            site     5    10:10:20 exit   till   1/2     10:01    10:10
        """)
        self.assert_always(self.flow, [("10:00", "shelf", "till", 2), ("10:00", "till", "shelf", 1)])

    def test_the_same_zone_again_and_another_after_more_than_half_an_hour_are_none(self):
        self.publish("""
            gateway  seq  at       type   zone   entered  heard
            site     1    9:10:20  exit   shelf  9:00     9:10
            site     2    9:20:20  exit   shelf  9:15     9:20
            site     3    10:00:20 exit   till   9:50:01  10:00
        """)
        self.assert_always(self.flow, [])

    def test_half_an_hour_between_two_zones_is_still_a_flow(self):
        self.publish("gateway seq at type zone entered heard; site 1 9:20:20 exit shelf 9:15 9:20; site 2 10:00:20 exit till 9:50 10:00")
        self.assert_always(self.flow, [("9:00", "shelf", "till", 1)])

    def test_a_flow_at_the_beginning_of_an_hour_is_not_in_hours_before_it_that_are_counted_anew(self):
        self.publish("gateway seq at type zone entered heard; site 1 9:50:20 exit shelf 9:30 9:50; site 2 10:10:20 exit till 10:00 10:10")
        self.roll_up()
        self.take([span(1, "door", "8:00", "9:00")])
        self.assert_always(self.flow, [("10:00", "shelf", "till", 1)])

    def test_a_zone_visit_that_comes_late_is_put_in_its_place(self):
        self.publish("gateway seq at type zone entered heard; site 1 9:10:20 exit shelf 9:00 9:10; site 3 9:30:20 exit till 9:21 9:30")
        self.assert_always(self.flow, [("9:00", "shelf", "till", 1)])
        self.publish("gateway seq at type zone entered heard; site 2 9:20:20 exit door 9:11 9:20")
        self.assert_always(self.flow, [("9:00", "door", "till", 1), ("9:00", "shelf", "door", 1)])
