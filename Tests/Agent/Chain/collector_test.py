"""The collector between a real broker and a real database, which are killed, restarted and lied to.

KILLS sets how often the collector is killed (12; the long form is KILLS=100).
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import tempfile
import types
import unittest

import psycopg

from programs import Program
from reading_test import ENTER, EXIT
from servers import ROOT, SCHEMA, Mosquitto, PostgreSQL, run, scratch_folder, wait_until

KILLS = int(os.environ.get("KILLS", "12"))
COLLECTOR = ROOT / "deploy/chain/collector"
EPOCHS = ["01KDVDNA0T000000000000000" + digit for digit in "0123456789"]


class Collector(Program):
    """A collector that runs."""

    def __init__(self, broker, database, *arguments, id="one"):
        super().__init__([COLLECTOR, *broker.collector_options(), "--database", database.url, "--id", id, *arguments],
                         pathlib.Path(tempfile.mkdtemp(prefix="collector-"), "log"), cwd=database.folder)
        self.start()

    def wait_for(self, words):
        wait_until(lambda: words in self.said(), lambda: f"{words!r} in: {self.said()}")
        return self

    def is_ready(self):
        return self.wait_for("broker: connected")


class Chain(unittest.TestCase):
    """One broker and one database for all; each test has a site of its own."""

    make_broker = Mosquitto

    @classmethod
    def setUpClass(cls):
        cls.database, cls.broker = PostgreSQL(has_schema=True).start(), cls.make_broker().start()

    @classmethod
    def tearDownClass(cls):
        cls.broker.__exit__()
        cls.database.__exit__()

    def setUp(self):
        self.site = self.id().split(".")[-1][:40]
        self.collectors = []

    def tearDown(self):
        for collector in self.collectors:
            collector.kill()
        self.broker.forget("one")

    def collector(self, *arguments, id="one"):
        self.collectors.append(Collector(self.broker, self.database, *arguments, id=id))
        return self.collectors[-1]

    def topic(self, rest, gateway="g1"):
        return f"beacons/{self.site}/{gateway}/{rest}"

    def publish(self, messages):
        """(topic, payload) in their order, by one client."""
        by_topic = {}
        for topic, payload in messages:
            by_topic.setdefault(topic, []).append(payload if isinstance(payload, str) else json.dumps(payload))
        for topic, payloads in by_topic.items():
            run("mosquitto_pub", *self.broker.publish_options(), "-q", 1, "-t", topic, "-l", input="\n".join(payloads).encode() + b"\n")

    def publish_octets(self, topic, payload):
        run("mosquitto_pub", *self.broker.publish_options(), "-q", 1, "-t", topic, "-s", input=payload)

    def query(self, sql):
        return run(self.database.programs / "psql", self.database.url, "-AtX", "-c", sql).decode().strip()

    def count(self, table="event", more=""):
        where = f"topic LIKE 'beacons/{self.site}/%'" if table == "rejected" else f"site = '{self.site}'"
        return int(self.query(f"SELECT count(*) FROM beacons.{table} WHERE {where} {more}"))

    def wait_for_count(self, wanted, table="event"):
        wait_until(lambda: self.count(table) >= wanted, f"{wanted} rows in {table}")
        self.assertEqual(self.count(table), wanted)

    def events(self, numbers, epoch=EPOCHS[0], gateway="g1"):
        return [(self.topic("region/carts/event", gateway), ENTER | {"seq": number, "epoch": epoch}) for number in numbers]


class Promises(Chain):
    def test_an_event_becomes_a_row(self):
        self.collector().is_ready()
        self.publish([(self.topic("region/carts/event"), ENTER), (self.topic("region/carts/event"), EXIT)])
        self.wait_for_count(2)
        self.assertEqual(
            self.query("SELECT gateway, seq, type, region, upper(uuid::text), major, minor, rssi_dbm, dwell_s, payload->>'proximity' "
                       f"FROM beacons.event WHERE site = '{self.site}' ORDER BY seq"),
            f"g1|1|enter|carts|{ENTER['uuid']}|2|1|-76||far\ng1|2|exit|carts|{ENTER['uuid']}|2|1|-76|22.871|far")

    def test_every_kind_of_message_has_its_table(self):
        self.collector().is_ready()
        common = {"schema": 1, "at": ENTER["at"], "clock": "synced", "epoch": EPOCHS[0]}
        self.publish([
            (self.topic("status"), common | {"state": "online", "version": "0.2.0", "radio": "scanning", "remedy": ""}),
            (self.topic("health"), {"schema": 1, "at": ENTER["at"], "clock": "synced", "tracks": 3}),
            (self.topic("gap"), common | {"from_seq": 3, "to_seq": 5, "cause": "max_events"}),
            (self.topic("coverage"), common | {"span": 1, "from_at": ENTER["at"], "to_at": EXIT["at"], "radio": "scanning"}),
            (self.topic("location"), common | {"service": "standard", "age_s": 1, "fix": {
                "at": ENTER["at"], "latitude": 52.5, "longitude": 13.4, "horizontal_accuracy_m": 8}}),
            (self.topic("region/carts/state"), common | {"region": "carts", "state": "inside", "since": ENTER["at"],
                                                         "event_seq": 1}),
        ])
        for table in ("status", "health", "gap", "location", "region_gateway"):
            self.wait_for_count(1, table)
        wait_until(lambda: self.count("coverage") == 1, "the span")
        self.assertEqual(self.count("rejected"), 0)

    def test_a_number_published_again_is_one_event(self):
        self.collector().is_ready()
        self.publish(self.events([1, 2, 1, 2, 2, 3]))
        self.publish(self.events([3, 2, 1, 4]))
        self.wait_for_count(4)
        self.assertEqual(self.count("rejected"), 0)

    def test_a_number_published_again_with_other_contents_is_rejected(self):
        self.collector().is_ready()
        other = [(topic, payload | {"minor": 7}) for topic, payload in self.events([2])]
        another_day = [(topic, payload | {"at": "2026-01-03T00:00:00.000Z"}) for topic, payload in self.events([1])]
        self.publish(self.events([1, 2]) + other + another_day + self.events([3]))
        self.wait_for_count(3)
        self.wait_for_count(2, "rejected")
        self.assertEqual(self.count("event", "AND minor = 7"), 0)

    def test_events_that_come_out_of_order_and_late_are_all_there(self):
        self.collector().is_ready()
        numbers = list(range(1, 301))
        random.Random(1).shuffle(numbers)
        self.publish([(topic, payload | {"at": f"2025-12-{1 + payload['seq'] % 28:02}T00:00:00.000Z"})
                      for topic, payload in self.events(numbers)])
        self.wait_for_count(300)

    def test_two_of_a_group_share_the_work_and_store_each_event_once(self):
        both = [self.collector("--group", "chain", id=name) for name in ("member-1", "member-2")]
        for one in both:
            one.is_ready()
        self.publish(self.events(range(1, 1001)))
        self.wait_for_count(1000)
        for one in both:
            self.assertEqual(one.end(), 0)
        self.assertEqual(self.count("rejected"), 0)


class Faults(Chain):
    def test_a_collector_that_is_killed_again_and_again_loses_and_doubles_nothing(self):
        dice, sent = random.Random(7), 0
        for kill in range(KILLS):
            collector = self.collector().is_ready()
            for epoch in EPOCHS[:3]:
                self.publish(self.events(range(sent + 1, sent + 101), epoch))
            sent += 100
            # Anywhere between the first message and the last commit.
            wanted = dice.randrange(0, 3 * sent)
            wait_until(lambda: self.count() >= wanted, f"{wanted} events")
            collector.end(signal.SIGKILL)
        self.collector().is_ready()
        self.wait_for_count(3 * sent)
        self.assertEqual(self.count("rejected"), 0)

    def test_a_database_that_goes_away_is_waited_for(self):
        collector = self.collector().is_ready()
        self.publish(self.events([1]))
        self.wait_for_count(1)
        self.database.kill(signal.SIGQUIT)
        self.publish(self.events(range(2, 3001)))
        collector.wait_for("refused")
        self.database.start()
        self.wait_for_count(3000)
        self.assertEqual(collector.said().count("refused"), 1, "a cause that lasts is said once")

    def test_a_broker_that_goes_away_is_waited_for(self):
        collector = self.collector().is_ready()
        self.publish(self.events(range(1, 501)))
        self.broker.kill(signal.SIGTERM)
        collector.wait_for("the connection was lost")
        self.broker.start()
        wait_until(lambda: collector.said().count("broker: connected") == 2, "the second connection")
        self.publish(self.events(range(501, 1001)))
        self.wait_for_count(1000)

    def test_two_with_one_id_log_it_once(self):
        if not isinstance(self.broker, Mosquitto):
            self.skipTest("AMQP has no client ids")
        both = [self.collector(), self.collector()]
        words = "give each collector an --id of its own"
        wait_until(lambda: all(words in one.said() for one in both), lambda: str([one.said() for one in both]))
        both[1].end()
        self.publish(self.events(range(1, 11)))
        self.wait_for_count(10)
        self.assertEqual([one.said().count(words) for one in both], [1, 1])

    def test_without_a_schema_it_says_what_to_do_and_goes_on_when_it_is_there(self):
        empty = types.SimpleNamespace(url=f"{self.database.server}/empty", folder=self.database.folder)
        self.query("CREATE DATABASE empty TEMPLATE template0")
        self.collectors.append(Collector(self.broker, empty, id="one"))
        self.collectors[0].is_ready()
        self.publish(self.events([1]))
        self.collectors[0].wait_for("deploy/chain/schema")
        run(SCHEMA, "--database", empty.url)
        self.collectors[0].wait_for("database: connected")

    def test_a_broker_that_is_restarted_keeps_what_comes_before_the_collector_is_back(self):
        # Without a group: mosquitto keeps no group over a restart, and acknowledges messages that it has no reader for.
        self.assertEqual(self.collector().is_ready().end(), 0)
        self.broker.restart()
        self.publish(self.events(range(1, 101)))
        self.collector().is_ready()
        self.wait_for_count(100)

    def test_what_comes_while_it_is_stopped_waits_at_the_broker(self):
        collector = self.collector().is_ready()
        self.publish(self.events([1]))
        self.wait_for_count(1)
        self.assertEqual(collector.end(), 0)
        self.publish(self.events(range(2, 101)))
        self.collector().is_ready()
        self.wait_for_count(100)

    def test_sigterm_commits_what_was_taken(self):
        collector = self.collector().is_ready()
        self.publish(self.events(range(1, 2001)))
        self.assertEqual(collector.end(), 0)
        stored = self.count()
        self.assertEqual(self.collector("--receive-maximum", "65535").is_ready().status(), None)
        self.wait_for_count(2000)
        self.assertLessEqual(stored, 2000)

    def test_a_stop_while_the_database_is_away_ends_with_75_and_loses_nothing(self):
        collector = self.collector().is_ready()
        self.database.kill(signal.SIGQUIT)
        self.publish(self.events([1, 2]))
        collector.wait_for("refused")
        self.assertEqual(collector.end(), 75)
        self.database.start()
        self.collector().is_ready()
        self.wait_for_count(2)

    def test_a_database_that_hangs_is_spoken_of_and_a_stop_ends_with_75_all_the_same(self):
        collector = self.collector().is_ready()
        self.publish(self.events([1]))
        self.wait_for_count(1)
        process = int(self.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'beacons_collector'"))
        os.kill(process, signal.SIGSTOP)
        try:
            self.publish(self.events([2]))
            collector.wait_for("does not answer")
            self.assertEqual(collector.end(), 75)
        finally:
            os.kill(process, signal.SIGCONT)
        self.collector().is_ready()
        self.wait_for_count(2)


class WithoutAPromise(Chain):
    """Messages that the stores' bridges send with QoS 0: the retained ones."""

    def setUp(self):
        super().setUp()
        if not isinstance(self.broker, Mosquitto):
            self.skipTest("a queue keeps what comes with QoS 0 as well")

    def tearDown(self):
        for number in range(60):
            self.retain(f"g{number}", "")
        super().tearDown()

    def retain(self, gateway, payload):
        run("mosquitto_pub", *self.broker.publish_options(), "-q", 0, "-r", "-t", self.topic("status", gateway),
            *(["-m", json.dumps(payload)] if payload else ["-n"]))

    def status(self, state, second=0):
        return {"schema": 1, "at": f"2026-01-01T00:00:{second:02}.000Z", "clock": "synced", "epoch": EPOCHS[0],
                "state": state, "version": "0.2.0", "radio": "scanning", "remedy": ""}

    def test_a_status_that_changes_while_it_is_away_is_learned_when_it_is_back(self):
        collector = self.collector().is_ready()
        self.retain("g1", self.status("online"))
        self.wait_for_count(1, "status")
        self.assertEqual(collector.end(), 0)
        self.retain("g1", self.status("offline", 5))
        self.collector().is_ready()
        self.wait_for_count(2, "status")
        self.assertEqual(self.count("rejected"), 0)

    def test_what_is_retained_and_published_again_is_not_counted_as_new(self):
        figures = self.database.folder / "again.prom"
        self.retain("g1", self.status("online"))
        self.assertEqual(self.collector().is_ready().end(), 0)
        self.wait_for_count(1, "status")
        self.collector("--metrics", figures).is_ready()
        wait_until(lambda: figures.exists() and 'repeated_total{collector="one"} 1\n' in figures.read_text(), "the repetition")
        self.assertIn('new_total{collector="one"} 0\n', figures.read_text())

    def test_what_finds_no_room_is_counted_said_once_and_asked_for_again(self):
        figures = self.database.folder / "room.prom"
        collector = self.collector("--receive-maximum", "5", "--metrics", figures).is_ready()
        with psycopg.connect(self.database.url) as other:
            other.execute("LOCK TABLE beacons.event IN ACCESS EXCLUSIVE MODE")
            self.publish(self.events([1]))
            wait_until(lambda: self.waits_for_a_lock(), "the collector's waiting")
            for number in range(60):
                self.retain(f"g{number}", self.status("online"))
            collector.wait_for("no room")
        self.wait_for_count(60, "status")
        self.assertEqual(collector.said().count("no room"), 1)
        wait_until(lambda: re.search(r"left_out_total\{.*\} [1-9]", figures.read_text()), "the count")

    def waits_for_a_lock(self):
        return self.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'beacons_collector' AND wait_event_type = 'Lock'") == "1"


