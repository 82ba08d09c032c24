"""Of a region of people only counts are left, also where the agent is killed: `forgetting_test.py BEACOND FOLDER`."""

import hmac
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import people
import programs
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


class Broker(programs.Broker):
    """A broker that keeps what it has in a file, and subscribers to all topics."""

    def __init__(self, folder):
        folder.mkdir()
        super().__init__(folder, f"persistence true\npersistence_location {folder}/\nautosave_interval 1\nautosave_on_changes true\nlog_type all")
        self.start()
        self._heard = self.subscriber(folder / "messages", "-q", "1", "-t", "#", "-T", "beacons/+/+/people", "-F", "%j")
        # As hexadecimal digits, which have any eight somewhere: beside what is searched.
        self._sealed = self.subscriber(folder.parent.with_suffix(".sealed"), "-t", "beacons/+/+/people", "-F", "%t %r %x")
        self._marks = 0
        assert waiting.until(lambda: self.said().count("Received SUBSCRIBE") == 2)

    def subscriber(self, file, *options):
        return programs.Program(["mosquitto_sub", "-p", self.port, "-V", "5", *options], file).start()

    def end(self, *number):
        for subscriber in (self._heard, self._sealed):
            subscriber.end()
        return super().end(*number)

    def publish(self, topic, payload, *options):
        subprocess.run(["mosquitto_pub", "-p", str(self.port), "-V", "5", "-t", topic, "-s", *options], input=payload, check=True)

    def catch_up(self):
        """Waits until both subscribers have all that came before now: the broker sends messages of one QoS in order."""
        self._marks += 1
        mark = f"mark {self._marks}"
        for topic in ("tests/mark", "beacons/tests/mark/people"):
            self.publish(topic, mark.encode(), "-q", "1")
        assert waiting.until(lambda: mark in self._heard.said() and mark.encode().hex() in self._sealed.said().lower())

    @staticmethod
    def _lines(subscriber):
        """The whole lines: it may be writing the last one."""
        return subscriber.said().split("\n")[:-1]

    def reports(self, gateway):
        """The sealed messages of a gateway, or the announcements of the store, with whether the broker had kept them."""
        lines = [line.split(" ") for line in self._lines(self._sealed)]
        return [(bytes.fromhex(payload), retained == "1") for topic, retained, payload in lines if topic.split("/")[2] == gateway]

    def payloads(self, word):
        messages = [json.loads(line) for line in self._lines(self._heard)]
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

    def beacond(self, *words, log="agent.log", **more):
        """A command of the program, which ends with the test at the latest."""
        program = programs.Program([BEACOND, *words], self.folder / log, **more)
        self.addCleanup(program.kill)
        return program

    def plays(self, capture, gateway, own, state, speed, **more):
        return self.beacond("replay", FOLDER / f"{capture}.btsnoop", "--config", self.configure(gateway, own), "--state", self.folder / state,
                            "--output", "mqtt", "--speed", speed, **more)

    def replay(self, capture, own, kill_when=None, speed="max"):
        agent = self.plays(capture, "door", own, "state", speed).start()
        if kill_when is None:
            self.assertEqual(agent.ended(), 0)
        else:
            self.assertTrue(waiting.until(kill_when))
            agent.kill()

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
        self.broker.catch_up()
        # The broker writes its file a second after a change.
        time.sleep(1.5)
        self.assertEqual((killed, self.traces()), ([], []))
        self.assertTrue(all(number is None or number == 0 or number >= 5 for count in self.broker.payloads("count")
                            for number in (count["entered"], count["left"], count["present"])))

    def test_a_crash_leaves_no_image_of_the_memory(self):
        place = self.folder / "crash"
        place.mkdir()
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        agent = self.plays("first", "door", PEOPLE, "state", "100", cwd=place, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"})
        agent.start("bash", "-c", 'ulimit -S -c hard && exec "$@"', "-")
        self.assertTrue(waiting.until(lambda: self.broker.payloads("status")))
        limit = re.search(r"Max core file size +(\S+)", pathlib.Path(f"/proc/{agent.pid}/limits").read_text())[1]
        self.assertEqual(agent.end(signal.SIGABRT), -signal.SIGABRT)
        # A limit of 0 holds for files only. One octet is the kernel's sign for no dump at all, also where it pipes dumps to a program.
        self.assertEqual((limit, list(place.iterdir())), ("1" if most else "0", []))

    def test_the_day_is_that_of_the_full_mode_and_the_search_finds_people_there(self):
        self.replay("day", PEOPLE)
        self.broker.catch_up()
        counts = self.broker.payloads("count")
        # The broker writes its file a second after a change.
        time.sleep(1.5)
        self.assertEqual(self.traces(), [])
        shutil.rmtree(self.folder / "state")
        self.replay("day", "ranging = false")
        self.broker.catch_up()
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
        site = self.beacond("site", "--config", configuration, log="site.log").start()
        self.assertTrue(waiting.until(lambda: self.broker.reports("site")))
        gateways = [self.plays("first", gateway, own, f"state-{gateway}", "100", log="site.log").start() for gateway in ("door", "oven")]
        # Whoever may publish at the broker sends reports again, in health's first minute.
        self.assertTrue(waiting.until(lambda: len(self.broker.reports("door")) >= 100))
        for report, _ in self.broker.reports("door")[:20]:
            self.broker.publish("beacons/shop/door/people", report)
        for gateway in gateways:
            self.assertEqual(gateway.ended(), 0)
        # The store takes 20 s of silence for the end of all visits of a gateway, once it has taken the last report.
        self.assertTrue(waiting.until_idle(site.pid))
        time.sleep(25)
        self.assertEqual(site.end(), 0)
        self.broker.catch_up()
        counts = self.broker.payloads("count")
        self.assertEqual({count["gateway"] for count in counts}, {"site"}, "no count of a gateway overlaps that of the store")
        came = sum(person.begin_s < 4_990 for person in self.people)
        for field in ("entered", "left"):
            self.assertLessEqual(abs(sum(count[field] or 0 for count in counts) - came), 0.02 * came, (counts, came))
        self.assertTrue(waiting.until(lambda: any(health.get("people_refused", 0) >= 20 for health in self.broker.payloads("health"))))
        # The day's sums are those of the published counts, and outlive the process.
        again = self.beacond("site", "--config", configuration, log="site.log").start()
        sums = {field: sum(count[field] or 0 for count in counts) for field in ("entered", "left")}
        self.assertTrue(waiting.until(lambda: any(
            sums.items() <= people.items() for today in self.broker.payloads("today") for people in today.get("people", []))), sums)
        self.assertEqual(again.end(), 0)
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
