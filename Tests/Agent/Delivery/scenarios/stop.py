"""SIGTERM during work and during silent input, and a missing broker."""

import signal

from delivery import BEGIN, Crowd, crowd, ended, prove, until

KEPT = 75  # sysexits.h: the rest waits in the state folder.


def scenario(checks, house):
    broker = house.broker()
    capture = crowd(BEGIN, 20, 40, 1).write(house.path / "first")
    with house.subscriber(broker.port) as subscriber:
        stopped = house.gateway("stopped", broker.port)
        air = Crowd(BEGIN, 40, 1)
        child = stopped.hears(air, speed=10)
        until(lambda: len(subscriber.all("/event")) > 100)
        child.send_signal(signal.SIGTERM)
        checks.check("SIGTERM ends a replay with 75, not with 0 and not by the signal itself", ended(child) == KEPT,
                     child.poll())
        subscriber.catch_up()
        checks.check("its last status is offline", subscriber.all("stopped/status")[-1]["state"] == "offline")
        later = crowd(air.at + 10, 10, 40, 2).write(house.path / "second")
        checks.check("the next start ends with 0", stopped.plays(later) == 0)
        stopped.delivered(checks, "stopped in the middle", subscriber, broker.port)

        silent = house.gateway("silent", broker.port)
        child = silent.hears([capture.read_bytes()])
        silent.settle(child)
        checks.check("a replay whose input is silent waits for more", child.poll() is None, child.poll())
        child.send_signal(signal.SIGTERM)
        checks.check("SIGTERM ends it with 75", ended(child) == KEPT, child.poll())
        checks.check("and what it had read goes on with the next start", silent.plays(later) == 0)
        silent.delivered(checks, "silent input", subscriber, broker.port)

        away = house.gateway("away", broker.port)
        proxy = house.proxy(broker.port)
        proxy.refuses = True
        away.configure(proxy.port)
        child = away.replay(capture)
        away.settle(child)
        checks.check("without a broker it waits", child.poll() is None, child.poll())
        child.send_signal(signal.SIGTERM)
        checks.check("SIGTERM ends the waiting, again with 75", ended(child) == KEPT, child.poll())
        _, next_seq, waiting = away.numbers()
        checks.check("everything is kept", waiting == next_seq - 1 > 100, f"{waiting} of {next_seq - 1}")
        child = away.replay(later)
        away.settle(child)
        proxy.refuses = False
        checks.check("once the broker is there it delivers and ends with 0", ended(child) == 0, child.poll())
        away.delivered(checks, "broker away", subscriber, broker.port)
        said = [line for line in away.said().splitlines() if line.startswith("warning: mqtt: broker")]
        checks.none("broker away: each of the two says each cause once",
                    [line for line in said if said.count(line) > 2])


prove(scenario)
