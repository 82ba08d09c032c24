"""The programs that a test starts: a broker, an agent and others. The kernel kills each with the thread that started it, at the latest."""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess

from ports import free_port, until_answers
from waiting import PATIENCE_S


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Program:
    """A program, and the file with all that it prints. `settings` are those of subprocess.Popen."""

    def __init__(self, command, log=os.devnull, **settings):
        self.log = pathlib.Path(log)
        self._command, self._settings, self._process = [str(word) for word in command], settings, None

    def start(self, *before):
        """Starts the program. `before` is a command put in front, such as nice, which becomes the program."""
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen([*before, *self._command], stdout=log, stderr=log, preexec_fn=die_with_parent, **self._settings)
        return self

    @property
    def pid(self):
        return self._process.pid

    def status(self):
        """The exit status; None while it runs."""
        return self._process.poll()

    def ended(self):
        """Waits for the end of the program. Returns its exit status."""
        try:
            return self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"not within {PATIENCE_S} s: the end of {self._command}: {self.said()[-2000:]}") from None

    def send(self, number):
        self._process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Ends the program and returns its exit status. Does nothing where it was never started."""
        if self._process is None:
            return None
        self.send(number)
        return self.ended()

    def kill(self):
        return self.end(signal.SIGKILL)

    def said(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()


class Broker(Program):
    """mosquitto on a free port of the loopback interface, open to all of this machine. `lines` are further ones of its configuration."""

    def __init__(self, folder, lines=""):
        self.port = free_port()
        file = pathlib.Path(folder) / f"mosquitto-{self.port}.conf"
        # mosquitto as root drops its rights. Then it can't read the test's files, and the kernel forgets to kill it with the test.
        user = "user root\n" if os.geteuid() == 0 else ""
        file.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n{user}{lines}\n")
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin") or "mosquitto"
        super().__init__([program, "-c", file], file.with_suffix(".log"))

    def start(self, *before):
        super().start(*before)
        until_answers(self.port)
        return self
