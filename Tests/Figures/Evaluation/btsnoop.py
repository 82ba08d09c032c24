"""Captures: writes readings as the HCI events that a gateway would have recorded (btsnoop, HCI UART, as `btmon -w`)."""

import struct
import uuid

EPOCH_US = 0x00DCDDB30F2F8000  # btsnoop counts microseconds from the year 0; this is 1970.
UART_DATALINK = 1002


def advertising_event(beacon_uuid, major, minor, measured_power_dbm, rssi_dbm, address=None):
    """One LE Advertising Report with one iBeacon. Without an address, from a static one made of major and minor."""
    frame = struct.pack("<HBB", 0x004C, 0x02, 0x15) + uuid.UUID(beacon_uuid).bytes
    frame += struct.pack(">HHb", major, minor, measured_power_dbm)
    data = b"\x02\x01\x06" + bytes([len(frame) + 1, 0xFF]) + frame
    address = address or struct.pack("<HHBB", minor, major, 0xBE, 0xC0)  # The two highest bits set: static random.
    report = b"\x03\x01" + address + bytes([len(data)]) + data + struct.pack("b", rssi_dbm)
    parameters = b"\x02\x01" + report  # LE Meta event: one advertising report.
    return b"\x04\x3e" + bytes([len(parameters)]) + parameters


def write(path, events):
    """Writes (seconds, event) pairs in the order of their time."""
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, UART_DATALINK))
        for at_s, event in sorted(events, key=lambda pair: pair[0]):
            stamp = EPOCH_US + 1_600_000_000_000_000 + round(at_s * 1e6)
            file.write(struct.pack(">IIIIq", len(event), len(event), 3, 0, stamp) + event)


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
