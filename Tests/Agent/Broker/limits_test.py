"""The kernel's limits of one address at a port. The test runs in a network namespace of its own, with the rules loaded.

    limits_test.py PORT OPEN FIRST PAUSE_S      the rules' figures: connections at a time, the first new ones, seconds until one more
"""

import contextlib
import socket
import sys
import threading
import time

from counting import check, last_line

PORT, OPEN, FIRST, PAUSE_S = map(int, sys.argv[1:])


def serve(family, address):
    """Accepts, and hangs up when the client does."""
    server = socket.socket(family)
    server.bind((address, PORT))
    server.listen(512)

    def hang_up(one):
        with contextlib.closing(one):
            one.recv(1)

    def accept():
        while True:
            threading.Thread(target=hang_up, args=(server.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def connect(source, target):
    """A connection from that address, or None where the kernel refuses or drops it. On loopback the kernel lets one in within the
    call, however busy the machine is."""
    with contextlib.suppress(OSError):
        return socket.create_connection((target, PORT), 0.5, source_address=(source, 0))
    return None


def leave(*connections):
    for one in filter(None, connections):
        one.close()


def limits(kind, hostile, neighbour, innocent, target):
    """`neighbour` counts as the same address as `hostile`, or is None."""
    opened = [connect(hostile, target) for _ in range(OPEN + 5)]
    check(f"{PORT}, {kind}: an address may have {OPEN} connections at a time", len(list(filter(None, opened))) == OPEN, len(list(filter(None, opened))))
    if neighbour:
        check(f"{PORT}, {kind}: a neighbour in its network counts as the same", connect(neighbour, target) is None)
    other = connect(innocent, target)
    check(f"{PORT}, {kind}: another address is let in", other is not None)
    leave(*opened, other)
    attempts = []
    for _ in range(FIRST + 20):
        attempts.append(connect(hostile, target))
        leave(attempts[-1])
        if attempts[-1] is None and OPEN + len(attempts) > FIRST:
            break
    check(f"{PORT}, {kind}: after {FIRST} new connections the next is dropped", attempts[-1] is None, len(attempts))
    other = connect(innocent, target)
    check(f"{PORT}, {kind}: and another address is let in", other is not None)
    leave(other)
    time.sleep(2 * PAUSE_S)
    later = connect(hostile, target)
    check(f"{PORT}, {kind}: after a pause it is let in again", later is not None)
    leave(later)


def main():
    serve(socket.AF_INET, "127.0.0.1")
    serve(socket.AF_INET6, "fd00::1")
    limits("IPv4", "127.0.0.2", None, "127.0.0.3", "127.0.0.1")
    limits("IPv6", "fd00:0:0:1::1", "fd00:0:0:1::2", "fd00:0:0:2::1", "fd00::1")
    last_line()


main()
