"""The rules of the tool on invented gateways and invented time: stages, the gate, what the broker tells, tables."""

import json
import pathlib
import tempfile
import unittest

from beacons_fleet import tables as tables_of
from beacons_fleet.gate import Before, judge
from beacons_fleet.gateways import Gateway, Gateways
from beacons_fleet.rollout import ANSWER_S, Rollout, sizes
from beacons_fleet.tables import Unusable

TABLES = {"log": {"level": "debug"}}


class Stages(unittest.TestCase):
    def test_numbers_and_percentages_of_all_gateways_and_all_of_them_in_the_end(self):
        for stages, count, ends in (("1,10%,100%", 500, [1, 50, 500]), ("1,10%,100%", 5, [1, 5]), ("1,10%", 20, [1, 2, 20]), ("100%", 3, [3]),
                                    (" 2 , 50 % ", 9, [2, 5, 9]), ("7", 3, [3]), ("1%", 250, [3, 250]), ("1,10%,100%", 1, [1])):
            self.assertEqual(sizes(stages, count), ends, stages)

    def test_a_stage_that_few_gateways_make_smaller_than_the_one_before_is_left_out(self):
        self.assertEqual(sizes("5,10%,100%", 20), [5, 20])
        self.assertEqual(sizes("10%,50,100%", 5000), [500, 5000])

    def test_wrong_stages_have_a_reason(self):
        for stages in ("", "0", "0%", "101%", "1,,2", "a", "-1", "1.5", "10%,5%", "5,2", "1,10%%", "1e3", "٣"):
            for count in (1, 1000):
                with self.assertRaises(ValueError, msg=stages):
                    sizes(stages, count)


class Chain:
    """Invented gateways, and a rollout over them. `now` is the present in seconds."""

    def __init__(self, count, stages="1,100%", soak_s=60.0, max_offline=0):
        self.gateways = Gateways("beacons")
        self.now, self.said, self.published = 1000.0, [], []
        self.names = [f"s{number}/door" for number in range(count)]
        for name in self.names:
            self.tell(name)
        self.options = (stages, soak_s, max_offline)
        self.rollout = None

    def tell(self, name, state="online", radio="scanning", version=None, **more):
        status = {"state": state, "radio": radio, "settings": {"digest": "0" * 16, "version": version}, **more}
        self.gateways.take(f"beacons/{name}/status", json.dumps(status).encode(), self.now)

    def report(self, name, version, outcome="applied", errors=()):
        told = {"version": version, "outcome": outcome, "errors": list(errors)}
        self.gateways.take(f"beacons/{name}/settings/reported", json.dumps(told).encode(), self.now)

    def begin(self):
        stages, soak_s, max_offline = self.options
        self.rollout = Rollout(self.gateways.selected(["*"]), TABLES, stages, soak_s, max_offline, say=self.said.append)
        self.step()
        return self

    def step(self, seconds=0.0):
        """Time passes, second by second."""
        for _ in range(int(seconds)):
            self.now += 1
            self.published += self.rollout.advance(self.now)
        if not seconds:
            self.published += self.rollout.advance(self.now)

    def apply(self, *names, version=None):
        for name in names:
            self.tell(name, version=version or self.rollout.version)
            self.report(name, version or self.rollout.version)

    def stage(self):
        """The gateways that have been sent the change."""
        return [change.gateway.name for change in self.rollout.current]

    @property
    def why(self):
        return "\n".join(self.said)


