"""The access lists of the store's broker and of the chain's, and the real bridge: who reads and who writes settings."""

import contextlib
import json
import os
import unittest

from clients import CA, STORE, certificate
from gateway import BEACOND
from programs import Program
from servers import scratch_folder, wait_until

CHAIN = ("127.0.0.1", int(os.environ["CHAIN_PORT"]))
OWN, NEIGHBOUR, OTHER = (f"beacons/{name}/settings/desired" for name in ("berlin-17/entrance", "berlin-17/back-door", "paris-3/entrance"))


def message(version):
    return json.dumps({"schema": 1, "version": version, "tables": {"rotation": {"resolve_after_s": version}}})


class Lists(unittest.TestCase):
    def client(self, name, address=STORE):
        one = certificate(name, address=address)
        self.assertTrue(one.connect(), name)
        self.addCleanup(one.close)
        return one

    def heard(self, client, topic):
        return [payload for _, heard, payload in client.heard if heard == topic]

    def publishes(self, client, topic, payload, retain=True):
        """Whether the broker takes it: an MQTT 5 broker says in its acknowledgement that it does not."""
        return client.tell(topic, payload, retain=retain)

    def test_a_gateway_reads_its_own_settings_and_no_others(self):
        operator = self.client("operator")
        gateway = self.client("berlin-17/entrance")
        gateway.subscribe(OWN)
        # The broker may refuse a subscription, or pass nothing on.
        with contextlib.suppress(Exception):
            gateway.subscribe(NEIGHBOUR, "beacons/berlin-17/+/settings/desired", "beacons/#", "#")
        for version, topic in enumerate((NEIGHBOUR, OWN), 1):
            self.assertTrue(self.publishes(operator, topic, message(version)))
        wait_until(lambda: self.heard(gateway, OWN), "its own")
        self.assertEqual(self.heard(gateway, NEIGHBOUR), [])

    def test_no_gateway_and_no_reader_writes_settings(self):
        for name, address in (("berlin-17/entrance", STORE), ("berlin-17/back-door", STORE), ("berlin-17", CHAIN), ("paris-3", CHAIN),
                              ("analytics", CHAIN), ("paris-3/entrance", STORE), ("berlin-17/entrance", CHAIN)):
            client = self.client(name, address)
            for topic in (OWN, NEIGHBOUR, OTHER):
                with self.subTest(name=name, topic=topic):
                    self.assertFalse(self.publishes(client, topic, message(9)))

    def test_no_store_and_no_gateway_writes_the_report_of_another(self):
        for name, address, topic in (("paris-3", CHAIN, OWN), ("berlin-17", CHAIN, OTHER), ("berlin-17/back-door", STORE, OWN)):
            with self.subTest(name=name):
                self.assertFalse(self.publishes(self.client(name, address), topic.replace("desired", "reported"), "{}"))
        self.assertTrue(self.publishes(self.client("berlin-17", CHAIN), OWN.replace("desired", "reported"), ""))

    def test_a_store_at_the_chain_reads_the_settings_of_its_own_gateways_alone(self):
        store, operator = self.client("paris-3", CHAIN), self.client("operator", CHAIN)
        store.subscribe(OTHER)
        with contextlib.suppress(Exception):
            store.subscribe("beacons/#", OWN)
        for version, topic in enumerate((OWN, OTHER), 20):
            self.assertTrue(self.publishes(operator, topic, message(version)))
        wait_until(lambda: self.heard(store, OTHER), "its own")
        self.assertEqual(self.heard(store, OWN), [])

    def test_the_chain_s_operator_sets_a_gateway_through_the_bridge_and_its_report_comes_back(self):
        operator = self.client("operator", CHAIN)
        operator.subscribe("beacons/berlin-17/entrance/#")
        self.assertTrue(self.publishes(operator, OWN, message(100)))
        # It is retained at the store's broker, so that it comes to a gateway that connects later.
        later = self.client("operator")
        wait_until(lambda: b'"version": 100' in b"".join(self.retained(later)), "the store's broker retains it")
        folder = scratch_folder("entrance")
        file = folder / "config.toml"
        file.write_text(
            f'[gateway]\nsite = "berlin-17"\nid = "entrance"\nstate_dir = "{folder}"\n[mqtt]\nurl = "mqtts://{STORE[0]}:{STORE[1]}"\nca_file = "{CA}/ca.crt"\n'
            f'cert_file = "{CA}/berlin-17-entrance.crt"\nkey_file = "{CA}/berlin-17-entrance.key"\n[fleet]\nsettings = "on"\n')
        agent = Program([BEACOND, "run", "--config", file], folder / "log").start()
        self.addCleanup(agent.kill)
        wait_until(lambda: self.reported(operator) == (100, "applied"), lambda: agent.said()[-2000:])
        # And while it is connected.
        self.assertTrue(self.publishes(operator, OWN, message(101)))
        wait_until(lambda: self.reported(operator) == (101, "applied"), lambda: agent.said()[-2000:])
        self.assertEqual(agent.end(), 0)
        # Nothing goes round in a circle.
        self.assertLessEqual(len(self.heard(operator, OWN)), 4)

    def retained(self, client):
        client.subscribe(OWN)
        return self.heard(client, OWN)

    def reported(self, client):
        reports = [json.loads(payload) for payload in self.heard(client, OWN.replace("desired", "reported")) if payload]
        return (reports[-1]["version"], reports[-1]["outcome"]) if reports else None
