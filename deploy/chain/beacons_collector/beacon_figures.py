"""The beacons that need help, by store, for Prometheus: counted in the database once a minute, over a connection of its own."""

import threading

from .database import TROUBLE, connect, explained
from .log_once import LogOnce
from .metrics import BEACONS

INTERVAL_S = 60
# The longest statement. A store that takes longer is left out by the database.
LONGEST_S = 10
# A chain has thousands of stores. Only those that need help have figures, the worst so many: 800 series for a collector at most.
MOST_SITES = 200


class BeaconFigures:
    """The figures as they were read last: of each store, the counts in the order of BEACONS."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.log = LogOnce("figures of beacons")
        self.is_over = threading.Event()
        self.sites: dict[str, tuple[int, ...]] = {}
        self.thread = threading.Thread(target=self.run, name="beacon figures", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        # If the process ends first, the database undoes the running count.
        self.is_over.set()

    def run(self) -> None:
        while not self.is_over.wait(INTERVAL_S):
            self.count()

    def count(self) -> None:
        """Counts the stores whose turn it is, and reads the worst. A figure that is not known now is left out: an old one would look like a new one."""
        try:
            with connect(self.url, "beacons_collector figures") as connection:
                connection.execute(f"SET statement_timeout = '{LONGEST_S}s'")
                connection.execute("SELECT beacons.count_beacons_when_due()")
                rows = connection.execute(f"SELECT site, {', '.join(BEACONS)} FROM beacons.worst_beacon_figures(%s)", (MOST_SITES,)).fetchall()
            self.sites = {site: tuple(counts) for site, *counts in rows}
            self.log.well("counted")
        except TROUBLE as error:
            self.sites = {}
            self.log.trouble(explained(error))
