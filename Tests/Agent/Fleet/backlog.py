"""A broker's backlog without a collector, and the speed at which a collector takes it. Run by `backlog`."""

import datetime
import json
import socket
import sys
import threading
import time

import psycopg

from collector_test import EPOCHS, Collector
from costs import Part
from mqtt_packets import connect, packet, text
from reading_test import ENTER, EXIT
from servers import Mosquitto, PostgreSQL, wait_until

GATEWAYS, PER_STORE, EVENTS_PER_S = 10_000, 4, 3000
PUBACK_OCTETS = 4


def stamp(moment):
    return datetime.datetime.fromtimestamp(moment, datetime.UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def messages(events):
    """Each gateway in turn enters and leaves with one beacon after the other; a state comes with each event."""
    began, entered = time.time() - events / EVENTS_PER_S, {}
    for number in range(events):
        turn, gateway = divmod(number, GATEWAYS)
        at, root = began + number / EVENTS_PER_S, f"beacons/store-{gateway // PER_STORE}/g{gateway % PER_STORE}/region/carts/2/{turn // 2}/"
        event = (EXIT if turn % 2 else ENTER) | {"at": stamp(at), "epoch": EPOCHS[0], "seq": turn + 1, "minor": turn // 2}
        if turn % 2:
            event |= {"entered_at": stamp(entered[gateway]), "last_heard_at": stamp(at), "dwell_s": float(f"{at - entered[gateway]:.3f}")}
        entered[gateway] = at
        yield root + "event", event
        yield root + "state", {key: event[key] for key in ("schema", "at", "region", "major", "minor", "epoch")} | {
            "state": "outside" if turn % 2 else "inside", "since": stamp(at), "event_seq": turn + 1}


def publish(port, events):
    """By one client, as fast as the broker takes them. Returns when it has acknowledged all."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(connect("backlog"))
        connection.recv(4)
        awaited = 2 * events * PUBACK_OCTETS

        def hear():
            nonlocal awaited
            while awaited > 0 and (octets := connection.recv(1 << 16)):
                awaited -= len(octets)

        ear = threading.Thread(target=hear)
        ear.start()
        for number, (topic, payload) in enumerate(messages(events)):
            id = (number % 65535 + 1).to_bytes(2, "big")
            connection.sendall(packet(0x32, text(topic.encode()) + id + json.dumps(payload, separators=(",", ":")).encode()))
        ear.join()


def main(events):
    with PostgreSQL(has_schema=True) as database, Mosquitto() as broker:
        # Its session is what the broker keeps messages for.
        Collector(broker, database).is_ready().end()
        publish(broker.port, events)
        with psycopg.connect(database.url, autocommit=True) as connection:
            def count():
                return connection.execute("SELECT count(*) FROM beacons.event").fetchone()[0]

            collector = Collector(broker, database)
            wait_until(lambda: count() > 0, collector.said)
            begin, there = time.monotonic(), count()
            parts = [Part("collector", lambda: [collector.pid]), Part("database", lambda: [database.process.pid]),
                     Part("broker", lambda: [broker.process.pid])]
            while count() < events and collector.status() is None:
                time.sleep(0.25)
            elapsed_s = time.monotonic() - begin
            print(f"{(events - there) / elapsed_s:.0f} events and as many states a second, for {elapsed_s:.1f} s")
            for part in parts:
                print(part.figures(elapsed_s))
            assert collector.end() == 0, collector.said()
            missing = connection.execute("SELECT count(*) FROM beacons.missing").fetchone()[0]
            rejected = connection.execute("SELECT count(*) FROM beacons.rejected").fetchone()[0]
            assert (count(), missing, rejected) == (events, 0, 0), (count(), missing, rejected)


main(int(sys.argv[1]))
