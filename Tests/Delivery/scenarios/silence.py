"""A connection that carries nothing any more and says so to nobody: a firewall forgot it, a cable was pulled."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from delivery import BEGIN, Account, crowd, prove, until

KEEPALIVE_S = 6


def scenario(checks, house):
    broker = house.broker()
    with house.subscriber(broker.port) as subscriber:
        for name, seconds in ("loaded", 60), ("idle", 4):
            proxy = house.proxy(broker.port)
            gateway = house.gateway(name, proxy.port, mqtt=f"keepalive_s = {KEEPALIVE_S}")
            capture = crowd(BEGIN, seconds, 30, 5)
            # Idle: for a while there is nothing to say.
            capture.noise(BEGIN + seconds, BEGIN + 60)
            child = gateway.replay(capture.write(house.path / name), "--speed", "4")
            until(lambda: len(Account(gateway, subscriber.messages).events) > 20, 10)
            time.sleep(2)
            begin = time.monotonic()
            proxy.silence()
            checks.check(f"{name}: there is a new connection", until(lambda: len(proxy.accepted_at) > 1, 30))
            took = proxy.accepted_at[-1] - begin
            # After the silence is noticed there is a pause of half a second to a second, and a busy machine adds to it.
            checks.check(f"{name}: silence is noticed after 1.5 keepalives, not after two", took < 2 * KEEPALIVE_S,
                         f"{took:.1f} s")
            print(f"{name}: reconnected {took:.1f} s after the silence began (keepalive {KEEPALIVE_S} s)")
            checks.check(f"{name}: it ends with 0", child.wait(180) == 0)
            time.sleep(0.3)
            account = Account(gateway, subscriber.messages)
            account.hold(checks, name, gateway, broker.port)
            checks.none(f"{name}: no gap is stated", account.gaps)


prove(scenario)
