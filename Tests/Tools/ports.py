"""Free ports of this machine, each for one server of one suite, and whether a server answers there. As a program it prints one: `ports.py [ADDRESS]`."""

import contextlib
import os
import socket
import sys

import waiting

# Suites that run at the same time have different numbers, of eight, and so different ports: "3". So have parts of a suite: "3.5".
LANE, _, PART = os.environ.get("PORT_LANE", "").partition(".")
given = set()
if not {LANE, PART} <= {"", *map(str, range(8))}:
    raise SystemExit(f"PORT_LANE is {os.environ['PORT_LANE']}: no port has that lane; take 0 to 7, or two such numbers as 3.5")


def free_port(address="127.0.0.1"):
    """A free port. Its server may bind it later: neither this process nor a suite beside it gets the same one."""
    while True:
        with socket.socket() as taken:
            taken.bind((address, 0))
            port = taken.getsockname()[1]
        if port not in given and LANE in ("", str(port // 2 % 8)) and PART in ("", str(port // 16 % 8)):
            given.add(port)
            return port


def answers(port):
    """Whether a server of this machine accepts connections at that port."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10):
        return True
    return False


def until_answers(port):
    """Waits for a server that has just been started."""
    if not waiting.until(lambda: answers(port), step=0.05):
        raise TimeoutError(f"nothing listens on port {port}")


if __name__ == "__main__":
    print(free_port(*sys.argv[1:]))
