"""The collector's image: it makes the database's schema, and takes an event from a broker into it."""

import json
import os
import pathlib
import unittest

from programs import Program
from reading_test import ENTER, EXIT
from servers import Mosquitto, PostgreSQL, run, wait_until

IMAGE = os.environ["collector"]


def container(*words, name):
    """Returns the command that starts a container of the image. The suite's script has a function of that name."""
    return ["bash", "-c", 'container "$@"', "-", "--name", name, IMAGE, *map(str, words)]


class Container(unittest.TestCase):
    def test_an_event_becomes_a_row_and_sigterm_ends_the_collector_with_0(self):
        with PostgreSQL() as database, Mosquitto() as broker:
            said = run(*container("beacons_schema", "schema", "--database", database.url, name="schema")).decode()
            self.assertIn("applied", said)
            command = container("beacons_collector", *broker.collector_options(), "--database", database.url, "--id", "one", name="collector")
            collector = Program(command, pathlib.Path(os.environ["scratch"], "collector.log")).start()
            wait_until(lambda: "broker: connected" in collector.said(), lambda: f"its connection: {collector.said()}")
            for message in (ENTER, EXIT):
                run("mosquitto_pub", *broker.publish_options(), "-q", 1, "-t", "beacons/berlin-17/g1/region/carts/event", "-s",
                    input=json.dumps(message).encode())
            rows = ["psql", database.url, "-AtX", "-c", "SELECT seq, type FROM beacons.event ORDER BY seq"]
            wait_until(lambda: run(*rows).decode().split() == ["1|enter", "2|exit"], lambda: f"two rows: {collector.said()}")
            run("bash", "-c", "podman_ stop --time 60 collector")
            self.assertEqual(collector.ended(), 0, collector.said())


if __name__ == "__main__":
    unittest.main()
