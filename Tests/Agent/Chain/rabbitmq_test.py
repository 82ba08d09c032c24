"""The collector's promises with RabbitMQ in mosquitto's place, and the cluster's own: three nodes, of which one may go."""

import contextlib
import signal
import subprocess
import unittest

import collector_test
from rabbitmq import FILES, RabbitMQ
from servers import LONGEST_WAIT_S, PostgreSQL, run, wait_until
from store import Store


class Cluster(collector_test.Chain):
    """One cluster for all classes: it takes a while to start."""

    shared = None

    @classmethod
    def setUpClass(cls):
        if Cluster.shared is None:
            Cluster.shared = RabbitMQ().start()
            Cluster.shared.let_in_tester()
            Cluster.shared.control(FILES / "add-store", "berlin-17", "paris-3")
        cls.broker, cls.database = Cluster.shared, PostgreSQL().start()
        run(collector_test.SCHEMA, "--database", cls.database.url)

    @classmethod
    def tearDownClass(cls):
        cls.database.__exit__()


class Promises(Cluster, collector_test.Promises):
    """The same as with mosquitto."""


class HostileMessages(Cluster, collector_test.HostileMessages):
    """The same as with mosquitto."""


class Faults(Cluster, collector_test.Faults):
    """The same as with mosquitto, but for a broker that goes away."""

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

    def tell_store(self, messages):
        """What the store's gateways publish."""
        broker, self.broker = self.broker, self.store
        self.publish(messages)
        self.broker = broker

    def test_a_store_s_events_cross_its_bridge_and_nobody_else_s_do(self):
        self.collector().is_ready()
        self.tell_store(self.events([1, 2]))
        self.wait_for_count(2)
        foreign = "beacons/paris-3/entrance/region/carts/event"
        options = ["-h", "127.0.0.1", "-p", self.broker.nodes[0].mqtt, *self.broker.login("berlin-17"), "-q", "1", "-t", foreign]
        # The broker closes the connection without an acknowledgement.
        with self.assertRaises(AssertionError):
            run("mosquitto_pub", *options, "-m", "impostor")
        self.tell_store(self.events([3]))
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
            self.tell_store(self.events(range(1, 201), epoch))
            node.kill(signal.SIGKILL)
            self.tell_store(self.events(range(201, 401), epoch))
            wait_until(lambda: self.count("event", f"AND epoch = '{epoch}'") == 400,
                       lambda: f"400 events without node {turn + 1}, not {self.count()}: {self.store.said()}")
            node.start()
        self.assertEqual(self.count() - before, 400 * len(nodes))
        self.assertEqual(self.query("SELECT count(*) FROM beacons.missing WHERE site = 'berlin-17'"), "0")
        self.assertEqual(self.count("rejected"), 0)


if __name__ == "__main__":
    unittest.main()
