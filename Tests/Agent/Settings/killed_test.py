"""The agent killed at each step of storing settings: the file is complete, and the broker's repetition brings the new ones."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from programs import die_with_parent
from servers import wait_until
from situation import Situation

OLD, NEW = {"rotation": {"resolve_after_s": 11}}, {"rotation": {"resolve_after_s": 22}}
# The steps of replacing settings.json: the call, its file, and which of the calls on that file.
STEPS = [("openat", "settings.json.tmp"), ("fchmod", "settings.json.tmp"), ("write", "settings.json.tmp"), ("fsync", "settings.json.tmp"),
         ("close", "settings.json.tmp"), ("rename", "settings.json.tmp"), ("openat", ""), ("fsync", ""), ("close", "")]


def may_trace():
    """Whether strace may inject a signal here."""
    done = subprocess.run(["strace", "-f", "-o", os.devnull, "-e", "inject=getppid:signal=SIGKILL:when=1", "true"], capture_output=True, check=False)
    return done.returncode == 0


@unittest.skipUnless(shutil.which("strace") and may_trace(), "this machine does not let strace trace")
class Killed(Situation):
    def test_killed_at_any_step_the_agent_has_the_old_or_the_new_settings_and_then_the_new_ones(self):
        for call, name in STEPS:
            with self.subTest(call=call, name=name):
                self.killed_at(call, name)

    def killed_at(self, call, name):
        self.setUp()
        operator, gateway = self.online()
        operator.set(1, OLD)
        former = operator.waits_for_use(1)["digest"]
        with self.killer(gateway, call, gateway.state / name):
            operator.set(2, NEW)
            wait_until(lambda: gateway.status() is not None, f"killed at {call} of {gateway.state / name}")
        self.assertEqual(gateway.status(), -signal.SIGKILL)
        # The file is complete, and has the old version or the new one.
        self.assertIn(gateway.stored()["revisions"][0]["version"], (1, 2))
        digest, version = gateway.settings()[1:]
        self.assertIn(version, ("version 1", "version 2"))
        self.assertEqual(digest == former, version == "version 1")
        gateway.start()
        self.assertNotEqual(operator.waits_for_use(2)["digest"], former)
        self.assertEqual(gateway.end(signal.SIGTERM), 0)
        self.assertEqual([one.name for one in gateway.state.glob("settings*")], ["settings.json"])
        self.doCleanups()

    @contextlib.contextmanager
    def killer(self, gateway, call, path):
        """Ends the agent with SIGKILL at its next such call on the path."""
        tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", os.devnull, "-p", str(gateway.pid), "-P", path, "-e", f"trace={call}",
                                   "-e", f"inject={call}:signal=SIGKILL:when=1"], preexec_fn=die_with_parent)
        threads = pathlib.Path(f"/proc/{gateway.pid}/task")
        wait_until(lambda: all(f"TracerPid:\t{tracer.pid}" in (one / "status").read_text() for one in threads.iterdir()), "strace attaches")
        yield
        tracer.kill()
        tracer.wait()
