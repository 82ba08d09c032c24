"""Readings as the captures that a gateway would have recorded, and back."""

import struct
import uuid

import btsnoop

BEGIN_US = btsnoop.UNIX_US + 1_600_000_000_000_000


def advertising_event(beacon_uuid, major, minor, measured_power_dbm, rssi_dbm, address=None):
    """One LE Advertising Report with one iBeacon. Without an address, from a static one made of major and minor."""
    data = btsnoop.beacon_data(uuid.UUID(beacon_uuid).bytes, major, minor, measured_power_dbm)
    address = address or struct.pack("<HHBB", minor, major, 0xBE, 0xC0)  # The two highest bits set: static random.
    return btsnoop.advertising_event(address, data, rssi_dbm)


def write(path, events):
    """Writes (seconds, event) pairs in the order of their time."""
    ordered = sorted(events, key=lambda pair: pair[0])
    btsnoop.write(path, ((BEGIN_US + round(at_s * 1e6), btsnoop.RECEIVED_EVENT, event) for at_s, event in ordered))


def read(path):
    """(seconds from the first record, major, minor, measured power, RSSI, uuid) of every iBeacon in legacy reports."""
    with open(path, "rb") as file:
        capture = file.read()
    kind, = struct.unpack_from(">I", capture, 12)
    lead = {1001: 0, 1002: 1}.get(kind)
    if capture[:8] != b"btsnoop\0" or lead is None:
        raise ValueError(f"{path}: not a btsnoop capture of HCI packets (datalink 1001 or 1002)")
    place, first = 16, None
    while place + 24 <= len(capture):
        length, = struct.unpack_from(">I", capture, place + 4)
        stamp, = struct.unpack_from(">q", capture, place + 16)
        first = stamp if first is None else first
        event = capture[place + 24 + lead:place + 24 + length]
        place += 24 + length
        start = event.find(b"\x4c\x00\x02\x15")
        if event[:1] != b"\x3e" or start < 0 or start + 25 > len(event):
            continue
        major, minor, power_dbm = struct.unpack_from(">HHb", event, start + 20)
        rssi_dbm, = struct.unpack_from("b", event, len(event) - 1)
        yield (stamp - first) / 1e6, major, minor, power_dbm, rssi_dbm, str(uuid.UUID(bytes=event[start + 4:start + 20])).upper()
