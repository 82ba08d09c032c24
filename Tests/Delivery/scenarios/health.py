"""`beacond run` while the broker is away: what it says of itself afterwards is of now, not of before."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from delivery import prove, until

# Longer than the 1.5 keepalives after which silence is noticed, and half of the minute between two healths is left.
OUTAGE_S = 14


def scenario(checks, house):
    broker = house.broker()
    proxy = house.proxy(broker.port)
    gateway = house.gateway("health", proxy.port, mqtt="keepalive_s = 5")
    with house.subscriber(broker.port) as subscriber:
        begin = time.monotonic()
        child = gateway.run()
        checks.check("it says how it is soon after the start", until(lambda: subscriber.all("/health"), 10))
        checks.check("and once more when the first figures are there",
                     until(lambda: subscriber.all("/health")[-1]["uptime_s"] >= 1, 10), subscriber.all("/health"))
        proxy.refuses = True
        proxy.silence()
        time.sleep(OUTAGE_S)
        before = len(subscriber.all("/health"))
        proxy.refuses = False
        checks.check("it says so again on the next connection",
                     until(lambda: any(health["mqtt"]["connected"] for health in subscriber.all("/health")[before:]), 20))
        health = subscriber.all("/health")[-1]
        elapsed_s = time.monotonic() - begin
        checks.check("and then with the figures of now", abs(health["uptime_s"] - elapsed_s) < 3,
                     f"{health['uptime_s']} s, {elapsed_s:.1f} s since the start")
        child.terminate()
        checks.check("it ends with 0", child.wait(30) == 0, gateway.said())


prove(scenario)
