"""The tool with as many gateways as a large chain has. They are light clients; tool_test.py has real agents."""

import os
import resource
import subprocess
import sys
import time
import unittest

from gateway import Operator
from programs import die_with_parent
from servers import ROOT, Mosquitto, wait_until

COUNT = int(os.environ.get("SETTINGS_GATEWAYS", "5000"))


class Many(unittest.TestCase):
    def setUp(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        if hard < COUNT + 1000:
            self.skipTest(f"a process may open {hard} files, and {COUNT + 1000} are needed")
        self.broker = Mosquitto("max_queued_messages 0\nautosave_interval 60\n").start()
        self.addCleanup(self.broker.__exit__)
        self.crowd = subprocess.Popen([sys.executable, "crowd.py", str(self.broker.port), str(COUNT)], stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.addCleanup(self.crowd.communicate)
        self.addCleanup(self.crowd.kill)
        self.assertEqual(self.crowd.stdout.readline(), "ready\n")

    def test_a_change_reaches_all_while_lines_break_all_the_time(self):
        file = self.broker.folder / "tables.toml"
        file.write_text("[rotation]\nresolve_after_s = 20\n")
        begun = time.monotonic()
        done = subprocess.run([ROOT / "deploy/fleet/settings", "--broker", f"mqtt://127.0.0.1:{self.broker.port}", "set", "--file", file, "--soak", "10"],
                              capture_output=True, text=True, timeout=1200, check=False)
        took_s = time.monotonic() - begun
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(f"\nfigure: a change of {COUNT} gateways in stages of 1, 10 % and 100 % with 10 s of soak: {took_s:.0f} s")
        operator = Operator(self.broker.port)
        self.addCleanup(operator.close)
        self.assertIn(f"{COUNT} of {COUNT} gateways have version 1", done.stdout)
        names = [f"s{number}/g" for number in range(COUNT)]
        wait_until(lambda: all(b'"version": 1}' in one for one in self.states(operator, names)), "all of them report it")

    def states(self, operator, names):
        last = dict(operator.heard)
        return [last.get(f"beacons/{name}/status", b"missing") for name in names]
