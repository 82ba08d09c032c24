"""`python -m beacons_fleet.wave`, as deploy/fleet/gate runs it: the gate for changes that another tool makes, such as an upgrade by Ansible."""

import argparse
import json
import os
import queue
import sys
import time
from dataclasses import asdict
from pathlib import Path

from .__main__ import LOOK_S, Parser, add_broker, ended, listen
from .broker import Address, Broker, Message
from .gate import Before, Verdict, judge
from .gateways import Gateway, Gateways, print_line
from .tables import Unusable

DESCRIPTION = """Shows whether gateways work as well after a change as before. `before` writes into a file how they are. `wait`, right after the change,
waits until each of them that was online has been online for the soak time without a break, with a radio that hears if it heard."""
EPILOGUE = """Exit status: 0 all passed; 1 a gateway failed, and a line names it and the reason; 64 the command line or the file is wrong; 69 the
broker cannot be reached or refuses the client."""


def name(text: str) -> str:
    levels = text.split("/")
    if len(levels) != 2 or not all(levels) or any(sign in text for sign in "+#*?["):
        raise argparse.ArgumentTypeError(f"{text}: a gateway is named SITE/ID")
    return text


def parser() -> Parser:
    whole = Parser(prog="gate", description=DESCRIPTION, epilog=EPILOGUE)
    add_broker(whole, is_required=True)
    commands = whole.add_subparsers(dest="command", required=True, metavar="{before|wait}", parser_class=Parser)
    before = commands.add_parser("before", help="record how the gateways are")
    before.add_argument("file", type=Path)
    before.add_argument("names", nargs="+", type=name, metavar="SITE/ID")
    wait = commands.add_parser("wait", help="wait until they are as well as before")
    wait.add_argument("file", type=Path)
    wait.add_argument("--soak", type=float, default=60.0, metavar="S", help="seconds that each gateway has to work (default: %(default)s)")
    wait.add_argument("--limit", type=float, default=300.0, metavar="S",
                      help="seconds before the soak time within which it may start again and lose its line (default: %(default)s)")
    return whole


def read(file: Path) -> list[Before]:
    try:
        return [Before(**one) for one in json.loads(file.read_text())]
    except (OSError, ValueError, TypeError) as error:
        raise Unusable(f"{file}: {error}") from None


def record(gateways: Gateways, names: list[str], file: Path) -> int:
    """A gateway that never published a status counts as offline."""
    recorded = [Before.of(gateways.all.get(one, Gateway(one))) for one in sorted(set(names))]
    file.write_text(json.dumps([asdict(one) for one in recorded], indent=1))
    for one in recorded:
        print_line(f"{one.name}: {'online, radio ' + one.radio if one.is_online else 'offline, and not waited for'}")
    return 0


def wait(broker: Broker, gateways: Gateways, recorded: list[Before], options: argparse.Namespace) -> int:
    """Follows the gateways until none is waiting. A time without the broker counts against no gateway."""
    changed_at = time.monotonic()
    lost_at: float | None = None
    while True:
        try:
            event = broker.events.get(timeout=LOOK_S)
            if isinstance(event, Message):
                gateways.take(event.topic, event.payload, time.monotonic())
            elif event == "lost" and lost_at is None:
                gateways.lose_broker()
                lost_at = time.monotonic()
            elif event == "connected" and lost_at is not None:
                listen(broker, gateways)
                changed_at += time.monotonic() - lost_at
                lost_at = None
            continue
        except queue.Empty:
            pass
        if lost_at is not None:
            continue
        now = time.monotonic()
        verdicts = [(one.name, verdict_of(gateways, one, changed_at, now, options)) for one in recorded]
        failures = [(one, verdict) for one, verdict in verdicts if verdict.is_failure]
        if all(verdict.is_pass or verdict.is_failure for _, verdict in verdicts):
            for one, verdict in failures:
                print_line(f"{one}: {verdict.why}")
            return 1 if failures else 0


def verdict_of(gateways: Gateways, before: Before, changed_at: float, now: float, options: argparse.Namespace) -> Verdict:
    return judge(before, gateways.all.get(before.name, Gateway(before.name)), changed_at, now, options.soak, options.limit)


def run(options: argparse.Namespace) -> int:
    recorded = read(options.file) if options.command == "wait" else []
    try:
        address = Address.of(options.broker, options.ca_file, options.cert_file, options.key_file, dict(os.environ))
        gateways = Gateways(options.prefix.strip("/"))
        broker = Broker(address, [f"{gateways.prefix}/+/+/status"])
    except ValueError as error:
        raise Unusable(str(error)) from None
    broker.open()
    try:
        listen(broker, gateways)
        return record(gateways, options.names, options.file) if options.command == "before" else wait(broker, gateways, recorded, options)
    finally:
        broker.close()


if __name__ == "__main__":
    sys.exit(ended("gate", run, parser().parse_args()))
