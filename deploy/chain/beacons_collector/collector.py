"""The loop: take, read, commit, acknowledge."""

import os
import signal
import sys
import threading
import time
import traceback
from typing import Any

from . import options as command_line
from .amqp_source import AMQPSource
from .beacon_figures import BeaconFigures
from .database import Away, Database, Rejected, Row
from .encryption import Unusable
from .metrics import MetricsFile
from .mqtt_source import MQTTSource
from .reading import read
from .regions import Regions
from .roll_up import RollUp
from .taking import Inbox, Source, Taken, batches
from .topics import Unreadable, parse, site_of

# The time after SIGTERM for which the collector waits for its database: the broker keeps unacknowledged messages.
LONGEST_STOP_S = 10
EXIT_WRONG_COMMAND_LINE, EXIT_FAILED, EXIT_NOT_COMMITTED = 64, 70, 75


class Stop:
    """SIGTERM, SIGINT, or a thread that failed, and the time since then. A process that has lost a thread would stay and take nothing."""

    def __init__(self) -> None:
        self.since: float | None = None
        self.is_failed = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.asked)
        threading.excepthook = self.failed
        sys.unraisablehook = self.unraisable

    def asked(self, *_: Any) -> None:
        self.since = self.since or time.monotonic()

    def failed(self, thread: threading.ExceptHookArgs) -> None:
        traceback.print_exception(thread.exc_type, thread.exc_value, thread.exc_traceback)
        name = thread.thread.name if thread.thread else "of no name"
        print(f"collector: the thread {name} failed: {thread.exc_type.__name__}: {thread.exc_value}; the process ends", file=sys.stderr, flush=True)
        self.is_failed = True
        self.asked()

    def unraisable(self, what: Any) -> None:
        """A thread that lacks the memory to begin raises no exception, and its starter would wait for it for ever."""
        sys.__unraisablehook__(what)
        thread = getattr(what.object, "__self__", None)
        if isinstance(thread, threading.Thread):
            print(f"collector: the thread {thread.name} could not begin: {what.exc_type.__name__}; the process ends", file=sys.stderr, flush=True)
            # Nothing is lost: the broker keeps what is not acknowledged.
            os._exit(EXIT_FAILED)

    def is_asked(self) -> bool:
        return self.since is not None

    def is_overdue(self) -> bool:
        return self.since is not None and time.monotonic() - self.since > LONGEST_STOP_S


def sorted_out(batch: list[Taken], prefix: str, regions: Regions) -> tuple[list[Row], list[Rejected], int]:
    """The messages that can be stored, those that can't, and the number of those that are not kept."""
    rows: list[Row] = []
    rejected: list[Rejected] = []
    for message in batch:
        try:
            address = parse(message.topic, prefix)
            text = read(message.payload, address) if address else None
        except Unreadable as reason:
            rejected.append(Rejected(message.topic, message.payload, str(reason), message.received_at, site_of(message.topic, prefix)))
            continue
        # States repeat the content of events, and half of all messages are states: only the first state of a region goes to the database.
        if address and text is not None and (address.kind != "state" or regions.is_new(address)):
            rows.append(Row(message.topic, address, text, message.received_at))
    return rows, rejected, len(batch) - len(rows) - len(rejected)


def work(source: Source, inbox: Inbox, database: Database, stop: Stop, metrics: MetricsFile,
         prefix: str, beacons: BeaconFigures | None = None, roll_up: RollUp | None = None) -> None:
    """Works until SIGTERM or until the source is drained, and then until all taken messages are committed and acknowledged. Raises Away."""
    counts = {"passed": 0, "batches": 0}
    regions = Regions()

    def is_over() -> bool:
        if stop.is_asked():
            source.pause()
        return stop.is_asked() or source.is_drained

    def write_metrics() -> None:
        figures = counts | {"left_out": source.left_out, "dead_letters": source.dead_letters, "hours_given_up": roll_up and roll_up.hours_given_up} | dict(database.outcomes)
        metrics.write(figures | {"passed": counts["passed"] + database.outcomes["unkept"]}, inbox.qsize(), sites=beacons.sites if beacons else None)

    try:
        for batch in batches(inbox, is_over):
            is_over()
            if batch:
                rows, rejected, passed = sorted_out(batch, prefix, regions)
                database.store(rows, rejected)
                source.acknowledge(batch)
                counts["passed"] += passed
                counts["batches"] += 1
            write_metrics()
    finally:
        metrics.hurry()
        write_metrics()


def main(arguments: list[str]) -> int:
    """Runs the collector, and returns its exit status."""
    options = command_line.parse(arguments)
    stop = Stop()
    inbox = Inbox(2 * options.receive_maximum)
    try:
        source: Source = (AMQPSource if options.is_amqp else MQTTSource)(options, inbox)
    except Unusable as file:
        print(f"collector: {file}", file=sys.stderr)
        return EXIT_WRONG_COMMAND_LINE
    database = Database(options.database, stop.is_overdue)
    roll_up = RollUp(options.database)
    beacons = BeaconFigures(options.database)
    source.start()
    roll_up.start()
    if options.metrics:
        beacons.start()
    try:
        work(source, inbox, database, stop, MetricsFile(options.metrics, options.id), options.prefix, beacons, roll_up)
    except Away:
        print("stopped while the database was away: the broker keeps what is not committed", file=sys.stderr)
        return EXIT_FAILED if stop.is_failed else EXIT_NOT_COMMITTED
    except Exception as error:  # Whatever it is: what was taken and is not committed stays with the broker.
        traceback.print_exc()
        print(f"collector: {type(error).__name__}: {error}; the process ends", file=sys.stderr, flush=True)
        return EXIT_FAILED
    finally:
        roll_up.stop()
        beacons.stop()
        source.pause()
        source.stop()
        database.close()
    return EXIT_FAILED if stop.is_failed else 0
