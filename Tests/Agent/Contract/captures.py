#!/usr/bin/env python3
"""Captures for what the simulated shop does not show.

    captures.py hush IN FROM_S UNTIL_S OUT   IN without what was heard between two times: a radio that went blind
    captures.py later IN SECONDS OUT         IN, as if it had been heard later
    captures.py oddities OUT                 two beacons of one identity, one without RSSI, one whose power cannot be, and some broken reports
    captures.py flood OUT                    beacons that are stronger than any, all of them the same
"""

import struct
import sys

from btsnoop import RECEIVED_EVENT, UNIX_US, advertising_event, beacon_data, records, write

# 2026-01-01T00:00:00Z.
BEGIN_US = UNIX_US + 1_767_225_600_000_000


def report(address, major, minor, rssi_dbm, power_dbm=-59, cut=0):
    """An LE Advertising Report with an iBeacon from a public address; `cut` octets are missing at the end of the frame."""
    uuid = bytes.fromhex("39ED98FF2900441A802F9C398FC199D2")
    return advertising_event(
        address[::-1], beacon_data(uuid, major, minor, power_dbm, cut), rssi_dbm, kind=0, address_type=0)


def telemetry(address, uuid, octets):
    """A report of that device with the service data of a UUID of 16 bits."""
    data = b"\x02\x01\x06" + bytes([len(octets) + 3, 0x16]) + struct.pack("<H", uuid) + octets
    return advertising_event(address[::-1], data, -60, kind=0, address_type=0)


def oddities():
    """A good minute in which everybody is heard twice a second, and five seconds of broken reports. One beacon reports its battery."""
    original, clone, mute, loud = (bytes.fromhex(f"00 1A 7D DA 71 {last}") for last in ("13", "14", "15", "16"))
    for half_second in range(130):
        time_us = BEGIN_US + half_second * 500_000
        beat = half_second % 3
        yield time_us, RECEIVED_EVENT, report(original, 1, 1, -60 - beat)
        yield time_us + 500, RECEIVED_EVENT, report(loud, 1, 3, -62, power_dbm=-3)
        if half_second > 24:
            yield time_us + 1_000, RECEIVED_EVENT, report(clone, 1, 1, -75 + beat)
        if half_second > 30:
            # 127 is "not available": it proves presence and no distance.
            yield time_us + 2_000, RECEIVED_EVENT, report(mute, 1, 2, 127)
        if beat == 0:
            # The Battery Service, and Eddystone-TLM with voltage, temperature and two counts.
            yield time_us + 2_100, RECEIVED_EVENT, telemetry(original, 0x180F, b"\x57")
            yield time_us + 2_200, RECEIVED_EVENT, telemetry(original, 0xFEAA, struct.pack(">BBHhII", 0x20, 0, 2950, 0x1580, half_second, half_second))
        if 40 <= half_second < 50:
            yield time_us + 3_000, RECEIVED_EVENT, report(original, 1, 1, -60, cut=3)
            yield time_us + 4_000, RECEIVED_EVENT, b"\x04\x3e\x02\x02\x01"


def flood():
    """Two and a half minutes in which eight beacons are heard four times a second, at +6 dBm."""
    for quarter in range(600):
        for number in range(8):
            address = bytes.fromhex(f"00 1A 7D DA 72 {number:02X}")
            yield BEGIN_US + quarter * 250_000 + number * 1_000, RECEIVED_EVENT, report(address, 1, number, 6)


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
    case ["flood", target]:
        write(target, flood())
    case _:
        sys.exit(__doc__)
