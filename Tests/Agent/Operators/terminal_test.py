"""Tools print no control character and no bidirectional mark from any field of a stranger."""

import json
import subprocess
import sys
import unittest

from servers import LONGEST_WAIT_S, ROOT

sys.path.insert(0, str(ROOT / "deploy/chain"))
from beacons_collector.plain import plain  # noqa: E402

# Each of them, where a terminal obeys it, moves the cursor, changes a title or turns the order of letters.
SIGNS = ["\x00", "\x07", "\x08", "\x1b", "\r", "\n", "\x7f", "\x85", "\x9b", "\u061c", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029", *map(chr, range(0x202a, 0x202f)),
         *map(chr, range(0x2066, 0x206a)), "\ufeff"]
WORDS = "Käse 名 7 µm 😀"
SHOW = ROOT / "deploy/lib/show-messages"
# A message of each kind that the tool knows, and one that it does not.
MESSAGES = {
    "region/carts/event": {"type": "enter", "region": "carts", "major": 1, "minor": 2, "accuracy_m": 1.25, "proximity": "near"},
    "region/carts/2/event": {"type": "exit", "region": "carts", "major": 1, "minor": 2, "dwell_s": 22.8},
    "region/carts/ranging": {"region": "carts", "count": 1, "beacons": [{"major": 1, "minor": 2, "accuracy_m": 1.25, "proximity": "near"}]},
    "region/carts/state": {"state": "inside", "region": "carts", "major": 1, "minor": 2},
    "status": {"state": "online", "radio": "scanning", "remedy": "none"}, "coverage": {"radio": "scanning", "from_at": "a", "to_at": "b"},
    "health": {"reports_per_s": 1, "tracks": 2}, "gap": {"from_seq": 1, "to_seq": 2, "cause": "disk"}}


def is_safe(text):
    """Whether lines have only signs that print."""
    return all(line.isprintable() for line in text.split("\n"))


def line_of(topic, payload):
    """A message as `mosquitto_sub -F %j` prints it."""
    return json.dumps({"tst": "2026-01-01T00:00:00.000000Z+0000", "topic": topic, "qos": 0, "retain": 0, "payloadlen": len(payload), "payload": payload},
                      ensure_ascii=False, separators=(",", ":"))


def shown(*lines):
    """Returns the output of the tool, and its exit status."""
    done = subprocess.run([SHOW, "--no-color"], input="".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape"), capture_output=True,
                          timeout=LONGEST_WAIT_S, check=False)
    return (done.stdout + done.stderr).decode(), done.returncode


class Plain(unittest.TestCase):
    def bash(self, text):
        program = f'source {ROOT / "deploy/broker/plain.sh"}; plain "$(cat; echo x)"; printf %s "${{plain%x}}"'
        return subprocess.run(["bash", "-c", program], input=text.encode("utf-8", "surrogateescape"), capture_output=True, check=True).stdout.decode()

    def test_words_stay_and_signs_that_a_terminal_obeys_go_in_python_and_in_bash(self):
        for one in (lambda text: plain(text, 1000), self.bash):
            self.assertEqual(one(WORDS), WORDS)
            for sign in SIGNS[1:]:
                self.assertEqual(one(f"a{sign}b"), "a\ufffdb", ascii(sign))

    def test_octets_that_are_not_utf_8_do_not_pass_bash(self):
        for octet in "\udc9b\udc80\udcff":
            self.assertEqual(self.bash(f"a{octet}b"), "a?b")

    def test_a_word_is_cut(self):
        self.assertEqual(plain("x" * 1000), "x" * 40)
        self.assertEqual(plain(10**1000), "1" + "0" * 39)


class Messages(unittest.TestCase):
    def test_each_kind_of_message_has_a_line(self):
        text, status = shown(*(line_of(f"beacons/s/g/{rest}", json.dumps(message)) for rest, message in MESSAGES.items()))
        self.assertEqual(status, 0)
        lines = [line[10:] for line in text.splitlines()]
        self.assertEqual(lines, [
            "ENTER     carts  1/2  1.2 m  near", "EXIT      carts  1/2  after 22 s inside", "RANGING   carts  count 1:  1/2 1.2 m near", "INSIDE    carts  1/2",
            "ONLINE    g  radio: scanning, none", "COVERAGE  scanning  from a to b", "HEALTH    1 reports/s  2 tracks",
            'gap       {"from_seq": 1, "to_seq": 2, "cause": "disk"}'])

    def test_no_field_of_any_kind_reaches_the_terminal_as_a_command(self):
        lines = []
        for rest, message in MESSAGES.items():
            for field in message:
                for sign in SIGNS:
                    hostile = json.dumps(message | {field: f"a{sign}[2Jb"}, ensure_ascii=False)
                    # JSON's own escapes, and the signs as they are, which is no JSON.
                    lines += [line_of(f"beacons/s/g/{rest}", hostile), line_of(f"beacons/s/g/{rest}", hostile.replace("\\u00", "").replace('a', f"a{sign}"))]
            lines += [line_of(f"beacons/s/{sign}/{rest}", json.dumps(message)) for sign in SIGNS]
        text, status = shown(*lines)
        self.assertEqual((status, is_safe(text), text.count("\n")), (0, True, len(lines)))
        self.assertIn("\ufffd", text)

    def test_a_payload_that_is_no_json_or_not_utf_8_is_one_line(self):
        for payload in ("{", "", "x\nbeacons/other/g/status {}", "\udc9b[2J\udcff", '"', "\\", "a" * 1_000_000, '{"type":"enter","accuracy_m":1x}', '{"accuracy_m":1e308}'):
            for rest in MESSAGES:
                text, status = shown(line_of(f"beacons/s/g/{rest}", payload), line_of("beacons/s/g/health", '{"tracks":7}'))
                self.assertEqual((status, is_safe(text), text.count("\n")), (0, True, 2), (rest, payload[:40], text[:200]))
                self.assertIn("7 tracks", text)

    def test_topics_and_payloads_that_imitate_the_frame_stay_what_they_are(self):
        text, _ = shown(line_of('b/s/x","qos":0,"payload":"/status', '{"state":"online","remedy":"\\",\\"topic\\":\\"","radio":"scanning"}'))
        self.assertIn("radio: scanning", text)

    def test_other_input_is_refused(self):
        for line in ("beacons/s/g/status\t{}", "beacons/s/g/status {}", "{}", "\x1b[2J"):
            text, status = shown(line)
            self.assertEqual((status, text), (64, "show-messages: the input is not that of mosquitto_sub -F %j\n"))


if __name__ == "__main__":
    unittest.main()
