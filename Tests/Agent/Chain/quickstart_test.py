"""deploy/chain/quickstart, as a newcomer runs it: three stores, visits that grow, and nothing that keeps running."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
import unittest
import urllib.request

from servers import LONGEST_WAIT_S, ROOT, ended, scratch_folder, wait_until

# Where nothing is built yet, building comes first.
LONGEST_BUILD_S = 900


class Quickstart(unittest.TestCase):
    def setUp(self):
        self.lines, self.reading = [], False

    def start(self, **environment):
        self.command = subprocess.Popen([ROOT / "deploy/chain/quickstart"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, start_new_session=True, env=os.environ | environment)
        self.addCleanup(self.command.stdout.close)
        self.addCleanup(self.kill)

    def read_on(self):
        """Reads what it still says, which must not keep it from going on or from ending."""
        if not self.reading:
            self.reading = True
            threading.Thread(target=self.command.stdout.read, daemon=True).start()

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.command.pid, signal.SIGKILL)
        self.command.wait(LONGEST_WAIT_S)

    def stores_that_show(self, row):
        """Reads until each of the three stores has shown such a row."""
        # Ending it ends its output, which is what is waited for here.
        watchdog = threading.Timer(LONGEST_BUILD_S + LONGEST_WAIT_S, self.kill)
        watchdog.daemon = True
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        shown = set()
        for line in self.command.stdout:
            self.lines.append(line)
            if match := re.match(r"\s*(berlin-17|hamburg-3|wien-8) " + row, line):
                shown.add(match[1])
            if len(shown) == 3:
                break
        self.assertEqual(len(shown), 3, "it ended, or was ended after too long:\n" + "".join(self.lines[-40:]))

    def visits_in_reports(self):
        """The numbers of visits that the index names, by store; it leads to a page for each."""
        (address,) = {line.split()[1] for line in self.lines if line.startswith("Reports: ")}
        with urllib.request.urlopen(address, timeout=LONGEST_WAIT_S) as answer:
            index = answer.read().decode()
        found = {}
        for file, store, visits in re.findall(r'<a href="(store-\d\.html)">([^<]+)</a></th><td>([\d,]+|no) visit', index):
            with urllib.request.urlopen(address + file, timeout=LONGEST_WAIT_S) as answer:
                self.assertIn(f"<h1>{store}</h1>", answer.read().decode())
            found[store] = 0 if visits == "no" else int(visits.replace(",", ""))
        return found

    def assert_all_ended(self, status):
        self.read_on()
        self.assertEqual(ended(self.command, "deploy/chain/quickstart"), status)
        wait_until(lambda: not leftovers(), lambda: f"the end of {leftovers()}")

    def test_visits_of_three_stores_are_shown_and_control_c_ends_all(self):
        # Visits, those inside now, and the mean dwell: there is one once a visit has ended.
        self.start()
        self.stores_that_show(r"+\| +[1-9]\d* +\| +\d+ +\| +\d+ ")
        before = self.visits_in_reports()
        self.read_on()
        wait_until(lambda: len(self.visits_in_reports()) == 3, "reports of three stores")
        wait_until(lambda: sum(self.visits_in_reports().values()) > sum(before.values()), "more visits in the reports")
        # A terminal's Ctrl-C reaches all that was started.
        os.killpg(self.command.pid, signal.SIGINT)
        self.assert_all_ended(130)

    def test_sigterm_ends_all_as_well(self):
        self.start()
        self.stores_that_show(r"+\| +[1-9]\d* ")
        self.command.terminate()
        self.assert_all_ended(143)

    def test_sigterm_ends_a_build_that_lasts(self):
        folder = scratch_folder("swift")
        self.addCleanup(shutil.rmtree, folder)
        (folder / "swift").write_text(
            '#!/bin/sh\ncase $1 in --version) echo "Swift version 6.3.1" ;; *) echo "[1/2] lasting" && exec sleep 10000 ;; esac\n')
        (folder / "swift").chmod(0o755)
        self.start(PATH=f"{folder}:{os.environ['PATH']}")
        log = ROOT / ".quickstart-chain/build.log"
        wait_until(lambda: log.exists() and "lasting" in log.read_text(), "the build")
        self.command.terminate()
        self.assert_all_ended(143)


def leftovers():
    """Programs that still hold the quickstart's lock, which all that it starts inherits."""
    lock = os.path.realpath(ROOT / ".quickstart-chain/lock")
    held = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            files = [os.readlink(f"/proc/{process}/fd/{number}") for number in os.listdir(f"/proc/{process}/fd")]
            name = open(f"/proc/{process}/comm", encoding="utf-8").read().strip()
        except OSError:
            continue
        if lock in files:
            held.append(f"{name} ({process})")
    return held


if __name__ == "__main__":
    unittest.main()
