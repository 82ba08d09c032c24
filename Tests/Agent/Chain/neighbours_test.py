"""The chain's mosquitto with the files that are shipped, and a store's certificate in other hands."""

import os
import shutil
import sys
import unittest

import collector_test
import hostile
from servers import ROOT, Mosquitto, run, scratch_folder

FILES = ROOT / "deploy/chain/mosquitto"


class Chain(Mosquitto):
    """deploy/chain/mosquitto on loopback, as both of the nodes that a cluster would have."""

    def __init__(self):
        super().__init__()
        self.certificates = scratch_folder("authority")
        authority = ROOT / "deploy/broker/make-ca"
        run(authority, self.certificates)
        run(authority, self.certificates, "server", "127.0.0.1")
        for name in ("analytics", "berlin-17", "paris-3"):
            run(authority, self.certificates, "client", name)
        for end in ("crt", "key"):
            shutil.copy(self.certificates / f"127.0.0.1.{end}", self.certificates / f"chain.{end}")
        run(ROOT / "deploy/broker/topic-limit/build", self.certificates / "topic-limit.so")
        shutil.copy(FILES / "acl", self.certificates)
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
        return [self.certificates / file for file in ("ca.crt", f"{name}.crt", f"{name}.key")]

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


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
