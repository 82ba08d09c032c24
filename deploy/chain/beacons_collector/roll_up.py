"""Has what came counted into the hourly figures and stays, once a minute or less often, over a connection of its own."""

import threading

from .database import TROUBLE, connect, explained
from .said import Said

INTERVAL_S = 60


class RollUp:
    """The database sees to it that of several collectors one counts at a time, and a fifth of the time at most. The views are right
    without it, and slower."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.said = Said("roll-up")
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, name="roll-up", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        # What it is at is undone by the database if the process ends first, and done by the next one.
        self.is_over.set()

    def run(self) -> None:
        while not self.is_over.wait(INTERVAL_S):
            try:
                with connect(self.url, "beacons_collector roll-up") as connection:
                    # A transaction each: making a day locks what a roll-up reads.
                    connection.execute("SELECT beacons.make_days_ahead()")
                    connection.execute("SELECT beacons.roll_up_when_due()")
                self.said.well("counted")
            except TROUBLE as error:
                self.said.trouble(explained(error))
