"""The collector's promises with RabbitMQ in mosquitto's place, and the cluster's own: three nodes, of which one may go."""

import contextlib
import errno
import json
import signal
import ssl
import subprocess
import unittest
from urllib.parse import urlsplit

import pika
from pika.credentials import ExternalCredentials

import collector_test
import hostile
import nth_test
from beacons_collector.amqp_source import Caution
from rabbitmq import FILES, RabbitMQ
from reading_test import ENTER
from servers import LONGEST_WAIT_S, PostgreSQL, run, wait_until
from store import Store
from wire import Wire, packet, text


class Cluster(collector_test.Chain):
    """One cluster for all classes: it takes a while to start."""

    shared = None

    @classmethod
    def setUpClass(cls):
        if Cluster.shared is None:
            Cluster.shared = RabbitMQ().start()
            Cluster.shared.let_in_tester()
            Cluster.shared.control(FILES / "add-store", "berlin-17", "paris-3")
        # What the class before has left is none of this one's.
        wait_until(Cluster.shared.is_empty, "empty queues")
        cls.broker, cls.database = Cluster.shared, PostgreSQL(has_schema=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.database.__exit__()


class Promises(Cluster, collector_test.Promises):
    """Repeats the test with mosquitto."""


class HostileMessages(Cluster, collector_test.HostileMessages):
    """Repeats the test with mosquitto."""


class Faults(Cluster, collector_test.Faults):
    """Repeats the test with mosquitto, without the broker that goes away."""

    def test_a_broker_that_goes_away_is_waited_for(self):
        collector = self.collector().is_ready()
        self.publish(self.events(range(1, 501)))
        self.wait_for_count(500)
        self.broker.control("rabbitmqctl", "close_all_connections", "for a test")
        wait_until(lambda: collector.said().count("broker: connected") == 2, lambda: f"the second connection: {collector.said()}")
        self.publish(self.events(range(501, 1001)))
        self.wait_for_count(1000)

    # One node after the other is restarted further down.
    test_a_broker_that_is_restarted_keeps_what_comes_before_the_collector_is_back = None

    def test_a_queue_that_is_taken_away_is_made_again(self):
        collector = self.collector().is_ready()
        self.broker.control("rabbitmqctl", "delete_queue", "chain")
        wait_until(lambda: collector.said().count("broker: connected") == 2, lambda: f"the second subscription: {collector.said()}")
        self.broker.control(FILES / "set-up")
        self.publish(self.events([1, 2]))
        self.wait_for_count(2)


class Nodes(Cluster):
    def setUp(self):
        super().setUp()
        self.site = "berlin-17"
        self.store = Store(self.site, [node.mqtt for node in self.broker.nodes], self.broker.certificates).start()
        self.addCleanup(self.store.__exit__)

    def publish_to_store(self, messages):
        """The messages of the store's gateways."""
        broker, self.broker = self.broker, self.store
        self.publish(messages)
        self.broker = broker

    def test_a_store_s_events_cross_its_bridge_and_nobody_else_s_do(self):
        self.collector().is_ready()
        self.publish_to_store(self.events([1, 2]))
        self.wait_for_count(2)
        foreign = "beacons/paris-3/entrance/region/carts/event"
        options = ["-h", "127.0.0.1", "-p", self.broker.nodes[0].mqtt, *self.broker.login("berlin-17"), "-q", "1", "-t", foreign]
        # The broker closes the connection without an acknowledgement.
        with self.assertRaises(AssertionError):
            run("mosquitto_pub", *options, "-m", "impostor")
        self.publish_to_store(self.events([3]))
        self.wait_for_count(3)
        self.assertEqual(self.query("SELECT count(*) FROM beacons.rejected WHERE topic LIKE '%paris-3%'"), "0")

    def test_a_request_crosses_to_the_store(self):
        request = "beacons/berlin-17/entrance/request/state"
        heard = self.store.folder / "heard"
        with open(heard, "w", encoding="utf-8") as file:
            listener = subprocess.Popen(["mosquitto_sub", "-p", str(self.store.port), "-q", "1", "-t", "beacons/+/+/request/#"], stdout=file)
        self.addCleanup(listener.wait, LONGEST_WAIT_S)
        self.addCleanup(listener.kill)

        def has_come():
            # A node that another test started again refuses clients until the cluster has agreed on them.
            with contextlib.suppress(AssertionError):
                run("mosquitto_pub", "-h", "127.0.0.1", "-p", self.broker.nodes[1].mqtt, *self.broker.login("operator"), "-q", "1",
                    "-t", request, "-m", "{}")
            return "{}" in heard.read_text()

        wait_until(has_come, "a request")

    def test_any_node_may_go_under_load_and_nothing_is_missing(self):
        # Each at a node of its own: one of them always goes on.
        for number in range(3):
            self.collectors.append(collector_test.Collector(
                self.broker, self.database, "--broker", self.broker.collector_options(number)[1], id=f"collector-{number}").is_ready())
        before = self.count()
        # The bridge's own node and another one; in the long form all three.
        nodes = self.broker.nodes if collector_test.KILLS >= 100 else self.broker.nodes[:2]
        for turn, node in enumerate(nodes):
            epoch = collector_test.EPOCHS[turn + 1]
            self.publish_to_store(self.events(range(1, 201), epoch))
            node.kill(signal.SIGKILL)
            self.publish_to_store(self.events(range(201, 401), epoch))
            wait_until(lambda: self.count("event", f"AND epoch = '{epoch}'") == 400,
                       lambda: f"400 events without node {turn + 1}, not {self.count()}: {self.store.said()}")
            node.start()
        self.assertEqual(self.count() - before, 400 * len(nodes))
        self.assertEqual(self.query("SELECT count(*) FROM beacons.missing WHERE site = 'berlin-17'"), "0")
        self.assertEqual(self.count("rejected"), 0)


class Poison(Cluster):
    """Messages that a collector cannot be given, or cannot read. They cost their sender, and no other store."""

    def wire(self, name):
        wire = Wire(self.broker.nodes[0].mqtt, name, self.broker.certificate(name))
        self.addCleanup(wire.__exit__)
        return wire

    def assert_others_arrive(self):
        before = self.count()
        self.publish(self.events(range(before + 1, before + 51)))
        self.wait_for_count(before + 50)

    def topic_of(self, octets, site):
        head, tail = f"beacons/{site}/door/region/", "/event"
        return (head + "r" * (octets - len(head) - len(tail)) + tail).encode()

    def test_a_store_may_publish_a_topic_of_200_octets_and_no_longer_one(self):
        self.assertTrue(self.wire("berlin-17").publish(self.topic_of(200, "berlin-17"), b"{}"))
        for octets in (201, 255, 256, 296):
            self.assertFalse(self.wire("berlin-17").publish(self.topic_of(octets, "berlin-17"), b"{}"), octets)
        with Wire(self.broker.nodes[0].mqtt, "berlin-17", self.broker.certificate("berlin-17"),
                  (self.topic_of(296, "berlin-17"), b"{}")) as last:
            last.vanish()
        self.collector().is_ready()
        self.assert_others_arrive()
        self.assertEqual(self.query("SELECT count(*) FROM beacons.rejected WHERE topic LIKE 'beacons/berlin-17/%' AND length(topic) > 200"), "0")
        self.assertEqual(self.broker.waiting("chain-dead-letters"), 0)

    def test_an_operator_may_publish_no_longer_topic_either(self):
        head = "beacons/berlin-17/door/request/"
        self.assertTrue(self.wire("operator").publish((head + "v" * (200 - len(head))).encode(), b"{}"))
        self.assertFalse(self.wire("operator").publish((head + "v" * (296 - len(head))).encode(), b"{}"))

    def test_a_store_may_name_a_region_in_any_script_and_publish_no_topic_that_is_not_utf_8(self):
        self.assertTrue(self.wire("berlin-17").publish("beacons/berlin-17/door/region/Kühlregal-冷/event".encode(), b"{}"))
        for octets in (b"\xff", b"\xc3", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc0\xaf"):
            self.assertFalse(self.wire("berlin-17").publish(b"beacons/berlin-17/door/region/" + octets + b"/event", b"{}"), octets)

    def test_a_topic_that_is_not_utf_8_is_rejected_and_the_collector_goes_on(self):
        collector = self.collector().is_ready()
        self.assertTrue(self.wire("tester").publish(f"beacons/{self.site}/g/region/".encode() + b"\xff\xfe/event", json.dumps(ENTER).encode()))
        self.wait_for_count(1, "rejected")
        self.assertEqual(self.query(f"SELECT reason FROM beacons.rejected WHERE topic LIKE 'beacons/{self.site}/%'"), "topic: not UTF-8")
        self.assert_others_arrive()
        self.assertIsNone(collector.status())

    def test_a_message_that_amqp_cannot_carry_is_put_aside_alone_and_can_be_taken_later(self):
        figures = self.database.folder / "dead.prom"
        self.publish(self.events(range(1001, 1101), collector_test.EPOCHS[1]))
        self.assertTrue(self.wire("tester").publish(self.topic_of(296, self.site), json.dumps(ENTER).encode()))
        self.publish(self.events(range(1101, 1201), collector_test.EPOCHS[1]))
        self.collector("--metrics", figures).is_ready()
        self.wait_for_count(200)
        self.assert_others_arrive()
        wait_until(lambda: self.broker.waiting("chain-dead-letters") == 1, "the dead letter")
        wait_until(lambda: figures.exists() and 'dead_letters{collector="one"} 1\n' in figures.read_text(), "the figure")
        # An operator looks at it.
        self.assertIn("r" * 100, self.broker.control("rabbitmq-queues", "peek", "chain-dead-letters", "1"))
        # And takes it, once.
        taker = self.collector("--dead-letters", id="two")
        self.assertEqual(taker.ended(), 0, taker.said())
        self.assertEqual(self.query(f"SELECT length(topic), reason FROM beacons.rejected WHERE topic LIKE 'beacons/{self.site}/%'"),
                         "296|topic: names no region, or no zone, of 1 to 128 bytes")
        wait_until(lambda: self.broker.waiting("chain-dead-letters") == 0, "an empty queue")

    def test_what_was_put_aside_and_can_be_read_is_stored_when_it_is_taken(self):
        options = dict(zip(*[iter(map(str, self.broker.collector_options()))] * 2, strict=True))
        collector = self.collector().is_ready()
        wait_until(lambda: self.broker.waiting("chain") == 0, "what other tests left")
        self.assertEqual(collector.end(), 0)
        # As a collector leaves it that dies of each message.
        self.publish(self.events([1]))
        give_up(options, deliveries=11)
        wait_until(lambda: self.broker.waiting("chain-dead-letters") == 1, "the dead letter")
        taker = self.collector("--dead-letters")
        self.assertEqual(taker.ended(), 0, taker.said())
        self.wait_for_count(1)


class Cautions(unittest.TestCase):
    """After subscriptions that ended, messages are taken one at a time: for how long."""

    def test_a_subscription_that_ended_is_followed_by_two_seconds(self):
        caution = Caution()
        caution.ended(100, 1000)
        self.assertEqual(caution.alone_until_s, 1002)

    def test_each_short_subscription_doubles_the_time_up_to_a_minute(self):
        caution, pauses_s = Caution(), []
        for now_s in range(1000, 1080, 10):
            caution.ended(now_s - 5, now_s)
            pauses_s.append(caution.alone_until_s - now_s)
        self.assertEqual(pauses_s, [2, 4, 8, 16, 32, 60, 60, 60])

    def test_a_long_subscription_begins_again(self):
        caution = Caution()
        for now_s in (1000, 1010, 1020):
            caution.ended(now_s - 5, now_s)
        caution.ended(1030, 1100)
        self.assertEqual(caution.alone_until_s, 1102)

    def test_less_than_half_of_the_deliveries_that_the_broker_allows_are_used_within_a_minute(self):
        """Ten deliveries put a message aside. The broker may give messages back many seconds after the connection ended."""
        caution, now_s, ends = Caution(), 0.0, 0
        while now_s < 60:
            caution.ended(now_s, now_s + 1)
            now_s, ends = caution.alone_until_s, ends + 1
        self.assertLessEqual(ends, 5)


class Identifiers(Cluster):
    """MQTT ends the older of two connections with one client identifier. A store's is its name, which is not a secret."""

    def wire(self, name, id):
        wire = Wire(self.broker.nodes[1].mqtt, id, self.broker.certificate(name))
        self.addCleanup(wire.__exit__)
        return wire

    def test_nobody_else_s_certificate_ends_a_store_s_connection(self):
        store = self.wire("berlin-17", "berlin-17")
        for other in ("paris-3", "operator", "collector"):
            for id in ("berlin-17", "berlin-17/x"):
                self.assertFalse(self.wire(other, id).is_let_in, (other, id))
        self.assertTrue(store.is_connected())
        self.assertTrue(store.publish(b"beacons/berlin-17/door/response/state", b"{}"))

    def test_a_store_s_own_later_connection_takes_the_place_of_the_one_before(self):
        store = self.wire("berlin-17", "berlin-17")
        self.assertTrue(self.wire("berlin-17", "berlin-17").is_let_in)
        wait_until(lambda: not store.is_connected(), "the end of the older one")

    def test_an_operator_may_have_several_connections_and_no_store_ends_one_of_them(self):
        laptop = self.wire("operator", "operator/laptop")
        self.assertTrue(self.wire("operator", "operator/phone").is_let_in)
        self.assertFalse(self.wire("berlin-17", "operator/laptop").is_let_in)
        self.assertTrue(laptop.is_connected())


class Stores(Cluster):
    """Attempts of a store's certificate to let messages wait in the cluster, or to send outside its own topics."""

    def wire(self, id, name="paris-3"):
        wire = Wire(self.broker.nodes[1].mqtt, id, self.broker.certificate(name))
        self.addCleanup(wire.__exit__)
        return wire

    def test_a_store_publishes_what_gateways_publish_and_no_request_that_would_wait_for_itself(self):
        for rest in ("status", "health", "gap", "coverage", "surge", "location", "location/track", "region/carts/2/1/zone/till/event", "response/state",
                     "settings/reported"):
            self.assertTrue(self.wire("paris-3").publish(f"beacons/paris-3/door/{rest}".encode(), b"{}"), rest)
        for rest in ("request/state", "request", "anything", "statuses", "settings/desired", "settings"):
            self.assertFalse(self.wire("paris-3").publish(f"beacons/paris-3/door/{rest}".encode(), b"{}"), rest)

    def test_an_operator_sets_gateways_and_no_store_sets_or_reports_for_another(self):
        topic = "beacons/berlin-17/door/settings/"
        self.assertTrue(self.wire("operator", "operator").publish(f"{topic}desired".encode(), b"{}"))
        for kind in ("desired", "reported"):
            self.assertFalse(self.wire("paris-3").publish(f"{topic}{kind}".encode(), b"{}"), kind)

    def test_a_message_larger_than_any_of_ours_is_refused(self):
        self.assertTrue(self.wire("paris-3").publish(b"beacons/paris-3/door/response/state", b"x" * 262_144))
        store = self.wire("paris-3")
        # RabbitMQ ends the channel. Where it leaves the connection open, no acknowledgement comes on it.
        store.socket.settimeout(20)
        self.assertFalse(store.publish(b"beacons/paris-3/door/response/state", b"x" * 262_145))

    def test_what_waits_for_a_session_is_bounded(self):
        """A program that is away for good would fill the disks, and then no store is let in."""
        topic = b"beacons/paris-3/door/response/state"

        def operator():
            return Wire(self.broker.nodes[1].mqtt, "operator", self.broker.certificate("operator"), keeps=True)

        with operator() as one:
            self.addCleanup(self.broker.control, "rabbitmqctl", "delete_queue", "mqtt-subscription-operatorqos1")
            one.socket.sendall(packet(0x82, b"\0\1" + text(b"beacons/paris-3/#") + b"\1"))
            self.assertIsNotNone(one.answer())
        store = self.wire("paris-3")
        for number in range(100):
            self.assertTrue(store.publish(topic, b"%04d" % number + b"x" * 262_140))
        with operator() as one:
            # A first octet, three of the length, the topic, an identifier, and then the payload.
            oldest = int(one.read(4 + len(text(topic)) + 2 + 4)[-4:])
        self.assertTrue(36 <= oldest < 100, oldest)

    def test_a_store_has_a_few_connections(self):
        held = [self.wire(f"paris-3/{number}") for number in range(20)]
        self.assertEqual(sum(wire.is_let_in for wire in held), 5)
        self.assertTrue(self.wire("berlin-17", "berlin-17").is_let_in)

    def test_a_store_may_not_speak_amqp_where_a_header_routes_past_its_permissions(self):
        at = self.broker.certificates
        context = ssl.create_default_context(cafile=str(at / "ca.crt"))
        context.load_cert_chain(str(at / "paris-3.crt"), str(at / "paris-3.key"))
        parameters = pika.ConnectionParameters(
            "127.0.0.1", self.broker.nodes[1].amqp, credentials=ExternalCredentials(), ssl_options=pika.SSLOptions(context, "127.0.0.1"))
        with self.assertRaises(pika.exceptions.AMQPConnectionError):
            pika.BlockingConnection(parameters)

    def test_no_store_gets_another_client_s_name(self):
        for name in ("operator", "collector", "page"):
            with self.assertRaises(AssertionError):
                self.broker.control(FILES / "add-store", name)


class Neighbours(Cluster, hostile.Neighbours):
    """Repeats the test with mosquitto."""


class NthCall(Cluster, nth_test.NthCall):
    """Repeats the test with mosquitto."""

    def test_a_connection_whose_socket_is_not_watched_any_more_ends_with_the_process(self):
        """Closing it would wait for an answer that pika never reads, until the broker gives up."""
        lane = self.lane("unwatched")
        # In the middle, pika calls epoll_ctl in pairs: to wait for room to write, and to wait for it no longer. pika makes an AMQPError of a
        # failure of the second one. How many calls a collector makes varies a little.
        middle, ends = lane.counts()["control"] // 2, []
        for number in range(middle, middle + 10):
            lane.publish(f"unwatched-{number}")
            ends.append(lane.collects(f"unwatched-{number}", lane.call("control", number, (errno.ENOMEM,) * 3)))
            if ends[-1][0] == 70:
                break
        self.assertEqual(ends[-1][0], 70, ends)
        self.assertIn("a system call failed on the connection to 127.0.0.1", ends[-1][1])


def give_up(options, deliveries):
    """Takes the first message of the queue so many times, and hands it back each time."""
    url = urlsplit(options["--broker"])
    context = ssl.create_default_context(cafile=options["--ca-file"])
    context.load_cert_chain(options["--cert-file"], options["--key-file"])
    parameters = pika.ConnectionParameters(
        url.hostname, url.port, credentials=ExternalCredentials(), ssl_options=pika.SSLOptions(context, url.hostname))
    with pika.BlockingConnection(parameters) as connection:
        channel = connection.channel()
        for _ in range(deliveries):
            method = None
            while method is None:
                method, _, _ = channel.basic_get(options["--group"])
            channel.basic_nack(method.delivery_tag, requeue=True)
