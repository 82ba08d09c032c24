"""Reads the iBeacon reports of a btsnoop capture (HCI UART, LE Advertising Reports of one report each)."""

import struct
from typing import NamedTuple

from btsnoop import records


class Packet(NamedTuple):
    t_s: float
    address: str
    rssi_dbm: int


def packets(path: str) -> list[Packet]:
    """Every iBeacon report, seconds since the first record of the capture."""
    found = []
    first_us = None
    for time_us, _, octets in records(path):
        first_us = time_us if first_us is None else first_us
        if len(octets) < 15 or octets[0] != 0x04 or octets[1] != 0x3E or octets[3] != 0x02 or octets[4] != 1:
            continue
        length = octets[13]
        if b"\x4c\x00\x02\x15" not in octets[14 : 14 + length]:
            continue
        address = ":".join(f"{octet:02X}" for octet in reversed(octets[7:13]))
        rssi_dbm = struct.unpack("b", octets[14 + length : 15 + length])[0]
        found.append(Packet((time_us - first_us) / 1e6, address, rssi_dbm))
    return found
