"""The tool's rules for one gateway: the gate, the broker's messages, tables."""

import json
import pathlib
import tempfile
import unittest

from beacons_fleet import tables as tables_of
from beacons_fleet.gate import Before, judge
from beacons_fleet.gateways import Gateway, Gateways
from beacons_fleet.tables import Unusable

from project import ROOT

TABLES = {"log": {"level": "debug"}}


class Published(unittest.TestCase):
    def test_only_gateways_below_the_prefix_count_and_no_store(self):
        gateways = Gateways("a/b")
        status = b'{"state": "online"}'
        for topic in ("a/b/s/g/status", "a/b/s/site/status", "a/b/s/g/other", "c/s/g/status", "a/b/s/status", "a/b/s/g/status/x"):
            gateways.take(topic, status, 1)
        self.assertEqual([one.name for one in gateways.selected(["*"])], ["s/g"])

    def test_what_is_no_object_changes_nothing(self):
        gateways = Gateways("beacons")
        gateways.take("beacons/s/g/status", b'{"state": "online"}', 1)
        for payload in (b"[" * 100_000, b"7", b"\xff", b"{" + b" " * 300_000, b"null", b'{"state": '):
            gateways.take("beacons/s/g/status", payload, 2)
        self.assertTrue(gateways.all["s/g"].is_online)

    def test_fields_of_wrong_kinds_are_taken_as_missing(self):
        gateway = Gateway("s/g", {"state": 7, "radio": [], "settings": "no"}, {"version": "9"}, {"version": 1.5, "tables": []})
        self.assertEqual((gateway.is_online, gateway.hears, gateway.in_effect, gateway.highest_version, gateway.former_tables),
                         (False, False, {"version": None, "digest": None}, 0, {}))

    def test_a_pattern_selects_by_site_and_id(self):
        gateways = Gateways("beacons")
        for name in ("berlin-1/door", "berlin-2/till", "paris-1/door", "berlin-1/away"):
            gateways.take(f"beacons/{name}/status", b'{"state": "online"}', 1)
        self.assertEqual([one.name for one in gateways.selected(["berlin-*/*o*", "paris-1/*"])], ["berlin-1/door", "paris-1/door"])

    def test_a_cleared_status_is_no_gateway(self):
        gateways = Gateways("beacons")
        gateways.take("beacons/s/g/status", b'{"state": "online"}', 1)
        gateways.take("beacons/s/g/status", b"", 2)
        self.assertEqual(gateways.selected(["*"]), [])


class Gate(unittest.TestCase):
    def test_a_break_begins_the_soak_time_again(self):
        gateway = Gateway("s/g", {"state": "online", "radio": "scanning"}, online_since=130)
        before = Before("s/g", True, True, "scanning")
        self.assertFalse(judge(before, gateway, 100, 189, 60, 120).is_pass)
        self.assertTrue(judge(before, gateway, 100, 190, 60, 120).is_pass)
        gateway.online_since = 279
        self.assertTrue(judge(before, gateway, 100, 280, 60, 120).is_failure)

    def test_who_was_offline_before_passes(self):
        self.assertTrue(judge(Before("s/g", False, False, "unknown"), Gateway("s/g"), 0, 0, 60, 120).is_pass)


class Tables(unittest.TestCase):
    def read(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(text)
            file.flush()
            return tables_of.read(pathlib.Path(file.name))

    def test_tables_of_a_file_are_read(self):
        self.assertEqual(self.read('[log]\nlevel = "debug"\n[[region]]\nid = "a"\n'), {"log": {"level": "debug"}, "region": [{"id": "a"}]})

    def test_what_cannot_be_set_is_named(self):
        for text, why in (("[mqtt]\n", "[mqtt] cannot be set over MQTT"), ("log = 7\n", "log must be a table"), ("[region]\n", "[[region]]"),
                          ("[[log]]\n", "log must be a table"), ("[log\n", "no TOML")):
            with self.assertRaises(Unusable, msg=text) as raised:
                self.read(text)
            self.assertIn(why, str(raised.exception))

    def test_a_message_that_a_gateway_would_not_take_is_refused(self):
        for tables, version in (({"log": {"level": "x" * 262_144}}, 1), ({"log": {"level": float("inf")}}, 1), (TABLES, 0), (TABLES, 2 ** 53)):
            with self.assertRaises(Unusable):
                tables_of.message(tables, version)

    def test_the_list_of_tables_is_that_of_the_contract(self):
        schema = json.loads((ROOT / "deploy/contract/settings-desired.schema.json").read_text())
        properties = schema["properties"]["tables"]["properties"]
        self.assertEqual(set(tables_of.TABLES), set(properties))
        self.assertEqual({name for name, one in properties.items() if one["type"] == "array"}, set(tables_of.LISTS))
