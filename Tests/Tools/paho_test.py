"""This project's MQTT clients under Paho's test broker: they break no conformance statement, and all their messages arrive.
Run by Tests/Tools/paho.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import psycopg

from browser import Browser
from collector_test import Collector
from mqtt_packets import packet, text
from network import Proxy, Subscriber
from programs import die_with_parent
from paho_broker import Front, PahoBroker
from servers import ROOT, PostgreSQL, ended, run, wait_until

BEACOND = os.environ["BEACOND"]
# What a client meets: roomy, one message at a time with packets of a kilobyte, and as roomy with MQTT 3.1.1.
ROOMY = ("maximum_packet_size 262144", "receive_maximum 65535")
NARROW = ("maximum_packet_size 1024", "receive_maximum 1", "topic_alias_maximum 0")
CONFIGURATION = """[gateway]
site = "store"
id = "{name}"
state_dir = "{folder}"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
protocol = {protocol}
keepalive_s = 5
[commands]
enabled = true
[site]
id = "store"
[[region]]
id = "carts"
uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
expand = "minor"
"""


def connect(version, flags=2):
    """A CONNECT with a clean session."""
    properties = b"\0" if version == 5 else b""
    return packet(0x10, text(b"MQTT") + bytes([version, flags, 0, 0]) + properties + text(b"wrong"))


class UnderPaho(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shop = pathlib.Path(tempfile.mkdtemp(prefix="shop-"))
        cls.addClassCleanup(shutil.rmtree, cls.shop, True)
        run(BEACOND, "simulate", "--seed", 1, "--seconds", 75, "--start-now", "--write", cls.shop / "capture")

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gateways-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)

    def broker(self, *limits):
        return self.stack.enter_context(PahoBroker(*limits))

    def configured(self, name, port, protocol=5):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        file = folder / "config.toml"
        file.write_text(CONFIGURATION.format(name=name, folder=folder, port=port, protocol=protocol))
        return file

    def begun(self, name, *command):
        """A process of beacond; what it says goes to a file."""
        with open(self.folder / f"{name}.said", "w", encoding="utf-8") as said:
            process = subprocess.Popen([BEACOND, *command], stdout=said, stderr=said, cwd=self.folder, preexec_fn=die_with_parent)
        self.addCleanup(process.kill)
        return process

    def said(self, name):
        return (self.folder / f"{name}.said").read_text()

    def replay(self, name, port, protocol=5, speed="10"):
        return self.begun(name, "replay", self.shop / "capture", "--speed", speed, "--output", "mqtt",
                          "--config", self.configured(name, port, protocol))

    def delivered(self, name, process):
        """How many events an agent published, once all of it is delivered."""
        self.assertEqual(ended(process, name), 0, self.said(name))
        return int(re.search(r"events=(\d+)", self.said(name))[1])

    def nothing_broken(self, broker, clients):
        broker.end()
        print(f"\nfigure: {clients}: {broker.statements()} conformance statements came up", flush=True)
        self.assertEqual(broker.broken(), [])


class TheBroker(UnderPaho):
    """Proves that the broker finds faults: with a client that breaks a statement on purpose."""

    def names(self, statement, octets):
        with PahoBroker() as broker:
            with socket.create_connection(("127.0.0.1", broker.port)) as wrong:
                wrong.sendall(octets)
                wait_until(broker.broken, broker.log)
            self.assertTrue(any(words.startswith(statement) for words in broker.broken()), broker.broken())

    def test_it_names_the_reserved_flag_of_a_connect(self):
        self.names("[MQTT5-3.1.2-3]", connect(5, flags=3))
        self.names("[MQTT-3.1.2-3]", connect(4, flags=3))

    def test_it_names_a_publish_without_an_identifier(self):
        self.names("[MQTT5-2.3.1-1]", connect(5) + packet(0x32, text(b"a") + b"\0\0" + b"\0"))
        self.names("[MQTT-2.3.1-1]", connect(4) + packet(0x32, text(b"a") + b"\0\0"))

    def test_it_names_a_packet_that_is_too_large(self):
        self.names("out: ", connect(5) + packet(0x30, text(b"a") + b"\0" + bytes(300)))


class AnAgent(UnderPaho):
    def delivers_all(self, limits, protocol):
        """The agent's connection is cut once, in the middle."""
        broker = self.broker(*limits)
        listener = self.stack.enter_context(Subscriber(broker.port, ("beacons/#",)))
        line = Proxy(broker.port).__enter__()
        agent = self.replay("gw", line.port, protocol)
        wait_until(lambda: len(listener.all("/event")) >= 3, lambda: self.said("gw"))
        line.__exit__()
        line = self.stack.enter_context(Proxy(broker.port, line.port))
        events = self.delivered("gw", agent)
        listener.catch_up()
        self.assertEqual(sorted({event["seq"] for event in listener.all("/event")}), list(range(1, events + 1)))
        self.assertEqual(listener.all("/gw/status")[-1]["state"], "offline")
        self.nothing_broken(broker, f"an agent with MQTT {protocol} and {limits[0]}")

    def test_it_delivers_all_with_mqtt_5(self):
        self.delivers_all(ROOMY, 5)

    def test_it_delivers_all_one_message_at_a_time_in_packets_of_a_kilobyte(self):
        self.delivers_all(NARROW, 5)

    def test_it_delivers_all_with_mqtt_3_1_1(self):
        self.delivers_all(ROOMY, 3)

    def test_check_names_a_broker_whose_packets_are_too_short(self):
        """256 octets, the broker's own limit, are less than the agent's CONNECT with its will."""
        broker = self.broker()
        done = subprocess.run([BEACOND, "check", "--config", self.configured("gw", broker.port)], capture_output=True, text=True, check=False)
        self.assertIn(f"problem broker: 127.0.0.1:{broker.port} accepts us, but no packets above 256 octets\n", done.stdout)
        self.nothing_broken(broker, "check")

    def test_it_answers_requests_pings_and_leaves_its_will(self):
        broker = self.broker(*ROOMY)
        listener = self.stack.enter_context(Subscriber(broker.port, ("beacons/#",)))
        agent = self.begun("gw", "run", "--config", self.configured("gw", broker.port))
        wait_until(lambda: listener.all("/gw/status"), lambda: self.said("gw"))
        answer = run("mosquitto_rr", "-V", 5, "-p", broker.port, "-q", 1, "-t", "beacons/store/gw/request/state", "-e", "replies/one", "-m", "{}")
        self.assertTrue(json.loads(answer)["ok"], answer)
        wait_until(lambda: broker.came("Pingreqs"), "a ping")
        agent.send_signal(signal.SIGKILL)
        wait_until(lambda: listener.all("/gw/status")[-1]["state"] == "offline", "the will")
        again = self.begun("again", "run", "--config", self.configured("gw", broker.port))
        wait_until(lambda: listener.all("/gw/status")[-1]["state"] == "online", lambda: self.said("again"))
        again.send_signal(signal.SIGTERM)
        self.assertEqual(ended(again, "the agent"), 0)
        listener.catch_up()
        self.assertEqual(listener.all("/gw/status")[-1]["state"], "offline")
        self.nothing_broken(broker, "an agent that is asked, killed and begun again, and mosquitto_rr")


