"""deploy/fleet/settings and gate against what strangers retain: names, words and versions that are none."""

import json
import subprocess
import types
import unittest

from beacons_fleet.broker import Address, Broker
from beacons_fleet.gateways import Gateways
from beacons_fleet.rollout import Rollout, errors
from servers import LONGEST_WAIT_S, ROOT, Mosquitto, run, scratch_folder
from terminal_test import SIGNS, is_safe

STATUS = {"state": "online", "radio": "scanning", "version": "0.3.0", "settings": {"version": 7, "digest": "d" * 16}}
REPORTED = {"version": 7, "outcome": "applied"}
DESIRED = {"version": 7, "tables": {"log": {"level": "info"}}}
VERSIONS = [10**400, 2**53, -1, 0, 1.5, True, "7", None, [], {}, "\u202e7"]


def hostile():
    """Retained messages, each of a gateway of its own: (topic, message)."""
    for number, version in enumerate(VERSIONS):
        yield f"beacons/s/v{number}/status", STATUS | {"settings": {"version": version, "digest": version}}
        yield f"beacons/s/v{number}/settings/reported", REPORTED | {"version": version, "outcome": version}
        yield f"beacons/s/v{number}/settings/desired", DESIRED | {"version": version}
    # A broker takes no control character in a topic.
    for sign in "\u061c\u200b\u202e\u2066\ufeff":
        yield f"beacons/s/g{sign}g/status", STATUS
        yield f"beacons/s{sign}s/g/settings/desired", DESIRED | {"tables": {sign: f"{sign}[2J\ud800"}}
    for number, sign in enumerate(SIGNS):
        word = f"a{sign}[2J"
        yield f"beacons/t/w{number}/status", STATUS | {"state": word, "radio": word, "remedy": word, "version": word, "settings": {"version": word, "digest": word}}
        yield f"beacons/t/w{number}/settings/reported", REPORTED | {"outcome": word, "errors": [{"table": word, "key": word, "index": word, "reason": word}]}
        yield f"beacons/t/w{number}/settings/desired", DESIRED | {"tables": {word: word}}
    yield "beacons/s/" + "x" * 150 + "/status", STATUS
    yield "beacons/s/good/status", STATUS
    yield "beacons/s/good/settings/desired", DESIRED


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = Mosquitto().start()
        cls.addClassCleanup(cls.broker.__exit__)
        for topic, message in hostile():
            # Signs as they are, where UTF-8 has them.
            text = json.dumps(message, ensure_ascii="ud800" in repr(message))
            run("mosquitto_pub", "-p", cls.broker.port, "-q", 1, "-r", "-t", topic, "-s", input=text.encode())
        run("mosquitto_pub", "-p", cls.broker.port, "-q", 1, "-r", "-t", "beacons/s/digits/status", "-s", input=b'{"settings":{"version":' + b"9" * 5000 + b"}}")

    def said(self, tool, *arguments):
        done = subprocess.run([ROOT / "deploy/fleet" / tool, "--broker", f"mqtt://127.0.0.1:{self.broker.port}", *arguments], capture_output=True, text=True,
                              timeout=LONGEST_WAIT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_status_has_a_line_of_signs_that_print_for_each_gateway(self):
        text = self.said("settings", "status")
        self.assertTrue(is_safe(text), ascii(text))
        names = {line.split()[0]: line.split() for line in text.splitlines()[1:-1]}
        self.assertEqual(names["s/good"][1:5], ["online", "scanning", "7", "d" * 16])
        self.assertEqual({names[f"s/v{number}"][3] for number, version in enumerate(VERSIONS) if version}, {"?"})
        self.assertEqual({names[f"s/v{number}"][3] for number, version in enumerate(VERSIONS) if not version}, {"file"})
        self.assertIn("s/g\ufffdg", names)
        self.assertLess(max(map(len, text.splitlines())), 250)

    def test_get_prints_json_that_a_terminal_shows_and_a_program_reads(self):
        text = self.said("settings", "get")
        self.assertTrue(is_safe(text))
        found = json.loads(text)
        self.assertEqual(found["s/good"], DESIRED)
        self.assertEqual(found["t/w3"]["tables"], {f"a{SIGNS[3]}[2J": f"a{SIGNS[3]}[2J"})

    def test_the_gate_names_gateways_and_radios_by_signs_that_print(self):
        text = self.said("gate", "before", scratch_folder("gate") / "before", "s/good", "t/w3", "t/w20", "s/g\u202eg")
        self.assertTrue(is_safe(text), ascii(text))
        self.assertIn("s/good: online, radio scanning", text)


class Parts(unittest.TestCase):
    def gateways(self):
        gateways = Gateways("beacons")
        for topic, message in hostile():
            gateways.take(topic, json.dumps(message).encode(), 0.0)
        return gateways

    def test_a_version_that_is_none_uses_up_no_version(self):
        self.assertEqual(Rollout(self.gateways().selected(["*/*"]), {}, "100%", 1.0).version, 8)

    def test_no_store_uses_up_the_versions_of_the_others(self):
        gateways = Gateways("beacons")
        for site, name in (("berlin", "a"), ("berlin", "b"), ("paris", "a"), *(("stolen", f"made-up-{number}") for number in range(100))):
            version = 2**40 if site == "stolen" else 7
            gateways.take(f"beacons/{site}/{name}/status", json.dumps(STATUS | {"settings": {"version": version}}).encode(), 0.0)
        self.assertEqual(gateways.highest_usual_version, 1_000_007)
        counted = [one for one in gateways.selected(["*/*"]) if one.highest_version <= gateways.highest_usual_version]
        self.assertEqual(Rollout(counted, {}, "100%", 1.0).version, 8)
        self.assertEqual(Gateways("beacons").highest_usual_version, 1_000_000)

    def test_errors_of_a_report_are_one_line_of_signs_that_print(self):
        for one in self.gateways().all.values():
            self.assertTrue(is_safe(errors(one.reported)) and "\n" not in errors(one.reported))

    def test_a_topic_that_is_not_utf_8_does_not_end_the_connection(self):
        broker = Broker(Address.of("mqtt://127.0.0.1:1", None, None, None, {}), [])

        class Message(types.SimpleNamespace):
            @property
            def topic(self):
                return b"beacons/\xff/g/status".decode()

        broker.came(None, None, Message(payload=b"{}", retain=True))
        self.assertTrue(broker.events.empty())


if __name__ == "__main__":
    unittest.main()
