"""Waiting for something real, with the limit that suite.sh sets; a minute where no suite runs."""

import os
import pathlib
import time

PATIENCE_S = int(os.environ.get("PATIENCE_S", "60"))


def until(holds, seconds=PATIENCE_S, step=0.02):
    """Waits until `holds()`, at most so long; returns whether it does."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(step)
    return True


def is_asleep(process_id):
    """Whether each thread of a process waits for something that may be long in coming; one that waits for a disk does not."""
    try:
        stats = [stat.read_text() for stat in pathlib.Path(f"/proc/{process_id}/task").glob("*/stat")]
    except OSError:  # One of them has just ended.
        return False
    return all(stat.rsplit(") ", 1)[1][0] == "S" for stat in stats)


def until_idle(process_id):
    """Waits until a process has done all there is. One that reads or writes, or wants the processor, does not sleep; one that waits for another
    process or for more does, whenever one looks. Returns whether it came to that."""
    asleep = []

    def sleeps():
        asleep.append(is_asleep(process_id))
        return len(asleep) >= 10 and all(asleep[-10:])
    return until(sleeps, step=0.05)
