"""Calls the roll-up of stays, and of figures by hour and day, once a minute or less often, over a connection of its own."""

import threading

from .database import TROUBLE, connect, explained
from .log_once import LogOnce

INTERVAL_S = 60
# What ends a count of days that takes too long. The database keeps what it counted until then.
LONGEST_S = 60


class RollUp:
    """The database lets one collector at a time count, for a fifth of the time at most. The views are right without it, but
    slower."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.log = LogOnce("roll-up")
        self.is_over = threading.Event()
        # None until the database has said it. A figure that rises from 0 at each start would be an alarm.
        self.hours_given_up: int | None = None
        self.thread = threading.Thread(target=self.run, name="roll-up", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        # If the process ends first, the database undoes the running roll-up, and the next process does it again.
        self.is_over.set()

    def run(self) -> None:
        while not self.is_over.wait(INTERVAL_S):
            self.count()

    def count(self) -> None:
        try:
            with connect(self.url, "beacons_collector roll-up") as connection:
                # A transaction for each: making a day locks tables that a roll-up reads.
                connection.execute("SELECT beacons.make_days_ahead()")
                connection.execute("SELECT beacons.roll_up_when_due()")
                ((self.hours_given_up,),) = connection.execute("SELECT beacons.hours_given_up()").fetchall()
                connection.execute(f"SET statement_timeout = '{LONGEST_S}s'")
                connection.execute("SELECT beacons.roll_up_days_when_due()")
            self.log.well("counted")
        except TROUBLE as error:
            self.log.trouble(explained(error))
