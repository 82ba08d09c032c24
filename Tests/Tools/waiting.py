"""Waiting for something real, with the limit that suite.sh sets."""

import os
import pathlib
import time

PATIENCE_S = int(os.environ["PATIENCE_S"])


def until(holds, seconds=PATIENCE_S, step=0.02):
    """Waits until `holds()`, at most so long; returns whether it does."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(step)
    return True


def rested(process_id, seconds=1):
    """Whether for these seconds a process has mostly slept: its threads neither ran nor waited for a processor. So no work is left to it."""
    def busy_ns():
        return sum(int(word) for thread in pathlib.Path(f"/proc/{process_id}/task").iterdir()
                   for word in (thread / "schedstat").read_text().split()[:2])
    before = busy_ns()
    time.sleep(seconds)
    return busy_ns() - before < seconds * 2e8
