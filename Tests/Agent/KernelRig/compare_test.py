#!/usr/bin/env python3
"""The rules of compare.py: a comparison that nothing fails would prove nothing."""
import copy
import unittest
from datetime import datetime, timezone

from compare import expected_messages, received_messages, report

EXPECTED_BEGAN, RECEIVED_BEGAN = 1_700_000_000.0, 1_800_000_000.0


def time(began, seconds):
    moment = datetime.fromtimestamp(began + seconds, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def lines(began, epoch, clock):
    """Two regions: one entered at 5 s and left at 40 s, one that stays outside."""

    def line(t, topic, **payload):
        payload = {"schema": 1, "at": time(began, t), "clock": clock, **payload}
        return {"t": t, "topic": f"beacons/s/g/region/{topic}", "qos": 1, "retain": topic.endswith("state"), "payload": payload}

    common = {"region": "till", "uuid": "U", "major": 1, "minor": 2, "epoch": epoch}
    return [
        line(0, "door/state", region="door", state="outside", since=time(began, 0), event_seq=0),
        line(5, "till/event", type="enter", seq=1, rssi_dbm=-60.0, accuracy_m=2.0, proximity="near", **common),
        line(5, "till/state", region="till", state="inside", since=time(began, 5), event_seq=1),
        line(
            40, "till/event", type="exit", seq=2, rssi_dbm=-70.0, accuracy_m=-1, proximity="unknown",
            entered_at=time(began, 5), last_heard_at=time(began, 20), dwell_s=15.0, **common),
        line(40, "till/state", region="till", state="outside", since=time(began, 40), event_seq=2),
    ]


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.expected = lines(EXPECTED_BEGAN, "a", "synced")
        self.received = lines(RECEIVED_BEGAN, "b", "unsynced")

    def verdict(self, ended_s=60, at_least=1):
        return report(
            expected_messages(self.expected), received_messages(self.received, RECEIVED_BEGAN), ended_s, at_least)

    def assertDiffers(self, *words):
        text, good = self.verdict()
        self.assertFalse(good)
        for word in words:
            self.assertIn(word, "\n".join(text))

    def test_streams_that_differ_in_epoch_clock_and_base_time_are_equal(self):
        self.assertEqual(self.verdict(), (["2 events and 3 states equal, at most 0.000 s apart"], True))

    def test_times_may_differ_by_the_tolerance_and_no_more(self):
        self.received[1]["payload"]["at"] = time(RECEIVED_BEGAN, 5.29)
        self.assertTrue(self.verdict()[1])
        self.received[1]["payload"]["at"] = time(RECEIVED_BEGAN, 5.31)
        self.assertDiffers("at: expected")

    def test_every_time_of_an_exit_is_held_to_the_tolerance(self):
        for field in ("at", "entered_at", "last_heard_at"):
            with self.subTest(field):
                changed = self.received[3]["payload"]
                kept = changed[field]
                changed[field] = time(RECEIVED_BEGAN, 30)
                self.assertDiffers(f"{field}: expected")
                changed[field] = kept

    def test_any_other_field_must_be_equal(self):
        for index, field, value in (
            (1, "seq", 7), (1, "type", "exit"), (1, "proximity", "far"), (1, "rssi_dbm", -61.0), (1, "accuracy_m", 2.2),
            (3, "minor", 3), (3, "dwell_s", 16.0), (2, "event_seq", 0), (2, "state", "unknown"), (1, "schema", 2),
            (3, "accuracy_m", -0.99), (1, "clock", "set"), (1, "epoch", None)):
            with self.subTest(field):
                kept = copy.deepcopy(self.received)
                self.received[index]["payload"][field] = value
                self.assertFalse(self.verdict()[1])
                self.received = kept

    def test_a_field_too_many_or_too_few_is_a_difference(self):
        self.received[1]["payload"]["partial"] = True
        del self.received[3]["payload"]["uuid"]
        self.assertDiffers("partial: not expected", "uuid: not received")

    def test_quality_of_service_and_retention_must_be_equal(self):
        self.received[1]["qos"] = 0
        self.received[2]["retain"] = 0
        self.assertDiffers("qos: expected 1", "retained: expected True")

    def test_a_missing_event_is_named(self):
        del self.received[3]
        self.assertDiffers("- ", "exit 1/2  #2")

    def test_an_event_that_came_twice_is_named(self):
        self.received.insert(4, self.received[3])
        self.assertDiffers("+ ", "exit 1/2  #2")

    def test_events_in_another_order_differ(self):
        self.received[1], self.received[3] = self.received[3], self.received[1]
        self.assertFalse(self.verdict()[1])

    def test_a_missing_state_is_named(self):
        del self.received[4]
        self.assertDiffers("- ", "till/state  outside")

    def test_a_state_said_again_after_a_reconnection_is_no_difference(self):
        again = copy.deepcopy(self.received[2])
        again["payload"]["at"] = time(RECEIVED_BEGAN, 12)
        self.received.insert(3, again)
        self.assertTrue(self.verdict()[1])

    def test_a_state_from_before_the_capture_counts_as_from_its_beginning(self):
        self.received[0]["payload"]["at"] = self.received[0]["payload"]["since"] = time(RECEIVED_BEGAN, -4)
        self.assertTrue(self.verdict()[1])

    def test_events_of_two_epochs_are_an_error(self):
        self.received[3]["payload"]["epoch"] = "c"
        self.assertDiffers("2 epochs")

    def test_what_happens_as_the_capture_ends_may_be_on_either_side(self):
        del self.received[3:]
        self.assertTrue(self.verdict(ended_s=40.1)[1])

    def test_what_comes_after_the_capture_is_left_out(self):
        late = copy.deepcopy(self.received[3])
        late["payload"]["at"] = time(RECEIVED_BEGAN, 70)
        self.received.append(late)
        self.assertTrue(self.verdict()[1])

    def test_too_few_events_to_prove_anything_fail(self):
        self.assertFalse(self.verdict(at_least=3)[1])

    def test_ranging_health_and_status_are_left_out(self):
        self.received.append({"topic": "beacons/s/g/status", "qos": 1, "retain": 1, "payload": {}})
        self.received.append({"topic": "beacons/s/g/region/till/ranging", "qos": 0, "retain": 0, "payload": {}})
        self.assertTrue(self.verdict()[1])


if __name__ == "__main__":
    unittest.main()
