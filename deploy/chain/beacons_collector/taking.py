"""What a source hands over: messages that the broker goes on holding until they are acknowledged."""

import queue
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

# Commits cost the same for one event as for some hundred; an event waits this long at most for others to come along.
LARGEST_BATCH = 500
LONGEST_WAIT_S = 0.2
# In octets: messages may be a mebibyte each, and the database makes several copies of a batch.
LARGEST_BATCH_BYTES, LARGEST_INBOX_BYTES = 4 << 20, 64 << 20
LOOK_INTERVAL_S = 0.01


@dataclass(frozen=True, slots=True)
class Taken:
    """A message as it came. `token` is the source's own, for the acknowledgement; `None` where none is wanted."""

    topic: str
    payload: bytes
    token: Any
    received_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    # A batch ends with this message, because its source waits for the acknowledgement.
    is_alone: bool = False


class Inbox(queue.Queue[Taken]):
    """What was taken and waits for its commit. It knows how much that is."""

    octets = 0

    def _put(self, item: Taken) -> None:
        super()._put(item)
        self.octets += len(item.payload)

    def _get(self) -> Taken:
        item = super()._get()
        self.octets -= len(item.payload)
        return item

    def put_within(self, message: Taken, is_over: Callable[[], bool]) -> bool:
        """Puts it in once there is room for its octets; false where `is_over()` before.

        Who waits here reads nothing from the broker meanwhile. Where that takes longer than the broker's patience, the connection
        is made again, and the message comes again.
        """
        while self.octets >= LARGEST_INBOX_BYTES:
            if is_over():
                return False
            time.sleep(LOOK_INTERVAL_S)
        self.put(message)
        return True


class Source(Protocol):
    """A broker. Messages go into the queue that it was made with, in the order in which they came."""

    # How many messages that the broker does not keep found no room, and how many it has put aside.
    left_out: int
    dead_letters: int
    # Nothing is left of what was to be taken once.
    is_drained: bool

    def start(self) -> None:
        """Connects, and connects again for as long as it takes."""

    def acknowledge(self, batch: list[Taken]) -> None:
        """The batch is committed: the broker may forget it. What came over a connection that is gone comes again."""

    def pause(self) -> None:
        """Hands over nothing more. What comes from now on is not acknowledged, so the broker keeps it."""

    def stop(self) -> None:
        """Sends the acknowledgements that wait, and says goodbye. The session stays at the broker."""


def batches(inbox: Inbox, is_over: Any) -> Iterator[list[Taken]]:
    """Batches as they fill up, until `is_over()` and nothing is left."""
    while True:
        try:
            first = inbox.get(timeout=LONGEST_WAIT_S)
        except queue.Empty:
            if is_over():
                return
            yield []
            continue
        batch, octets, due = [first], len(first.payload), time.monotonic() + LONGEST_WAIT_S
        while not batch[-1].is_alone and len(batch) < LARGEST_BATCH and octets < LARGEST_BATCH_BYTES and (left := due - time.monotonic()) > 0:
            try:
                batch.append(inbox.get(timeout=left))
                octets += len(batch[-1].payload)
            except queue.Empty:
                break
        yield batch
