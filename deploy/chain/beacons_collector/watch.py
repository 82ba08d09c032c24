"""Ends the wait for a database that has taken a batch and does not answer."""

import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType

from .log_once import LogOnce

# A commit takes a fraction of a second. After this time the collector reports the wait: a lock, a disk, a machine that hangs.
LONGEST_SILENCE_S = 10
LOOK_INTERVAL_S = 0.5


class Watch:
    """Within `with watch:` a thread waits for an answer, over the connection that was given to `looks_at`.

    Calling the wait off cuts the connection, which is the only way to wake that thread.
    """

    def __init__(self, log: LogOnce, is_called_off: Callable[[], bool]) -> None:
        self.log = log
        self.is_called_off = is_called_off
        self.lock = threading.Lock()
        self.descriptor: int | None = None
        self.since: float | None = None
        threading.Thread(target=self.run, name="watch", daemon=True).start()

    def looks_at(self, descriptor: int | None) -> None:
        """None before the connection is closed: another connection may have its number afterwards."""
        with self.lock:
            self.descriptor = descriptor

    def __enter__(self) -> None:
        self.since = time.monotonic()

    def __exit__(self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.since = None

    def run(self) -> None:
        while True:
            time.sleep(LOOK_INTERVAL_S)
            since = self.since
            if since is None:
                continue
            if time.monotonic() - since > LONGEST_SILENCE_S:
                self.log.trouble(f"does not answer for more than {LONGEST_SILENCE_S} s; waiting")
            if self.is_called_off():
                self.hang_up()

    def hang_up(self) -> None:
        with self.lock:
            if self.descriptor is None:
                return
            try:
                with socket.fromfd(self.descriptor, socket.AF_UNIX, socket.SOCK_STREAM) as copy:
                    copy.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The connection is already closed.
                pass
