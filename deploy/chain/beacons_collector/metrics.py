"""The collector's figures, as Prometheus text for node_exporter's textfile collector."""

import os
import time
from collections.abc import Mapping

from .log_once import LogOnce

FIGURES = {
    "new": ("beacons_collector_new_total", "Messages committed for the first time."),
    "repeated": ("beacons_collector_repeated_total", "Messages that were there already."),
    "conflict": ("beacons_collector_conflict_total", "Numbers published again with other contents."),
    "rejected": ("beacons_collector_rejected_total", "Messages that went to the table rejected."),
    "passed": ("beacons_collector_passed_total", "Messages that are not kept: states, ranging, requests, cleared topics."),
    "left_out": ("beacons_collector_left_out_total", "Messages with QoS 0 that found no room, because the database took nothing."),
    "over_budget": ("beacons_collector_over_budget_total", "Messages that were not kept, because their store had used up its budget of the day."),
    "hours_given_up": ("beacons_collector_roll_up_given_up_total", "Late hours that the chain's database has not counted anew, because their store had used up its budget."),
    "surges": ("beacons_collector_surges_total", "Times in which a gateway or store held back beacons that it did not know."),
    "batches": ("beacons_collector_batches_total", "Transactions committed."),
}
GAUGES = {
    "waiting": ("beacons_collector_waiting", "Messages taken and not committed yet."),
    "dead_letters": ("beacons_collector_dead_letters", "Messages that the broker has put aside, because they were handed out too often."),
}
# By the columns of the database's function worst_beacon_figures. Each has the store as a label.
BEACONS = {
    "silent": ("beacons_silent", "Registered beacons that their store has not heard for a day in which it could."),
    "low": ("beacons_battery_low", "Beacons whose battery is at 10 % or 2,400 mV, or below."),
    "ending": ("beacons_battery_ending", "Beacons whose battery has fewer than 30 days left."),
    "strangers": ("beacons_strangers", "Beacons heard within a day that are not registered in the store."),
}
INTERVAL_S = 15
# Escapes of a label's value in Prometheus' text format.
ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r'\"'})


class MetricsFile:
    """A file that is written every 15 s, under another name first, so that no reader gets half of it.

    Each figure bears the collector's id: node_exporter reads the files of several collectors only where their ids differ.
    """

    def __init__(self, path: str | None, collector: str) -> None:
        self.path = path
        self.collector = 'collector="' + collector.translate(ESCAPES) + '"'
        self.label = "{" + self.collector + "}"
        self.due = 0.0
        self.log = LogOnce("metrics")

    def hurry(self) -> None:
        """Makes the next figures due at once: there may be none after them."""
        self.due = 0.0

    def write(self, counts: Mapping[str, int | None], waiting: int, now: float | None = None, sites: Mapping[str, tuple[int, ...]] | None = None) -> None:
        now = time.monotonic() if now is None else now
        if not self.path or now < self.due:
            return
        self.due = now + INTERVAL_S
        lines = []
        for key, (name, words) in FIGURES.items():
            if (count := counts.get(key, 0)) is not None:
                lines += [f"# HELP {name} {words}", f"# TYPE {name} counter", f"{name}{self.label} {count}"]
        for key, (name, words) in GAUGES.items():
            value = {"waiting": waiting}.get(key, counts.get(key, 0))
            lines += [f"# HELP {name} {words}", f"# TYPE {name} gauge", f"{name}{self.label} {value}"]
        for place, (name, words) in enumerate(BEACONS.values()):
            values = [f'{name}{{{self.collector},site="{site.translate(ESCAPES)}"}} {figures[place]}' for site, figures in (sites or {}).items()]
            lines += [f"# HELP {name} {words}", f"# TYPE {name} gauge", *values] if values else []
        scratch = f"{self.path}.{os.getpid()}.new"
        try:
            with open(scratch, "w", encoding="utf-8") as file:
                # node_exporter runs as another user, so the collector's umask must not matter.
                os.fchmod(file.fileno(), 0o644)
                file.write("\n".join(lines) + "\n")
            os.replace(scratch, self.path)
            self.log.well("written")
        except OSError as error:
            # Figures are worth less than the messages that they count.
            self.log.trouble(str(error))
