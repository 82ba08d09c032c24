"""SIGTERM in the middle and while the input is silent, and a broker that is not there."""

import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from delivery import BEGIN, Account, crowd, prove, until

KEPT = 75  # sysexits.h: what is left waits in the state folder.


def scenario(checks, house):
    broker = house.broker()
    capture = crowd(BEGIN, 20, 40, 1).write(house.path / "first")
    later = crowd(BEGIN + 30, 10, 40, 2).write(house.path / "second")
    with house.subscriber(broker.port) as subscriber:
        stopped = house.gateway("stopped", broker.port)
        child = stopped.replay(capture, "--speed", "10")
        until(lambda: subscriber.all("stopped/status"), 10)
        time.sleep(0.7)
        child.send_signal(signal.SIGTERM)
        checks.check("SIGTERM ends a replay within 8 s", until(lambda: child.poll() is not None, 8))
        checks.check("and with 75, not with 0 and not by the signal itself", child.poll() == KEPT, child.poll())
        checks.check("its last status is offline", subscriber.all("stopped/status")[-1]["state"] == "offline")
        checks.check("the next start ends with 0", stopped.plays(later) == 0)
        time.sleep(0.3)
        account = Account(stopped, subscriber.messages)
        account.hold(checks, "stopped in the middle", stopped, broker.port)
        checks.none("stopped in the middle: no gap is stated", account.gaps)

        silent = house.gateway("silent", broker.port)
        child = silent.replay("-", stdin=subprocess.PIPE)
        child.stdin.write(capture.read_bytes())
        child.stdin.flush()
        time.sleep(2)
        checks.check("a replay whose input is silent waits for more", child.poll() is None, child.poll())
        child.send_signal(signal.SIGTERM)
        checks.check("SIGTERM ends it within 8 s", until(lambda: child.poll() is not None, 8))
        checks.check("with 75", child.poll() == KEPT, child.poll())
        child.kill()
        child.stdin.close()
        checks.check("and what it had read goes on with the next start", silent.plays(later) == 0)
        time.sleep(0.3)
        account = Account(silent, subscriber.messages)
        account.hold(checks, "silent input", silent, broker.port)
        checks.none("silent input: no gap is stated", account.gaps)

        away = house.gateway("away", broker.port)
        proxy = house.proxy(broker.port)
        proxy.refuses = True
        away.configure(proxy.port)
        child = away.replay(capture)
        time.sleep(4)
        checks.check("without a broker it waits", child.poll() is None, child.poll())
        child.send_signal(signal.SIGTERM)
        checks.check("SIGTERM ends the waiting within 8 s", until(lambda: child.poll() is not None, 8))
        checks.check("again with 75", child.poll() == KEPT, child.poll())
        _, next_seq, waiting = away.numbers()
        checks.check("everything is kept", waiting == next_seq - 1 > 100, f"{waiting} of {next_seq - 1}")
        child = away.replay(later)
        time.sleep(1)
        proxy.refuses = False
        checks.check("once the broker is there it delivers and ends with 0",
                     until(lambda: child.poll() is not None, 30) and child.poll() == 0, child.poll())
        time.sleep(0.3)
        account = Account(away, subscriber.messages)
        account.hold(checks, "broker away", away, broker.port)
        said = [line for line in away.said().splitlines() if line.startswith("warning: mqtt: broker")]
        checks.none("broker away: each of the two says each cause once",
                    [line for line in said if said.count(line) > 2])


prove(scenario)
