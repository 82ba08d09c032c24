"""deploy/chain/quickstart, as a newcomer runs it: three stores, visits that grow, and nothing that keeps running."""

import os
import re
import signal
import subprocess
import unittest

from servers import ROOT, wait_until


class Quickstart(unittest.TestCase):
    def test_visits_of_three_stores_are_shown_and_nothing_keeps_running(self):
        command = subprocess.Popen([ROOT / "deploy/chain/quickstart"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, start_new_session=True)
        lines, ended = [], set()
        for line in command.stdout:
            lines.append(line)
            # A store's row: its name, its visits, those inside now, and the mean dwell once a visit has ended.
            if match := re.match(r"\s*(berlin-17|hamburg-3|wien-8) +\| +([1-9]\d*) +\| +\d+ +\| +\d+ ", line):
                ended.add(match[1])
            if len(ended) == 3:
                break
        self.assertEqual(len(ended), 3, "".join(lines[-40:]))
        command.send_signal(signal.SIGINT)
        command.communicate()
        self.assertEqual(command.returncode, 130)
        wait_until(lambda: not leftovers(), f"the end of {leftovers()}")


def leftovers():
    """Programs that still hold the quickstart's lock."""
    lock = os.path.realpath(ROOT / ".quickstart-chain/lock")
    held = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            files = [os.readlink(f"/proc/{process}/fd/{number}") for number in os.listdir(f"/proc/{process}/fd")]
        except OSError:
            continue
        if lock in files:
            held.append(process)
    return held


if __name__ == "__main__":
    unittest.main()
