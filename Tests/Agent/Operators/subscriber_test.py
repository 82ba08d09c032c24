"""deploy/subscriber.py, README's model, against what a stolen gateway may publish."""

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import tracemalloc
import types
import unittest
from contextlib import redirect_stdout
from io import StringIO

from servers import ROOT, Mosquitto, ended, run, wait_until
from terminal_test import SIGNS, is_safe

SUBSCRIBER = ROOT / "deploy/subscriber.py"
EVENT = {"schema": 1, "at": "2026-01-01T00:00:11.167Z", "epoch": "01KDVDNA0T0000000000000000", "seq": 1, "type": "enter", "region": "carts", "major": 2, "minor": 1}
GAP = {"schema": 1, "at": EVENT["at"], "epoch": EVENT["epoch"], "from_seq": 1, "to_seq": 2**53 - 1, "cause": "disk"}
TOPIC, GAPS = "beacons/s/g/region/carts/event", "beacons/s/g/gap"


def hostile():
    """Payloads that are no event: (topic, payload)."""
    for payload in (b"", b"{", b"x", b"\xff", b"[]", b"1", b"null", b'"x"', b"[" * 100_000, b"1" * 5000, b'{"seq":' + b"9" * 5000 + b"}"):
        yield TOPIC, payload
        yield GAPS, payload
    for value in (None, True, 1.5, "x", "1", -1, 0, 2**53, 10**400, [], {}, [[]], {"a": 1}):
        for message, topic in ((EVENT, TOPIC), (GAP, GAPS)):
            for field in message:
                yield topic, json.dumps(message | {field: value}).encode()
                yield topic, json.dumps({key: one for key, one in message.items() if key != field}).encode()
        yield TOPIC, json.dumps(EVENT | {"location": value}).encode()
    yield GAPS, json.dumps(GAP | {"from_seq": 5, "to_seq": 4}).encode()
    yield TOPIC, json.dumps(EVENT | {"epoch": "x" * 1_000_000}).encode()
    for sign in SIGNS[1:]:
        for field in ("at", "type", "region", "major"):
            yield TOPIC, json.dumps(EVENT | {field: f"a{sign}[2J", "seq": ord(sign)}, ensure_ascii=False).encode()
        yield f"beacons/s/{sign}/event", json.dumps(EVENT).encode()


class Model(unittest.TestCase):
    def setUp(self):
        specification = importlib.util.spec_from_file_location("subscriber", SUBSCRIBER)
        self.model = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(self.model)

    def printed(self, *messages):
        """Returns the output of the subscriber for messages."""
        with redirect_stdout(StringIO()) as out:
            for topic, payload in messages:
                payload = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
                self.model.on_message(None, None, types.SimpleNamespace(topic=topic, payload=payload))
        return out.getvalue().splitlines()

    def test_each_event_is_printed_once_and_missing_and_lost_numbers_are_named(self):
        self.assertEqual(self.printed(*((TOPIC, EVENT | {"seq": seq}) for seq in (2, 3, 2, 7)), (GAPS, GAP | {"from_seq": 3, "to_seq": 5}), (TOPIC, EVENT | {"seq": 6}),
                                      (TOPIC, EVENT | {"seq": 1, "epoch": "next"}), (GAPS, {"from_span": 1, "to_span": 4})), [
            "g 2 2026-01-01T00:00:11.167Z enter carts 2 1", "g 3 2026-01-01T00:00:11.167Z enter carts 2 1", "g 2 came twice, dropped",
            "g 7 2026-01-01T00:00:11.167Z enter carts 2 1", "g missing so far: [(4, 6)]", "g lost for good: [(4, 5)] disk", "g 6 2026-01-01T00:00:11.167Z enter carts 2 1",
            "g 1 2026-01-01T00:00:11.167Z enter carts 2 1"])

    def test_ranges_are_those_of_a_set_of_numbers(self):
        dice = random.Random(50)
        for _ in range(300):
            ranges, numbers = [], set()
            for _ in range(20):
                first = dice.randint(1, 60)
                last = first + dice.choice([0, 0, 1, 5, 30])
                new = self.model.add(ranges, first, last)
                self.assertEqual({one for low, high in new for one in range(low, high + 1)}, set(range(first, last + 1)) - numbers)
                numbers |= set(range(first, last + 1))
                self.assertEqual([one for low, high in ranges for one in range(low, high + 1)], sorted(numbers))
                self.assertTrue(all(high + 1 < low for (_, high), (low, _) in zip(ranges, ranges[1:], strict=False)))

    def test_no_message_ends_it_and_none_reaches_the_terminal_as_a_command(self):
        lines = self.printed(*hostile(), (TOPIC, EVENT | {"seq": 77, "epoch": "last"}))
        self.assertEqual(lines[-1], "g 77 2026-01-01T00:00:11.167Z enter carts 2 1")
        self.assertTrue(all(map(is_safe, lines)))

    def test_its_memory_has_a_limit_whatever_one_store_sends(self):
        self.model.show = lambda *words: None
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        for number in range(5000):
            self.printed((GAPS, GAP), (TOPIC, EVENT | {"epoch": "odd", "seq": 2 * number + 1}), (GAPS, GAP | {"epoch": str(number), "from_seq": 10 * number + 1}))
        self.assertLess(tracemalloc.get_traced_memory()[1], 8 << 20)
        self.assertEqual(len(self.model.seen["s"]), 1000)
        # Another store's numbers stay.
        self.setUp()
        self.assertEqual(self.printed(("beacons/t/g/region/carts/event", EVENT), *((TOPIC, EVENT | {"epoch": f"e{number}"}) for number in range(2000)),
                                      ("beacons/t/g/region/carts/event", EVENT))[-1], "g 1 came twice, dropped")


class Program(unittest.TestCase):
    def subscriber(self, broker, out):
        return subprocess.Popen([sys.executable, SUBSCRIBER, "127.0.0.1", str(broker.port)], stdout=out, stderr=subprocess.STDOUT,
                                env=os.environ | {"PYTHONUNBUFFERED": "1"})

    def test_it_goes_on_behind_hostile_messages_before_and_after_a_restart(self):
        with Mosquitto() as broker, open(broker.folder / "output", "w+") as out:
            def said():
                out.seek(0)
                return out.read()

            for number in (1, 2):
                process = self.subscriber(broker, out)
                self.addCleanup(process.kill)
                wait_until(lambda: self.is_printed(broker, said, 10 * number), "an event arrives")  # noqa: B023
                for topic, payload in ((TOPIC, b"{"), (GAPS, json.dumps(GAP | {"epoch": "x"}).encode()), (GAPS, b"[]")):
                    run("mosquitto_pub", "-p", broker.port, "-q", 1, "-t", topic, "-s", input=payload)
                wait_until(lambda: self.is_printed(broker, said, 10 * number + 5), "an event behind them arrives")  # noqa: B023
                process.send_signal(signal.SIGINT)
                self.assertEqual(ended(process, "the subscriber"), 130)
                # It waits at the broker.
                run("mosquitto_pub", "-p", broker.port, "-q", 1, "-t", TOPIC, "-s", input=b'{"seq":')
            self.assertNotIn("Traceback", said())

    def is_printed(self, broker, said, seq):
        run("mosquitto_pub", "-p", broker.port, "-q", 1, "-t", TOPIC, "-m", json.dumps(EVENT | {"seq": seq}))
        return f"g {seq} 2026" in said()


if __name__ == "__main__":
    unittest.main()
