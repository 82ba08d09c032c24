#!/usr/bin/env python3
"""cut.py CAPTURE SECONDS OUTPUT [FROM_S]: copies the records of so many seconds of a btsnoop capture."""
import struct
import sys

HEADER, RECORD = 16, struct.Struct(">IIIIq")


def cut(octets, seconds, from_s=0.0):
    """The header and the records whose time, from the first record's on, lies in [from_s, from_s + seconds)."""
    kept, offset, first = [octets[:HEADER]], HEADER, None
    while offset + RECORD.size <= len(octets):
        _, included, _, _, time_us = RECORD.unpack_from(octets, offset)
        end = offset + RECORD.size + included
        first = time_us if first is None else first
        if from_s <= (time_us - first) / 1e6 < from_s + seconds:
            kept.append(octets[offset:end])
        offset = end
    return b"".join(kept)


if __name__ == "__main__":
    source, seconds, output = sys.argv[1:4]
    from_s = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
    with open(source, "rb") as file:
        octets = file.read()
    with open(output, "wb") as file:
        file.write(cut(octets, float(seconds), from_s))
