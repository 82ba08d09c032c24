"""Captures as btsnoop (HCI UART): beacons that come and go at known times."""

import random

from btsnoop import HEADER, UNIX_US, advertising_event, beacon_data, record

UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
BEGIN = 1_767_225_600.0  # 2026-01-01T00:00:00Z


class Capture:
    """Sightings to be written as btsnoop (HCI UART), in order of time. Seconds are since 1970."""

    def __init__(self):
        self.records = []

    def beacon(self, at, minor, major=1, rssi=-60):
        data = beacon_data(bytes.fromhex(UUID.replace("-", "")), major, minor)
        self.report(at, bytes([minor & 255, minor >> 8, major & 255, 0, 0, 0xC0]), data, rssi)

    def noise(self, begin, end_, step=0.5):
        """Another device, which shows that the radio hears."""
        for index in range(int((end_ - begin) / step) + 1):
            self.report(begin + index * step, b"\xEE\xEE\xEE\xEE\xEE\xC0", b"\x02\x01\x06", -80)

    def visit(self, begin, minor, seconds=0.3, step=0.1, **more):
        for index in range(int(seconds / step + 0.5) + 1):
            self.beacon(begin + index * step, minor, **more)

    def report(self, at, address, data, rssi):
        self.records.append((int(round(at * 1e6)), advertising_event(address, data, rssi)))

    def octets(self, with_header=True):
        pieces = [HEADER] if with_header else []
        for at, packet in sorted(self.records, key=lambda record: record[0]):
            pieces.append(record(at + UNIX_US, packet, flags=1))
        return b"".join(pieces)

    def write(self, path):
        path.write_bytes(self.octets())
        return path


def crowd(begin, seconds, beacons, seed, stay=0.3, pause=1.5):
    """Beacons 1 … `beacons` come and go: with `exit_after_s` = 1, each visit is an entry and an exit."""
    capture, dice = Capture(), random.Random(seed)
    capture.noise(begin, begin + seconds)
    for minor in range(1, beacons + 1):
        at = begin + dice.random() * pause
        while at + stay < begin + seconds:
            capture.visit(at, minor, stay)
            at += stay + pause + dice.random() * 0.2
    return capture


class Crowd:
    """An endless capture, in pieces. `at` is how far it is."""

    PIECE_S = 4

    def __init__(self, begin, beacons, seed):
        self.at, self.beacons, self.seed = begin, beacons, seed

    def __iter__(self):
        yield Capture().octets()
        while True:
            yield crowd(self.at, self.PIECE_S, self.beacons, f"{self.seed} {self.at}").octets(with_header=False)
            self.at += self.PIECE_S
