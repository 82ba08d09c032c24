"""The broker dies during the load and comes back without memory; and a refusal of events that is taken back."""

import random
import time

from delivery import BEGIN, Crowd, crowd, ended, prove, until
from waiting import PATIENCE_S


def deaths(checks, house):
    """kill -9 of mosquitto: it had passed its acknowledged messages to the subscriber, and the agent sends the
    others again."""
    dice = random.Random(3)
    broker = house.broker()
    proxy = house.proxy(broker.port)
    gateway = house.gateway("survivor", proxy.port)
    with house.subscriber(broker.port) as subscriber:
        child = gateway.hears(Crowd(BEGIN, 60, 3), speed=6)
        for _ in range(6):
            wanted = len(subscriber.messages) + dice.randrange(100, 500)
            checks.check("there is load", until(lambda: len(subscriber.messages) > wanted))
            # A subscriber that connects after the gateway would miss the new broker's first messages.
            proxy.refuses = True
            subscriber.isSubscribed.clear()
            broker.kill()
            time.sleep(dice.random() / 2)
            broker.start()
            checks.check("the subscriber is back", subscriber.isSubscribed.wait(PATIENCE_S))
            proxy.refuses = False
        child.air.end()
        checks.check("broker killed six times: it ends with 0", ended(child) == 0, gateway.said()[-500:])
        account = gateway.delivered(checks, "broker killed six times", subscriber, broker.port)
        print(f"broker killed six times: {len(account.events)} events, {account.duplicates} came twice")


def refusals(checks, house):
    """PUBACK 0x87: the handshake is complete, the event is not delivered."""
    everything = "topic readwrite #\n"
    # Reading is a right of its own: the subscriber stays.
    no_events = "topic read #\ntopic write beacons/proof/refused/status\ntopic write beacons/proof/refused/health\n" \
        "topic write beacons/proof/refused/region/carts/+/+/state\n"
    broker = house.broker(acl=no_events)
    gateway = house.gateway("refused", broker.port)
    with house.subscriber(broker.port) as subscriber:
        capture = crowd(BEGIN, 10, 20, 4).write(house.path / "refused")
        child = gateway.replay(capture)
        checks.check("refused: the status arrives", until(lambda: subscriber.all("refused/status")))
        # The delay depends on the machine; from then on there is time for a second line, and for an event.
        until(lambda: "refused an event" in gateway.said())
        time.sleep(4)
        checks.check("refused: no event arrives", not subscriber.all("/event"))
        checks.check("refused: it waits", child.poll() is None, child.poll())
        said = [line for line in gateway.said().splitlines() if "refused an event" in line]
        checks.check("refused: it is said once", len(said) == 1, gateway.said())
        broker.allow(everything)
        checks.check("allowed: it delivers and ends with 0", ended(child) == 0, gateway.said()[-500:])
        gateway.delivered(checks, "allowed", subscriber, broker.port)


def scenario(checks, house):
    deaths(checks, house)
    refusals(checks, house)


prove(scenario)
