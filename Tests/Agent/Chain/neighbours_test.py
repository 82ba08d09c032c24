"""The chain's mosquitto with the files that are shipped, and a store's certificate in other hands."""

import contextlib
import os
import shutil
import ssl
import subprocess
import unittest

import collector_test
import hostile
from servers import LONGEST_WAIT_S, ROOT, Mosquitto, run, scratch_folder
from wire import Wire

FILES = ROOT / "deploy/chain/mosquitto"


class Chain(Mosquitto):
    """deploy/chain/mosquitto on loopback, as both of the nodes that a cluster would have."""

    def __init__(self):
        super().__init__()
        self.certificates = scratch_folder("authority")
        authority = ROOT / "deploy/broker/make-ca"
        run(authority, self.certificates)
        run(authority, self.certificates, "server", "127.0.0.1")
        for name in ("analytics", "berlin-17", "berlin-17/entrance", "display", "hamburg-3", "operator", "paris-3"):
            run(authority, self.certificates, "client", name)
        for end in ("crt", "key"):
            shutil.copy(self.certificates / f"127.0.0.1.{end}", self.certificates / f"chain.{end}")
        run(ROOT / "deploy/broker/topic-limit/build", self.certificates / "topic-limit.so")
        (self.certificates / "acl").write_bytes((FILES / "acl").read_bytes() + run(FILES / "allow-store", "berlin-17", "paris-3"))
        if os.getuid() == 0:
            run("chown", "-R", "nobody", self.certificates)
        text = (FILES / "mosquitto.conf").read_text()
        for old, new in (("listener 8883", f"listener {self.port} 127.0.0.1"), ("/etc/mosquitto/beacond", str(self.certificates)),
                         ("/usr/local/lib/mosquitto", str(self.certificates)), ("/var/lib/mosquitto/", f"{self.folder}/")):
            assert old in text, old
            text = text.replace(old, new)
        (self.folder / "conf").write_text(text)
        self.mqtt, self.nodes = self.port, [self, self]

    def certificate(self, name):
        return [self.certificates / file for file in ("ca.crt", f"{name.replace('/', '-')}.crt", f"{name.replace('/', '-')}.key")]

    def client(self, program, name, *arguments):
        """One of mosquitto's clients, which learn by MQTT 5 what they may not: what it says."""
        authority, file, key = self.certificate(name)
        words = [program, "-h", "127.0.0.1", "-p", self.port, "-V", "5", "--cafile", authority, "--cert", file, "--key", key, *arguments]
        return subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LONGEST_WAIT_S, check=False).stdout

    def may_write(self, name, topic, *more):
        return "ot authori" not in self.client("mosquitto_pub", name, "-q", "1", "-t", topic, "-m", "{}", *more)

    def collector_options(self):
        authority, file, key = self.certificate("analytics")
        return ["--broker", f"mqtts://127.0.0.1:{self.port}", "--ca-file", authority, "--cert-file", file, "--key-file", key]

    def forget(self, id):
        """One test, one session."""

    def __exit__(self, *_):
        super().__exit__()
        shutil.rmtree(self.certificates, ignore_errors=True)


class Neighbours(collector_test.Chain, hostile.Neighbours):
    make_broker, has_one_connection = Chain, True


class Strangers(unittest.TestCase):
    """Certificates of the chain's authority that are no store's of this broker, and a store that takes what it can."""

    @classmethod
    def setUpClass(cls):
        cls.broker = Chain().start()
        cls.addClassCleanup(cls.broker.__exit__)

    def test_a_name_that_is_not_listed_may_do_nothing(self):
        for name in ("berlin-17/entrance", "hamburg-3", "display"):
            for topic in (f"beacons/{name}/door/region/carts/event", f"beacons/{name}/status", f"beacons/{name}", "beacons/berlin-17/entrance/status"):
                self.assertFalse(self.broker.may_write(name, topic, "-r"), (name, topic))
        self.assertTrue(self.broker.may_write("operator", "beacons/hamburg-3/door/request/state", "-r"))
        self.assertEqual(self.broker.client("mosquitto_sub", "hamburg-3", "-t", "beacons/#", "-W", "1", "--retained-only", "-F", "%t"), "Timed out\n")

    def test_a_listed_store_publishes_what_gateways_publish(self):
        for rest in ("status", "health", "gap", "coverage", "surge", "location", "location/track", "region/carts/2/1/zone/till/event", "response/state"):
            self.assertTrue(self.broker.may_write("berlin-17", f"beacons/berlin-17/door/{rest}"), rest)

    def test_a_store_can_have_nothing_wait_for_it_that_it_wrote(self):
        """A store reads requests alone. Messages that it wrote there and did not take would wait up to max_queued_bytes, 4 GiB."""
        for rest in ("request/state", "request", "anything"):
            self.assertFalse(self.broker.may_write("berlin-17", f"beacons/berlin-17/door/{rest}"), rest)

    def test_a_packet_that_is_too_large_ends_its_sender_s_connection_before_it_is_read(self):
        with Wire(self.broker.port, "paris-3", self.broker.certificate("paris-3")) as wire:
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                # The largest that MQTT has. A broker that waits for the rest of it lets this time out.
                wire.socket.sendall(b"\x32\xff\xff\xff\x7f" + b"\0" * 300_000)
                self.assertEqual(wire.socket.recv(1), b"")

    def test_another_client_s_name_is_no_store_s(self):
        for name in ("operator", "analytics", "page", "collector-2", "berlin-17/entrance", "+", "#", "a b", ""):
            with self.assertRaises(AssertionError):
                run(FILES / "allow-store", name)
