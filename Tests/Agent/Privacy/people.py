"""A made-up day of people with known identities and addresses, as a capture, and what to search for."""

import base64
import hmac
import random
import struct
import sys
import uuid

UUID = uuid.UUID("5f1e6c2a-93d4-4b87-8e15-c0ffee7d2b19")
EPOCH_US = 0x00DCDDB30F2F8000
BEGIN_S = 1_763_712_000
HOUR_S = 3_600


class Person:
    def __init__(self, number, begin_s, end_s, rng):
        # Beyond the ports that a machine chooses, which the broker logs.
        self.major, self.minor = 63_000 + rng.randrange(1_000), 61_500 + number
        # Resolvable private addresses: one for each quarter of an hour.
        self.addresses = [bytes([0x40 | rng.randrange(64), *rng.randbytes(5)]) for _ in range(6)]
        self.begin_s, self.end_s = begin_s, end_s

    def address(self, second):
        return self.addresses[(second - int(self.begin_s)) // 900]


def advertisement(address, data, rssi=-60):
    """An LE Meta event with one advertising report, behind the octet of its packet type."""
    report = bytes([0x03, 0x01]) + address[::-1] + bytes([len(data)]) + data + struct.pack("b", rssi)
    return bytes([0x04, 0x3E, len(report) + 2, 0x02, 0x01]) + report


def beacon(person):
    return bytes([2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 21]) + UUID.bytes + struct.pack(">HHb", person.major, person.minor, -59)


def day(seed, people):
    """The people of three hours, of which the shop is open for two. A store counts who comes after a gateway's first report: at a hundredfold speed
    the first quarter of an hour is nine seconds of the store's."""
    rng = random.Random(seed)
    found = []
    for number in range(people):
        begin_s = 900 + rng.random() * 1.6 * HOUR_S
        found.append(Person(number, begin_s, begin_s + rng.uniform(40, 2_000), rng))
    return found


def write_capture(path, people, from_s, to_s, begin_s=BEGIN_S):
    """Writes a btsnoop file of a day that begins at `begin_s`: people every two seconds, and a device that is no beacon."""
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        for second in range(from_s, to_s):
            packets = [advertisement(bytes([0xC0, 0, 0, 0, 0, 7]), bytes([2, 1, 6, 3, 3, 0x0F, 0x18]), -80)]
            packets += [advertisement(person.address(second), beacon(person)) for person in people if person.begin_s <= second <= person.end_s and second % 2 == 0]
            for place, packet in enumerate(packets):
                time_us = EPOCH_US + (begin_s + second) * 1_000_000 + place * 900
                file.write(struct.pack(">IIIIq", len(packet), len(packet), 3, 0, time_us) + packet)


def secrets(people):
    """Every form in which an identity or an address may be written, with its name."""
    forms = {"UUID": str(UUID), "UUID in capitals": str(UUID).upper(), "UUID without dashes": UUID.hex, "UUID, so, in capitals": UUID.hex.upper()}
    found = {name: form.encode() for name, form in forms.items()}
    found |= {"UUID in octets": UUID.bytes, "UUID in octets, turned round": UUID.bytes[::-1],
              "half of the UUID": UUID.bytes[:8], "the other half": UUID.bytes[8:], "half of it, turned round": UUID.bytes[:8][::-1],
              "the other half, turned round": UUID.bytes[8:][::-1]}
    # Base64 has another form behind one octet or two; the first and the last digits belong to neighbours as well.
    for before in range(3):
        found |= {f"{name} in Base64, behind {before}": base64.b64encode(bytes(before) + form)[4 * (before > 0):][:16]
                  for name, form in {"UUID": UUID.bytes, "UUID as text": str(UUID).encode(), "UUID as capitals": str(UUID).upper().encode()}.items()}
    for person in people:
        who = f"person {person.minor}"
        pair = struct.pack(">HH", person.major, person.minor)
        found |= {f"{who}: minor": str(person.minor).encode(), f"{who}: pair": pair, f"{who}: turned round": struct.pack("<HH", person.major, person.minor),
                  f"{who}: pair in hexadecimal": pair.hex().encode(), f"{who}: major": f'major":{person.major}'.encode(),
                  f"{who}: major, quoted": f'major\\":{person.major}'.encode(),
                  f"{who}: key": f"{person.major}/{person.minor}".encode()}
        for address in person.addresses:
            for form in (address, address[::-1], address.hex().encode(), address.hex().upper().encode(), address.hex(":").encode(),
                         address.hex(":").upper().encode(), base64.b64encode(address), str(int.from_bytes(address)).encode()):
                found[f"{who}: address {form!r}"] = form
    return found


def pseudonyms(people, secret, announcement):
    """Every form of the names that gateways give people in their reports to the store, by the store's announcement."""
    key = hmac.digest(hmac.digest(announcement[1:33], secret, "sha256"), b"beacond people names\1", "sha256")
    found = {}
    for person in people:
        name = hmac.digest(key, f"{str(UUID).upper()}/visitors/{person.major}/{person.minor}".encode(), "sha256")[:8]
        for form in (name, name[::-1], name.hex().encode(), name.hex().upper().encode(), base64.b64encode(name)[:10]):
            found[f"person {person.minor}: pseudonym {form!r}"] = form
    return found


def present(forms, content):
    """Those of the forms, of four octets or more, that are somewhere in the content. To search for each of thousands takes minutes. So only those are
    searched for whose first four octets are there."""
    firsts = {form: int.from_bytes(form[:4], sys.byteorder) for form in forms}
    wanted = set(firsts.values())
    there = {four for begin in range(4) for four in memoryview(content)[begin:len(content) - (len(content) - begin) % 4].cast("I") if four in wanted}
    return {form for form, first in firsts.items() if first in there and form in content}