class ASite(UnderPaho):
    def test_it_joins_two_gateways(self):
        broker = self.broker(*ROOMY)
        listener = self.stack.enter_context(Subscriber(broker.port, ("beacons/store/site/#",)))
        site = self.begun("site", "site", "--config", self.configured("of-the-site", broker.port))
        wait_until(lambda: listener.all("/site/status"), lambda: self.said("site"))
        for name, process in [(name, self.replay(name, broker.port)) for name in ("door", "till")]:
            self.delivered(name, process)
        wait_until(lambda: listener.all("/event"), lambda: self.said("site"))
        site.send_signal(signal.SIGTERM)
        self.assertEqual(ended(site, "the site"), 0, self.said("site"))
        self.nothing_broken(broker, "a site and two agents")


class ACollector(UnderPaho):
    def test_it_stores_all_that_is_published_over_its_own_end(self):
        with PostgreSQL(has_schema=True) as database, psycopg.connect(database.url, autocommit=True) as connection:
            def rows():
                return connection.execute("SELECT count(DISTINCT (gateway, epoch, seq)) FROM beacons.event").fetchone()[0]

            broker = self.broker(*ROOMY)
            first = Collector(broker, database).is_ready()
            agents = [(name, self.replay(name, broker.port)) for name in ("door", "till")]
            wait_until(lambda: rows() >= 3, first.said)
            first.end(signal.SIGKILL)
            events = sum(self.delivered(name, process) for name, process in agents)
            second = Collector(broker, database).is_ready()
            wait_until(lambda: rows() >= events, second.said)
            self.assertEqual(second.end(), 0, second.said())
            self.assertEqual(rows(), events)
            self.assertEqual(connection.execute("SELECT * FROM beacons.missing").fetchall(), [])
            self.assertEqual(connection.execute("SELECT topic, reason FROM beacons.rejected").fetchall(), [])
            self.nothing_broken(broker, "a collector that is killed and comes back, and two agents")


class APage(UnderPaho):
    def test_it_shows_every_event(self):
        broker = self.broker(*ROOMY)
        run(ROOT / "deploy/page/build", "--output", self.folder / "page.html")
        front = self.stack.enter_context(Front((self.folder / "page.html").read_bytes(), broker.port))
        with Browser(self.folder / "browser") as browser:
            tab = browser.tab(f"http://127.0.0.1:{front.port}/#site=store")
            tab.until("page.reader.ready", "it connects")
            wait_until(lambda: broker.came("Subscribes"), "its subscription")
            events = self.delivered("gw", self.replay("gw", broker.port))
            tab.until(f"page.site()?.events.length >= {events}", "all events are there")
            self.assertEqual(sorted(tab.value("page.site().events.map((one) => one.seq)")), list(range(1, events + 1)))
            tab.until("document.getElementById('gateway-list').innerText.includes('offline')", "the goodbye is there")
            wait_until(lambda: broker.came("Pingreqs"), "a ping of the page")
            self.assertEqual(browser.complaints(), [])
        self.nothing_broken(broker, "the page over a websocket, and an agent")


if __name__ == "__main__":
    unittest.main()
