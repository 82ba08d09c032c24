"""How fast a backlog goes out, beside plain libmosquitto (mosquitto_pub -l) with the same payloads, QoS and window.

It runs alone, since it measures. The figures are printed; the share that has to be reached is lenient, since a debug
build on a busy machine must reach it too. DELIVERY_DRAIN_SHARE raises it, for a release build on an idle one."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from delivery import BEGIN, ROOT, Account, Capture, crowd, free_port, prove, until

EVENTS = 20_000
LEAST_SHARE = float(os.environ.get("DELIVERY_DRAIN_SHARE", "0.1"))


def rate(subscriber, kind, start, count):
    """Messages a second, from the first to the last arrival."""
    start()
    if not until(lambda: len(subscriber.messages) >= count, 120):
        raise RuntimeError(f"{kind}: {len(subscriber.messages)} of {count} arrived")
    took = subscriber.messages[count - 1][0] - subscriber.messages[0][0]
    return count / took


def scenario(checks, house):
    port = free_port()
    gateway = house.gateway("drain", port)
    capture = crowd(BEGIN, 120, 190, 11).write(house.path / "drain")
    waiting = gateway.backlog(capture)
    checks.check("the backlog is large enough", waiting >= EVENTS, waiting)
    broker = house.broker()
    gateway.configure(broker.port)
    tail = Capture()
    tail.noise(BEGIN + 121, BEGIN + 121.5)
    tail.write(house.path / "tail")
    with house.subscriber(broker.port, topics=(gateway.root + "region/+/+/+/event",)) as subscriber:
        ours = rate(subscriber, "beacond", lambda: gateway.replay(house.path / "tail"), waiting)
        account = Account(gateway, subscriber.messages)
        checks.none("drained: every number arrives", account.missing())
        checks.none("drained: in order", account.disordered)
        lines = b"".join(payload + b"\n" for _, _, payload, _ in subscriber.messages[:waiting])
    with house.subscriber(broker.port, topics=(ROOT + "reference",)) as subscriber:
        def start():
            (house.path / "lines").write_bytes(lines)
            with (house.path / "lines").open() as source:
                house.start(["mosquitto_pub", "-p", broker.port, "-V", "5", "-q", "1", "-t", ROOT + "reference", "-l"],
                            stdin=source)
        reference = rate(subscriber, "mosquitto_pub", start, waiting)
    print(f"drained {waiting} events: {ours:.0f}/s; mosquitto_pub -q 1 -l: {reference:.0f}/s; "
          f"share {ours / reference:.2f}")
    checks.check(f"drained at {LEAST_SHARE:.0%} of plain libmosquitto's rate at least", ours >= LEAST_SHARE * reference,
                 f"{ours:.0f}/s of {reference:.0f}/s")


prove(scenario)
