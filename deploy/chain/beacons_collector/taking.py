"""What a source hands over: messages that the broker goes on holding until they are acknowledged."""

import queue
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

# Commits cost the same for one event as for some hundred; an event waits this long at most for others to come along.
LARGEST_BATCH = 500
LONGEST_WAIT_S = 0.2


@dataclass(frozen=True, slots=True)
class Taken:
    """A message as it came. `token` is the source's own, for the acknowledgement; `None` where none is wanted."""

    topic: str
    payload: bytes
    token: Any
    received_at: datetime = field(default_factory=lambda: datetime.now(UTC))


class Source(Protocol):
    """A broker. Messages go into the queue that it was made with, in the order in which they came."""

    # How many messages that the broker does not keep found no room.
    left_out: int

    def start(self) -> None:
        """Connects, and connects again for as long as it takes."""

    def acknowledge(self, batch: list[Taken]) -> None:
        """The batch is committed: the broker may forget it. What came over a connection that is gone comes again."""

    def pause(self) -> None:
        """Hands over nothing more. What comes from now on is not acknowledged, so the broker keeps it."""

    def stop(self) -> None:
        """Sends the acknowledgements that wait, and says goodbye. The session stays at the broker."""


def batches(inbox: "queue.Queue[Taken]", is_over: Any) -> Iterator[list[Taken]]:
    """Batches as they fill up, until `is_over()` and nothing is left."""
    while True:
        try:
            first = inbox.get(timeout=LONGEST_WAIT_S)
        except queue.Empty:
            if is_over():
                return
            yield []
            continue
        batch, due = [first], time.monotonic() + LONGEST_WAIT_S
        while len(batch) < LARGEST_BATCH and (left := due - time.monotonic()) > 0:
            try:
                batch.append(inbox.get(timeout=left))
            except queue.Empty:
                break
        yield batch
