"""The agent and brokers that break the rules: whatever a broker sends, `run` lives and goes on, and `check` ends with a
message."""

import concurrent.futures
import contextlib
import pathlib
import signal
import subprocess
import sys
import tempfile

from broker import Broker, HangingUpBroker
from programs import Program
from tricks import TRICKS
from waiting import PATIENCE_S, until

BEACOND = pathlib.Path(sys.argv[1]).resolve() / "beacond"


def configuration(folder, port, trick):
    path = folder / "config.toml"
    path.write_text(
        f'[gateway]\nsite = "hostile"\nid = "gw"\nstate_dir = "{folder}/state"\n'
        f'[mqtt]\nurl = "mqtt://127.0.0.1:{port}"\nkeepalive_s = 5\nprotocol = {trick.version}\n'
        "[commands]\nenabled = true\n")
    return path


@contextlib.contextmanager
def running(folder, broker, trick):
    """`beacond run` at that broker."""
    with contextlib.closing(broker), Program([BEACOND, "run", "--config", configuration(folder, broker.port, trick)], folder / "said") as agent:
        yield agent


def run(folder, trick):
    """The faults of `beacond run`, or nothing."""
    broker = Broker(trick)
    with running(folder, broker, trick) as agent:
        if not until(lambda: broker.is_played or agent.status() is not None) or not broker.is_played:
            return f"run never came to it (status {agent.status()})"
        if not until(lambda: broker.packets_afterwards or agent.status() is not None):
            return "run does not go on"
        if agent.status() is not None:
            return f"run ended with {agent.status()}"
        if not until(lambda: trick.says in agent.said()):
            return f'run does not say "{trick.says}"'
        status = agent.end()
        return f"run ended with {status} on SIGTERM" if status else ""


def check(folder, trick):
    """The faults of `beacond check`, or nothing."""
    with contextlib.closing(Broker(trick)) as broker:
        done = subprocess.run(
            [BEACOND, "check", "--config", configuration(folder, broker.port, trick)], capture_output=True, text=True,
            timeout=PATIENCE_S)
    if done.returncode not in (0, 78):
        return f"check ended with {done.returncode}"
    if " broker: " not in done.stdout:
        return "check says nothing about the broker"
    if trick.says and broker.is_played and f"problem broker: " not in done.stdout:
        return "check is content"
    return ""


def stay_connected(folder):
    """A request whose answer the broker hangs up on, again on every connection, does not keep the gateway away."""
    broker = HangingUpBroker()
    with running(folder, broker, TRICKS[0]) as agent:
        if not until(lambda: broker.answers or agent.status() is not None) or agent.status() is not None:
            return f"no answer to another topic comes after {broker.ends} connections"
        # Two connections until messages go one at a time, two more until the topic is known; the first states may be among
        # them.
        if broker.ends > 8:
            return f"{broker.ends} connections ended"
        if "an answer to replies/a/b/c/d/e/f dropped" not in agent.said():
            return "run does not say which answer it was"
        return ""


def play(trick):
    faults = []
    for command in run, check:
        with tempfile.TemporaryDirectory(prefix="beacond-hostile-") as name:
            folder = pathlib.Path(name)
            try:
                fault = command(folder, trick)
            except Exception as error:
                fault = f"{command.__name__}: {error!r}"
            if fault:
                said = folder / "said"
                faults.append(f"{fault}\n{said.read_text()[-600:] if said.exists() else ''}")
    return faults


signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
failed = 0
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    for trick, faults in zip(TRICKS, pool.map(play, TRICKS)):
        failed += bool(faults)
        for fault in faults:
            print(f"failed: MQTT {trick.version}, {trick.name}: {fault}")
with tempfile.TemporaryDirectory(prefix="beacond-hostile-") as name:
    fault = stay_connected(pathlib.Path(name))
    if fault:
        failed += 1
        print(f"failed: a broker that hangs up on answers: {fault}")
print(f"{len(TRICKS) + 1 - failed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
