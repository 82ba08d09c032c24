"""All attacks of a store's certificate on a chain's broker at once, and the delay of another store's events meanwhile."""

import itertools
import json
import threading
import time
from datetime import UTC, datetime

from collector_test import EPOCHS
from reading_test import ENTER
from servers import wait_until
from wire import Wire

BURST = 500


def now():
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Attacker:
    """Threads that go on until `end`: each attack on a connection of its own, made again whenever the broker ends it."""

    def __init__(self, broker, name, victim, in_turn):
        self.broker, self.name, self.victim = broker, name, victim
        self.is_over = threading.Event()
        self.counts = {}
        self.poured = 0
        attacks = (self.floods, self.publishes_rubbish, self.names_long_topics, self.writes_elsewhere, self.takes_identifiers, self.comes_and_goes)
        # Where a certificate has one connection, one attack would end the other.
        groups = [attacks] if in_turn else [(attack,) for attack in attacks]
        self.threads = [threading.Thread(target=self.run, args=(group,), daemon=True) for group in groups]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()
        return self.counts | {"events": self.poured}

    def wire(self, id=None, **more):
        return Wire(self.broker.nodes[0].mqtt, id or self.name, self.broker.certificate(self.name), **more)

    def run(self, group):
        for attack in itertools.cycle(group):
            if self.is_over.is_set():
                return
            number, due = self.counts.get(attack.__name__, 0), time.monotonic() + 1
            try:
                with self.wire(f"{self.name}/{attack.__name__}") as wire:
                    while not self.is_over.is_set() and time.monotonic() < due and attack(wire, number) is not False:
                        number += 1
            except OSError:
                # The broker is rid of it for a moment.
                pass
            self.counts[attack.__name__] = number + 1
            self.is_over.wait(0.05)

    def topic(self, rest):
        return f"beacons/{self.name}/door/{rest}".encode()

    def floods(self, wire, number):
        """Events of the right form, as quickly as the broker takes them."""
        events = [json.dumps(ENTER | {"seq": number * BURST + one, "minor": one}).encode() for one in range(1, BURST + 1)]
        self.poured += wire.pour(self.topic("region/carts/event"), events)
        return self.poured > 0

    def publishes_rubbish(self, wire, number):
        return wire.publish(self.topic(f"region/{number}/event"), b"[" * 10_000)

    def names_long_topics(self, wire, number):
        return wire.publish(self.topic("region/" + "r" * (180 + number % 2000) + "/event"), b"{}")

    def writes_elsewhere(self, wire, number):
        return wire.publish(f"beacons/{self.victim}/door/region/carts/event".encode(), json.dumps(ENTER | {"seq": number + 1}).encode())

    def takes_identifiers(self, _wire, _number):
        with self.wire(self.victim):
            return False

    def comes_and_goes(self, _wire, _number):
        """With a will that it may not leave."""
        self.wire(f"{self.name}/brief", will=(f"beacons/{self.victim}/door/status".encode(), b"{}")).vanish()


class Neighbour:
    """A store that goes about its business: an event every 50 ms on one connection, each acknowledged."""

    def __init__(self, broker, name):
        self.name = name
        self.wire = Wire(broker.nodes[1].mqtt, name, broker.certificate(name))

    def publish(self, seconds, epoch):
        """How many it published, and how long the slowest acknowledgement took."""
        due, number, slowest = time.monotonic() + seconds, 0, 0.0
        while time.monotonic() < due:
            number += 1
            begin = time.monotonic()
            event = ENTER | {"seq": number, "epoch": epoch, "at": now()}
            assert self.wire.publish(f"beacons/{self.name}/door/region/carts/event".encode(), json.dumps(event).encode()), "its connection was ended"
            slowest = max(slowest, time.monotonic() - begin)
            time.sleep(0.05)
        return number, slowest


class Neighbours:
    """A chain with two stores, of which one is in other hands. For a test case with a broker, a database and a collector."""

    # Whether the broker takes a client's identifier from its certificate.
    has_one_connection = False

    def test_a_store_that_does_its_worst_costs_another_store_no_event_and_no_connection(self):
        self.collector().is_ready()
        quiet, busy = EPOCHS[5], EPOCHS[6]
        neighbour = Neighbour(self.broker, "berlin-17")
        self.addCleanup(neighbour.wire.__exit__)
        published, slowest = neighbour.publish(5, quiet)
        attacker = Attacker(self.broker, "paris-3", "berlin-17", self.has_one_connection).start()
        try:
            meanwhile, slowest_meanwhile = neighbour.publish(15, busy)
        finally:
            counts = attacker.end()
        self.site = "berlin-17"
        for epoch, number in ((quiet, published), (busy, meanwhile)):
            wait_until(lambda: self.count("event", f"AND epoch = '{epoch}'") >= number, "what the other store published")  # noqa: B023
            self.assertEqual(self.count("event", f"AND epoch = '{epoch}'"), number)
        self.assertEqual(self.count("rejected"), 0)
        self.assertEqual(self.query("SELECT count(*) FROM beacons.missing WHERE site = 'berlin-17'"), "0")
        self.assertTrue(neighbour.wire.is_connected())
        self.assertEqual([name for name, count in counts.items() if count < 2], [])
        late = self.query("SELECT string_agg(format('p50 %s s, p99 %s s, at most %s s', p50, p99, most), '; ') FROM (SELECT epoch, "
                          "round(percentile_cont(0.5) WITHIN GROUP (ORDER BY s)::numeric, 2) AS p50, round(percentile_cont(0.99) WITHIN GROUP (ORDER BY s)::numeric, 2) AS p99, "
                          "round(max(s)::numeric, 2) AS most FROM (SELECT epoch, extract(epoch FROM received_at - at) AS s FROM beacons.event WHERE site = 'berlin-17') e "
                          "GROUP BY epoch ORDER BY epoch) f")
        print(f"figure: published to taken, quiet and attacked: {late}; slowest acknowledgement {slowest:.2f} and {slowest_meanwhile:.2f} s; attacks: {counts}")
