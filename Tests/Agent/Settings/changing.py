"""A fleet of real agents, and deploy/fleet/settings to change it."""

import os
import shutil
import subprocess
import unittest

from gateway import Gateway, Operator
from servers import ROOT, Mosquitto, scratch_folder, wait_until

TOOL = ROOT / "deploy/fleet/settings"
AGENTS = 8 if os.environ.get("SUITE_FORM") == "short" else 20
GOOD, BAD = "[rotation]\nresolve_after_s = {}\n", "[rotation]\nresolve_after_s = -1\n"


class Fleet(unittest.TestCase):
    """One broker and its gateways for all tests of a class. Each test begins with all of them online."""

    count = AGENTS
    fleet = 'settings = "on"'

    @classmethod
    def setUpClass(cls):
        cls.folder = scratch_folder("fleet")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.prepare()
        cls.broker = Mosquitto("max_queued_messages 0\nautosave_interval 1\n").start()
        cls.addClassCleanup(cls.broker.__exit__)
        cls.operator = Operator(cls.broker.port)
        cls.addClassCleanup(cls.operator.close)
        cls.gateways = {}
        for number in range(cls.count):
            one = Gateway(cls.folder, cls.broker.port, f"s{number % 4}/g{number}", fleet=cls.fleet)
            cls.gateways[one.name] = one.start()
            cls.addClassCleanup(one.kill)
        cls.all_online()

    @classmethod
    def prepare(cls):
        """Makes the files that the gateways' configurations name."""

    @classmethod
    def all_online(cls):
        wait_until(lambda: all(cls.operator.is_online(name) for name in cls.gateways),
                   lambda: f"online: {[name for name in cls.gateways if not cls.operator.is_online(name)]}")

    def tool(self, *words, status=0, tables=None):
        """Runs the tool, and returns what it prints."""
        done = self.begin(*words, tables=tables)
        text, said = done.communicate(timeout=900)
        self.assertEqual(done.returncode, status, text + said)
        self.text, self.said = text, said
        return text

    def begin(self, *words, tables=None):
        words = [str(word) for word in words]
        if tables is not None:
            file = self.folder / "tables.toml"
            file.write_text(tables)
            words += ["--file", str(file)]
        process = subprocess.Popen([TOOL, "--broker", f"mqtt://127.0.0.1:{self.broker.port}", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def versions(self):
        return {name: self.operator.in_effect(name).get("version") for name in self.gateways}

    def digests(self):
        return {self.operator.in_effect(name).get("digest") for name in self.gateways}

    def stored(self, name):
        return self.gateways[name].stored()["revisions"][0]["tables"]

    def sent(self):
        """How many messages the operators have sent to all gateways."""
        return sum(topic.endswith("/settings/desired") for topic, _ in self.operator.heard)


class Changing(Fleet):
    """Each test begins with equal settings of all gateways."""

    def setUp(self):
        self.all_online()
        if len(self.digests()) > 1 or None in self.versions().values():
            self.tool("set", "--stages", "100%", "--soak", "0", tables=GOOD.format(11))
        [self.former] = self.digests()
