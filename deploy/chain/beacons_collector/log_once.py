"""Reports a lasting fault once, and its end once."""

import sys

from .plain import LONGEST_LINE, plain


class LogOnce:
    """The present fault of one side, reported on standard error."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.cause = ""

    def trouble(self, cause: str) -> None:
        # The words of a broker or a database may hold a stranger's.
        cause = plain(" ".join(cause.split()), LONGEST_LINE)
        if cause != self.cause:
            print(f"{self.side}: {cause}", file=sys.stderr, flush=True)
        self.cause = cause

    def well(self, words: str) -> None:
        if self.cause != "ok":
            print(f"{self.side}: {words}", file=sys.stderr, flush=True)
        self.cause = "ok"
