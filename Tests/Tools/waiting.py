"""Waiting for something real, with the limit that suite.sh sets."""

import os
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
