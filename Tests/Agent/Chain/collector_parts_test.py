"""The parts of the collector by themselves: its command line, its threads, its room and its figures. No broker, no database."""

import concurrent.futures
import errno
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock
from pathlib import Path

from beacons_collector import amqp_source, database
from beacons_collector.collector import sorted_out, work
from beacons_collector.database import Away, Database, Rejected
from beacons_collector.metrics import MetricsFile
from beacons_collector.options import parse as options_of
from beacons_collector.regions import Regions
from beacons_collector.taking import LARGEST_INBOX_BYTES, Inbox, Taken, batches

from collector_test import COLLECTOR
from servers import LONGEST_WAIT_S, ROOT


class Sites(unittest.TestCase):
    def test_what_cannot_be_read_counts_for_the_store_that_its_topic_names(self):
        for topic, site in (("beacons/berlin-17/door/rubbish", "berlin-17"), ("beacons/berlin-17/door/gap", "berlin-17"), ("other/berlin-17/x", "")):
            _, rejected, _ = sorted_out([Taken(topic, b"{", None)], "beacons", Regions())
            self.assertEqual([one.site for one in rejected], [site], topic)


class Ends(unittest.TestCase):
    def test_its_last_figures_are_those_of_its_end(self):
        # The next figures would be due an hour later.
        figures, inbox = Path(self.enterContext(tempfile.TemporaryDirectory()), "end.prom"), Inbox(10)
        metrics = MetricsFile(str(figures), "one")
        metrics.write({}, 0, time.monotonic() + 3600)
        inbox.put(Taken("beacons/s/g/request/state", b"{}", None))
        source = types.SimpleNamespace(pause=lambda: None, acknowledge=lambda batch: None, left_out=0, dead_letters=0, is_drained=False)
        beacons = types.SimpleNamespace(sites={"s": (1, 2, 3, 4)})
        work(source, inbox, Database("", lambda: False), types.SimpleNamespace(is_asked=lambda: True), metrics, "beacons", beacons,
             types.SimpleNamespace(hours_given_up=5))
        self.assertIn('passed_total{collector="one"} 1\n', figures.read_text())
        self.assertIn('beacons_strangers{collector="one",site="s"} 4\n', figures.read_text())
        self.assertIn('roll_up_given_up_total{collector="one"} 5\n', figures.read_text())

    def test_a_figure_that_the_database_has_not_reported_yet_is_left_out(self):
        figures = Path(self.enterContext(tempfile.TemporaryDirectory()), "unknown.prom")
        MetricsFile(str(figures), "one").write({"hours_given_up": None}, 0)
        self.assertNotIn("hours_given_up", figures.read_text())

    def test_a_stop_does_not_wait_for_the_next_attempt_to_connect(self):
        asked, is_over = threading.Event(), threading.Event()

        def is_called_off():
            asked.set()
            return is_over.is_set()

        nowhere = Database("postgresql://127.0.0.1:1/none", is_called_off)
        stored = concurrent.futures.Future()

        def store():
            try:
                stored.set_result(nowhere.store([], [Rejected("t", b"", "r", None)]))
            except Away as away:
                stored.set_exception(away)

        with unittest.mock.patch.object(database, "FIRST_PAUSE_S", 24 * 3600.0), unittest.mock.patch.object(database, "LONGEST_PAUSE_S", 24 * 3600.0):
            threading.Thread(target=store, daemon=True).start()
            self.assertTrue(asked.wait(LONGEST_WAIT_S))
            is_over.set()
            self.assertIsInstance(stored.exception(LONGEST_WAIT_S), Away)


class Pauses(unittest.TestCase):
    """How soon AMQP is tried again. No broker."""

    def pauses(self, is_let_in):
        options = options_of(["--broker", "amqp://127.0.0.1:1", "--database", ""])
        source, slept = amqp_source.AMQPSource(options, Inbox(10)), []

        def consume():
            source.was_let_in = is_let_in
            raise ConnectionError("the broker hung up")

        def sleep(seconds):
            slept.append(seconds)
            source.is_over = len(slept) == 8

        source.consume = consume
        with unittest.mock.patch.object(amqp_source.time, "sleep", sleep):
            source.run()
        return slept

    def test_a_message_that_ends_each_connection_is_handed_out_once_a_second_and_a_broker_that_is_away_is_asked_less_and_less_often(self):
        self.assertEqual(self.pauses(is_let_in=True), [1] * 8)
        self.assertEqual(self.pauses(is_let_in=False), [2, 4, 8, 16, 32, 60, 60, 60])


class Headers(unittest.TestCase):
    """Headers of AMQP that a publisher made up: newer brokers make them of the user properties of MQTT 5."""

    def test_headers_of_the_broker_are_read_and_made_up_ones_end_nothing(self):
        self.assertEqual(amqp_source.first_key({"x-death": [{"routing-keys": ["later"]}, {"routing-keys": ["b.s.g.gap", "x"]}]}), "b.s.g.gap")
        for death in ("now", [], [1], ["now"], {}, {-1: 1}, [{}], [{"routing-keys": []}], [{"routing-keys": [{"a": 1}]}], [{"routing-keys": 5}], None):
            self.assertEqual(amqp_source.first_key({"x-death": death}), "", death)
        self.assertEqual(amqp_source.first_key({}), "")
        self.assertEqual(amqp_source.deliveries({"x-delivery-count": 4}), 4)
        for count in ("4", None, [9], True, 4.5, {}):
            self.assertEqual(amqp_source.deliveries({"x-delivery-count": count}), 0, count)


