"""PostgreSQL makes at most four times the octets of a message that the collector reads. And no message of a stranger makes the
transaction of its neighbours fail."""

import json
import random

import psycopg
from beacons_collector.reading import read
from beacons_collector.topics import Unreadable

from collector_test import EPOCHS, Chain
from reading_test import ENTER, EVENT, with_field
from story import UUID, StoryTest, stamp

ATTACKERS, EVENTS = 300, 20
# Values of JSON that grow in PostgreSQL, that it cannot parse, or that readers of JSON take in different ways.
WORDS = ["1e308", "-1E+308", "9e307", "1e-308", "0e-308", "1.5e300", "-0", "-0.0", "1" * 30, "0." + "1" * 29, "1e400", "9e308", "1" * 31, "0.1" + "0" * 16_400,
         "1e" + "0" * 5000 + "3", '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\u001f"', '"\\\\\\u0041"', '"\\\\u0000"', '"\\b\\f\\/"', '"\x7f\u202e"',
         '{"":{}}', '{"a":1,"a":2}', '{"\\u0000":1}', '{"\\ud800":1}', "[" * 30 + "]" * 30, "[" * 7000 + "]" * 7000, '{"a":' * 3000 + "1" + "}" * 3000, "[]", "null", "true",
         "1,1,1", '"",""', "{},{}"]


def payloads():
    """Messages with one of these words, with many of it, and with mixtures."""
    dice = random.Random(50)
    for word in WORDS:
        yield with_field(word)
        yield with_field(",".join([word] * 3000))
    for _ in range(300):
        yield with_field(dice.choice([",", " ,\n"]).join(dice.choices(WORDS, k=dice.choice([2, 5, 50]))))


class Growth(StoryTest):
    def test_what_the_collector_reads_postgresql_parses_to_at_most_four_times_the_octets(self):
        kept = refused = 0
        for payload in payloads():
            try:
                text = read(payload, EVENT)
            except Unreadable as reason:
                refused += 1
                self.assertRegex(str(reason), "^payload: ")
                continue
            kept += 1
            try:
                (made,), = self.query("SELECT octet_length((%(payload)s::jsonb)::text)", payload=text)
            except psycopg.Error as error:
                self.fail(f"{error}: {payload[:400]!r}")
            self.assertLessEqual(made, 4 * len(payload), payload[:400])
        self.assertGreater(kept, 20)
        self.assertGreater(refused, 20)


    def test_a_number_that_a_column_cannot_hold_makes_no_batch_fail(self):
        tiny = '"rssi_dbm": -0.' + "0" * 25 + "1e-308"
        with self.assertRaisesRegex(Unreadable, "beyond the exponent"):
            read(json.dumps(ENTER).replace(f'"rssi_dbm": {ENTER["rssi_dbm"]}', tiny).encode(), EVENT)
        self.assertEqual(read(json.dumps(ENTER | {"x": 0}).replace('"x": 0', '"x": 0.0e-308').encode(), EVENT).count("0.0e-308"), 1)
        for number, celsius in enumerate((1e-60, -1e-300, 21.5)):
            heard = {"uuid": UUID, "major": 1, "minor": number, "first_heard_at": stamp("9:00"), "last_heard_at": stamp("9:00"), "temperature_c": celsius}
            page = {"kind": "beacons", "gateway": f"g{number}", "payload": {"at": stamp("9:00"), "page": 0, "pages": 1, "beacons": [heard]}}
            self.assertEqual(self.take([page]), ["new"])
        self.assertEqual(self.query("SELECT temperature_c FROM beacons.battery_daily WHERE site = %(site)s ORDER BY minor"), [(0,), (0,), (21.5,)])


class HostileNumbers(Chain):
    """A store that sends messages which fail in PostgreSQL, and the events of another store among them."""

    def test_no_message_makes_the_transaction_of_its_neighbours_fail(self):
        attacks = [with_field(word).decode() for word in ("0.1" + "0" * 16_400, "[" * 900 + "]" * 900, '{"x":"\\u0000","x":1}', "9e307," * 3000 + "1")]
        topic, paris = self.topic("region/carts/event"), "beacons/paris/door/region/carts/event"
        self.query("DELETE FROM beacons.event WHERE site = 'paris'")
        self.collector().is_ready()
        self.publish([(topic, attack) for attack in attacks * (ATTACKERS // len(attacks))]
                     + [(paris, ENTER | {"seq": number, "epoch": EPOCHS[1]}) for number in range(1, EVENTS + 1)])
        attacker, self.site = self.site, "paris"
        self.wait_for_count(EVENTS)
        self.site = attacker
        self.assertEqual(self.count("rejected"), ATTACKERS)
        # A batch that failed would have been tried again in halves, with a rejection for each message that PostgreSQL blames.
        self.assertEqual(self.query("SELECT count(*) FROM beacons.rejected WHERE reason LIKE 'database:%'"), "0")
