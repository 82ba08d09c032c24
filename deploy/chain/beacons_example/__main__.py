"""The commands of the example: `files` writes what an operator has of the stores, `load` brings their five weeks into the database, `live` goes on with them.

    python -m beacons_example files --folder FOLDER
    python -m beacons_example load --now TIME --database URL
    python -m beacons_example live --now TIME --broker mqtt://HOST:PORT

TIME, in seconds of the epoch, divides the past from the messages that `live` publishes, which have the next numbers. The collector's code reads and checks
the past, and the stores' budgets hold. SIGTERM ends `live`.
"""

import argparse
import csv
import heapq
import itertools
import json
import signal
import sys
import threading
import time
import urllib.parse
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt

from beacons_collector.collector import sorted_out
from beacons_collector.database import Database
from beacons_collector.regions import Regions
from beacons_collector.taking import LARGEST_BATCH, Taken

from .plan import configuration_of, plan_of
from .shops import SHOPS, Shop
from .store_messages import UUID, stamp
from .stream import stream

PREFIX = "beacons"
RETAINED = ("status", "health", "beacons")
LONGEST_SLEEP_S = 1


def topic_of(message: dict[str, Any]) -> str:
    levels = [PREFIX, message["site"], message["gateway"]]
    if message.get("region"):
        levels += ["region", message["region"], str(message["major"]), str(message["minor"])] + (["zone", message["zone"]] if message["zone"] else [])
    return "/".join([*levels, message["kind"], *([str(message["page"])] if message["kind"] == "beacons" else [])])


def write_files(folder: Path) -> str:
    """Writes the stores, the register of carts, and each store's plan and configuration. Returns a line for each store with its plan, width and configuration."""
    with open(folder / "stores.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["site", "name", "time_zone", "opening_hours", "latitude", "longitude"])
        table.writerows([shop.site, shop.name, shop.time_zone, shop.hours, *shop.place] for shop in SHOPS)
    with open(folder / "register.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["site", "uuid", "major", "minor", "asset", "since"])
        since = min(shop.first_day(datetime.now(UTC)) for shop in SHOPS)
        table.writerows([shop.site, UUID, shop.major, cart, f"Cart {cart}", since] for shop in SHOPS for cart in range(1, shop.carts + 1))
    for shop in SHOPS:
        (folder / f"{shop.site}.svg").write_text(plan_of(shop), encoding="utf-8")
        (folder / f"{shop.site}.toml").write_text(configuration_of(shop), encoding="utf-8")
    return "\n".join(f"{shop.site}\t{folder}/{shop.site}.svg\t{shop.size_m[0]:g}\t{folder}/{shop.site}.toml" for shop in SHOPS)


def load(now: datetime, url: str) -> str:
    """Stores what lies before `now`, the stores beside each other."""
    with ThreadPoolExecutor(len(SHOPS)) as threads:
        events = sum(threads.map(lambda shop: load_shop(shop, now, url), SHOPS))
    return f"{events:,} events"


def load_shop(shop: Shop, now: datetime, url: str) -> int:
    """Returns the number of events. A message that the database does not take is an error here."""
    kinds: dict[str, list[Taken]] = defaultdict(list)
    for message in itertools.takewhile(lambda message: message["received_at"] <= stamp(now), stream(shop, now)):
        kinds[message["kind"]].append(
            Taken(topic_of(message), json.dumps(message["payload"]).encode(), None, datetime.fromisoformat(message["received_at"])))
    database, regions = Database(url, lambda: False), Regions()
    # Messages of one kind cost less than as many of all kinds, and their order is no matter.
    for messages in kinds.values():
        for first in range(0, len(messages), LARGEST_BATCH):
            rows, rejected, _ = sorted_out(messages[first:first + LARGEST_BATCH], PREFIX, regions)
            database.store(rows, rejected)
    database.close()
    refused = {name: number for name, number in database.outcomes.items() if name not in ("new", "surges") and number}
    if refused:
        raise SystemExit(f"beacons_example: the database did not take all messages: {refused}; its table beacons.rejected has the reasons")
    return len(kinds["event"])


def publish_after(now: datetime, shops: tuple[Shop, ...] = SHOPS) -> Iterator[dict[str, Any]]:
    """Returns the messages that `load` leaves, in the order of time."""
    messages = heapq.merge(*(stream(shop, now) for shop in shops), key=lambda message: str(message["received_at"]))
    return itertools.dropwhile(lambda message: message["received_at"] <= stamp(now), messages)


def publish(now: datetime, broker: str) -> None:
    """Publishes each message at its time."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    address = urllib.parse.urlsplit(broker)
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="example", protocol=mqtt.MQTTv5)
    client.connect(address.hostname or "127.0.0.1", address.port or 1883)
    client.loop_start()
    for message in publish_after(now):
        at = datetime.fromisoformat(message["received_at"])
        while not stopped.is_set() and (left := at.timestamp() - time.time()) > 0:
            stopped.wait(min(left, LONGEST_SLEEP_S))
        if stopped.is_set():
            break
        client.publish(topic_of(message), json.dumps(message["payload"]), qos=1, retain=message["kind"] in RETAINED)
    client.disconnect()
    client.loop_stop()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="beacons_example")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("files").add_argument("--folder", required=True, type=Path)
    for name, option in (("load", "--database"), ("live", "--broker")):
        command = commands.add_parser(name)
        command.add_argument("--now", required=True, type=int)
        command.add_argument(option, required=True)
    chosen = parser.parse_args(arguments)
    if chosen.command == "files":
        print(write_files(chosen.folder))
    elif chosen.command == "load":
        print(load(datetime.fromtimestamp(chosen.now, UTC), chosen.database))
    else:
        publish(datetime.fromtimestamp(chosen.now, UTC), chosen.broker)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
