"""A connection that silently carries nothing any more: a firewall forgot it, a cable was pulled."""

from delivery import BEGIN, Crowd, ended, prove, until


def scenario(checks, house):
    broker = house.broker()
    with house.subscriber(broker.port) as subscriber:
        for name in "loaded", "idle":
            proxy = house.proxy(broker.port)
            gateway = house.gateway(name, proxy.port, mqtt="keepalive_s = 6")
            air = Crowd(BEGIN, 30, 5)
            child = gateway.hears(air, speed=4)
            until(lambda: gateway.arrived(subscriber) > 20)
            if name == "idle":
                # Once all beacons have left there is nothing to publish.
                air.beacons, quiet_at = 0, air.at
                until(lambda: air.at > quiet_at + 12)
            proxy.silence()
            checks.check(f"{name}: there is a new connection", until(lambda: proxy.accepted > 1))
            child.air.end()
            checks.check(f"{name}: it ends with 0", ended(child) == 0)
            gateway.delivered(checks, name, subscriber, broker.port)


prove(scenario)
