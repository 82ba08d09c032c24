"""The rules of a change in stages, on invented gateways and invented time."""

import json
import unittest

from beacons_fleet.gateways import Gateways
from beacons_fleet.rollout import ANSWER_S, Rollout, sizes

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
            self.publish(name)
        self.options = (stages, soak_s, max_offline)
        self.rollout = None

    def publish(self, name, state="online", radio="scanning", version=None, **more):
        status = {"state": state, "radio": radio, "settings": {"digest": "0" * 16, "version": version}, **more}
        self.gateways.take(f"beacons/{name}/status", json.dumps(status).encode(), self.now)

    def report(self, name, version, outcome="applied", errors=()):
        content = {"version": version, "outcome": outcome, "errors": list(errors)}
        self.gateways.take(f"beacons/{name}/settings/reported", json.dumps(content).encode(), self.now)

    def begin(self):
        stages, soak_s, max_offline = self.options
        self.rollout = Rollout(self.gateways.selected(["*"]), TABLES, stages, soak_s, max_offline, print_line=self.said.append)
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
            self.publish(name, version=version or self.rollout.version)
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
            chain.publish(name, version=41)
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
        chain.publish(first, version=None)
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
            chain.publish(name, state="offline")
            chain.step(ANSWER_S + 70)
            self.assertEqual(bool(chain.rollout.failures), stops, max_offline)

    def test_a_radio_that_heard_before_and_does_not_any_more_stops_it(self):
        chain = Chain(2).begin()
        [name] = chain.stage()
        chain.apply(name)
        chain.publish(name, radio="absent", version=1, remedy="plug one in")
        chain.step(ANSWER_S - 1)
        self.assertEqual(chain.rollout.failures, [])
        chain.step(2)
        self.assertEqual(chain.rollout.failures, [(name, "the radio was scanning and is absent: plug one in")])

    def test_a_radio_that_did_not_hear_before_need_not_hear_afterwards(self):
        chain = Chain(1)
        chain.publish(chain.names[0], radio="absent")
        chain.begin()
        chain.publish(chain.names[0], radio="absent", version=1)
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
        chain.publish(first, state="offline", version=1)
        chain.step(5)
        chain.publish(first, version=1)
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
            chain.publish(first, version=1, **change)
            chain.step(ANSWER_S - 1)
            self.assertEqual((chain.rollout.failures, chain.rollout.is_done), ([], False))
            chain.step(2)
            self.assertIn(first, [name for name, _ in chain.rollout.failures])

    def test_gateways_that_are_offline_come_last_and_are_not_waited_for(self):
        chain = Chain(4, "2,100%")
        chain.publish(chain.names[0], state="offline")
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

    def test_tables_that_are_not_in_effect_are_not_given_back(self):
        # Any client that may write the topic could have put them there, and the tool may sign what it gives back.
        chain = Chain(1)
        [name] = chain.names
        chain.gateways.take(f"beacons/{name}/settings/desired", b'{"schema": 1, "version": 9, "tables": {"log": {"level": "trace"}}}', 0)
        chain.begin()
        [back] = chain.rollout.interrupt(chain.now)
        self.assertEqual((back.tables, back.is_return), ({}, True))

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

    def test_the_version_is_above_all_that_any_gateway_was_sent_or_has_published(self):
        chain = Chain(3)
        chain.publish(chain.names[0], version=7)
        chain.report(chain.names[1], 12, "refused")
        chain.gateways.take(f"beacons/{chain.names[2]}/settings/desired", b'{"version": 9, "tables": {}}', 0)
        self.assertEqual(chain.begin().rollout.version, 13)

    def test_the_first_stage_follows_from_the_names_and_not_from_their_order(self):
        self.assertEqual(Chain(50, "5").begin().stage(), Chain(50, "5").begin().stage())
        self.assertNotEqual(sorted(Chain(50, "5").begin().stage()), sorted(Chain(50).names)[:5])

    def test_settings_that_the_broker_does_not_have_cannot_be_taken_back_and_the_tool_says_so(self):
        chain = Chain(3)
        chain.publish(chain.names[0], version=7)
        chain.gateways.take(f"beacons/{chain.names[0]}/settings/desired", b'{"version": 7, "tables": {}}', 0)
        chain.publish(chain.names[1], version=7)
        chain.begin()
        self.assertIn(f"1 gateways use settings that the broker does not have, and would go back to their files: {chain.names[1]}", chain.why)
