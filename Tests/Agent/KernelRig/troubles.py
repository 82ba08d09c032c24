#!/usr/bin/env python3
"""Holds what a gateway published through trouble against what it has to.

troubles.py --exits TOPIC… CAUSES RECEIVED

CAUSES has a line for each thing that was done: the Unix time, the word that `status` must say because of it, and
within how many seconds. RECEIVED is mosquitto_sub's, one JSON object a line (`-F %J`).

- Each cause is followed in time by a `status` with its word, and one that is not `scanning` has a remedy.
- No region but those named may publish an exit, whatever happened to the radio, and each of those exactly one.
- Events are numbered from 1 without a gap within their epoch.
"""
import argparse
import json
import sys
from datetime import datetime


def wall_seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def complaints(causes, messages, exits):
    """The faults, and the time from each cause to its report."""
    wrong, times = [], []
    statuses = [m["payload"] for m in messages if m["topic"].endswith("/status") and m["payload"]["state"] == "online"]
    for time, word, limit in causes:
        reports = [s for s in statuses if s["radio"] == word and wall_seconds(s["at"]) >= time]
        if not reports:
            wrong.append(f"status never said {word} after {time:.3f}")
            continue
        took = wall_seconds(reports[0]["at"]) - time
        times.append(f"{word} {took:.1f} s")
        if took > limit:
            wrong.append(f"status said {word} after {took:.1f} s, which is more than {limit:g} s")
    for status in statuses:
        if bool(status["remedy"]) == (status["radio"] == "scanning"):
            wrong.append(f"status {status['radio']} has the remedy '{status['remedy']}'")

    events = [m for m in messages if m["topic"].endswith("/event")]
    left = sorted(m["topic"].split("/region/")[1].removesuffix("/event") for m in events if m["payload"]["type"] == "exit")
    if left != sorted(exits):
        wrong.append(f"exits of {left}, expected of {sorted(exits)}")
    numbers = {}
    for event in events:
        numbers.setdefault(event["payload"]["epoch"], set()).add(event["payload"]["seq"])
    for seen in numbers.values():
        if seen != set(range(1, len(seen) + 1)):
            wrong.append(f"events are numbered {sorted(seen)}")
    return wrong, times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--exits", nargs="*", default=[])
    parser.add_argument("causes")
    parser.add_argument("received")
    options = parser.parse_args()
    with open(options.causes) as file:
        words = [line.split() for line in file]
    with open(options.received) as file:
        messages = [json.loads(line) for line in file]
    messages = [m for m in messages if m["topic"].startswith("beacons/")]
    causes = [(float(word[0]), word[1], float(word[2])) for word in words]
    wrong, times = complaints(causes, messages, options.exits)
    print("\n".join(wrong) if wrong else ", ".join(times))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
