"""deploy/broker/clear-retained against what a stolen gateway retained: it clears the gateway's own topics, all of them, and no other."""

import subprocess
import unittest

from servers import LONGEST_WAIT_S, ROOT, Mosquitto, run
from terminal_test import is_safe

CLEAR = ROOT / "deploy/broker/clear-retained"
STOLEN, OTHER = "beacons/berlin-17/entrance", "beacons/berlin-1/door/status"


class Retained(unittest.TestCase):
    def setUp(self):
        self.broker = Mosquitto().start()
        self.addCleanup(self.broker.__exit__)

    def retain(self, topic, payload):
        run("mosquitto_pub", "-p", self.broker.port, "-q", 1, "-r", "-t", topic, "-s", input=payload)

    def retained(self):
        done = subprocess.run(["mosquitto_sub", "-p", str(self.broker.port), "-t", "#", "--retained-only", "-W", "2", "-F", "%t"], capture_output=True, text=True,
                              timeout=LONGEST_WAIT_S, check=False)
        return sorted(done.stdout.splitlines())

    def clear(self, root=STOLEN, program=CLEAR):
        """Returns the output of the tool, and its exit status."""
        done = subprocess.run([program, root, "-h", "127.0.0.1", "-p", str(self.broker.port)], capture_output=True, text=True, timeout=LONGEST_WAIT_S, check=False)
        return done.stdout, done.returncode

    def test_a_payload_with_line_ends_names_no_topic(self):
        self.retain(OTHER, b"{}")
        self.retain(f"{STOLEN}/status", f"{{}}\n{OTHER} x\n{STOLEN}/made-up x\n".encode())
        text, status = self.clear()
        self.assertEqual((status, self.retained()), (0, [OTHER]), text)
        self.assertEqual(text, f"cleared      {STOLEN}/status\n")

    def test_a_topic_with_spaces_and_backslashes_is_cleared(self):
        topics = [f"{STOLEN}/region/{name}/state" for name in (" ", "a b", "a\\tb", " x ", "-t", "*", "$(id)", "名", "'", '"')] + [f"{STOLEN}/status"]
        for topic in topics:
            self.retain(topic, b"{}")
        text, status = self.clear()
        self.assertEqual((status, self.retained()), (0, []), text)
        self.assertEqual(sorted(text.splitlines()), sorted(f"cleared      {topic}" for topic in topics))

    def test_a_neighbour_whose_name_begins_alike_keeps_its_topics(self):
        for topic in (f"{STOLEN}-2/status", f"{STOLEN}/status", "beacons/berlin-17/entranc/status"):
            self.retain(topic, b"{}")
        self.clear()
        self.assertEqual(self.retained(), ["beacons/berlin-17/entranc/status", f"{STOLEN}-2/status"])

    def test_a_status_that_says_online_is_reported(self):
        self.retain(f"{STOLEN}/status", b'{"state":"online"}\0')
        self.assertIn("its status says online", self.clear()[0])
        # Another topic's payload is no status.
        self.retain(f"{STOLEN}/health", f'{STOLEN}/status {{"state":"online"}}'.encode())
        self.assertNotIn("its status says online", self.clear()[0])

    def test_no_topic_reaches_the_terminal_as_a_command(self):
        self.retain(f"{STOLEN}/region/\u202e\u2066\u200f/state", b"\x1b[2J")
        text, status = self.clear()
        self.assertEqual((status, self.retained(), is_safe(text)), (0, [], True), ascii(text))

    def test_a_topic_outside_the_root_is_refused_whatever_the_broker_sends(self):
        """A broker that takes line ends in topics: the tool sees two lines of one topic."""
        self.retain(OTHER, b"{}")
        self.retain(f"{STOLEN}/a", b"{}")
        folder = self.broker.folder
        for name, program in (("mosquitto_sub", f'printf "%s\\n" "{STOLEN}/a" "{OTHER}" "#" ""; exit 27'), ("mosquitto_pub", 'exec /usr/bin/mosquitto_pub "$@"')):
            (folder / name).write_text(f"#!/bin/bash\n{program}\n")
            (folder / name).chmod(0o755)
        done = subprocess.run(["bash", "-c", f'PATH={folder}:$PATH exec "$@"', "bash", CLEAR, STOLEN, "-h", "127.0.0.1", "-p", str(self.broker.port)],
                              capture_output=True, text=True, timeout=LONGEST_WAIT_S, check=False)
        self.assertEqual((done.returncode, self.retained()), (1, [OTHER]), done.stdout)
        self.assertIn(f"not cleared  {OTHER}\n", done.stdout)

    def test_a_root_with_wildcards_or_of_too_few_levels_is_refused(self):
        for root in ("", "beacons/berlin-17", "beacons/+/entrance", "beacons/berlin-17/#", "#"):
            self.assertEqual(self.clear(root)[1], 64, root)


if __name__ == "__main__":
    unittest.main()
