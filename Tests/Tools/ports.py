"""Free ports of this machine, each for one server of one suite. As a program it prints one: `ports.py [ADDRESS]`."""

import os
import socket
import sys

# Suites that run at the same time have different numbers, of eight, and so different ports: "3". So have parts of a suite: "3.5".
LANE, _, PART = os.environ.get("PORT_LANE", "").partition(".")
given = set()


def free_port(address="127.0.0.1"):
    """A free port. Its server may bind it later: neither this process nor a suite beside it gets the same one."""
    while True:
        with socket.socket() as taken:
            taken.bind((address, 0))
            port = taken.getsockname()[1]
        if port not in given and LANE in ("", str(port // 2 % 8)) and PART in ("", str(port // 16 % 8)):
            given.add(port)
            return port


if __name__ == "__main__":
    print(free_port(*sys.argv[1:]))
