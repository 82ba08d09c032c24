"""The command `deploy/fleet/gate` at a real broker, with retained statuses and their changes."""

import json
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

import paho.mqtt.publish as publish
from servers import Mosquitto, ROOT, run

COMMAND = ROOT / "deploy/fleet/gate"


def payload(state: str, radio: str = "scanning", remedy: str = "") -> str:
    return json.dumps({"schema": 1, "state": state, "radio": radio, "remedy": remedy, "version": "0.2.0"})


class Gate(unittest.TestCase):
    """Each test has gateways of its own."""

    @classmethod
    def setUpClass(cls):
        cls.broker = Mosquitto().start()
        cls.file = pathlib.Path(tempfile.mkdtemp()) / "before.json"

    @classmethod
    def tearDownClass(cls):
        cls.broker.kill()

    def say(self, gateway, *words):
        run("mosquitto_pub", "-p", self.broker.port, "-r", "-q", "1", "-t", f"beacons/{gateway}/status", "-m", payload(*words))

    def gate(self, *arguments, port=None):
        done = subprocess.run([COMMAND, "--broker", f"mqtt://127.0.0.1:{port or self.broker.port}", *map(str, arguments)], capture_output=True,
                              text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def wait(self, limit=300):
        return self.gate("wait", self.file, "--soak", 0.2, "--limit", limit)

    def test_before_names_who_is_waited_for(self):
        self.say("paris-3/door", "online")
        self.say("paris-3/till", "offline")
        status, said, _ = self.gate("before", self.file, "paris-3/till", "paris-3/door", "paris-3/dark")
        self.assertEqual((status, said.splitlines()), (0, ["paris-3/dark: offline, and not waited for", "paris-3/door: online, radio scanning",
                                                           "paris-3/till: offline, and not waited for"]))
        self.assertEqual(self.wait(), (0, "", ""))

    def test_it_names_the_gateway_that_is_not_back_and_passes_the_others(self):
        self.say("rome-1/door", "online")
        self.say("rome-1/till", "online")
        self.gate("before", self.file, "rome-1/door", "rome-1/till")
        self.say("rome-1/till", "offline")
        self.assertEqual(self.wait(limit=1), (1, "rome-1/till: was not online for 0 s without a break within 1 s after the change\n", ""))

    def test_it_names_the_radio_that_became_worse_with_its_remedy(self):
        self.say("oslo-2/door", "online")
        self.gate("before", self.file, "oslo-2/door")
        self.say("oslo-2/door", "online", "off", "Switch it on.")
        self.assertEqual(self.wait(limit=1), (1, "oslo-2/door: the radio was scanning and is off: Switch it on.\n", ""))

    def test_a_radio_that_was_off_before_may_stay_so(self):
        self.say("bonn-4/door", "online", "off", "Switch it on.")
        self.gate("before", self.file, "bonn-4/door")
        self.say("bonn-4/door", "online", "absent", "Plug it in.")
        self.assertEqual(self.wait(), (0, "", ""))

    def test_it_waits_for_a_gateway_that_comes_back(self):
        self.say("wien-8/door", "online")
        self.gate("before", self.file, "wien-8/door")
        self.say("wien-8/door", "offline")
        comes_back = threading.Timer(2, self.say, ("wien-8/door", "online"))
        began = time.monotonic()
        comes_back.start()
        self.assertEqual(self.wait(), (0, "", ""))
        comes_back.join()
        self.assertGreater(time.monotonic() - began, 2)

    def test_it_notes_every_one_of_many_gateways(self):
        names = [f"lyon-5/g{number}" for number in range(600)]
        publish.multiple([{"topic": f"beacons/{name}/status", "payload": payload("online"), "qos": 1, "retain": True} for name in names],
                         hostname="127.0.0.1", port=self.broker.port)
        self.assertEqual(self.gate("before", self.file, *names)[0], 0)
        self.assertEqual([one["name"] for one in json.loads(self.file.read_text()) if one["is_online"]], sorted(names))

    def test_a_broker_that_is_away_is_no_verdict(self):
        status, said, why = self.gate("before", self.file, "paris-3/door", port=1)
        self.assertEqual((status, said), (69, ""))
        self.assertIn("127.0.0.1:1 cannot be reached", why)

    def test_a_wrong_command_line_or_file_is_64(self):
        wrong = self.file.with_name("wrong.json")
        wrong.write_text('[{"name": "paris-3/door"}]')
        for words in (["before", self.file, "paris-3"], ["before", self.file, "paris-3/*"], ["wait", wrong], ["wait", self.file.with_name("none")]):
            status, said, why = self.gate(*words)
            self.assertEqual((status, said, len(why.splitlines())), (64, "", 1), words)


if __name__ == "__main__":
    unittest.main()
