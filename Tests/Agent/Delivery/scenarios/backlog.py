"""`beacond run` drains what waits, and is killed again and again while it does."""

import random

from delivery import BEGIN, crowd, end, ended, free_port, prove, until

KILLS = 8


def scenario(checks, house):
    dice = random.Random(14)
    gateway = house.gateway("drainer", free_port())
    waiting = gateway.backlog(crowd(BEGIN, 35, 100, 14).write(house.path / "backlog"))
    checks.check("thousands wait", waiting > 3_000, waiting)
    broker = house.broker()
    # A window of one makes it slow enough to be killed on the way.
    gateway.configure(broker.port, mqtt="keepalive_s = 5\nmax_inflight = 1")
    with house.subscriber(broker.port) as subscriber:
        on_the_way = 0
        for _ in range(KILLS):
            child = gateway.run()
            wanted = len(subscriber.messages) + dice.randrange(1, waiting // (2 * KILLS))
            until(lambda: len(subscriber.messages) >= wanted, step=0.001)
            end(child)
            on_the_way += 0 < gateway.arrived(subscriber) < waiting
        checks.check("most kills struck on the way", on_the_way >= KILLS // 2, on_the_way)
        child = gateway.run()
        checks.check("everything arrives", until(lambda: gateway.arrived(subscriber) >= waiting, step=0.2), gateway.arrived(subscriber))
        child.terminate()
        checks.check("SIGTERM ends it with 0", ended(child) == 0, child.poll())
        account = gateway.delivered(checks, "killed while draining", subscriber, broker.port)
        checks.check("its last status is offline", subscriber.all("drainer/status")[-1]["state"] == "offline")
        print(f"{len(account.events)} events, {account.duplicates} came twice")


prove(scenario)
