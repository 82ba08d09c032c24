#!/usr/bin/env python3
"""air.py beacons COUNT OUTPUT: writes a btsnoop capture in which COUNT iBeacons advertise once each, minors 1 to COUNT.
air.py hex MINOR: prints one such advertisement as an HCI event in hexadecimal.

The controller plays a capture round and round at the rate it is told, so that is how often they advertise. Their
addresses are public ones, which never rotate, and they are heard at -60 dBm.
"""
import struct
import sys

UUID = bytes.fromhex("39ED98FF2900441A802F9C398FC199D2")
# Microseconds from btsnoop's year 0 to 1970, and a day in 2024.
START_US = 0x00DCDDB30F2F8000 + 1_700_000_000_000_000


def event(minor):
    """LE Meta, LE Advertising Report, one report: ADV_NONCONN_IND with Flags and an iBeacon frame."""
    frame = b"\x4c\x00\x02\x15" + UUID + struct.pack(">HHb", 1, minor, -59)
    data = b"\x02\x01\x06" + bytes([len(frame) + 1, 0xFF]) + frame
    address = struct.pack("<HI", minor, 0x001B_DCAA)
    report = b"\x03\x00" + address + bytes([len(data)]) + data + struct.pack("b", -60)
    parameters = b"\x02\x01" + report
    return bytes([0x3E, len(parameters)]) + parameters


def capture(count):
    """H4 packets (datalink 1002), received, a millisecond apart."""
    octets = b"btsnoop\x00" + struct.pack(">II", 1, 1002)
    for minor in range(1, count + 1):
        packet = b"\x04" + event(minor)
        octets += struct.pack(">IIIIq", len(packet), len(packet), 3, 0, START_US + minor * 1000) + packet
    return octets


if __name__ == "__main__":
    if sys.argv[1] == "hex":
        print(event(int(sys.argv[2])).hex())
    else:
        with open(sys.argv[3], "wb") as file:
            file.write(capture(int(sys.argv[2])))
