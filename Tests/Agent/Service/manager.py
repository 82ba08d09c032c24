"""An agent started as by systemd: its notices come to the test's socket."""
import os
import pathlib
import signal
import socket
import subprocess
import time

from waiting import PATIENCE_S



class Managed:
    """A started agent. Its notices are printed, a line each."""

    def __init__(self, folder, command, **settings):
        address = str(folder / "notify")
        pathlib.Path(address).unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.listener.bind(address)
        environment = dict(os.environ, NOTIFY_SOCKET=address, WATCHDOG_USEC="8000000")
        self.process = subprocess.Popen(command, env=environment, **settings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.send(signal.SIGKILL)
            self.process.wait()
        self.listener.close()

    def send(self, number):
        """Sends a signal to the agent itself, even behind a tracer."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        os.kill(int(children[0]) if children else self.process.pid, number)

    def until(self, text):
        end = time.monotonic() + PATIENCE_S
        while True:
            self.listener.settimeout(max(0.1, end - time.monotonic()))
            notice = self.listener.recv(4096).decode()
            print(notice.replace("\n", " "), flush=True)
            if notice.startswith(text):
                return

    def wait(self):
        return self.process.wait(timeout=PATIENCE_S)
