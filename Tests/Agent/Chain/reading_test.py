"""The messages that the collector takes, and its reasons for refusing others. No broker, no database."""

import json
import sys
import unittest

from servers import ROOT

sys.path.insert(0, str(ROOT / "deploy/chain"))
from beacons_collector.contract import CONTRACT  # noqa: E402
from beacons_collector.reading import read  # noqa: E402
from beacons_collector.topics import Address, Unreadable, parse  # noqa: E402

UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
EPOCH = "01KDVDNA0T0000000000000000"
ENTER = {"schema": 1, "at": "2026-01-01T00:00:11.167Z", "clock": "synced", "epoch": EPOCH, "seq": 1, "type": "enter",
         "region": "carts", "uuid": UUID, "major": 2, "minor": 1, "rssi_dbm": -76, "accuracy_m": 4.1,
         "accuracy_error_m": 2.05, "proximity": "far"}
EXIT = ENTER | {"seq": 2, "type": "exit", "at": "2026-01-01T00:00:54.038Z", "entered_at": "2026-01-01T00:00:11.167Z",
                "last_heard_at": "2026-01-01T00:00:34.038Z", "dwell_s": 22.871}
EVENT = parse("beacons/berlin-17/entrance/region/carts/event", "beacons")


def reason(payload, address=EVENT):
    """Why a payload is refused; `None` where it is taken."""
    if not isinstance(payload, bytes):
        payload = json.dumps(payload).encode()
    try:
        read(payload, address)
    except Unreadable as refusal:
        return str(refusal)
    return None


def with_field(values):
    """An entry with a field that no schema names: a list of these values."""
    return json.dumps(ENTER)[:-1].encode() + b', "x": [' + values.encode() + b"]}"


class Topics(unittest.TestCase):
    def test_an_event_s_topic_names_site_gateway_and_region(self):
        self.assertEqual(EVENT, Address("event", "berlin-17", "entrance", "carts"))

    def test_an_expanded_region_has_major_and_minor_in_its_topic(self):
        self.assertEqual(parse("b/s/g/region/carts/2/event", "b"), Address("event", "s", "g", "carts", 2))
        self.assertEqual(parse("b/s/g/region/carts/2/1/state", "b"), Address("state", "s", "g", "carts", 2, 1))

    def test_a_zone_stands_behind_the_region(self):
        self.assertEqual(parse("b/s/site/region/carts/2/1/zone/till/event", "b"), Address("event", "s", "site", "carts", 2, 1, "till"))
        self.assertEqual(parse("b/s/site/region/carts/zone/till/event", "b").zone, "till")

    def test_a_prefix_may_have_several_levels(self):
        self.assertEqual(parse("acme/shops/s/g/gap", "acme/shops"), Address("gap", "s", "g"))

    def test_what_is_for_those_who_are_there_now_is_not_kept(self):
        for rest in ("region/carts/ranging", "region/carts/2/1/ranging", "request/state", "response/state", "response/monitor/17"):
            self.assertIsNone(parse("b/s/g/" + rest, "b"), rest)

    def test_a_topic_that_no_gateway_has_is_refused(self):
        for topic in ("b/s", "b/s/g/rubbish", "b/s/g/region/event", "b/s/g/region/carts/70000/event", "b//g/status",
                      "b/s/g/region/carts/1/2/3/event", "b/s/g/region/carts/zone//event", "b/s/g/region/carts/x/event", "b/s/g/region/carts/01/event",
                      "b/s/g/location/x", "b/s/g/request", "b/s/g/response", "b/s/g/request/x/y", "b/s/g/request/", "b/s/g/response/",
                      "b/s/g/region/a/b/c/d/ranging", "b/s/g/region//ranging", "b/s/g/region/carts/zone/till/ranging", "other/s/g/status"):
            with self.assertRaises(Unreadable, msg=topic):
                parse(topic, "b")


