"""The collector has no table of its own: what is added to the contract's schemas holds in it, without a change of a program."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest

import made_up
from reading_test import ENTER, EPOCH

PROGRAM = """
import json, sys
from beacons_collector.reading import read
from beacons_collector.topics import Unreadable, parse
for line in sys.stdin:
    topic, message = json.loads(line)
    try:
        address = parse(topic, "b")
        said = read(json.dumps(message).encode(), address) and address.kind if address else "not kept"
    except Unreadable as reason:
        said = str(reason)
    print(said)
"""
STATE = {"schema": 1, "at": ENTER["at"], "clock": "synced", "epoch": EPOCH, "region": "carts", "state": "asleep", "since": ENTER["at"], "event_seq": 0}


class Declared(unittest.TestCase):
    def said(self, messages, *changes):
        """The collector's fault for each message, beside the changed schemas."""
        with tempfile.TemporaryDirectory() as folder:
            tree = made_up.tree(folder, *changes, also=["deploy/chain/beacons_collector"])
            done = subprocess.run([sys.executable, "-c", PROGRAM], input="\n".join(map(json.dumps, messages)), capture_output=True, text=True,
                                  cwd=tree / "deploy/chain", env={"PYTHONPATH": "."}, check=True)
            return done.stdout.splitlines()

    def test_a_kind_of_message_is_known_once_it_has_a_schema(self):
        pulse = made_up.PULSE
        messages = [("b/store/gate/pulse", pulse), ("b/store/gate/pulse", pulse | {"beat": 0}), ("b/store/gate/pulse", pulse | {"mood": "sad"}),
                    ("b/store/gate/pulse", {field: value for field, value in pulse.items() if field != "beat"}), ("b/store/till/pulse", pulse)]
        self.assertEqual(self.said(messages, made_up.add_kind), [
            "pulse", "beat: not a value that it can have", "mood: not a value that it can have", "beat: missing", "gateway: unlike the topic's"])
        self.assertEqual(self.said(messages[:1]), ["topic: not one of a gateway's"])

    def test_a_field_has_its_limits_once_the_schema_has_it(self):
        messages = [("b/s/g/region/carts/event", ENTER | {"echo": echo}) for echo in (3, -1)]
        self.assertEqual(self.said(messages, made_up.add_field), ["event", "echo: not a value that it can have"])
        self.assertEqual(self.said(messages), ["event", "event"])

    def test_a_word_is_taken_once_the_schema_has_it(self):
        messages = [("b/s/g/region/carts/state", STATE)]
        self.assertEqual(self.said(messages, made_up.add_word), ["state"])
        self.assertEqual(self.said(messages), ["state: not a value that it can have"])

    def test_a_figure_of_health_has_its_limits_once_the_schema_has_it(self):
        messages = [("b/s/g/health", {"schema": 1, "at": ENTER["at"], "echoes": echoes}) for echoes in (3, -1)]
        self.assertEqual(self.said(messages, made_up.add_figure), ["health", "echoes: not a value that it can have"])

    def test_without_its_schemas_or_with_others_it_says_where_they_have_to_be(self):
        def said(spoil):
            with tempfile.TemporaryDirectory() as folder:
                tree = made_up.tree(folder, also=["deploy/chain/beacons_collector"])
                spoil(tree / "deploy/contract")
                done = subprocess.run([sys.executable, "-m", "beacons_collector", "--broker", "mqtt://127.0.0.1", "--database", "postgresql:///none"], capture_output=True, text=True, cwd=tree / "deploy/chain", check=False)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
                return done.stderr

        self.assertIn("event.schema.json: Expecting", said(lambda contract: (contract / "event.schema.json").write_text("{")))
        for name in ("event.schema.json", "common.schema.json"):
            self.assertRegex(said(lambda contract: (contract / name).unlink()), name)  # noqa: B023
        self.assertIn("event.schema.json: contains: a keyword", said(
            lambda contract: made_up.changed(contract, "event", lambda schema: schema["properties"]["seq"].update(contains=3))))
        self.assertIn("deploy/contract has to be where deploy/chain is", said(shutil.rmtree))
