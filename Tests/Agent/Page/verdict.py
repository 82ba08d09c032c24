"""Shared by the checks: their options, and waiting for the page."""
import pathlib
import sys
import time
import traceback

from browser import Failure
from counting import check
from shop import UUID

BEACOND, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
PICTURES = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
REGION = f'[[region]]\nid = "carts"\nuuid = "{UUID}"\nexpand = "minor"\n'


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


def picture(tab, name):
    """Keeps a picture of the page, where pictures are wanted."""
    if PICTURES:
        time.sleep(0.6)
        PICTURES.mkdir(parents=True, exist_ok=True)
        tab.picture(PICTURES / f"page-{name}.png")


SITE = "page.store.sites.get('berlin-17')"
