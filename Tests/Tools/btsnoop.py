"""Captures as btsnoop (HCI UART, as `btmon -w` and beacond write them): their records, and the event in most of them."""

import struct

# The file's header: version 1, datalink 1002, which is HCI UART: each packet begins with its type.
HEADER = b"btsnoop\0" + struct.pack(">II", 1, 1002)
# Before each packet: its length as it was and as it is kept, flags, packets lost so far, microseconds from the year 0.
RECORD = struct.Struct(">IIIIq")
# 1970 in btsnoop's microseconds.
UNIX_US = 0x00DCDDB30F2F8000
# The flags of what a controller has sent: bit 0 is received, bit 1 an event or a command.
RECEIVED_EVENT = 3


def record(time_us, octets, flags=RECEIVED_EVENT):
    """One packet, in btsnoop's microseconds."""
    return RECORD.pack(len(octets), len(octets), flags, 0, time_us) + octets


def write(path, packets):
    """Writes (microseconds, flags, octets) of packets, in the order in which they come."""
    with open(path, "wb") as file:
        file.write(HEADER)
        for time_us, flags, octets in packets:
            file.write(record(time_us, octets, flags))


def records(path):
    """(microseconds, flags, octets) of each packet of a capture."""
    with open(path, "rb") as file:
        file.read(len(HEADER))
        while len(head := file.read(RECORD.size)) == RECORD.size:
            _, length, flags, _, time_us = RECORD.unpack(head)
            yield time_us, flags, file.read(length)


def advertising_event(address, data, rssi_dbm, kind=3, address_type=1):
    """One LE Advertising Report, as a packet. The address is as it travels, lowest octet first.

    `kind` 0 is ADV_IND, 3 ADV_NONCONN_IND; `address_type` 0 is public, 1 random.
    """
    parameters = bytes([2, 1, kind, address_type]) + address + bytes([len(data)]) + data + struct.pack("b", rssi_dbm)
    return b"\x04\x3e" + bytes([len(parameters)]) + parameters


def beacon_data(uuid, major, minor, power_dbm=-59, cut=0):
    """The advertising data of an iBeacon: Flags and its frame, of which `cut` octets are missing. `uuid` is 16 octets."""
    frame = b"\x4c\x00\x02\x15" + uuid + struct.pack(">HHb", major, minor, power_dbm)
    frame = frame[: len(frame) - cut]
    return b"\x02\x01\x06" + bytes([len(frame) + 1, 0xFF]) + frame
