"""One call of a process fails, once: which call, with which error, and what came of it. The preloaded half is failing_call.c."""

import errno
import os
import pathlib
import random
import struct
import subprocess

SHORT = -1
# The order of `call_class` in failing_call.c. What a real kernel gives for a file, for a socket, and for any other descriptor; 0 is
# no failure. SHORT moves half of the octets.
CLASSES = {
    "runtime allocation": [(errno.ENOMEM, errno.ENOMEM, errno.ENOMEM)],
    "allocation": [(errno.ENOMEM, errno.ENOMEM, errno.ENOMEM)],
    "map": [(errno.ENOMEM, errno.ENOMEM, errno.ENOMEM)],
    "open": [(error,) * 3 for error in (errno.EIO, errno.EMFILE, errno.ENOSPC, errno.ENOMEM)],
    "read": [(errno.EIO, errno.ECONNRESET, errno.EINTR), (SHORT, SHORT, errno.EAGAIN), (errno.EIO, errno.EINTR, errno.EINTR),
             (errno.EIO, errno.ETIMEDOUT, errno.EAGAIN)],
    "write": [(errno.ENOSPC, errno.EPIPE, errno.EAGAIN), (errno.EIO, errno.ECONNRESET, errno.EINTR), (SHORT, SHORT, errno.EINTR),
              (errno.EIO, errno.EAGAIN, errno.EAGAIN)],
    "sync": [(errno.EIO, errno.EIO, errno.EIO), (errno.ENOSPC, errno.ENOSPC, errno.ENOSPC)],
    "truncate": [(errno.EIO, 0, 0), (errno.ENOSPC, 0, 0)],
    "name": [(errno.EIO,) * 3, (errno.ENOSPC,) * 3, (errno.EROFS,) * 3],
    "look": [(errno.EIO,) * 3, (errno.ENOMEM,) * 3],
    "lock": [(errno.EINTR, errno.EINTR, errno.EINTR), (errno.ENOLCK,) * 3, (errno.EIO,) * 3],
    "descriptor": [(errno.EMFILE,) * 3, (errno.ENOMEM,) * 3],
    "connect": [(0, errno.ECONNREFUSED, 0), (0, errno.EADDRNOTAVAIL, 0), (0, errno.ENETUNREACH, 0)],
    "wait": [(errno.EINTR,) * 3, (errno.ENOMEM,) * 3],
    "control": [(errno.ENOMEM,) * 3, (errno.ENOBUFS,) * 3],
    "thread": [(errno.EAGAIN,) * 3],
}
NUMBERS = "qqqqqq"
COUNTS_AT = struct.calcsize(NUMBERS)
FAILED_AT = COUNTS_AT + 8 * len(CLASSES)
PLACE_AT, PLACE_OCTETS, RUNTIMES_OCTETS = FAILED_AT + 8, 256, 256
OCTETS = PLACE_AT + PLACE_OCTETS + RUNTIMES_OCTETS


def build(folder):
    """The library that is preloaded."""
    library = pathlib.Path(folder) / "failing_call.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, pathlib.Path(__file__).with_suffix(".c")], check=True)
    return library


class FailingCall:
    """A plan, and what came of it. `kind` and `nth` of nothing fail nothing, and count all. `times`: how many fail in a row."""

    def __init__(self, library, file, kind=None, nth=0, errors=(0, 0, 0), times=1, runtimes=()):
        self.library, self.file, self.kind, self.nth, self.errors = library, pathlib.Path(file), kind, nth, errors
        number = list(CLASSES).index(kind) if kind else -1
        plan = struct.pack(NUMBERS, number, nth, times, *errors).ljust(PLACE_AT + PLACE_OCTETS, b"\0")
        self.file.write_bytes((plan + "".join(f"{one}," for one in runtimes).encode()).ljust(OCTETS, b"\0"))

    def environment(self):
        return os.environ | {"LD_PRELOAD": str(self.library), "FAILING_CALL": str(self.file)}

    def counts(self):
        """How many calls of each class there were."""
        return dict(zip(CLASSES, struct.unpack_from(f"{len(CLASSES)}q", self.file.read_bytes(), COUNTS_AT)))

    def has_failed(self):
        """Whether the process came to that call."""
        return struct.unpack_from("q", self.file.read_bytes(), FAILED_AT)[0] == 1

    def place(self):
        """The call, and the function that made it."""
        return self.file.read_bytes()[PLACE_AT:PLACE_AT + PLACE_OCTETS].split(b"\0")[0].decode()

    def __str__(self):
        words = "/".join("short" if error == SHORT else errno.errorcode.get(error, "none") for error in self.errors)
        return f"{self.kind} {self.nth} ({words}): {self.place()}"


def sample(counts, seed, most=None):
    """(class, nth, errors) of the calls that are to fail, in an order by chance: all of them, or `most` of each class."""
    dice, calls = random.Random(seed), []
    for kind, count in counts.items():
        numbers = range(1, count + 1) if most is None else dice.sample(range(1, count + 1), min(most, count))
        # The errors of a file and of a socket go together: which of them it is, is known only when it fails.
        calls += [(kind, number, dice.choice(CLASSES[kind])) for number in numbers]
    dice.shuffle(calls)
    return calls
