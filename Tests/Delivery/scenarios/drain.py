"""How fast a backlog goes out, beside plain libmosquitto (mosquitto_pub -l) with the same payloads, QoS and window.

It runs alone, since it measures. Both rates are measured on the same machine one after the other, up to three times, and the best
share counts: what else the machine does meanwhile only takes away from it. DELIVERY_DRAIN_SHARE is the share to reach, by
default what was promised of a release build, and less of a build that nobody optimised."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from delivery import BEGIN, PRODUCTS, ROOT, Account, Capture, crowd, free_port, prove, until

EVENTS = 20_000
TRIES = 3
LEAST_SHARE = float(os.environ.get("DELIVERY_DRAIN_SHARE", "0.8" if PRODUCTS.name == "release" else "0.35"))


def rate(subscriber, kind, start, count):
    """Messages a second, from the first to the last arrival."""
    start()
    if not until(lambda: len(subscriber.messages) >= count, 120):
        raise RuntimeError(f"{kind}: {len(subscriber.messages)} of {count} arrived")
    took = subscriber.messages[count - 1][0] - subscriber.messages[0][0]
    return count / took


def drain(checks, house, broker, gateway, waiting):
    with house.subscriber(broker.port, topics=(gateway.root + "region/+/+/+/event",)) as subscriber:
        ours = rate(subscriber, "beacond", lambda: gateway.replay(house.path / "tail"), waiting)
        account = Account(gateway, subscriber.messages)
        checks.none("drained: every number arrives", account.missing())
        checks.none("drained: in order", account.disordered)
        return ours, b"".join(payload + b"\n" for _, _, payload, _ in subscriber.messages[:waiting])


def plain(house, broker, lines, waiting):
    (house.path / "lines").write_bytes(lines)

    def start():
        with (house.path / "lines").open() as source:
            house.start(["mosquitto_pub", "-p", broker.port, "-V", "5", "-q", "1", "-t", ROOT + "reference", "-l"],
                        stdin=source)
    with house.subscriber(broker.port, topics=(ROOT + "reference",)) as subscriber:
        return rate(subscriber, "mosquitto_pub", start, waiting)


def scenario(checks, house):
    broker = house.broker()
    capture = crowd(BEGIN, 120, 190, 11).write(house.path / "drain")
    tail = Capture()
    tail.noise(BEGIN + 121, BEGIN + 121.5)
    tail.write(house.path / "tail")
    shares = []
    while len(shares) < TRIES and max(shares, default=0) < LEAST_SHARE:
        gateway = house.gateway(f"drain{len(shares)}", free_port())
        waiting = gateway.backlog(capture)
        checks.check("the backlog is large enough", waiting >= EVENTS, waiting)
        gateway.configure(broker.port)
        ours, lines = drain(checks, house, broker, gateway, waiting)
        reference = plain(house, broker, lines, waiting)
        shares.append(ours / reference)
        print(f"drained {waiting} events: {ours:.0f}/s; mosquitto_pub -q 1 -l: {reference:.0f}/s; "
              f"share {ours / reference:.2f}")
    checks.check(f"drained at {LEAST_SHARE:.0%} of plain libmosquitto's rate at least", max(shares) >= LEAST_SHARE, shares)


prove(scenario)
