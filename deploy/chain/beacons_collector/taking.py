"""The messages of a source, which the broker keeps until they are acknowledged."""

import queue
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

# A commit costs as much for one event as for some hundred. An event waits this long at most for others.
LARGEST_BATCH = 500
LONGEST_WAIT_S = 0.2
# In octets: messages may have a mebibyte each, and the database makes several copies of a batch.
LARGEST_BATCH_BYTES, LARGEST_INBOX_BYTES = 4 << 20, 64 << 20
LOOK_INTERVAL_S = 0.01


@dataclass(frozen=True, slots=True)
class Taken:
    """A message as it came. `token` is for the source's acknowledgement; `None` where none is needed."""

    topic: str
    payload: bytes
    token: Any
    received_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    # Whether a batch ends with this message, because its source waits for the acknowledgement.
    is_alone: bool = False


class Inbox(queue.Queue[Taken]):
    """Messages that wait for their commit, with their size."""

    octets = 0

    def _put(self, item: Taken) -> None:
        super()._put(item)
        self.octets += len(item.payload)

    def _get(self) -> Taken:
        item = super()._get()
        self.octets -= len(item.payload)
        return item

    def put_within(self, message: Taken, is_over: Callable[[], bool]) -> bool:
        """Adds a message once there is room for its octets; false where `is_over()` comes first.

        The caller reads nothing from the broker meanwhile. If the broker loses patience, the connection
        is made again, and the message comes again.
        """
        while self.octets >= LARGEST_INBOX_BYTES:
            if is_over():
                return False
            time.sleep(LOOK_INTERVAL_S)
        self.put(message)
        return True


class Source(Protocol):
    """A broker. It puts messages into the queue that it was made with, in the order in which they come."""

    # The numbers of QoS 0 messages that found no room, and of messages that the broker has put aside.
    left_out: int
    dead_letters: int
    # Whether nothing is left of a queue that is read once.
    is_drained: bool

    def start(self) -> None:
        """Connects, and reconnects for as long as it takes."""

    def acknowledge(self, batch: list[Taken]) -> None:
        """The batch is committed: the broker may forget it. Messages of an older connection come again."""

    def pause(self) -> None:
        """Hands over no more messages. Those that still come are not acknowledged, so the broker keeps them."""

    def stop(self) -> None:
        """Sends the acknowledgements that wait, and disconnects. The session stays at the broker."""


def batches(inbox: Inbox, is_over: Any) -> Iterator[list[Taken]]:
    """Yields full batches, until `is_over()` and nothing is left."""
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
