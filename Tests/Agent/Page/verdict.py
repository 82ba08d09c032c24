"""Shared by the checks: their options, counting, and waiting for the page."""
import pathlib
import sys
import time
import traceback

from browser import Failure
from shop import UUID

BEACOND, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
PICTURES = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
REGION = f'[[region]]\nid = "carts"\nuuid = "{UUID}"\nexpand = "minor"\n'
counts = {"passed": 0, "failed": 0, "skipped": 0}


def check(name, holds, why=""):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"failed: {name}", str(why)[:1500], flush=True)


def expect(tab, name, expression, why="null"):
    """Waits until it holds in the page."""
    try:
        tab.until(expression, name, 60)
        check(name, True)
    except Failure as failure:
        check(name, False, f"{failure} {tab.value(f'JSON.stringify({why})')}")


def scenario(run, *arguments):
    try:
        run(*arguments)
    except Exception:  # Whatever breaks, the others are still worth running.
        check(run.__doc__ or run.__name__, False, traceback.format_exc())


def live(shop, rounds, seconds=0.5):
    for _ in range(rounds):
        shop.walk(seconds)
        shop.publish()
        time.sleep(0.1)


SITE = "page.store.sites.get('berlin-17')"
