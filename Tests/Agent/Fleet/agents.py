"""Real agents that play simulated shops, and what they publish as scripts for light clients."""

import json
import os
import re

from programs import Program
from servers import run

BEACOND = os.environ.get("BEACOND", "")
CONFIGURATION = """[gateway]
site = "{site}"
id = "{name}"
state_dir = "{folder}"
[mqtt]
url = "mqtt://127.0.0.1:{port}"
[[region]]
id = "carts"
uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
expand = "minor"
"""


def configured(folder, site, name, port):
    folder.mkdir(exist_ok=True)
    file = folder / "config.toml"
    file.write_text(CONFIGURATION.format(site=site, name=name, folder=folder, port=port))
    return file


class Agent(Program):
    """One gateway in real time. A capture that many of them hear is written once."""

    def __init__(self, folder, site, name, port, capture):
        self.name = f"{site}/{name}"
        folder = folder / f"{site}-{name}"
        configuration = configured(folder, site, name, port)
        super().__init__([BEACOND, "replay", capture, "--speed", "1", "--output", "mqtt", "--config", configuration, "--state", folder],
                         folder / "said", cwd=folder)
        self.start()

    def events(self):
        """How many it published, once it has heard all and all of it is delivered."""
        status = self.ended()
        assert status == 0, f"{self.name}: status {status}: {self.said()}"
        return int(re.search(r"events=(\d+)", self.said())[1])


def simulated(folder, seed, seconds):
    """A shop that begins now."""
    capture = folder / f"shop-{seed}.btsnoop"
    run(BEACOND, "simulate", "--seed", seed, "--seconds", seconds, "--start-now", "--write", capture)
    return capture


def script(folder, seed, seconds=600):
    """The messages that a light client repeats: whole visits of an agent, each event with its state, and one message of the other kinds."""
    capture = simulated(folder, seed, seconds)
    configuration = configured(folder / "script", "site", "gateway", 1)
    messages = [json.loads(line) for line in run(BEACOND, "replay", capture, "--config", configuration).splitlines()]
    for message in messages:
        message["topic"] = message["topic"].removeprefix("beacons/site/gateway/")
    kinds = {kind: next(message for message in messages if message["topic"] == kind) for kind in ("status", "health")}
    events, open_visits = [], {}
    for message, next_one in zip(messages, messages[1:] + [None]):
        if not message["topic"].endswith("/event"):
            continue
        state = next_one if next_one and next_one["topic"] == message["topic"].removesuffix("event") + "state" else None
        if message["payload"]["type"] == "enter":
            open_visits[message["topic"]] = len(events)
        elif open_visits.pop(message["topic"], None) is None:
            # Who was there before the agent was.
            continue
        events.append((message, state))
    left_open = set(open_visits.values())
    return kinds | {"events": [event for place, event in enumerate(events) if place not in left_open]}
