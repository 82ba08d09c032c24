"""The readers that must agree: what the contract admits, the collector reads; what the collector reads, the database takes as it was said, and
the page shows. Messages of the contract's examples, changed at random from one seed.

FUZZ sets how many (2,000).
"""

import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

import psycopg
from beacons_collector.contract import CONTRACT
from beacons_collector.database import Row, element
from beacons_collector.reading import read
from beacons_collector.topics import Address, Unreadable, parse

from servers import LONGEST_WAIT_S, ROOT
from story import StoryTest

COUNT = int(os.environ.get("FUZZ", "2000"))
# The kinds that are kept, by the names of their schemas.
KINDS = {kind.file.removesuffix(".schema.json"): "/".join(kind.topic) for kind in CONTRACT.kinds.values() if kind.is_kept}
# What is near the edge of some reader.
VALUES = [None, True, False, 0, -0.0, 1, -1, 1.0, 1.5, 65535, 65536, 10**9, 2**53 - 1, 2**53, 2**63, 10**20, 1e300, 1e308, -127, 20, 21, "", "x", "carts", "é",
          "名" * 42, "x" * 129, "\u0000", "\ud800", "\U0001F6D2", "2026-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z", "0000-01-01T00:00:00.000Z",
          "9999-12-31T23:59:59.999Z", "2026-01-01T24:00:00.000Z", "2026-01-01T23:59:60.000Z", "2026-01-01T00:00:00.000000001Z", "2026-01-01T00:00:00Z",
          [], [1], {}, {"latitude": 90, "longitude": -180}, {"latitude": 90.1, "longitude": 0}, "unknown", "enter", "exit", "synced"]
LEVELS = ["beacons", "0", "1", "01", "007", "65535", "65536", "99999", "100000", "-1", "1.0", "٣", "", " 1", "zone", "event", "state", "ranging", "region", "carts", "名",
          "location", "track", "status", "coverage", "gap", "health", "request", "response", "x"]


def contract():
    """PyPI's jsonschema with the project's schemas, as the suite Contract has it; its libraries are not the collector's."""
    folder = tempfile.mkdtemp(prefix="jsonschema-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    there = ROOT / "Tests/Agent/Contract"
    done = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--target", folder, "-r", there / "requirements.txt"],
                          capture_output=True, text=True, timeout=LONGEST_WAIT_S, check=False)
    if done.returncode:
        raise unittest.SkipTest(f"no jsonschema: {done.stderr.strip().splitlines()[-1]}")
    sys.path[:0] = [folder, str(there)]
    from contract import Contract  # noqa: PLC0415
    return Contract()


class Mutant:
    """A message with one to three changes, and the topic that fits it."""

    def __init__(self, dice, kind, example):
        self.kind, self.message = kind, copy.deepcopy(example)
        for _ in range(dice.randint(0, 3)):
            holder = self.message
            while True:
                fields = list(holder) if isinstance(holder, dict) else range(len(holder))
                if not fields:
                    break
                field = dice.choice(fields)
                if isinstance(holder[field], (dict, list)) and holder[field] and dice.random() < 0.7:
                    holder = holder[field]
                    continue
                self.change(dice, holder, field)
                break
        names = {name: self.message.get(name, other) for name, other in (("site", "s"), ("gateway", "g"), ("region", "r"))}
        # A name that is none stands in no topic.
        names = {name: value if isinstance(value, str) and value and "\ud800" not in value and "\0" not in value else "x" for name, value in names.items()}
        page = self.message.get("page")
        # So does a page that is none.
        names["page"] = page if type(page) is int and 0 <= page <= 65535 else 0
        self.topic = "b/{site}/{gateway}/".format(**names) + KINDS[kind].format(**names)

    def change(self, dice, holder, field):
        turn = dice.random()
        if turn < 0.2:
            del holder[field]
        elif turn < 0.3 and isinstance(holder, dict):
            holder["colour"] = dice.choice(VALUES)
        elif turn < 0.6 and type(holder[field]) in (int, float):
            holder[field] += dice.choice([-1, 1, 0.5, 2**20, -(2**20)])
        else:
            holder[field] = dice.choice(VALUES)

    def payload(self):
        return json.dumps(self.message, ensure_ascii="\ud800" in repr(self.message) or "ud800" in repr(self.message)).encode()


