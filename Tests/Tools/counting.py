"""Counts the checks of a script. Its last line has the counts, as suite.sh reads them."""

counts = {"passed": 0, "failed": 0, "skipped": 0}


def check(name, holds, why=""):
    """Counts one check, and prints in one line why it failed."""
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"failed: {name}: {str(why)[:1500]}", flush=True)


def last_line():
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped", flush=True)
