"""A program on a terminal of its own, and a screen that shows what it draws."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from waiting import PATIENCE_S

# Each picture begins with it.
HOME = "\x1b[H"


class Screen:
    """As much of a terminal as the scan needs: positions, clearing, the alternate screen, the cursor."""

    TOKEN = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)", re.S)

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.lines = [""] * height
        self.row = self.column = 0
        self.alternate = self.hidden = False
        self.overflown = False
        self.raw = ""
        self.pending = b""

    def feed(self, octets):
        octets = self.pending + octets
        try:
            text, self.pending = octets.decode(), b""
        except UnicodeDecodeError as error:
            text, self.pending = octets[: error.start].decode(), octets[error.start :]
        self.raw += text
        for private, numbers, verb, carriage, newline, plain in self.TOKEN.findall(text):
            if verb:
                self.control(private, numbers, verb)
            elif carriage:
                self.column = 0
            elif newline:
                self.row += 1
                # The picture must fit: one more line would scroll it.
                if self.alternate and self.row >= self.height:
                    self.overflown = True
                self.row = min(self.row, self.height - 1)
            else:
                self.write(plain)

    def control(self, private, numbers, verb):
        if private and numbers == "1049":
            self.alternate = verb == "h"
            self.lines, self.row, self.column = [""] * self.height, 0, 0
        elif private and numbers == "25":
            self.hidden = verb == "l"
        elif verb == "m":
            # A colour moves nothing.
            return
        elif verb == "H":
            self.row = self.column = 0
        elif verb == "K":
            self.lines[self.row] = self.lines[self.row][: self.column]
        elif verb == "J":
            self.lines[self.row] = self.lines[self.row][: self.column]
            self.lines[self.row + 1 :] = [""] * (self.height - self.row - 1)
        else:
            raise AssertionError(f"unexpected control sequence {private}{numbers}{verb}")

    def write(self, text):
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[: self.column] + text + line[self.column + len(text) :]
        self.column += len(text)
        if self.alternate and self.column > self.width:
            self.overflown = True

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.lines).rstrip()


class Session:
    """Starts a program with the terminal as standard input, output and error, in a process group of its own."""

    def __init__(self, command, width=80, height=24, term="xterm-256color"):
        self.master, slave = pty.openpty()
        self.screen = Screen(width, height)
        self.resize(width, height, is_expected=False)
        self.settings = termios.tcgetattr(slave)
        environment = dict(os.environ, TERM=term)

        def become_leader():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, preexec_fn=become_leader, env=environment
        )
        self.slave = slave

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, width, height, is_expected=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        if is_expected:
            old = self.screen
            self.screen = Screen(width, height)
            self.screen.alternate, self.screen.hidden = old.alternate, old.hidden

    def type(self, text):
        os.write(self.master, text.encode())

    def read(self, seconds):
        """Takes in what the program writes, for so long."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self.master], [], [], min(left, 0.05))[0]:
                continue
            try:
                octets = os.read(self.master, 65536)
            except OSError:
                return
            if not octets:
                return
            self.screen.feed(octets)

    def wait_for(self, condition, what):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"never {what}; on the screen:\n{self.screen.text}")
            self.read(0.1)

    def wait_for_pictures(self, count=2):
        """Waits until the picture has been drawn so often from its beginning: the last of them whole, and nothing old in it."""
        drawn = self.screen.raw.count(HOME) + count
        self.wait_for(lambda: self.screen.raw.count(HOME) > drawn, f"{count} more pictures")

    def end(self):
        """The exit status, once the program has ended by itself."""
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise AssertionError("it did not end")
            self.read(0.05)
        self.read(0.2)
        return self.process.returncode

    def signal(self, number):
        self.process.send_signal(number)

    @property
    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.settings
