"""An agent as systemd starts it: what it tells comes to a socket of ours."""
import os
import pathlib
import signal
import socket
import subprocess
import time


class Managed:
    """A started agent. Everything that it tells is printed, a line each, until `limit_s` after the start."""

    def __init__(self, folder, command, limit_s, **settings):
        address = str(folder / "notify")
        pathlib.Path(address).unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.listener.bind(address)
        self.end = time.monotonic() + limit_s
        environment = dict(os.environ, NOTIFY_SOCKET=address, WATCHDOG_USEC="8000000")
        self.process = subprocess.Popen(command, env=environment, **settings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.send(signal.SIGKILL)
            self.process.wait()
        self.listener.close()

    @property
    def left_s(self):
        return max(0.1, self.end - time.monotonic())

    def send(self, number):
        """To the agent itself, where a tracer stands between."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        os.kill(int(children[0]) if children else self.process.pid, number)

    def until(self, text):
        while True:
            self.listener.settimeout(self.left_s)
            notice = self.listener.recv(4096).decode()
            print(notice.replace("\n", " "), flush=True)
            if notice.startswith(text):
                return

    def wait(self):
        return self.process.wait(timeout=self.left_s)
