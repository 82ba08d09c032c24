"""Simulated store days whose visits are known, and what real agents publish of them while they hear all of it, or 90 or 60 % of it.

Four kinds of stores: trolleys and phones at one gateway and at four, a crowd, and phones whose addresses rotate every few minutes. A gateway that is
stopped in a part of the day hears the packets of the rest, run by run. In some stores the gateways are stopped together, in others each at its own
times. Some days lose a part of their numbers on the way, in holes of 1 to 60.
"""

import json
import random
import re

import btsnoop
from servers import run
from simulated import BEACOND, BEGIN_US, CONFIGURATION, UUID, second_of

HOUR_S = 3600
KINDS = {
    "trolleys": ("--scenario", "chain", "--stores", "1", "--gateways", "1"),
    "rooms": ("--scenario", "chain", "--stores", "1", "--gateways", "4"),
    "crowd": ("--scenario", "crowd"),
    "rotating": ("--scenario", "rotation", "--own-identities", "--phones", "12"),
}
# The share of the opening time that is not heard, in how many pieces, and the share of the numbers that never come.
CONDITIONS = ((0, 0, 0), (0.1, 1, 0), (0.4, 3, 0), (0, 0, 0.05), (0.1, 4, 0), (0.4, 12, 0), (0.1, 2, 0.03), (0.4, 1, 0))
HOLES = (1, 1, 2, 5, 20, 60)
# The quarter of an hour before the store opens, and after it closes, is heard as well.
EDGE_S = HOUR_S // 4
# Who is there from the first second on would be inside without an entry. So the gateway hears the first minute without them.
EMPTY_S = 60


class StoreDay:
    """`visits` is the true number. `messages` are (second, topic, payload) in their order; `open` the opening time in seconds of the day."""

    def __init__(self, number, hours, folder):
        self.kind, self.seed = list(KINDS)[number % len(KINDS)], number
        self.lost, pieces, self.missing = CONDITIONS[(number // len(KINDS) + 3 * number) % len(CONDITIONS)]
        self.site = f"{self.kind}-{number}"
        self.open = (EDGE_S, EDGE_S + hours * HOUR_S)
        self.seconds = self.open[1] + EDGE_S
        self.chance = random.Random(self.site)
        captures, truth = self.simulate(folder)
        self.beacons = [one for one in truth["beacons"] if one["uuid"] == UUID and one["kind"] in ("phone", "cart")]
        self.visits = len(self.beacons)
        together = self.stops(pieces)
        self.messages = []
        for gateway, capture in enumerate(captures, 1):
            stops = together if gateway == 1 or number % 2 else self.stops(pieces)
            self.messages += self.without_lost_numbers(self.published(f"g{gateway}", capture, stops, folder))
        self.messages.sort(key=lambda message: message[0])

    def simulate(self, folder):
        """The captures of all gateways, and the truth."""
        options = KINDS[self.kind]
        if "chain" in options:
            options += ("--open", f"{clock(self.open[0])}-{clock(self.open[1])}")
        run(BEACOND, "simulate", *options, "--seed", self.seed, "--seconds", self.seconds, "--write", folder / f"{self.site}.btsnoop",
            "--truth", folder / f"{self.site}.json")
        captures = sorted(folder.glob(f"{self.site}*.btsnoop"), key=lambda path: int(re.findall(r"\d+", path.stem)[-1]))
        return captures, json.loads(next(folder.glob(f"{self.site}*.json")).read_text())

    def stops(self, pieces):
        """When a gateway is stopped: so many pieces of any length at any place of the opening time."""
        if not pieces:
            return []
        opening_s = self.open[1] - self.open[0]
        cuts = [0, *sorted(self.chance.random() for _ in range(pieces - 1)), 1]
        lengths = [max(20, (end - begin) * self.lost * opening_s) for begin, end in zip(cuts, cuts[1:], strict=False)]
        places, at_s, stops = sorted(self.chance.uniform(0, opening_s - sum(lengths)) for _ in lengths), self.open[0], []
        for place, length in zip(places, lengths, strict=True):
            stops.append((at_s + place, at_s + place + length))
            at_s += length
        return stops

    def published(self, gateway, capture, stops, folder):
        """The messages of a gateway that is stopped at these times."""
        config, state = folder / f"{self.site}-{gateway}.toml", folder / f"{self.site}-{gateway}"
        text = CONFIGURATION.format(site=self.site, gateway=gateway, uuid=UUID).replace('id = "phones"', 'id = "all"').replace("major = 2\n", "")
        config.write_text(text)
        messages = []
        for part in self.parts(capture, [0, *(second for stop in stops for second in stop), self.seconds + 1], state):
            for line in run(BEACOND, "replay", part, "--config", config, "--state", state).decode().splitlines():
                if '/ranging"' not in line and '/health"' not in line:
                    message = json.loads(line)
                    messages.append((second_of(message["payload"]["at"]), message["topic"], message["payload"]))
            part.unlink()
        return messages

    def parts(self, capture, edges, name):
        """Captures of the times that are heard. One that hears nothing is left out."""
        there = {address["address"] for one in self.beacons if one["entered_at_s"] < 1 for address in one["addresses"]}
        heard = list(zip(edges[::2], edges[1::2], strict=True))
        packets = [[] for _ in heard]
        for time_us, flags, octets in btsnoop.records(capture):
            at_s = (time_us - BEGIN_US) / 1e6
            if at_s < EMPTY_S and ":".join(f"{octet:02X}" for octet in reversed(octets[7:13])) in there:
                continue
            for (begin, end), kept in zip(heard, packets, strict=True):
                if begin <= at_s < end:
                    kept.append((time_us, flags, octets))
        capture.unlink()
        for index, kept in enumerate(packets):
            if kept:
                part = name.with_name(f"{name.name}-{index}.part")
                btsnoop.write(part, kept)
                yield part

    def without_lost_numbers(self, messages):
        numbers = sorted((payload["epoch"], payload["seq"]) for _, topic, payload in messages if topic.endswith("/event"))
        lost = set()
        while len(lost) < self.missing * len(numbers):
            length = self.chance.choice(HOLES)
            first = self.chance.randrange(max(1, len(numbers) - length))
            lost.update(numbers[first:first + length])
        return [message for message in messages if not message[1].endswith("/event") or (message[2]["epoch"], message[2]["seq"]) not in lost]


def clock(second):
    return f"{second // 3600:02}:{second % 3600 // 60:02}"
