#!/usr/bin/env python3
"""notices.py FOLDER COMMAND…: starts an agent as systemd does, has it reload, and prints what it tells, a line each.

FOLDER has config.toml, which the command names, and wrong.toml. Lines without a `=` are what was done to the agent.
"""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

LIMIT_S = 60


def main():
    folder, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    address = str(folder / "notify")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(address)
    environment = dict(os.environ, NOTIFY_SOCKET=address, WATCHDOG_USEC="8000000")
    os.umask(0o077)
    agent = subprocess.Popen(command, env=environment)
    config = folder / "config.toml"
    end = time.monotonic() + LIMIT_S

    def pid():
        """The agent's own, where a tracer stands between."""
        children = pathlib.Path(f"/proc/{agent.pid}/task/{agent.pid}/children").read_text().split()
        return int(children[0]) if children else agent.pid

    def until(text):
        while True:
            listener.settimeout(max(0.1, end - time.monotonic()))
            notice = listener.recv(4096).decode()
            print(notice.replace("\n", " "), flush=True)
            if notice.startswith(text):
                return

    def reload(name, content):
        print("reload:", name)
        config.write_text(content)
        os.kill(pid(), signal.SIGHUP)
        until("RELOADING=1")
        until("READY=1")

    try:
        until("READY=1")
        until("WATCHDOG=1")
        right = config.read_text()
        reload("the same", right)
        reload("wrong", (folder / "wrong.toml").read_text())
        reload("new", right.replace('id = "carts"', 'id = "trolleys"'))
        os.kill(pid(), signal.SIGUSR1)
        until("WATCHDOG=1")
        os.kill(pid(), signal.SIGTERM)
        until("STOPPING=1")
        print("ended with", agent.wait(timeout=LIMIT_S))
    finally:
        if agent.poll() is None:
            os.kill(pid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
