#!/usr/bin/env python3
"""cut.py CAPTURE SECONDS OUTPUT: copies the records of a btsnoop capture's first so many seconds."""
import struct
import sys

HEADER, RECORD = 16, struct.Struct(">IIIIq")


def cut(octets, seconds):
    """The header and the records less than `seconds` after the first."""
    offset, first = HEADER, None
    while offset + RECORD.size <= len(octets):
        _, included, _, _, time_us = RECORD.unpack_from(octets, offset)
        first = time_us if first is None else first
        if (time_us - first) / 1e6 >= seconds:
            break
        offset += RECORD.size + included
    return octets[:offset]


if __name__ == "__main__":
    source, seconds, output = sys.argv[1:]
    with open(source, "rb") as file:
        octets = file.read()
    with open(output, "wb") as file:
        file.write(cut(octets, float(seconds)))
