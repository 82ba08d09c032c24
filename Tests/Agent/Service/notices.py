#!/usr/bin/env python3
"""notices.py FOLDER COMMAND…: starts an agent as systemd does, has it reload, and prints what it notifies, a line each.

FOLDER has config.toml, which the command names, and wrong.toml. Lines without a `=` are what was done to the agent.
"""
import os
import pathlib
import signal
import sys

from manager import Managed


def main():
    folder, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    os.umask(0o077)
    config = folder / "config.toml"
    with Managed(folder, command) as agent:

        def reload(name, content):
            print("reload:", name)
            config.write_text(content)
            agent.send(signal.SIGHUP)
            agent.until("RELOADING=1")
            agent.until("READY=1")

        agent.until("READY=1")
        agent.until("WATCHDOG=1")
        right = config.read_text()
        reload("the same", right)
        reload("wrong", (folder / "wrong.toml").read_text())
        reload("new", right.replace('id = "carts"', 'id = "trolleys"'))
        agent.send(signal.SIGUSR1)
        agent.until("WATCHDOG=1")
        agent.send(signal.SIGTERM)
        agent.until("STOPPING=1")
        print("ended with", agent.wait())


if __name__ == "__main__":
    main()