class Rollouts(unittest.TestCase):
    def test_the_next_stage_waits_until_each_gateway_has_been_online_for_the_soak_time(self):
        chain = Chain(4, "1,2,100%").begin()
        self.assertEqual(len(chain.published), 1)
        chain.apply(*chain.stage())
        chain.step(59)
        self.assertEqual(len(chain.published), 1)
        chain.step(2)
        self.assertEqual(len(chain.published), 2)
        chain.apply(*chain.stage())
        chain.step(62)
        chain.apply(*chain.stage())
        chain.step(62)
        self.assertTrue(chain.rollout.is_done)
        self.assertEqual((chain.rollout.failures, len(chain.published)), ([], 4))

    def test_a_refusal_stops_and_the_former_tables_are_published_under_a_new_version(self):
        chain = Chain(10)
        former = {"rotation": {"resolve_after_s": 20}}
        for name in chain.names:
            message = {"schema": 1, "version": 41, "tables": former}
            chain.gateways.take(f"beacons/{name}/settings/desired", json.dumps(message).encode(), 0)
        chain.begin()
        self.assertEqual(chain.rollout.version, 42)
        [name] = chain.stage()
        chain.report(name, 42, "refused", [{"table": "region", "index": 2, "key": "uuid", "reason": "wrong"}])
        chain.step(1)
        self.assertEqual([(one.name, one.tables, one.version) for one in chain.published[1:]], [(name, former, 43)])
        self.assertIn(f"{name}: refused: region[2].uuid: wrong", chain.why)
        self.assertFalse(chain.rollout.is_done)
        chain.apply(name)
        chain.step(1)
        self.assertTrue(chain.rollout.is_done)

    def test_a_gateway_that_reverts_stops_it_also_after_its_stage(self):
        chain = Chain(3).begin()
        [first] = chain.stage()
        chain.apply(first)
        chain.step(62)
        self.assertEqual(len(chain.stage()), 3)
        chain.tell(first, version=None)
        chain.report(first, chain.rollout.version, "reverted", [{"reason": "ended twice"}])
        chain.step(1)
        self.assertEqual(chain.rollout.failures, [(first, "reverted: ended twice")])
        self.assertEqual(len(chain.published), 1 + 2 + 3)

    def test_a_gateway_that_goes_offline_stops_it_where_none_may(self):
        for max_offline, stops in ((0, True), (1, False)):
            chain = Chain(2, max_offline=max_offline).begin()
            [name] = chain.stage()
            chain.apply(name)
            chain.step(5)
            chain.tell(name, state="offline")
            chain.step(ANSWER_S + 70)
            self.assertEqual(bool(chain.rollout.failures), stops, max_offline)

    def test_a_radio_that_heard_before_and_does_not_any_more_stops_it(self):
        chain = Chain(2).begin()
        [name] = chain.stage()
        chain.apply(name)
        chain.tell(name, radio="absent", version=1, remedy="plug one in")
        chain.step(ANSWER_S - 1)
        self.assertEqual(chain.rollout.failures, [])
        chain.step(2)
        self.assertEqual(chain.rollout.failures, [(name, "the radio was scanning and is absent: plug one in")])

    def test_a_radio_that_did_not_hear_before_need_not_hear_afterwards(self):
        chain = Chain(1)
        chain.tell(chain.names[0], radio="absent")
        chain.begin()
        chain.tell(chain.names[0], radio="absent", version=1)
        chain.report(chain.names[0], 1)
        chain.step(62)
        self.assertTrue(chain.rollout.is_done)

    def test_a_gateway_that_does_not_report_stops_it(self):
        chain = Chain(2).begin()
        chain.step(ANSWER_S + 1)
        self.assertIn("did not report within 120 s", chain.why)

    def test_a_gateway_that_has_passed_may_connect_again_at_any_later_time(self):
        """Of 5,000 gateways some connect again in every minute."""
        chain = Chain(4, "1,2,3,100%").begin()
        [first] = chain.stage()
        for stage in (1, 2, 3):
            self.assertEqual(len(chain.stage()), stage)
            chain.apply(*chain.stage())
            chain.step(62)
        chain.apply(*chain.stage())
        chain.tell(first, state="offline", version=1)
        chain.step(5)
        chain.tell(first, version=1)
        chain.step(58)
        self.assertEqual(chain.rollout.failures, [])
        self.assertTrue(chain.rollout.is_done)

    def test_a_gateway_that_has_passed_and_stays_away_or_deaf_stops_it(self):
        for change in ({"state": "offline"}, {"radio": "absent"}):
            chain = Chain(3, "1,100%").begin()
            [first] = chain.stage()
            chain.apply(first)
            chain.step(62)
            chain.apply(*chain.stage())
            chain.step(30)
            chain.tell(first, version=1, **change)
            chain.step(ANSWER_S - 1)
            self.assertEqual((chain.rollout.failures, chain.rollout.is_done), ([], False))
            chain.step(2)
            self.assertIn(first, [name for name, _ in chain.rollout.failures])

    def test_gateways_that_are_offline_come_last_and_are_not_waited_for(self):
        chain = Chain(4, "2,100%")
        chain.tell(chain.names[0], state="offline")
        chain.begin()
        self.assertNotIn(chain.names[0], chain.stage())
        chain.apply(*chain.stage())
        chain.step(62)
        self.assertIn(chain.names[0], chain.stage())
        chain.apply(*(name for name in chain.stage() if name != chain.names[0]))
        chain.step(62)
        self.assertTrue(chain.rollout.is_done)

    def test_time_without_the_broker_counts_against_no_gateway(self):
        chain = Chain(1).begin()
        chain.now += 500
        chain.rollout.pause(500)
        chain.step(ANSWER_S - 1)
        self.assertEqual(chain.rollout.failures, [])

    def test_an_operator_who_stops_it_has_it_taken_back(self):
        chain = Chain(3, "2,100%").begin()
        back = chain.rollout.interrupt(chain.now)
        self.assertEqual(([one.name for one in back], {one.version for one in back}), (chain.stage(), {2}))
        self.assertEqual(chain.rollout.interrupt(chain.now), [])

    def test_the_way_back_ends_without_a_gateway_that_does_not_answer(self):
        chain = Chain(1).begin()
        chain.rollout.interrupt(chain.now)
        chain.step(ANSWER_S + 1)
        self.assertTrue(chain.rollout.is_done)
        self.assertIn("is not back at its former tables", chain.why)

    def test_the_version_is_above_all_that_any_gateway_was_sent_or_has_told(self):
        chain = Chain(3)
        chain.tell(chain.names[0], version=7)
        chain.report(chain.names[1], 12, "refused")
        chain.gateways.take(f"beacons/{chain.names[2]}/settings/desired", b'{"version": 9, "tables": {}}', 0)
        self.assertEqual(chain.begin().rollout.version, 13)

    def test_the_first_stage_follows_from_the_names_and_not_from_their_order(self):
        self.assertEqual(Chain(50, "5").begin().stage(), Chain(50, "5").begin().stage())
        self.assertNotEqual(sorted(Chain(50, "5").begin().stage()), sorted(Chain(50).names)[:5])


class Told(unittest.TestCase):
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
        self.assertEqual((gateway.is_online, gateway.hears, gateway.in_effect, gateway.highest_version, gateway.desired_tables), (False, False, {}, 0, {}))

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
        schema = json.loads((pathlib.Path(__file__).parents[3] / "deploy/contract/settings-desired.schema.json").read_text())
        properties = schema["properties"]["tables"]["properties"]
        self.assertEqual(set(tables_of.TABLES), set(properties))
        self.assertEqual({name for name, one in properties.items() if one["type"] == "array"}, set(tables_of.LISTS))
