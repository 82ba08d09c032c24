"""A real PostgreSQL and a real mosquitto on loopback, each with a scratch folder of its own.

Both refuse to run as root, or give up their rights: as root they run as Debian's user without rights. Whatever is started here ends with this
process, and each wait has a limit.
"""

import atexit
import contextlib
import fcntl
import functools
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import waiting
from ports import answers, free_port
from project import ROOT

SCHEMA = ROOT / "deploy/chain/schema"
# What starts or stops takes as long as it takes; this only ends a test that hangs.
LONGEST_WAIT_S = waiting.PATIENCE_S
os.environ.setdefault("PGCONNECT_TIMEOUT", str(LONGEST_WAIT_S))

# A shell has what it runs in the background ignore SIGINT, and what this process starts would inherit that. What handles a
# signal here is at its default there. unittest takes SystemExit for a failed test and goes on; this ends it.
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.default_int_handler)


def wait_until(is_so, what):
    """Waits for something real. `what` may be a function, for what is known only then."""
    if not waiting.until(is_so, step=0.05):
        raise AssertionError(f"not within {LONGEST_WAIT_S} s: {what() if callable(what) else what}")


def run(*command, **more):
    """The output of a command; one that fails or hangs fails the test."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LONGEST_WAIT_S, check=False, **more)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"no end within {LONGEST_WAIT_S} s: {' '.join(words)}") from None
    if done.returncode:
        raise AssertionError(f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def ended(process, what):
    """The exit status of a process that was asked to end."""
    try:
        return process.wait(LONGEST_WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"no end within {LONGEST_WAIT_S} s: {what}") from None


def unprivileged(*command):
    """The command as an unprivileged user. setpriv becomes it, so that a signal reaches it."""
    words = [str(word) for word in command]
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--", *words] if os.getuid() == 0 else words


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
        atexit.register(self.__exit__)

    def start(self):
        """Returns when it answers; fails with the end of its log where it does not."""
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(unprivileged(*self.command()), stdout=log, stderr=log, cwd=self.folder,
                                            env=os.environ | self.environment(), start_new_session=True)
        wait_until(lambda: self.process.poll() is not None or self.is_up(), lambda: f"start of {self.command()[0]}: {self.said()}")
        assert self.process.poll() is None, f"{self.command()[0]} ended: {self.said()}"
        return self

    def environment(self):
        return {}

    def said(self):
        """The end of its log."""
        return (self.folder / "log").read_text(errors="replace")[-3000:]

    def kill(self, number=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            ended(self.process, self.command()[0])

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.__exit__)


class Mosquitto(Server):
    """Keeps sessions over a restart, as a chain's broker does."""

    def __init__(self, limits="max_queued_messages 0\nautosave_interval 1\npersistent_client_expiration 7d\n"):
        super().__init__("mosquitto")
        (self.folder / "conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {self.folder}/\n{limits}")

    def command(self):
        return [shutil.which("mosquitto"), "-c", self.folder / "conf"]

    def is_up(self):
        return answers(self.port)

    # What the collector's tests want of a broker.

    def collector_options(self):
        return ["--broker", f"mqtt://127.0.0.1:{self.port}"]

    def own_options(self, name):
        """Of a collector with a session that no other one has."""
        return ["--id", name]

    def publish_options(self):
        return ["-p", self.port]

    def forget(self, id):
        """Ends a collector's session, which would go on collecting for the next test."""
        run("mosquitto_sub", "-p", self.port, "-i", id, "-t", "x", "-E")

    forget_own = forget

    def restart(self):
        """SIGTERM first, so that it writes what it keeps."""
        self.kill(signal.SIGTERM)
        self.start()


def copy_of_template(name, make, data):
    """Copies a cluster to `data`. The first test of a suite that asks for it has `make` make it, because that takes seconds."""
    template = pathlib.Path(os.environ.get("TEMPLATES") or own_templates()) / name
    with open(f"{template}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            made = template.with_suffix(".new")
            shutil.rmtree(made, ignore_errors=True)
            make(made)
            made.rename(template)
    run("cp", "-a", template, data)


@functools.cache
def own_templates():
    """A folder for templates, where no suite has one."""
    folder = tempfile.mkdtemp(prefix="beacons-templates-")
    os.chmod(folder, 0o777)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class PostgreSQL(Server):
    """A cluster of its own, without passwords, that only loopback reaches. `settings` are PostgreSQL's own, `name=value`. With `has_schema` its
    database has the chain's schema, and so has each one that is made from template1."""

    def __init__(self, *settings, has_schema=False):
        super().__init__("postgresql")
        self.settings = [word for setting in settings for word in ("-c", setting)]
        self.programs = pathlib.Path(max(glob.glob("/usr/lib/postgresql/*/bin"), default="/usr/bin"))
        self.server = f"postgresql://postgres@127.0.0.1:{self.port}"
        self.url = f"{self.server}/postgres"
        copy_of_template("schema" if has_schema else "empty", self.make_schema if has_schema else self.make_empty, self.folder / "data")

    def make_empty(self, data):
        # Short segments of the log: each test file copies the cluster.
        run(*unprivileged(self.programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C",
                          "--wal-segsize=1"), cwd=self.folder)

    def make_schema(self, data):
        with PostgreSQL() as made:
            run(SCHEMA, "--database", f"{made.server}/template1")
            words = (f"{word} DATABASE postgres{more}" for word, more in (("DROP", ""), ("CREATE", " STRATEGY file_copy"), ("ALTER", " SET jit = off")))
            run(made.programs / "psql", f"{made.server}/template1", "-qX", *(part for statement in words for part in ("-c", statement)))
            made.kill(signal.SIGINT)
            shutil.move(made.folder / "data", data)

    def command(self):
        # fsync off: no power cut comes in a test, and a killed process loses nothing of what the kernel has. A statement
        # that hangs fails its test.
        return [self.programs / "postgres", "-D", self.folder / "data", "-p", self.port, "-k", self.folder,
                "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", f"statement_timeout={LONGEST_WAIT_S}s",
                *self.settings]

    def is_up(self):
        return subprocess.run([self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
                              timeout=LONGEST_WAIT_S, check=False).returncode == 0

    def restart(self):
        """As after a crash: SIGQUIT ends it without a checkpoint, and every connection with it."""
        self.kill(signal.SIGQUIT)
        self.start()