class Refused(unittest.TestCase):
    """A broker that does not let the collector in: each cause once, in words that help. No database is asked."""

    database = types.SimpleNamespace(url="postgresql://127.0.0.1:1/none", folder="/")

    def setUp(self):
        self.folder = scratch_folder("refused")
        self.addCleanup(shutil.rmtree, self.folder)
        self.collectors = []

    def tearDown(self):
        for collector in self.collectors:
            collector.kill()

    def collector(self, url, *arguments):
        broker = types.SimpleNamespace(collector_options=lambda: ["--broker", url])
        self.collectors.append(Collector(broker, self.database, *arguments))
        return self.collectors[-1]

    def certificates(self):
        """An authority, a certificate for 127.0.0.1 with its key, and another authority."""
        for name in ("ca", "other"):
            self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                         "-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.crt")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=broker",
                     "-keyout", self.folder / "broker.key", "-out", self.folder / "broker.csr")
        (self.folder / "names").write_text("subjectAltName=IP:127.0.0.1")
        self.openssl("x509", "-req", "-in", self.folder / "broker.csr", "-CA", self.folder / "ca.crt", "-CAkey", self.folder / "ca.key",
                     "-CAcreateserial", "-extfile", self.folder / "names", "-out", self.folder / "broker.crt")
        for file in self.folder.iterdir():
            file.chmod(0o644)
        self.folder.chmod(0o755)

    def openssl(self, *words):
        run("openssl", *words)

    def encrypted(self):
        return (f"cafile {self.folder}/ca.crt\ncertfile {self.folder}/broker.crt\nkeyfile {self.folder}/broker.key\n"
                "require_certificate true\n")

    def test_a_login_that_is_refused_at_each_attempt_is_said_once(self):
        (self.folder / "nobody").write_text("")
        self.folder.chmod(0o755)
        with Mosquitto(f"password_file {self.folder}/nobody\n") as broker:
            (broker.folder / "conf").write_text((broker.folder / "conf").read_text().replace("allow_anonymous true", "allow_anonymous false"))
            broker.restart()
            collector = self.collector(f"mqtt://127.0.0.1:{broker.port}").wait_for("the login was refused")
            wait_until(lambda: broker.said().count("not authorised") >= 3, broker.said)
            self.assertEqual(collector.said().count("broker:"), 1, collector.said())

    def test_what_tls_does_not_like_is_said_in_its_own_words(self):
        self.certificates()
        with Mosquitto(self.encrypted()) as broker:
            url = f"mqtts://127.0.0.1:{broker.port}"
            self.collector(url, "--ca-file", self.folder / "other.crt").wait_for("certificate verify failed")
            self.collector(f"mqtts://localhost:{broker.port}", "--ca-file", self.folder / "ca.crt").wait_for("Hostname mismatch")
            self.collector(url, "--ca-file", self.folder / "ca.crt").wait_for("certificate required")

    def test_files_that_are_no_certificates_or_do_not_fit_end_with_64_and_one_line(self):
        self.certificates()
        wrong = (["--ca-file", self.folder / "names"], ["--cert-file", self.folder / "broker.crt", "--key-file", self.folder / "other.key"])
        for scheme in ("mqtts", "amqps"):
            for options in wrong:
                collector = self.collector(f"{scheme}://127.0.0.1:1", *options)
                self.assertEqual(collector.ended(), 64, collector.said())
                self.assertEqual(collector.said().count("\n"), 1, collector.said())
                self.assertIn(options[0], collector.said())