class FailedThreads(unittest.TestCase):
    """A collector of which a part no longer runs ends, and says why: systemd starts it again."""

    def test_a_part_that_fails_ends_the_process_with_70_and_the_reason(self):
        for scheme, module, method in (("amqp", "beacons_collector.amqp_source", "AMQPSource.consume"), ("amqp", "beacons_collector.roll_up", "RollUp.run"), ("amqp", "beacons_collector.collector", "work"),
                                       ("amqp", "beacons_collector.watch", "Watch.run"), ("mqtt", "paho.mqtt.client", "Client.loop_forever")):
            program = (f"import sys, {module}\n"
                       f"def fail(*_, **more): raise TypeError('a thing that was not thought of')\n"
                       f"{module}.{method} = fail\n"
                       "from beacons_collector.collector import main; sys.exit(main(sys.argv[1:]))")
            options = ["--broker", f"{scheme}://127.0.0.1:1", "--database", "postgresql://127.0.0.1:1/none"]
            done = subprocess.run([sys.executable, "-c", program, *options], capture_output=True, text=True, timeout=LONGEST_WAIT_S, check=False,
                                  cwd=ROOT / "deploy/chain")
            self.assertEqual(done.returncode, 70, (method, done.stderr))
            self.assertIn("TypeError: a thing that was not thought of", done.stderr, method)

    def test_a_system_call_that_fails_at_the_database_is_its_trouble_and_tried_again(self):
        nowhere, failures = Database("postgresql://127.0.0.1:1/none", lambda: False), [OSError(errno.ENOMEM, "Cannot allocate memory")]

        def commit(_rows, _rejected):
            if failures:
                raise failures.pop()

        with unittest.mock.patch.object(nowhere, "commit", commit), unittest.mock.patch.object(database, "FIRST_PAUSE_S", 0.0):
            nowhere.store([], [Rejected("t", b"", "r", None)])
        self.assertEqual(nowhere.log.cause, "OSError: [Errno 12] Cannot allocate memory")

    def test_a_thread_that_has_no_memory_to_begin_ends_the_process_with_70_and_the_reason(self):
        for scheme, name in (("amqp", "amqp"), ("amqp", "watch"), ("mqtt", "roll-up"), ("mqtt", "paho-mqtt-client-one")):
            program = ("import sys, threading\n"
                       "begin = threading.Thread._bootstrap\n"
                       "def fail(thread):\n"
                       f"    if thread.name == '{name}': raise MemoryError\n"
                       "    begin(thread)\n"
                       "threading.Thread._bootstrap = fail\n"
                       "from beacons_collector.collector import main; sys.exit(main(sys.argv[1:]))")
            options = ["--broker", f"{scheme}://127.0.0.1:1", "--database", "postgresql://127.0.0.1:1/none", "--id", "one"]
            done = subprocess.run([sys.executable, "-c", program, *options], capture_output=True, text=True, timeout=LONGEST_WAIT_S, check=False,
                                  cwd=ROOT / "deploy/chain")
            self.assertEqual(done.returncode, 70, (name, done.stderr))
            self.assertIn(f"the thread {name} could not begin: MemoryError", done.stderr)


class CommandLine(unittest.TestCase):
    def test_a_command_line_that_can_never_work_ends_with_64_and_one_line(self):
        right = {"--broker": "mqtt://127.0.0.1:1", "--database": "postgresql://127.0.0.1:1/none", "--id": "one"}
        for option, value in (("--database", "nonsense"), ("--database", "postgresql://h/d?colour=red"), ("--id", "")):
            words = [word for pair in (right | {option: value}).items() for word in pair]
            ended = subprocess.run([COLLECTOR, *words], capture_output=True, text=True, timeout=LONGEST_WAIT_S, check=False)
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (64, 1), ended.stderr)
            self.assertIn(option, ended.stderr)


class Room(unittest.TestCase):
    """How much may be taken and not committed, in octets."""

    def message(self, octets):
        return Taken("beacons/s/g/health", b"x" * octets, None)

    def test_a_batch_ends_with_the_message_that_makes_it_4_MiB(self):
        inbox = Inbox(100)
        for _ in range(30):
            inbox.put(self.message(300 * 1024))
        self.assertEqual([len(batch) for batch in batches(inbox, lambda: True)], [14, 14, 2])

    def test_a_batch_ends_with_a_message_that_is_to_be_alone(self):
        inbox = Inbox(100)
        for is_alone in (False, True, False, False):
            inbox.put(Taken("beacons/s/g/health", b"{}", None, is_alone=is_alone))
        self.assertEqual([len(batch) for batch in batches(inbox, lambda: True)], [2, 2])

    def test_what_has_no_room_in_octets_waits_until_some_is_taken_out(self):
        inbox = Inbox(100)
        while inbox.octets < LARGEST_INBOX_BYTES:
            inbox.put_within(self.message(1 << 20), lambda: False)
        is_over = iter([False, False, True])
        self.assertFalse(inbox.put_within(self.message(1), lambda: next(is_over)), "full")
        inbox.get()
        self.assertTrue(inbox.put_within(self.message(1), lambda: False))
