#!/usr/bin/env python3
"""Holds what reached a broker through the real stack against what a replay of the same capture says.

compare.py --began UNIX_S --ended UNIX_S [--at-least EVENTS] EXPECTED RECEIVED

EXPECTED is the output of `beacond replay --output jsonl`; RECEIVED is mosquitto_sub's, one JSON object a line
(`-F %J`). `--began` and `--ended` are the moments at which the capture's first and last record reached the kernel.

The script compares region events and each region's states, in order, field by field by the rules below. Ranging, health
and status depend on timers of the process's own and are left out.
"""
import argparse
import difflib
import json
import sys
from datetime import datetime

TOLERANCE_S = 0.3


class Message:
    """One event or state, its times in seconds since the capture began."""

    def __init__(self, topic, qos, retained, payload, began):
        self.topic, self.qos, self.retained = topic, qos, bool(retained)
        self.payload, self.began = payload, began

    @property
    def is_event(self):
        return self.topic.endswith("/event")

    @property
    def at(self):
        return self.seconds(self.payload.get("at"))

    def seconds(self, text):
        """A state from before the capture counts from its beginning."""
        return max(0.0, wall_seconds(text) - self.began)

    def outline(self):
        """The fields that must be equal for two messages about one thing."""
        said = self.payload.get("type" if self.is_event else "state")
        return (self.topic, said, self.payload.get("major"), self.payload.get("minor"))

    def __str__(self):
        topic, said, major, minor = self.outline()
        beacon = "" if major is None else f" {major}/{minor}"
        number = self.payload.get("seq" if self.is_event else "event_seq")
        return f"{self.at:8.3f} s  {topic}  {said}{beacon}  #{number}"


def wall_seconds(text):
    """RFC 3339 in UTC, as the contract has it, to Unix seconds."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def same_time(expected, received, expected_value, received_value):
    return abs(expected.seconds(expected_value) - received.seconds(received_value)) <= TOLERANCE_S


def within(tolerance):
    return lambda _, __, expected, received: abs(expected - received) <= tolerance


# Fields that may differ, and by how much. Every other field must be equal, and must be there on both sides.
RULES = {
    "at": same_time,
    "since": same_time,
    "entered_at": same_time,
    "last_heard_at": same_time,
    # Each of its two ends may be off by the tolerance.
    "dwell_s": within(2 * TOLERANCE_S),
    # A replay's clock counts as set; the guest's was never synchronised.
    "clock": lambda _, __, expected, received: (expected, received) == ("synced", "unsynced"),
    # One per outbox, so these are two; that each stream has one only is checked apart.
    "epoch": lambda _, __, expected, received: isinstance(expected, str) and isinstance(received, str),
    # Filters weigh readings by their age, and ages differ by what the kernel and the scheduler took.
    "rssi_dbm": within(0.5),
    # It follows movement, which looks at the differences of readings.
    "accuracy_error_m": lambda _, __, expected, received: expected > 0 and abs(expected - received) <= 0.1 + 0.1 * expected,
    "accuracy_m": lambda _, __, expected, received: expected > 0 and abs(expected - received) <= 0.02 + 0.05 * expected,
}


def differences(expected, received):
    """The fields in which two messages differ more than the rules allow, as lines."""
    lines = []
    for name in ("qos", "retained"):
        if getattr(expected, name) != getattr(received, name):
            lines.append(f"{name}: expected {getattr(expected, name)}, received {getattr(received, name)}")
    absent = object()
    for field in {**expected.payload, **received.payload}:
        wanted, got = expected.payload.get(field, absent), received.payload.get(field, absent)
        if wanted is absent or got is absent:
            lines.append(f"{field}: {'not expected' if wanted is absent else 'not received'}")
        elif wanted != got and not agree(RULES.get(field), expected, received, wanted, got):
            lines.append(f"{field}: expected {wanted}, received {got}")
    return lines


def agree(rule, expected, received, wanted, got):
    try:
        return rule is not None and rule(expected, received, wanted, got)
    except (TypeError, ValueError, AttributeError):
        return False


def compare(expected, received, ended_s):
    """Lines that say how two lists of messages differ; none where they agree."""
    lines = []
    outlines = [m.outline() for m in expected], [m.outline() for m in received]
    for verb, a, b, c, d in difflib.SequenceMatcher(None, *outlines, autojunk=False).get_opcodes():
        if verb == "equal":
            for wanted, got in zip(expected[a:b], received[c:d]):
                found = differences(wanted, got)
                lines += [f"  {wanted}"] * bool(found) + [f"      {line}" for line in found]
        else:
            # What happens as the capture ends may fall on either side of its end.
            lines += [f"- {m}" for m in expected[a:b] if m.at < ended_s - TOLERANCE_S]
            lines += [f"+ {m}" for m in received[c:d] if m.at < ended_s - TOLERANCE_S]
    return lines


def without_repeats(states):
    """Drops states that say again what their topic said last, as after every new connection to the broker."""
    kept, last = [], {}
    for state in states:
        said = {k: v for k, v in state.payload.items() if k not in ("at", "clock")}
        if last.get(state.topic) != said:
            kept.append(state)
        last[state.topic] = said
    return kept


def split(messages, ended_s):
    """Events in their order, and the states of each topic in theirs."""
    messages = [m for m in messages if m.at <= ended_s + TOLERANCE_S]
    events = [m for m in messages if m.is_event]
    states = without_repeats([m for m in messages if m.topic.endswith("/state")])
    return events, sorted(states, key=lambda m: m.topic)


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def is_of_region(topic):
    return "/region/" in topic and topic.endswith(("/event", "/state"))


def expected_messages(lines):
    lines = [line for line in lines if is_of_region(line["topic"])]
    if not lines:
        return []
    began = wall_seconds(lines[0]["payload"]["at"]) - lines[0]["t"]
    return [Message(line["topic"], line["qos"], line["retain"], line["payload"], began) for line in lines]


def received_messages(lines, began):
    return [
        Message(line["topic"], line["qos"], line["retain"], line["payload"], began)
        for line in lines
        if is_of_region(line["topic"])
    ]


def report(expected, received, ended_s, at_least):
    """The verdict's lines, and whether it is a good one."""
    lines = []
    (wanted_events, wanted_states), (got_events, got_states) = split(expected, ended_s), split(received, ended_s)
    if len(wanted_events) < at_least:
        lines.append(f"the replay has {len(wanted_events)} events, and the scenario promises at least {at_least}")
    for name, stream in (("expected", wanted_events), ("received", got_events)):
        epochs = {m.payload.get("epoch") for m in stream}
        if len(epochs) > 1:
            lines.append(f"{name} events are of {len(epochs)} epochs: {sorted(map(str, epochs))}")
    lines += compare(wanted_events, got_events, ended_s) + compare(wanted_states, got_states, ended_s)
    if lines:
        return ["- expected only, + received only"] + lines, False
    apart = [abs(a.at - b.at) for a, b in zip(wanted_events, got_events)]
    return [
        f"{len(wanted_events)} events and {len(wanted_states)} states equal, at most {max(apart, default=0):.3f} s apart"
    ], True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--began", type=float, required=True)
    parser.add_argument("--ended", type=float, required=True)
    parser.add_argument("--at-least", type=int, default=1)
    parser.add_argument("expected")
    parser.add_argument("received")
    options = parser.parse_args()
    lines, good = report(
        expected_messages(read(options.expected)),
        received_messages(read(options.received), options.began),
        options.ended - options.began,
        options.at_least,
    )
    print("\n".join(lines))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
