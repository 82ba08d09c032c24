#!/usr/bin/python3
"""A way out for machines in a network without one: an HTTP proxy that listens in another network namespace.

    proxy.py NAMESPACE ADDRESS PORT      NAMESPACE is a file, as /proc/PID/ns/net

A socket stays in the namespace in which it was made. So the proxy makes the listening one there, comes back, and connects from here.
"""

import contextlib
import ctypes
import os
import socket
import sys
import threading
from urllib.parse import urlsplit

CLONE_NEWNET = 0x40000000
LONGEST_HEAD = 65536


def enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def listening(namespace: str, address: str, port: int) -> socket.socket:
    with open("/proc/self/ns/net") as here, open(namespace) as there:
        enter(there.fileno())
        listener = socket.create_server((address, port), backlog=64)
        enter(here.fileno())
    return listener


def pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while octets := source.recv(65536):
            target.sendall(octets)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def serve(client: socket.socket) -> None:
    """One request for one connection: CONNECT for TLS, or a GET that asks the server to close afterwards."""
    with client, contextlib.suppress(OSError, ValueError):
        head = b""
        while b"\r\n\r\n" not in head and len(head) < LONGEST_HEAD:
            if not (octets := client.recv(65536)):
                return
            head += octets
        head, _, rest = head.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ")
        url = urlsplit(f"//{target}" if method == "CONNECT" else target)
        with socket.create_connection((url.hostname or "", url.port or 80)) as server:
            if method == "CONNECT":
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                kept = [line for line in lines[1:] if not line.lower().startswith(("connection:", "proxy-connection:"))]
                path = (url.path or "/") + (f"?{url.query}" if url.query else "")
                rest = "\r\n".join([f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", ""]).encode("latin-1") + rest
            server.sendall(rest)
            back = threading.Thread(target=pump, args=(client, server), daemon=True)
            back.start()
            pump(server, client)


def main() -> None:
    namespace, address, port = sys.argv[1:]
    listener = listening(namespace, address, int(port))
    print("listening", flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()


if __name__ == "__main__":
    main()