class HostileMessages(Chain):
    def test_what_cannot_be_read_is_rejected_and_blocks_nothing(self):
        self.collector().is_ready()
        event = self.topic("region/carts/event")
        hostile = [(event, json.dumps(ENTER).replace("-76", "NaN")), (event, ENTER | {"major": 65536}), (event, "{"),
                   (event, ENTER | {"region": "phones"}), (self.topic("rubbish"), ENTER), (event, [1]),
                   (event, ENTER | {"at": "2026-02-30T00:00:00.000Z"}), (event, ENTER | {"site": "elsewhere"})]
        for number, (topic, payload) in enumerate(hostile, 1):
            self.publish([(topic, payload)] + self.events([number]))
        self.publish_octets(event, b"\xff\xfe\x00")
        self.wait_for_count(len(hostile))
        self.wait_for_count(len(hostile) + 1, "rejected")
        self.assertEqual(self.count("rejected", "AND reason = ''"), 0)

    def test_a_long_payload_is_cut_at_64_KiB(self):
        self.collector().is_ready()
        self.publish_octets(self.topic("region/carts/event"), b"[" * 200_000)
        self.wait_for_count(1, "rejected")
        self.assertEqual(self.query(f"SELECT length(payload) FROM beacons.rejected WHERE topic LIKE '%/{self.site}/%'"), "65536")