def has_odd_number(value):
    """Whether a number is written as 1.0, or is too large. JSON Schema counts 1.0 as an integer, and PostgreSQL does not. The schemas do
    not bound the numbers that readers calculate with. No agent writes such numbers."""
    if isinstance(value, (dict, list)):
        return any(map(has_odd_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and value.is_integer() or type(value) in (int, float) and abs(value) > 10**9


def exact(text):
    """PostgreSQL keeps the digits of a number, and not its exponent."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def read_or_reason(topic, payload):
    """The text and the address, or why there is none."""
    try:
        address = parse(topic, "b")
        return (read(payload, address), address) if address else (None, None)
    except Unreadable as reason:
        return str(reason), None


class Readers(StoryTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.contract = contract()
        dice = random.Random(20261124)
        examples = [(kind, example) for kind in KINDS for example in cls.contract.schemas.get(f"{kind}.schema.json", {}).get("examples", [])]
        cls.mutants = [Mutant(dice, *dice.choice(examples)) for _ in range(COUNT)]

    def taken(self):
        """Mutants that the collector reads, with their text and address."""
        for mutant in self.mutants:
            text, address = read_or_reason(mutant.topic, mutant.payload())
            if address:
                yield mutant, text, address

    def test_what_the_contract_admits_the_collector_reads(self):
        admitted = 0
        for mutant in self.mutants:
            if not has_odd_number(mutant.message) and self.contract.validators[f"{mutant.kind}.schema.json"].is_valid(mutant.message):
                admitted += 1
                reason, address = read_or_reason(mutant.topic, mutant.payload())
                # What the schemas cannot say: one field beside another, and text that PostgreSQL has no room for.
                is_unsayable = address is None and re.search(r": (below|before) \w+$|cannot store$", reason)
                self.assertTrue(address or is_unsayable, (reason, mutant.topic, mutant.message))
        self.assertGreater(admitted, COUNT / 10)

    def test_what_the_collector_reads_the_database_takes_whole_and_as_it_was_said(self):
        taken = list(self.taken())
        self.assertGreater(len(taken), COUNT / 10)
        for start in range(0, len(taken), 50):
            self.take_all(taken[start:start + 50])

    def take_all(self, part):
        rows = [Row(mutant.topic, address, text, self.now()) for mutant, text, address in part]
        batch = "[" + ",".join(element(index, row) for index, row in enumerate(rows)) + "]"
        try:
            with self.connection.transaction(force_rollback=True):
                answers = self.connection.execute("SELECT i, outcome FROM beacons.take(%s::jsonb)", (batch,)).fetchall()
                self.assertEqual(sorted(index for index, _ in answers), list(range(len(rows))))
                for (text,), row in zip(self.connection.execute("SELECT m->>'payload' FROM jsonb_array_elements(%s::jsonb) m", (batch,)), rows, strict=True):
                    self.assertEqual(exact(text), exact(row.text))
        except psycopg.Error as error:
            if len(part) == 1:
                raise AssertionError(f"{error}: {part[0][0].topic} {part[0][1]}") from None
            for one in part:
                self.take_all([one])
            raise

    def now(self):
        return self.connection.execute("SELECT now()").fetchone()[0]

    def topics(self):
        dice = random.Random(7)
        made = {mutant.topic for mutant in self.mutants}
        while len(made) < COUNT:
            made.add("/".join(["b", "s", "g", *(dice.choice(LEVELS) for _ in range(dice.randint(0, 8)))] if dice.random() < 0.3 else
                              ["b", "s", "g", "region", "r", *(dice.choice(LEVELS) for _ in range(dice.randint(0, 4))), dice.choice(["event", "state", "ranging"])]))
        return sorted(made)

    def test_an_address_is_the_only_reading_of_its_topic(self):
        for topic in self.topics():
            try:
                address = parse(topic, "b")
            except Unreadable:
                continue
            if address and address.region is not None:
                levels = [value for value in (address.region, address.major, address.minor) if value is not None]
                zone = ["zone", address.zone] if address.zone is not None else []
                self.assertEqual(topic, "/".join(map(str, ["b", address.site, address.gateway, "region", *levels, *zone, address.kind])))

    def page(self, program, lines):
        """The page's own modules' result for each line."""
        if not shutil.which("node"):
            self.skipTest("missing, by their Debian names: nodejs")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "deploy/page/source", Path(folder) / "source")
            (Path(folder) / "package.json").write_text('{"type": "module"}')
            (Path(folder) / "ask.js").write_text(
                "import { readTopic } from './source/messages/topic.js'; import { unread } from './source/messages/contract.js'; import { readPayload } from './source/messages/payload.js'; import { readFileSync } from 'fs';\n"
                "for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) { const one = JSON.parse(line); let said; "
                f"try {{ said = ({program})(one) }} catch (error) {{ said = {{ error: error.message }} }} console.log(JSON.stringify(said)) }}\n")
            done = subprocess.run(["node", "ask.js"], input="\n".join(map(json.dumps, lines)) + "\n", capture_output=True, text=True, cwd=folder,
                                  timeout=LONGEST_WAIT_S, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [json.loads(line) for line in done.stdout.splitlines()]

    def test_the_page_takes_a_topic_apart_as_the_collector_does(self):
        topics = self.topics()
        for topic, shown in zip(topics, self.page("one => readTopic(one, 'b')", topics), strict=True):
            try:
                address = parse(topic, "b")
            except Unreadable as reason:
                # The page bounds no level, because it has no index, and ranging is for those alone who are there.
                if "of 1 to" not in str(reason) and not topic.endswith("/ranging"):
                    self.assertIsNone(shown, (topic, str(reason)))
                continue
            if address:
                self.assertIsNotNone(shown, topic)
                self.assertEqual(address, Address(*[shown.get(field) for field in ("kind", "site", "gateway", "region", "major", "minor", "zone", "page")]), topic)

    def test_the_page_reads_each_payload_that_the_collector_reads(self):
        taken = list(self.taken())
        lines = [{"kind": address.kind, "text": text} for _, text, address in taken]
        program = "one => unread.includes(one.kind) ? null : readPayload(one.kind, new TextEncoder().encode(one.text))"
        for (mutant, _, _), shown in zip(taken, self.page(program, lines), strict=True):
            self.assertNotIn("error", shown or {}, (mutant.topic, mutant.message))


class Octets(unittest.TestCase):
    def test_whatever_the_octets_are_a_payload_is_read_or_refused_with_a_reason(self):
        dice = random.Random(3)
        lines = [line for line in (ROOT / "Tests/Agent/Golden/first-run.jsonl").read_text().splitlines() if "/event" in line]
        address = parse("b/s/g/region/carts/event", "b")
        for _ in range(COUNT):
            octets = bytearray(json.dumps(json.loads(dice.choice(lines))["payload"]).encode())
            for _ in range(dice.randint(1, 4)):
                place = dice.randrange(len(octets))
                octets[place:place + dice.randint(0, 2)] = dice.choice([b"", b"\xff", b"\\u0000", b"\\ud83d", b"1e999", b"NaN", b"{", b"]", b'"', b"\x00", b"\xed\xa0\x80"])
            try:
                self.assertIsInstance(read(bytes(octets), address), str)
            except Unreadable as reason:
                self.assertRegex(str(reason), re.compile(r"^\w[\w.]*: \S", re.DOTALL))
