"""Messages of a store's gateways, with the numbers that agents would give them. Stores that are made up use it, here and in tests."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
EPOCH = "01KDVDNA0T0000000000000000"
VERSION = "0.3.0"
# An agent publishes an exit when it has not heard the beacon for this time.
EXIT_AFTER_S = 20


def stamp(moment: datetime) -> str:
    """A time as agents write it."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


class StoreMessages:
    """Messages of one store as `beacons.take` gets them, in `messages`. Each gateway's events, spans and sheets have numbers of their own."""

    def __init__(self, site: str, zone: ZoneInfo | Any) -> None:
        self.site, self.zone = site, zone
        self.messages: list[dict[str, Any]] = []
        self.epochs: dict[str, str] = {}
        self.numbers: dict[tuple[str, str], int] = {}

    def local(self, day: date, hours: float) -> datetime:
        """A time by the clock on the store's wall."""
        midnight = datetime(day.year, day.month, day.day)
        return (midnight + timedelta(hours=hours)).replace(tzinfo=self.zone).astimezone(UTC)

    def restart(self, gateway: str, epoch: str) -> None:
        """Begins the gateway's numbers anew, as an agent that starts."""
        self.epochs[gateway] = epoch
        self.numbers = {key: number for key, number in self.numbers.items() if key[0] != gateway}

    def next_number(self, gateway: str, series: str) -> int:
        self.numbers[gateway, series] = self.numbers.get((gateway, series), 0) + 1
        return self.numbers[gateway, series]

    def add(self, kind: str, gateway: str, at: datetime, payload: dict[str, Any], **address: Any) -> None:
        whole = {"schema": 1, "at": stamp(at), "clock": "synced"} | payload
        self.messages.append({"kind": kind, "site": self.site, "gateway": gateway, "received_at": whole["at"], "payload": whole} | address)

    def numbered(self, kind: str, series: str, gateway: str, at: datetime, payload: dict[str, Any], **address: Any) -> None:
        number = {"epoch": self.epochs.get(gateway, EPOCH), series: self.next_number(gateway, series)}
        self.add(kind, gateway, at, {"site": self.site, "gateway": gateway} | number | payload, **address)

    def event(self, gateway: str, at: datetime, payload: dict[str, Any], major: int, minor: int, region: str, zone: str | None) -> None:
        beacon = {"region": region, "uuid": UUID, "major": major, "minor": minor}
        self.numbered("event", "seq", gateway, at, beacon | ({"zone": zone} if zone else {}) | payload, region=region, major=major, minor=minor, zone=zone)

    def enter(self, at: datetime, minor: int, gateway: str, major: int = 1, region: str = "carts", zone: str | None = None, rssi_dbm: float = -70.5) -> None:
        self.event(gateway, at, {"type": "enter", "rssi_dbm": rssi_dbm, "accuracy_m": 2.5, "accuracy_error_m": 1, "proximity": "near"}, major, minor, region, zone)

    def exit(self, begin: datetime, end: datetime, minor: int, gateway: str, major: int = 1, region: str = "carts", zone: str | None = None,
             at: datetime | None = None, rssi_dbm: float = -70.5, **words: Any) -> None:
        """An exit is a whole visit."""
        dwell = round((end - begin).total_seconds(), 3)
        self.event(gateway, at or end + timedelta(seconds=EXIT_AFTER_S), {
            "type": "exit", "rssi_dbm": rssi_dbm, "accuracy_m": -1, "accuracy_error_m": -1, "proximity": "unknown", "entered_at": stamp(begin),
            "last_heard_at": stamp(end), "dwell_s": dwell} | words, major, minor, region, zone)

    def visit(self, begin: datetime, minutes: float, minor: int, gateway: str = "door", region: str = "carts", zone: str | None = None) -> None:
        self.exit(begin, begin + timedelta(minutes=minutes), minor, gateway, region=region, zone=zone)

    def heard(self, begin: datetime, end: datetime, gateway: str = "door", radio: str = "scanning") -> None:
        self.numbered("coverage", "span", gateway, end, {"from_at": stamp(begin), "to_at": stamp(end), "radio": radio})

    def status(self, at: datetime, gateway: str, state: str = "online", radio: str = "scanning") -> None:
        self.add("status", gateway, at, {"state": state, "version": VERSION, "epoch": self.epochs.get(gateway, EPOCH), "radio": radio, "remedy": ""})

    def health(self, at: datetime, gateway: str) -> None:
        self.add("health", gateway, at, {
            "reports_per_s": 118.4, "rejected": {}, "suspected_spoofing": [], "tracks": 14, "instances": 3, "queue_depth": 0, "dropped": {}, "uptime_s": 60,
            "outbox": ""})

    def listed(self, at: datetime, gateway: str, beacons: list[dict[str, Any]]) -> None:
        """A list of beacons that has one page."""
        self.add("beacons", gateway, at, {"page": 0, "pages": 1, "beacons": beacons}, page=0)

    def sheet(self, begin: datetime, end: datetime, cell_m: float, cells: list[dict[str, Any]], omitted_cells: int, at: datetime | None = None) -> None:
        """The heat map of an hour. How long beacons were in omitted cells is a secret."""
        self.numbered("heat", "sheet", "site", at or end, {
            "from_at": stamp(begin), "to_at": stamp(end), "page": 0, "pages": 1, "cell_m": cell_m, "cells": cells, "omitted_cells": omitted_cells,
            "omitted_s": None if omitted_cells else 0, "unplaced_s": 0})
