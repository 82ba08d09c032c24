"""A real PostgreSQL and a real mosquitto on loopback, each with a scratch folder of its own.

Both refuse to run as root, or give up their rights: as root they run as the user nobody.
"""

import contextlib
import glob
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent / "../../.."
# What starts or stops takes as long as it takes; this only ends a test that hangs.
LONGEST_WAIT_S = 120


def wait_until(is_so, what):
    """Waits for something real."""
    due = time.monotonic() + LONGEST_WAIT_S
    while not is_so():
        assert time.monotonic() < due, f"never came: {what}"
        time.sleep(0.05)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def unprivileged(*command):
    return ["runuser", "-u", "nobody", "--", *map(str, command)] if os.getuid() == 0 else [str(word) for word in command]


def scratch_folder(name):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"beacons-{name}-"))
    if os.getuid() == 0:
        shutil.chown(folder, "nobody")
    return folder


class Server:
    """A process that can be killed and started again on the same port and folder."""

    def __init__(self, name):
        self.folder = scratch_folder(name)
        self.port = free_port()
        self.process = None

    def start(self):
        log = open(self.folder / "log", "a", encoding="utf-8")
        self.process = subprocess.Popen(unprivileged(*self.command()), stdout=log, stderr=log, cwd=self.folder,
                                        start_new_session=True)
        log.close()
        wait_until(self.is_up, f"{self.command()[0]}; its log: {self.folder}/log")
        return self

    def kill(self, number=signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        self.process.wait()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Mosquitto(Server):
    """Keeps sessions over a restart, as a chain's broker does."""

    def __init__(self):
        super().__init__("mosquitto")
        (self.folder / "conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {self.folder}/\nmax_queued_messages 0\nautosave_interval 1\n"
            "persistent_client_expiration 7d\n")

    def command(self):
        return ["/usr/sbin/mosquitto", "-c", self.folder / "conf"]

    def is_up(self):
        return answers(self.port)

    def restart(self):
        """SIGTERM first, so that it writes what it keeps."""
        self.kill(signal.SIGTERM)
        self.start()


class PostgreSQL(Server):
    """A cluster of its own, without passwords, that only loopback reaches."""

    def __init__(self):
        super().__init__("postgresql")
        self.programs = pathlib.Path(max(glob.glob("/usr/lib/postgresql/*/bin"), default="/usr/bin"))
        subprocess.run(
            unprivileged(self.programs / "initdb", "-D", self.folder / "data", "-U", "postgres", "-A", "trust",
                         "--no-sync", "-E", "UTF8", "--locale=C"),
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def command(self):
        # fsync off: nobody pulls this machine's plug, and a killed process loses nothing of what the kernel has.
        return [self.programs / "postgres", "-D", self.folder / "data", "-p", self.port, "-k", self.folder,
                "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]

    def is_up(self):
        return subprocess.run([self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
                              check=False).returncode == 0

    def restart(self):
        """As after a crash: SIGQUIT ends it without a checkpoint, and every connection with it."""
        self.kill(signal.SIGQUIT)
        self.start()
