"""Of a region of people only counts are left, also where the agent is killed: `forgetting_test.py BEACOND FOLDER`."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

import people
import waiting

BEACOND, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
CONFIGURATION = """[gateway]
site = "shop"
id = "door"
[log]
level = "debug"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
[regions]
settle_s = 0
[[region]]
id = "visitors"
uuid = "{uuid}"
expand = "minor"
{own}
"""


# With each kind of message that would name a beacon.
PEOPLE = '''people = true
[homeassistant]
[owntracks]
topic = "owntracks/van"
[beacons]'''


class Broker:
    """A broker that keeps what it has in a file, and a subscriber to all topics."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(mode=0o777)
        folder.chmod(0o777)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (folder / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location {folder}/\nautosave_interval 1\nautosave_on_changes true\n")
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(["mosquitto", "-c", folder / "mosquitto.conf", "-v"], stdout=log, stderr=log)
        assert waiting.until(self.listens)
        self.heard = folder / "messages"
        with self.heard.open("wb") as heard:
            self.subscriber = subprocess.Popen(["mosquitto_sub", "-p", str(self.port), "-V", "5", "-q", "1", "-t", "#", "-F", "%j"], stdout=heard)
        assert waiting.until(lambda: b"SUBSCRIBE" in (folder / "log").read_bytes())

    def listens(self):
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self):
        for process in (self.subscriber, self.process):
            process.terminate()
            process.wait()

    def payloads(self, word):
        messages = [json.loads(line) for line in self.heard.read_text().splitlines()]
        return [json.loads(message["payload"]) if isinstance(message["payload"], str) else message["payload"]
                for message in messages if message["topic"].startswith("beacons/") and message["topic"].endswith("/" + word) and message["payload"]]


class Forgetting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.people = people.day(seed=7, people=100)
        for name, from_s, to_s in (("first", 0, 5_000), ("second", 5_000, 3 * people.HOUR_S)):
            people.write_capture(FOLDER / f"{name}.btsnoop", cls.people, from_s, to_s)
        people.write_capture(FOLDER / "day.btsnoop", cls.people, 0, 3 * people.HOUR_S)

    def setUp(self):
        self.folder = FOLDER / self._testMethodName
        self.folder.mkdir()
        self.broker = Broker(self.folder / "broker")
        self.addCleanup(self.broker.end)

    def replay(self, capture, own, kill_when=None, speed="max"):
        configuration = self.folder / "config.toml"
        configuration.write_text(CONFIGURATION.format(port=self.broker.port, uuid=people.UUID, own=own))
        with (self.folder / "agent.log").open("ab") as log:
            agent = subprocess.Popen(
                [BEACOND, "replay", FOLDER / f"{capture}.btsnoop", "--config", configuration, "--state", self.folder / "state", "--output", "mqtt", "--speed", speed],
                stdout=log, stderr=log)
            if kill_when is None:
                self.assertEqual(agent.wait(waiting.PATIENCE_S), 0)
            else:
                self.assertTrue(waiting.until(kill_when))
                os.kill(agent.pid, signal.SIGKILL)
                agent.wait()

    def traces(self):
        """The names of what is found anywhere: in state, broker, log and messages."""
        content = self.content()
        # A number of five digits may be part of a longer number or of a digest.
        words = set(re.findall(rb"[0-9a-zA-Z.]+", content))
        return [name for name, form in people.secrets(self.people).items() if form in (words if form.isdigit() else content)]

    def content(self):
        return b"\n".join(file.read_bytes() for file in self.folder.rglob("*") if file.is_file() and file.name != "config.toml")

    def test_only_counts_are_left_of_a_killed_agent(self):
        self.replay("first", PEOPLE, lambda: len(self.broker.payloads("count")) >= 2, speed="1500")
        killed = list(self.traces())
        self.replay("second", PEOPLE)
        self.assertTrue(waiting.until(lambda: self.broker.payloads("count")[-1]["partial"]))
        time.sleep(1.5)
        self.assertEqual((killed, self.traces()), ([], []))
        self.assertTrue(all(number is None or number == 0 or number >= 5 for count in self.broker.payloads("count")
                            for number in (count["entered"], count["left"], count["present"])))

    def test_the_day_is_that_of_the_full_mode_and_the_search_finds_people_there(self):
        self.replay("day", PEOPLE)
        self.assertTrue(waiting.until(lambda: self.broker.payloads("count")))
        time.sleep(0.5)
        counts = self.broker.payloads("count")
        self.assertEqual(self.traces(), [])
        shutil.rmtree(self.folder / "state")
        self.replay("day", "ranging = false")
        time.sleep(0.5)
        events = self.broker.payloads("event")
        full = [sum(event["type"] == kind for event in events) for kind in ("enter", "exit")]
        counted = [sum(count[field] or 0 for count in counts) for field in ("entered", "left")]
        self.assertGreater(full[0], 90)
        for whole, part in zip(full, counted, strict=True):
            self.assertLessEqual(abs(whole - part), 0.02 * whole, (full, counted))
        dwell = sum(cell["visits"] for count in counts for cell in count["dwell"])
        self.assertEqual(dwell, counted[1])
        # The search finds people where there are some.
        content = self.content()
        found = {name for name in ("UUID in capitals", f"person {self.people[0].minor}: major, quoted") if people.secrets(self.people)[name] in content}
        self.assertEqual(len(found), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
