"""Captures of private addresses that all have one identity: flood.py PHONES NEW_PER_SECOND SECONDS OUTPUT

So many phones are heard ten times a second each, under one address, and so many strangers a second once each."""

import sys

from readings import advertising_event, write

UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"


def report(number):
    """The two highest bits of a resolvable private address are 01."""
    return advertising_event(UUID, 1, 1, -59, -60, (1 << 46 | number).to_bytes(6, "little"))


phones, new_per_s, seconds, output = *map(int, sys.argv[1:4]), sys.argv[4]
rounds = range(seconds * 10)
events = [(step / 10 + phone / phones / 10, report(phone)) for step in rounds for phone in range(phones)]
events += [(number / new_per_s, report(1 << 32 | number)) for number in range(seconds * new_per_s)]
write(output, events)
