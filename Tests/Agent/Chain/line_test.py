"""A store's line to the chain: what waits while it is down, and what does not."""

import re
import unittest

from rabbitmq import FILES
from servers import ROOT, Mosquitto, run, wait_until
from store import Store

STATES, EVENTS, ATTEMPTS = 30, 40, 5


def topics(file):
    return [line for line in file.read_text().splitlines() if line.startswith("topic ")]


class LineTests(unittest.TestCase):
    def test_the_bridge_is_the_same_whatever_broker_the_chain_has(self):
        self.assertEqual(topics(FILES / "bridge.conf"), topics(ROOT / "deploy/broker/store/mosquitto.conf"))

    def test_events_wait_for_the_line_and_what_is_retained_does_not_pile_up(self):
        with Mosquitto("log_type all\n") as chain, Store("berlin-17", [chain.port]) as store:
            def publish(rest, payload, *options):
                run("mosquitto_pub", "-p", store.port, "-q", 1, "-t", f"beacons/berlin-17/door/{rest}", "-m", payload, *options)

            def at_chain(rest):
                return re.findall(rf"Received PUBLISH from \S+ \(.*'beacons/berlin-17/door/{rest}'", (chain.folder / "log").read_text())

            wait_until(lambda: "berlin-17" in chain.said(), "the line")
            chain.kill()
            for number in range(STATES):
                publish(f"region/carts/2/{number}/state", "{}", "-r")
            for number in range(EVENTS):
                publish(f"region/carts/2/{number}/event", str(number))
                publish(f"region/carts/2/{number}/zone/till/event", str(number))
            publish("status", "{}", "-r")
            attempts = (store.folder / "log").read_text().count("step 1")
            wait_until(lambda: (store.folder / "log").read_text().count("step 1") >= attempts + ATTEMPTS, "attempts to connect")
            chain.start()
            publish("gap", "{}")
            wait_until(lambda: at_chain("gap") and len(at_chain(r"region/carts/2/\d+/state")) >= STATES and at_chain("status"), chain.said)
            self.assertEqual(len(at_chain(r"region/carts/2/\d+/event")), EVENTS)
            self.assertEqual(len(at_chain(r"region/carts/2/\d+/zone/till/event")), EVENTS)
            # Once, or twice where the line came back while it was being connected.
            self.assertLessEqual(len(at_chain(r"region/carts/2/\d+/state")), 2 * STATES)
