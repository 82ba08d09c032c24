"""`beacond run` while the broker is away: what it says of itself afterwards is of now, not of before."""

from datetime import datetime

from delivery import ended, prove, until


def at_s(health):
    return datetime.fromisoformat(health["at"].replace("Z", "+00:00")).timestamp()


def scenario(checks, house):
    broker = house.broker()
    proxy = house.proxy(broker.port)
    gateway = house.gateway("health", proxy.port, mqtt="keepalive_s = 5")
    with house.subscriber(broker.port) as subscriber:
        child = gateway.run()
        checks.check("it says how it is soon after the start", until(lambda: subscriber.all("/health")))
        checks.check("and once more when the first figures are there",
                     until(lambda: subscriber.all("/health")[-1]["uptime_s"] >= 1), subscriber.all("/health"))
        first = subscriber.all("/health")[-1]
        tries = proxy.accepted
        proxy.refuses = True
        proxy.silence()
        checks.check("it notices the outage", until(lambda: proxy.accepted > tries))
        before = len(subscriber.all("/health"))
        proxy.refuses = False
        checks.check("it says so again on the next connection",
                     until(lambda: any(health["mqtt"]["connected"] for health in subscriber.all("/health")[before:])))
        last = subscriber.all("/health")[-1]
        # Both are its own: the time of day, and how long it runs, in whole seconds.
        apart_s = (at_s(last) - at_s(first)) - (last["uptime_s"] - first["uptime_s"])
        checks.check("and then with the figures of now", abs(apart_s) < 2, f"{first}, {last}")
        child.terminate()
        checks.check("it ends with 0", ended(child) == 0, gateway.said())


prove(scenario)
