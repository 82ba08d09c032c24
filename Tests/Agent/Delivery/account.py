"""The rules for everything that arrived."""

import json

from network import retained
from project import ROOT

CONTRACT = ROOT / "deploy/contract"
SCHEMAS = [json.loads(path.read_text("utf-8")) for path in CONTRACT.glob("*.schema.json")]
# What is numbered besides events: the field with the number, by the topic behind the gateway's.
SERIES = {schema["x-topic"]: schema["x-number"] for schema in SCHEMAS if "x-number" in schema and schema["x-number"] != "seq"}


class Account:
    """The events, the gaps and what else is numbered of one gateway, as they arrived."""

    def __init__(self, gateway, messages):
        self.events, self.gaps, self.duplicates = {}, [], 0
        # Of each other series, what arrived by epoch and number, and the numbers that gaps name.
        self.arrived = {number: {} for number in SERIES.values()}
        self.lost = {number: set() for number in SERIES.values()}
        self.differing, self.disordered = [], []
        self.inOrder = []
        last = {}
        for topic, payload, _ in messages:
            if not topic.startswith(gateway.root):
                continue
            if topic.endswith("/gap"):
                gap = json.loads(payload)
                if "from_seq" in gap:
                    self.gaps.append(gap)
                for number, lost in self.lost.items():
                    lost |= {(gap["epoch"], one) for one in range(gap.get(f"from_{number}", 1), gap.get(f"to_{number}", 0) + 1)}
            if number := SERIES.get(topic.removeprefix(gateway.root)):
                self.take(number, self.arrived[number], payload)
            if not topic.endswith("/event"):
                continue
            event = json.loads(payload)
            key = event["epoch"], event["seq"]
            if key in self.events:
                self.duplicates += 1
                if self.events[key] != (topic, payload):
                    self.differing.append(f"{key}: {self.events[key]} and {(topic, payload)}")
                continue
            self.events[key] = topic, payload
            self.inOrder.append((topic, event))
            if event["seq"] <= last.get(event["epoch"], 0):
                self.disordered.append(f"{event['seq']} after {last[event['epoch']]}")
            last[event["epoch"]] = max(event["seq"], last.get(event["epoch"], 0))
        self.last = last

    def take(self, series, arrived, payload):
        """Another message of a series that has numbers of its own."""
        message = json.loads(payload)
        key = message["epoch"], message[series]
        if arrived.setdefault(key, payload) != payload:
            self.differing.append(f"{series} {key}: {arrived[key]} and {payload}")

    @staticmethod
    def missing_of(arrived, lost):
        """Numbers of a series from 1 to the last of each epoch that never came and that no gap explains."""
        return [
            (epoch, number) for epoch, last in arrived for number in range(1, last)
            if (epoch, number) not in arrived and (epoch, number) not in lost]

    def missing(self):
        """Numbers from 1 to the last of each epoch that never came."""
        return [
            (epoch, seq) for epoch, last in self.last.items() for seq in range(1, last + 1)
            if (epoch, seq) not in self.events]

    def stated(self):
        """Numbers that gaps say are lost."""
        return {
            (gap["epoch"], seq) for gap in self.gaps for seq in range(gap["from_seq"], gap["to_seq"] + 1)}

    def crossings(self, current=None):
        """Where an instance enters twice or exits twice, and the last event of each: by epoch and number. Within an epoch they
        arrive in that order, which is checked by itself; what a broken disk held comes after the epoch that began in memory.
        `current`: the epoch that goes on, where others may have begun in memory. In each regions go on from what was saved, or begin
        anew."""
        faults, lasts, first = [], {}, None
        for topic, event in sorted(
                self.inOrder, key=lambda arrival: (arrival[1]["epoch"] == current, arrival[1]["epoch"], arrival[1]["seq"])):
            first = first or event["epoch"]
            goes_on = event["epoch"] == first or current is None
            if not goes_on:
                lasts = {one: before for one, before in lasts.items() if before["epoch"] == event["epoch"]}
            before = lasts.get(topic)
            was = before["type"] if before else "exit" if goes_on else "unknown"
            if event["type"] == was:
                faults.append(f"{topic}: {event['type']} {event['seq']} after {before and before['seq']}")
            lasts[topic] = event
        return faults, lasts

    def hold(self, checks, name, gateway, port, is_complete=True, begins_anew=False):
        """The promises that hold whatever happened. `is_complete`: no number may be missing at all. `begins_anew`: a disk failed
        for a moment, so that a new epoch may have begun in memory, and what waited on the disk may come later."""
        for number, arrived in self.arrived.items():
            checks.none(f"{name}: no {number} is missing", self.missing_of(arrived, self.lost[number]))
        checks.none(f"{name}: what comes twice is identical", self.differing)
        if not begins_anew:
            checks.none(f"{name}: first arrivals ascend within an epoch", self.disordered)
        if not is_complete:
            return
        stated = self.stated() if begins_anew else set()
        checks.none(f"{name}: every number from 1 to the last arrives", sorted(set(self.missing()) - stated))
        epoch, next_seq, waiting = gateway.numbers()
        faults, lasts = self.crossings(epoch if begins_anew else None)
        checks.none(f"{name}: entries and exits alternate", faults)
        states = retained(port, gateway.root + "region/#")
        wrong = []
        for topic, event in lasts.items():
            state = states.get(topic.removesuffix("event") + "state", {})
            # A state names events of its own epoch alone. One that began later may have none.
            seq = event["seq"] if state.get("epoch") == event["epoch"] else 0
            expected = ("inside" if event["type"] == "enter" else "outside"), seq
            if (state.get("state"), state.get("event_seq")) != expected:
                wrong.append(f"{topic}: {state}, but the last event is {event['type']} {event['seq']}")
        checks.none(f"{name}: the retained state names the last event of its epoch", wrong)
        checks.check(
            f"{name}: the last number that was given arrived, and nothing waits",
            (self.last.get(epoch, 0), waiting) == (next_seq - 1, 0), f"{self.last} of {next_seq - 1}, {waiting} wait")
