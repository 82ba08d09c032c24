"""Of a region of people only counts are left, also where the agent is killed: `forgetting_test.py BEACOND FOLDER`."""

import hmac
import json
import os
import pathlib
import re
import resource
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
STORE = """[gateway]
state_dir = "{folder}/state"
[log]
level = "debug"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
[site]
id = "shop"
leave_after_s = 1
[privacy]
site_key_file = "{folder}/site.key"
[[region]]
id = "visitors"
uuid = "{uuid}"
people = true
"""
CONFIGURATION = """[gateway]
site = "shop"
id = "{gateway}"
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
            self.subscriber = subprocess.Popen(["mosquitto_sub", "-p", str(self.port), "-V", "5", "-q", "1", "-t", "#", "-T", "beacons/+/+/people", "-F", "%j"], stdout=heard)
        # As hexadecimal digits, which have any eight somewhere: beside what is searched.
        self.sealed = folder.parent.with_suffix(".sealed")
        with self.sealed.open("wb") as heard:
            self.other_subscriber = subprocess.Popen(["mosquitto_sub", "-p", str(self.port), "-V", "5", "-t", "beacons/+/+/people", "-F", "%t %r %x"], stdout=heard)
        assert waiting.until(lambda: (folder / "log").read_bytes().count(b"Received SUBSCRIBE") == 2)

    def listens(self):
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self):
        for process in (self.subscriber, self.other_subscriber, self.process):
            process.terminate()
            process.wait()

    def publish(self, topic, payload):
        subprocess.run(["mosquitto_pub", "-p", str(self.port), "-V", "5", "-t", topic, "-s"], input=payload, check=True)

    def reports(self, gateway):
        """The sealed messages of a gateway, or the announcements of the store, with whether the broker had kept them."""
        # The subscriber may be writing the last line.
        lines = [line.split(" ") for line in self.sealed.read_text().split("\n")[:-1]]
        return [(bytes.fromhex(payload), retained == "1") for topic, retained, payload in lines if topic.split("/")[2] == gateway]

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
        configuration = self.configure("door", own)
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

    def configure(self, gateway, own):
        configuration = self.folder / f"{gateway}.config.toml"
        configuration.write_text(CONFIGURATION.format(port=self.broker.port, uuid=people.UUID, gateway=gateway, own=own))
        return configuration

    def traces(self, more=()):
        """The names of what is found anywhere: in state, broker, log and messages. `more` are forms to search besides."""
        content = self.content()
        sealed = b"".join(report for gateway in ("door", "oven") for report, _ in self.broker.reports(gateway))
        # A number of five digits may be part of a longer number or of a digest.
        words = set(re.findall(rb"[0-9a-zA-Z.]+", content))
        forms = {**people.secrets(self.people), **dict(more)}
        found, in_sealed = (people.present(set(forms.values()), text) for text in (content, sealed))
        # Four octets are somewhere in megabytes that look random.
        return [name for name, form in forms.items() if form in (words if form.isdigit() else found) or len(form) > 5 and form in in_sealed]

    def content(self):
        return b"\n".join(file.read_bytes() for file in self.folder.rglob("*") if file.is_file() and not file.name.endswith("config.toml"))

    def test_only_counts_are_left_of_a_killed_agent(self):
        self.replay("first", PEOPLE, lambda: len(self.broker.payloads("count")) >= 2, speed="1500")
        killed = list(self.traces())
        self.replay("second", PEOPLE)
        self.assertTrue(waiting.until(lambda: self.broker.payloads("count")[-1]["partial"]))
        time.sleep(1.5)
        self.assertEqual((killed, self.traces()), ([], []))
        self.assertTrue(all(number is None or number == 0 or number >= 5 for count in self.broker.payloads("count")
                            for number in (count["entered"], count["left"], count["present"])))

    def test_a_crash_leaves_no_image_of_the_memory(self):
        place = self.folder / "crash"
        place.mkdir()
        configuration, most = self.configure("door", PEOPLE), resource.getrlimit(resource.RLIMIT_CORE)[1]
        with (self.folder / "agent.log").open("ab") as log:
            agent = subprocess.Popen(
                [BEACOND, "replay", FOLDER / "first.btsnoop", "--config", configuration, "--state", self.folder / "state", "--output", "mqtt", "--speed", "100"],
                stdout=log, stderr=log, cwd=place, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"}, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (most, most)))
            self.assertTrue(waiting.until(lambda: self.broker.payloads("status")))
            limit = re.search(r"Max core file size +(\S+)", pathlib.Path(f"/proc/{agent.pid}/limits").read_text())[1]
            agent.send_signal(signal.SIGABRT)
            self.assertEqual(agent.wait(waiting.PATIENCE_S), -signal.SIGABRT)
        # A limit of 0 holds for files only. One octet is the kernel's sign for no dump at all, also where it pipes dumps to a program.
        self.assertEqual((limit, list(place.iterdir())), ("1" if most else "0", []))

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
        self.assertLessEqual({"UUID in capitals", f"person {self.people[0].minor}: minor", f"person {self.people[0].minor}: major, quoted"}, set(self.traces()))

    def test_a_store_counts_each_visit_once_and_keeps_no_identity_and_no_pseudonym(self):
        # Outside of what is searched: whoever has the file can compute the names of a day whose announcement was recorded.
        secret = os.urandom(32)
        keys = FOLDER / f"{self._testMethodName}.keys"
        keys.mkdir()
        (keys / "site.key").write_bytes(secret)
        configuration = self.folder / "site.config.toml"
        configuration.write_text(STORE.format(folder=self.folder, port=self.broker.port, uuid=people.UUID).replace(f"{self.folder}/site.key", f"{keys}/site.key"))
        own = f'people = true\n[privacy]\nsite_key_file = "{keys}/site.key"'
        with (self.folder / "site.log").open("ab") as log:
            site = subprocess.Popen([BEACOND, "site", "--config", configuration], stdout=log, stderr=log)
            self.addCleanup(site.kill)
            self.assertTrue(waiting.until(lambda: self.broker.reports("site")))
            gateways = [subprocess.Popen(
                [BEACOND, "replay", FOLDER / "first.btsnoop", "--config", self.configure(gateway, own), "--state", self.folder / f"state-{gateway}",
                 "--output", "mqtt", "--speed", "100"], stdout=log, stderr=log) for gateway in ("door", "oven")]
            for gateway in gateways:
                self.addCleanup(gateway.kill)
            # Whoever may publish at the broker sends reports again, in health's first minute.
            self.assertTrue(waiting.until(lambda: len(self.broker.reports("door")) >= 100))
            for report, _ in self.broker.reports("door")[:20]:
                self.broker.publish("beacons/shop/door/people", report)
            for gateway in gateways:
                self.assertEqual(gateway.wait(waiting.PATIENCE_S + 60), 0)
            # The store takes 20 s of silence for the end of all visits of a gateway, once it has taken the last report.
            self.assertTrue(waiting.until_idle(site.pid))
            time.sleep(25)
            site.terminate()
            self.assertEqual(site.wait(waiting.PATIENCE_S), 0)
        self.assertTrue(waiting.until(lambda: self.broker.payloads("count")))
        time.sleep(1.5)
        counts = self.broker.payloads("count")
        self.assertEqual({count["gateway"] for count in counts}, {"site"}, "no count of a gateway overlaps that of the store")
        came = sum(person.begin_s < 4_990 for person in self.people)
        for field in ("entered", "left"):
            self.assertLessEqual(abs(sum(count[field] or 0 for count in counts) - came), 0.02 * came, (counts, came))
        self.assertTrue(waiting.until(lambda: any(health.get("people_refused", 0) >= 20 for health in self.broker.payloads("health"))))
        # The day's sums are those of the published counts, and outlive the process.
        with (self.folder / "site.log").open("ab") as log:
            again = subprocess.Popen([BEACOND, "site", "--config", configuration], stdout=log, stderr=log)
            self.addCleanup(again.kill)
            sums = {field: sum(count[field] or 0 for count in counts) for field in ("entered", "left")}
            self.assertTrue(waiting.until(lambda: any(
                sums.items() <= people.items() for today in self.broker.payloads("today") for people in today.get("people", []))), sums)
            again.terminate()
            self.assertEqual(again.wait(waiting.PATIENCE_S), 0)
        reports = self.broker.reports("door")
        self.assertGreater(len(reports), 500)
        self.assertFalse(any(is_retained for _, is_retained in reports + self.broker.reports("site")))
        self.assertEqual(self.traces(people.pseudonyms(self.people, secret, self.broker.reports("site")[-1][0])), [])

    def test_the_search_computes_the_pseudonyms_of_the_agent(self):
        # The same numbers stand in MessagesTests.PeopleSealTests.
        public = bytes.fromhex("a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209")
        key = hmac.digest(hmac.digest(public, b"a secret of the store, of 32 octets", "sha256"), b"beacond people names\1", "sha256")
        self.assertEqual(hmac.digest(key, b"person 1", "sha256")[:8].hex(), "d27d6880079d82fe")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
