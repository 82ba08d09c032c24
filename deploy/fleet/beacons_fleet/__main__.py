"""`python -m beacons_fleet`, as deploy/fleet/settings runs it."""

import argparse
import collections
import os
import queue
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from beacons_collector.plain import plain, plain_json

from . import tables as tables_of
from .broker import QUIET_S, Address, Broker, Message, Unreachable
from .gateways import Gateway, Gateways, print_line, version_of
from .rollout import Publication, Rollout, listed, sizes
from .tables import Unusable

# Between two looks at all gateways.
LOOK_S = 0.2
EPILOGUE = """User and password stand in the URL or in BEACONS_BROKER_USERNAME and BEACONS_BROKER_PASSWORD. Exit status: 0 done; 1 a gateway failed,
and the change was taken back; 64 the command line or a file that it names is wrong; 69 the broker cannot be reached or refuses the client; 75 a
gateway failed, and some are not back at their former tables."""


class Parser(argparse.ArgumentParser):
    """A parser that ends with 64 for a wrong command line, like every command of the project."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(64, f"{self.prog}: {message}\n")


def seconds(text: str) -> float:
    """A time that ends."""
    if not 0 <= (number := float(text)) < 1e6:
        raise ValueError(text)
    return number


def count(text: str) -> int:
    if (number := int(text)) < 0:
        raise ValueError(text)
    return number


def addressee(text: str) -> str:
    """SITE/ID, where * may stand for the whole of either."""
    if not re.fullmatch(r"(\*|[^/*]+)/(\*|[^/*]+)", text):
        raise ValueError(text)
    return text


def add_broker(parser: Parser, is_required: bool) -> None:
    """Adds the options that name the broker and the login."""
    parser.add_argument("--broker", required=is_required, metavar="URL", help="mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
    parser.add_argument("--ca-file", type=Path, metavar="FILE", help="the broker's authorities (default: the system's)")
    parser.add_argument("--cert-file", type=Path, metavar="FILE", help="a certificate to log in with, and --key-file its key")
    parser.add_argument("--key-file", type=Path, metavar="FILE")
    parser.add_argument("--prefix", default="beacons", help="what topics begin with (default: %(default)s)")


def parser() -> Parser:
    whole = Parser(prog="settings", description="Shows and sets the settings of gateways over MQTT, stage by stage.", epilog=EPILOGUE)
    add_broker(whole, is_required=False)
    commands = whole.add_subparsers(dest="command", required=True, metavar="{status|get|set|clear|sign}", parser_class=Parser)
    for name, words in {"status": "print who is online with which settings", "get": "print the published tables of each gateway",
                        "set": "publish tables stage by stage", "clear": "return to the gateways' own files, stage by stage"}.items():
        command = commands.add_parser(name, help=words)
        command.add_argument("--select", action="append", metavar="PATTERN", help="SITE/ID with * and ?, several times (default: all gateways)")
        if name in ("set", "clear"):
            command.add_argument("--stages", default="1,10%,100%", help="how many gateways have the change after each stage (default: %(default)s)")
            command.add_argument("--soak", type=seconds, default=60.0, metavar="S", help="seconds that each gateway has to work (default: %(default)s)")
            command.add_argument("--max-offline", type=count, default=0, metavar="N",
                                 help="how many gateways may lose their line during the change without stopping it (default: %(default)s)")
            command.add_argument("--key", type=Path, metavar="KEY.pem", help="sign with this Ed25519 key")
            command.add_argument("--for", dest="signed_for", type=addressee, metavar="SITE/ID",
                                 help="whom the signature is for; * may stand for the whole site or the whole id (default: each gateway by itself)")
        if name == "set":
            command.add_argument("--file", type=Path, required=True, metavar="TABLES.toml", help="the tables")
    sign = commands.add_parser("sign", help="print a signed message")
    sign.add_argument("--file", type=Path, required=True, metavar="TABLES.toml")
    sign.add_argument("--version", type=int, required=True, metavar="N")
    sign.add_argument("--for", dest="signed_for", type=addressee, required=True, metavar="SITE/ID", help="* may stand for the whole site or the whole id")
    sign.add_argument("--key", type=Path, required=True, metavar="KEY.pem")
    return whole


def listen(broker: Broker, gateways: Gateways) -> None:
    """Takes what the broker retains."""
    quiet_at = time.monotonic() + QUIET_S
    while (left := quiet_at - time.monotonic()) > 0:
        try:
            event = broker.events.get(timeout=left)
        except queue.Empty:
            return
        if isinstance(event, Message):
            gateways.take(event.topic, event.payload, time.monotonic())
            # Some gateway always says something new.
            if event.is_retained:
                quiet_at = time.monotonic() + QUIET_S


def print_status(selected: list[Gateway]) -> None:
    """Prints a line for each gateway, those that differ from most first."""
    digests = collections.Counter(one.in_effect.get("digest") for one in selected)
    usual = digests.most_common(1)[0][0] if digests else None

    def rank(one: Gateway) -> tuple[int, str]:
        return (0 if one.reported.get("outcome") in ("refused", "reverted") else 1 if one.in_effect.get("digest") != usual else 2, one.name)

    width = max((len(one.label) for one in selected), default=7)
    print_line(f"{'GATEWAY':{width}}  ONLINE   RADIO      VERSION  DIGEST            LAST OUTCOME")
    for one in sorted(selected, key=rank):
        reported, settings = one.reported, one.status.get("settings")
        outcome = plain(f"{reported.get('outcome')} {version_of(reported) or ''}").rstrip() if reported else "-"
        # A version that is none is no file's either.
        version = one.in_effect["version"] or ("?" if isinstance(settings, dict) and settings.get("version") else "file")
        print_line(f"{one.label:{width}}  {plain(one.status.get('state', '?')):8} {one.radio:10} {version!s:8} {plain(one.in_effect['digest'] or '-'):16}  {outcome}")
    counts = ", ".join(f"{count} have {plain(digest or 'no digest')}" for digest, count in digests.most_common(5))
    print_line(f"{len(selected)} gateways: {counts}{', …' if len(digests) > 5 else ''}" if selected else "no gateway fits")


def roll_out(broker: Broker, gateways: Gateways, selected: list[Gateway], options: argparse.Namespace, tables: dict) -> int:
    """Changes the gateways stage by stage. Returns the exit status."""
    rollout = Rollout(selected, tables, options.stages, options.soak, options.max_offline)
    stopping: list[int] = []
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda number, _frame: stopping.append(number))
    lost_at: float | None = None

    def publish(publications: list[Publication]) -> None:
        for one in publications:
            addressee = one.name if one.is_return or not options.signed_for else options.signed_for
            try:
                payload = tables_of.message(one.tables, one.version, options.key, addressee)
            except Unusable as error:
                print_line(f"{one.name}: nothing is published: {error}")
                continue
            broker.publish(f"{gateways.prefix}/{one.name}/settings/desired", payload)

    # What a gateway would refuse, and a key that does not sign, show before the first stage.
    tables_of.message(tables, rollout.version, options.key, options.signed_for or selected[0].name)
    due = 0.0
    while not rollout.is_done:
        try:
            event = broker.events.get(timeout=LOOK_S)
            if isinstance(event, Message):
                gateways.take(event.topic, event.payload, time.monotonic())
            elif event == "lost" and lost_at is None:
                print_line("the broker is away; waiting for it")
                lost_at = time.monotonic()
                gateways.lose_broker()
            elif event == "connected" and lost_at is not None:
                listen(broker, gateways)
                rollout.pause(time.monotonic() - lost_at)
                lost_at = None
                print_line("the broker is back")
        except queue.Empty:
            pass
        now = time.monotonic()
        if stopping and rollout.state == "back":
            print_line("stopped; gateways that are not back take their former tables when they are online")
            broker.flush(10)
            return 75
        if stopping:
            stopping.clear()
            publish(rollout.interrupt(now))
        if lost_at is None and now >= due:
            publish(rollout.advance(now))
            due = now + LOOK_S
    broker.flush(10)
    if rollout.failures:
        return 75 if rollout.not_back else 1
    offline = [change.gateway.name for change in rollout.changes if not change.gateway.is_online]
    if offline:
        print_line(f"{len(offline)} gateways are offline and take version {rollout.version} when they are back: {listed(offline)}")
    return 0


def run(options: argparse.Namespace) -> int:
    if options.command == "sign":
        print(tables_of.message(tables_of.read(options.file), options.version, options.key, options.signed_for).decode())
        return 0
    if not options.broker:
        raise Unusable("--broker URL is missing")
    tables = tables_of.read(options.file) if options.command == "set" else {}
    gateways = Gateways(options.prefix.strip("/"))
    try:
        address = Address.of(options.broker, options.ca_file, options.cert_file, options.key_file, dict(os.environ))
        if options.command in ("set", "clear"):
            sizes(options.stages, 1)
        broker = Broker(address, gateways.filters)
    except ValueError as error:
        raise Unusable(str(error)) from None
    broker.open()
    try:
        listen(broker, gateways)
        selected = gateways.selected(options.select or ["*/*"])
        if options.command == "status":
            print_status(selected)
            return 0
        if options.command == "get":
            print(plain_json({one.name: one.desired for one in selected}))
            return 0
        if not selected:
            raise Unusable(f"no gateway fits --select {' '.join(options.select or ['*/*'])}: status lists them")
        limit = gateways.highest_usual_version
        beyond = [one.name for one in selected if one.highest_version > limit]
        if beyond:
            print_line(f"{len(beyond)} gateways are left out, because they named a version beyond {limit}: {listed(beyond)}", sys.stderr)
            selected = [one for one in selected if one.name not in beyond]
        if not selected:
            raise Unusable("no gateway is left")
        if not options.key and any("signature" in (one.desired or {}) for one in selected):
            raise Unusable("some of these gateways have signed settings: give --key, so that the change can be taken back")
        return roll_out(broker, gateways, selected, options, tables)
    finally:
        broker.close()


def ended(name: str, run: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Runs a command. Returns its exit status; a failure is one line that begins with the command's name."""
    try:
        return run(options)
    except Unusable as error:
        print_line(f"{name}: {error}", sys.stderr)
        return 64
    except Unreachable as error:
        print_line(f"{name}: {error}", sys.stderr)
        return 69
    except KeyboardInterrupt:
        # Nothing has been published: a change handles the signal itself.
        return 130


if __name__ == "__main__":
    sys.exit(ended("settings", run, parser().parse_args()))
