#!/usr/bin/env python3
"""Captures for what the simulated shop does not show.

    captures.py hush IN FROM_S UNTIL_S OUT   IN without what was heard between two times: a radio that went blind
    captures.py later IN SECONDS OUT         IN, as if it had been heard later
    captures.py oddities OUT                 two beacons of one identity, one without RSSI, and some broken reports
"""

import struct
import sys

# btsnoop: a header of 16 octets, then for each record original and included length, flags, drops, microseconds, octets.
RECORD = struct.Struct(">IIIIq")
# 2026-01-01T00:00:00Z in btsnoop's microseconds, which count from the year 0.
BEGIN_US = 0x00DCDDB30F2F8000 + 1_767_225_600_000_000
HEADER = b"btsnoop\0" + struct.pack(">II", 1, 1002)


def records(path):
    with open(path, "rb") as file:
        file.read(len(HEADER))
        while head := file.read(RECORD.size):
            _, length, flags, _, time_us = RECORD.unpack(head)
            yield time_us, flags, file.read(length)


def write(path, contents):
    with open(path, "wb") as file:
        file.write(HEADER)
        for time_us, flags, octets in contents:
            file.write(RECORD.pack(len(octets), len(octets), flags, 0, time_us) + octets)


def report(address, major, minor, rssi_dbm, power_dbm=-59, cut=0):
    """An LE Advertising Report with an iBeacon from a public address; `cut` octets are missing at the end of the frame."""
    uuid = bytes.fromhex("39ED98FF2900441A802F9C398FC199D2")
    frame = b"\x4c\x00\x02\x15" + uuid + struct.pack(">HHb", major, minor, power_dbm)
    frame = frame[: len(frame) - cut]
    data = bytes([2, 0x01, 6, len(frame) + 1, 0xFF]) + frame
    body = b"\x02\x01\x00\x00" + address[::-1] + bytes([len(data)]) + data + struct.pack("b", rssi_dbm)
    return b"\x04\x3e" + bytes([len(body)]) + body


def oddities():
    """A good minute in which everybody is heard twice a second, and five seconds of broken reports."""
    original, clone, mute = (bytes.fromhex(f"00 1A 7D DA 71 {last}") for last in ("13", "14", "15"))
    for half_second in range(130):
        time_us = BEGIN_US + half_second * 500_000
        beat = half_second % 3
        yield time_us, 3, report(original, 1, 1, -60 - beat)
        if half_second > 24:
            yield time_us + 1_000, 3, report(clone, 1, 1, -75 + beat)
        if half_second > 30:
            # 127 is "not available": it proves presence and no distance.
            yield time_us + 2_000, 3, report(mute, 1, 2, 127)
        if 40 <= half_second < 50:
            yield time_us + 3_000, 3, report(original, 1, 1, -60, cut=3)
            yield time_us + 4_000, 3, b"\x04\x3e\x02\x02\x01"


match sys.argv[1:]:
    case ["hush", source, begin_s, end_s, target]:
        kept = list(records(source))
        first_us = kept[0][0]
        silence = range(first_us + int(begin_s) * 1_000_000, first_us + int(end_s) * 1_000_000)
        write(target, (record for record in kept if record[0] not in silence))
    case ["later", source, seconds, target]:
        write(target, ((time_us + int(seconds) * 1_000_000, *rest) for time_us, *rest in records(source)))
    case ["oddities", target]:
        write(target, oddities())
    case _:
        sys.exit(__doc__)
