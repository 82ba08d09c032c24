"""Crowds from recordings of real radio: beacons that were carried about, given one identity and addresses that rotate."""

import random
from pathlib import Path

import btsnoop

CARRIED = {f"C0:00:00:00:00:{minor:02X}" for minor in (1, 2, 5, 7, 8)} | {"C0:00:00:01:00:06"}


def rotate(source: Path, target: Path, beacons: set[str], seed: int, address_life_s: float) -> dict[str, str]:
    """Writes the packets of `beacons` as one identity with private addresses that change at random.

    Returns which beacon each address is.
    """
    chance = random.Random(seed)
    beacon_of: dict[str, str] = {}
    address: dict[str, bytes] = {}
    until_us: dict[str, float] = {}
    with open(target, "wb") as file:
        file.write(btsnoop.HEADER)
        for time_us, _, octets in btsnoop.records(source):
            octets = bytearray(octets)
            beacon = ":".join(f"{octet:02X}" for octet in reversed(octets[7:13]))
            at = octets.find(b"\x4c\x00\x02\x15")
            if beacon in beacons and at > 0:
                if time_us >= until_us.get(beacon, 0):
                    bits = chance.getrandbits(46) | 0b01 << 46
                    address[beacon] = bits.to_bytes(6, "little")
                    beacon_of[":".join(f"{octet:02X}" for octet in bits.to_bytes(6, "big"))] = beacon
                    until_us[beacon] = time_us + chance.uniform(0.5, 1.5) * address_life_s * 1e6
                octets[7:13] = address[beacon]
                octets[at + 4 : at + 24] = bytes.fromhex("39ED98FF2900441A802F9C398FC199D2" + "00020000")
            else:
                # Another device's iBeacon, so that the radio is known to hear.
                octets[at + 4 : at + 20] = bytes(16)
            file.write(btsnoop.record(time_us, bytes(octets), flags=1))
    return beacon_of