class Payloads(unittest.TestCase):
    def test_a_message_without_an_essential_field_is_refused_by_the_field_s_name(self):
        for kind in CONTRACT.kinds.values():
            address = Address(kind.name, "s", "g", "carts" if kind.is_of_region else None)
            whole = {name: value for name, value in kind.schema["examples"][0].items() if name not in ("site", "gateway")}
            self.assertIsNone(reason(whole, address), kind.name)
            for field in kind.schema["x-essential"]:
                lacking = {name: value for name, value in whole.items() if name != field}
                self.assertEqual(reason(lacking, address), f"{field}: missing", kind.name)

    def test_every_message_of_the_golden_transcript_is_taken(self):
        for line in (ROOT / "Tests/Agent/Golden/first-run.jsonl").read_text().splitlines():
            message = json.loads(line)
            address = parse(message["topic"], "beacons")
            if address:
                self.assertIsNone(reason(message["payload"], address), message["topic"])

    def test_an_entry_and_an_exit_are_taken(self):
        self.assertIsNone(reason(ENTER))
        self.assertIsNone(reason(EXIT))

    def test_a_field_that_nobody_knows_yet_is_passed_over(self):
        self.assertIsNone(reason(ENTER | {"colour": "red"}))

    def test_a_level_without_strength_is_null(self):
        self.assertIsNone(reason(ENTER | {"rssi_dbm": None}))

    def test_a_circle_has_its_centre_in_place_of_a_beacon(self):
        circle = {key: ENTER[key] for key in ("schema", "at", "epoch", "seq", "type", "region")}
        circle |= {"center": {"latitude": 52.5, "longitude": 13.4}, "radius_m": 150, "distance_m": 140.5}
        self.assertIsNone(reason(circle))
        self.assertEqual(reason(circle | {"center": {"latitude": 99, "longitude": 13.4}}), "center.latitude: not a value that it can have")

    def test_an_empty_retained_payload_only_clears_and_an_empty_event_is_refused(self):
        self.assertIsNone(reason(b"", Address("state", "s", "g", "carts")))
        self.assertIn("not JSON", reason(b""))

    def test_what_is_no_json_object_is_refused(self):
        for payload in (b"\xff\xfe", b"{", b"[]", b"1", b'{"a":NaN}', b'{"a":-Infinity}', b"[" * 100_000):
            self.assertTrue(reason(payload).startswith("payload: "), payload[:9])

    def test_what_postgresql_cannot_store_is_refused(self):
        for text in ("\\u0000", "\\ud800"):
            payload = json.dumps(ENTER)[:-1].encode() + b', "x": ["' + text.encode() + b'"]}'
            self.assertIn("cannot store", reason(payload))

    def test_numbers_out_of_range_are_refused(self):
        for field, value in (("major", 65536), ("minor", -1), ("seq", 0), ("seq", 2**53), ("seq", 1.5), ("major", True),
                             ("rssi_dbm", 21), ("rssi_dbm", "-76"), ("schema", 2), ("schema", True)):
            self.assertEqual(reason(ENTER | {field: value}), f"{field}: not a value that it can have", value)

    def test_a_number_has_at_most_30_digits_and_an_exponent_of_at_most_308(self):
        # PostgreSQL would write each of them out, digit by digit.
        for word, limit in (("1e400", "exponent 308"), ("-1e400", "exponent 308"), ("1e131071", "exponent 308"), ("1e-400", "exponent 308"),
                            ("0e-16383", "exponent 308"), ("1E+0309", "exponent 308"), ("9e308", "exponent 308"), ("1e" + "9" * 5000, "exponent 308"),
                            ("1" * 31, "30 digits"), ("-" + "1" * 31, "30 digits"), ("0.1" + "0" * 16_400, "30 digits"), ("1." + "5" * 30 + "e3", "30 digits")):
            why = reason(with_field(word)) or ""
            self.assertTrue(why.startswith("payload: the number ") and limit in why, (word[:40], why))
            self.assertTrue(why.endswith(f"(character {with_field(word).index(b': [') + 3})"), why)
        for word in ("1e308", "1e-300", "0e0", "-0.0", "1" * 30, "-" + "1" * 30, "-1.5E+003", "0." + "1" * 29, "1e" + "0" * 5000 + "3"):
            self.assertIsNone(reason(with_field(word)), word[:40])

    def test_the_place_of_a_number_is_found_behind_texts_that_look_like_it(self):
        payload = b'{"x":"1e999","\\"1e999":[1.5,2,1e999]}'
        self.assertIn(f"(character {payload.rindex(b'1e999')})", reason(payload))

    def test_numbers_written_out_are_at_most_four_times_as_long_as_the_message(self):
        self.assertIsNone(reason(with_field(",".join(["1e308"] * 2))))
        for word in ("1e308", "9e307", "1e-300", "0e-308", "1.5E+300"):
            self.assertIn("more than 4 times as long as the message", reason(with_field(",".join([word] * 20))), word)
        many = with_field(",".join(["9e307"] * 170_000))
        self.assertIn("more than 4 times", reason(many))

    def test_a_key_that_comes_twice_in_one_object_is_refused(self):
        """A check sees one of both, and PostgreSQL parses both."""
        for inner in ('"x":"\\u0000","x":1', '"x":1,"\\u0078":2', '"y":{"x":[[1]],"x":1}'):
            self.assertIn('the key "x" comes twice', reason(json.dumps(ENTER)[:-1].encode() + b"," + inner.encode() + b"}"), inner)

    def test_objects_and_lists_are_nested_at_most_32_deep(self):
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            self.assertIsNone(reason(with_field(opening * 30 + "1" + closing * 30)))
            self.assertIn("deeper than 32 levels", reason(with_field(opening * 31 + "1" + closing * 31)))
        self.assertIsNone(reason(with_field(",".join(["[[]]"] * 1000))))

    def test_a_reason_has_no_sign_that_a_terminal_obeys(self):
        address = parse("b/s/g/health", "b")
        health = json.loads((ROOT / "deploy/contract/health.schema.json").read_text())["examples"][0]
        for sign in "\x1b\x9b\x07\u202e\u2066\u200f":
            for why in (reason(health | {"mqtt": health["mqtt"] | {"refused": {sign: "often"}}}, address),
                        reason(json.dumps(ENTER)[:-1].encode() + json.dumps({sign: 1})[1:-1].encode().join([b",", b","]) + json.dumps({sign: 1})[1:].encode())):
                self.assertTrue(why.isprintable() and "\ufffd" in why, ascii(why))

    def test_numbers_go_as_far_as_every_reader_of_json_can_count(self):
        self.assertIsNone(reason(ENTER | {"seq": 2**53 - 1}))
        gap = {"schema": 1, "at": ENTER["at"], "epoch": EPOCH, "cause": "disk", "from_seq": 1}
        self.assertIsNone(reason(gap | {"to_seq": 2**53 - 1}, Address("gap", "s", "g")))
        self.assertEqual(reason(gap | {"to_seq": 2**53}, Address("gap", "s", "g")), "to_seq: not a value that it can have")

    def test_a_gap_names_one_whole_pair(self):
        gap, address = {"schema": 1, "at": ENTER["at"], "epoch": EPOCH, "cause": "disk"}, Address("gap", "s", "g")
        self.assertEqual(reason(gap | {"from_seq": 14, "from_span": 1, "to_span": 18}, address), "to_seq: missing")
        self.assertEqual(reason(gap | {"to_batch": 3}, address), "from_batch: missing")
        self.assertEqual(reason(gap | {"from_seq": 1, "to_seq": 2, "from_span": 1, "to_span": 2}, address), "from_span: beside from_seq")
        self.assertIsNone(reason(gap | {"from_batch": 1, "to_batch": 2}, address))

    def test_a_name_of_more_octets_than_a_level_has_is_refused(self):
        name = "名" * 42
        self.assertIsNone(reason(ENTER | {"region": name + "ab"}, parse(f"b/s/g/region/{name}ab/event", "b")))
        for topic in ("b/{}/g/status", "b/s/{}/status", "b/s/g/region/{}/event", "b/s/g/region/carts/zone/{}/event"):
            with self.assertRaises(Unreadable, msg=topic):
                parse(topic.format(name + "abc"), "b")
        store = parse("b/s/site/region/carts/event", "b")
        self.assertEqual(reason(ENTER | {"gateway": name + "abc"}, store), "gateway: not a value that it can have")
        self.assertEqual(reason(ENTER | {"gateway": ""}, store), "gateway: not a value that it can have")

    def test_times_that_are_none_are_refused(self):
        for time in ("2026-02-30T00:00:00.000Z", "2026-01-01", "yesterday", 5, "0000-01-01T00:00:00.000Z",
                     "2026-01-01T00:00:00.000+01:00", "2026-01-01T00:00:00.١٢٣Z"):
            self.assertEqual(reason(ENTER | {"at": time}), "at: not a value that it can have", time)

    def test_a_time_of_nine_digits_is_rounded_down_so_that_it_stays_in_its_year(self):
        for escaped in (False, True):
            payload = json.dumps(ENTER | {"at": "9999-12-31T23:59:59.999999999Z", "colour": "röt"}).encode()
            if escaped:
                payload = payload.replace(b"9999-", b"\\u0039999-")
            self.assertEqual(json.loads(read(payload, EVENT)), ENTER | {"at": "9999-12-31T23:59:59.999999Z", "colour": "röt"})

    def test_what_is_missing_is_named(self):
        for field in ("at", "epoch", "seq", "type", "region", "uuid", "major", "minor"):
            self.assertEqual(reason({key: value for key, value in ENTER.items() if key != field}), f"{field}: missing")
        for field in ("entered_at", "last_heard_at", "dwell_s"):
            self.assertEqual(reason({key: value for key, value in EXIT.items() if key != field}), f"{field}: missing")

    def test_a_payload_that_says_something_else_than_its_topic_is_refused(self):
        instance = parse("beacons/berlin-17/entrance/region/carts/2/1/event", "beacons")
        self.assertIsNone(reason(ENTER | {"site": "berlin-17", "gateway": "entrance"}, instance))
        for field, value in (("region", "phones"), ("site", "paris"), ("gateway", "till"), ("major", 3), ("minor", 2)):
            self.assertEqual(reason(ENTER | {field: value}, instance), f"{field}: unlike the topic's")
        zone = parse("beacons/s/site/region/carts/zone/till/event", "beacons")
        self.assertEqual(reason(ENTER, zone), "zone: missing")
        self.assertEqual(reason(ENTER | {"zone": "door"}, zone), "zone: unlike the topic's")
        self.assertEqual(reason(ENTER | {"zone": "door"}), "zone: unlike the topic's")

    def test_an_event_of_the_whole_store_names_the_gateway_that_decided_it(self):
        store = parse("beacons/berlin-17/site/region/carts/event", "beacons")
        self.assertIsNone(reason(ENTER | {"site": "berlin-17", "gateway": "entrance"}, store))
        self.assertEqual(reason(ENTER | {"site": "paris", "gateway": "entrance"}, store), "site: unlike the topic's")

    def test_a_gap_or_span_that_ends_before_it_begins_is_refused(self):
        common = {"schema": 1, "at": ENTER["at"], "epoch": EPOCH}
        gap = Address("gap", "s", "g")
        self.assertIsNone(reason(common | {"from_seq": 3, "to_seq": 3, "cause": "disk"}, gap))
        self.assertEqual(reason(common | {"from_seq": 4, "to_seq": 3, "cause": "disk"}, gap), "to_seq: below from_seq")
        self.assertEqual(reason(common | {"cause": "disk"}, gap), "from_seq: missing")
        span = common | {"span": 1, "from_at": ENTER["at"], "to_at": EXIT["at"], "radio": "scanning"}
        self.assertIsNone(reason(span, Address("coverage", "s", "g")))
        self.assertEqual(reason(span | {"to_at": "2026-01-01T00:00:11.166Z"}, Address("coverage", "s", "g")), "to_at: before from_at")
        surge = common | {"surge": 3, "from_at": ENTER["at"], "to_at": EXIT["at"], "region": "carts", "refused": 16400, "identities": 16380}
        self.assertIsNone(reason(surge, parse("b/s/g/surge", "b")))
        self.assertEqual(reason(surge | {"to_at": "2026-01-01T00:00:11.166Z"}, parse("b/s/g/surge", "b")), "to_at: before from_at")
        for field in ("surge", "refused", "identities"):
            self.assertEqual(reason(surge | {field: 0}, parse("b/s/g/surge", "b")), f"{field}: not a value that it can have")

    def test_a_kind_that_the_chain_does_not_keep_is_passed_over(self):
        self.assertIsNone(parse("b/s/site/today", "b"))
        self.assertEqual(parse("b/s/site/health", "b"), Address("health", "s", "site"))

    def test_health_is_held_against_the_contract_s_schema(self):
        address = parse("b/s/g/health", "b")
        health = json.loads((ROOT / "deploy/contract/health.schema.json").read_text())["examples"][0]
        self.assertIsNone(reason(health, address))
        for field, value, fault in (
                ("reports_per_s", -1, "reports_per_s"), ("reports_per_s", "many", "reports_per_s"), ("tracks", 1.5, "tracks"), ("tracks", True, "tracks"),
                ("outbox", "x" * 1001, "outbox"), ("rejected", [], "rejected"), ("dropped", health["dropped"] | {"answers": -1}, "dropped.answers"),
                ("suspected_spoofing", [{"kind": "identities", "rate_per_s": 0}], "suspected_spoofing.0.rate_per_s"),
                ("suspected_spoofing", [health["suspected_spoofing"][0]] * 5, "suspected_spoofing"),
                ("mqtt", health["mqtt"] | {"refused": {"not_authorized": "often"}}, "mqtt.refused.not_authorized"),
                ("gateways", [{"gateway": "x" * 129, "hearing": "hears"}], "gateways.0.gateway"), ("site", "elsewhere", "site")):
            refused = reason(health | {field: value}, address)
            self.assertTrue(refused and refused.startswith(fault + ":"), (field, value, refused))

    def test_health_of_an_older_and_of_a_newer_agent_is_taken(self):
        address = parse("b/s/g/health", "b")
        self.assertIsNone(reason({"schema": 1, "at": ENTER["at"], "clock": "synced", "tracks": 3}, address))
        self.assertIsNone(reason({"schema": 1, "at": ENTER["at"], "colour": {"red": [1]}, "gateways": [{"gateway": "g", "hearing": "listens"}]}, address))

    def test_health_of_more_than_32_KiB_is_refused(self):
        address = parse("b/s/g/health", "b")
        self.assertIn("longer than 32768", reason({"schema": 1, "at": ENTER["at"], "colour": "r" * 32768}, address))

    def test_a_payload_of_more_than_a_mebibyte_is_refused(self):
        self.assertIn("longer than", reason(b" " * (1 << 20) + b"{}"))
