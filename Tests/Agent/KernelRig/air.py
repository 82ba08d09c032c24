#!/usr/bin/env python3
"""air.py beacons COUNT OUTPUT: writes a btsnoop capture in which COUNT iBeacons advertise once each, minors 1 to COUNT.
air.py hex MINOR: prints one such advertisement as an HCI event in hexadecimal.

The controller plays a capture round and round at the rate it is given, so that is how often they advertise. Their
addresses are public ones, which never rotate, and they are heard at -60 dBm.
"""
import struct
import sys

import btsnoop

UUID = bytes.fromhex("39ED98FF2900441A802F9C398FC199D2")
# A day in 2023.
START_US = btsnoop.UNIX_US + 1_700_000_000_000_000


def event(minor):
    """One report, from its event code on."""
    address = struct.pack("<HI", minor, 0x001B_DCAA)
    return btsnoop.advertising_event(address, btsnoop.beacon_data(UUID, 1, minor), -60, address_type=0)[1:]


def packets(count):
    """A millisecond apart."""
    for minor in range(1, count + 1):
        yield START_US + minor * 1000, btsnoop.RECEIVED_EVENT, b"\x04" + event(minor)


if __name__ == "__main__":
    if sys.argv[1] == "hex":
        print(event(int(sys.argv[2])).hex())
    else:
        btsnoop.write(sys.argv[3], packets(int(sys.argv[2])))
