#!/usr/bin/env python3
"""Holds messages against the contract: validate.py [--raw-devices] [--seen FILE] [FILE…], standard input without any.

The lines are those of `beacond replay --output jsonl`, or of mosquitto_sub -V 5 -q 1 --retain-as-published -F %j. The last
line says how many messages of each kind there were; the exit status is 1 where one broke the contract or there were none at all.
"""

import argparse
import collections
import fileinput
import json
import sys

from contract import FOLDER, Contract, read, series_of
from seen import fields_in

sys.path.insert(0, str(FOLDER.parent / "chain"))
from beacons_collector.plain import LONGEST_LINE, plain  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--raw-devices", action="store_true", help="take Bluetooth addresses for pseudonyms")
parser.add_argument("--seen", metavar="FILE", help="a file that gets a line for each field that the messages had")
parser.add_argument("files", nargs="*")
arguments = parser.parse_args()


def epoch_of(message):
    """Two replays of one capture have the same epoch, so it counts within a file."""
    return fileinput.filename(), message["payload"]["epoch"]


def first_missing(number, end, ranges):
    """The first number from `number` on, before `end`, that is in no range; None where all are. Numbers go to 2^53."""
    for first, last in sorted(ranges):
        if first <= number <= last:
            number = last + 1
    return number if number < end else None


contract = Contract(raw_devices=arguments.raw_devices)
seen = set()
# What is numbered, by what counts it.
COUNTED = {schema["x-topic"].rsplit("/", 1)[-1]: schema["x-number"] for schema in contract.schemas.values() if "x-number" in schema}
kinds, broken, last_seq, lost = collections.Counter(), 0, {}, collections.defaultdict(list)
latest_t = collections.defaultdict(float)
for message in read(fileinput.input(arguments.files, encoding="utf-8", errors="replace")):
    kind = message["topic"].rsplit("/", 1)[-1]
    kinds[kind] += 1
    problems = contract.problems(message)
    # A replay says when its lines come.
    t = message.get("t", 0)
    if t < latest_t[fileinput.filename()]:
        problems.append(f"t is {t} after {latest_t[fileinput.filename()]}")
    latest_t[fileinput.filename()] = max(t, latest_t[fileinput.filename()])
    if kind in COUNTED and not problems:
        # Within one file they come in order; what comes twice has the number of what has come already.
        unit = COUNTED[kind]
        series, number = (unit, epoch_of(message)), message["payload"][unit]
        missing = first_missing(last_seq.get(series, number - 1) + 1, number, lost[series])
        if missing is not None:
            problems.append(f"{unit} {number}, but neither {missing} nor a gap before it")
        last_seq[series] = max(number, last_seq.get(series, 0))
    elif kind == "gap" and not problems:
        unit = next(unit for unit in series_of(contract) if f"from_{unit}" in message["payload"])
        first, last = message["payload"][f"from_{unit}"], message["payload"][f"to_{unit}"]
        lost[unit, epoch_of(message)].append((first, last))
    if not problems and message["payload"]:
        seen |= fields_in(contract, message)
    for problem in problems[:3]:
        print(plain(f"{problem}: {json.dumps(message)[:600]}", LONGEST_LINE))
    broken += bool(problems)
if arguments.seen:
    with open(arguments.seen, "a", encoding="utf-8") as file:
        file.writelines(f"{field}\n" for field in sorted(seen))
print(f"{kinds.total()} messages, {broken} broken:", " ".join(f"{plain(kind)}={n}" for kind, n in sorted(kinds.items())))
sys.exit(1 if broken or not kinds else 0)
