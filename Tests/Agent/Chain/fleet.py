"""A simulated chain of stores whose beacons are known, and what real agents publish of them: for the tests of beacons' health.

Seconds count from the beginning of the captures, at midnight. The days are moved so that the last one ended at the last midnight.
"""

import concurrent.futures
import datetime
import json
import os
import re
from dataclasses import dataclass

from servers import run
from simulated import BEACOND, UUID

HOUR_S, DAY_S = 3600, 86_400
SIMULATED = datetime.date(2026, 1, 1)
# Time comes from the captures: a replay has no radio to ask, so its status says nothing about hearing.
PUBLISHED = re.compile(r'"topic":"[^"]*/(beacons/\d+|coverage)"')
CONFIGURATION = """[gateway]
site = "{site}"
id = "{gateway}"
[mqtt]
url = "mqtt://127.0.0.1:1"
[beacons]
telemetry = true
report_interval_s = 3600
[[region]]
id = "fleet"
uuid = "{uuid}"
ranging = false
"""


@dataclass(frozen=True)
class Message:
    at_s: float
    topic: str
    payload: bytes


class Fleet:
    """`beacons` are those of the truth by major and minor. `deaf` is a store's deaf time, in seconds."""

    def __init__(self, folder, stores, gateways, days, seed):
        self.folder, self.days = folder, days
        self.begin = datetime.datetime.now(datetime.UTC).replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(days=days)
        run(BEACOND, "simulate", "--scenario", "fleet", "--seed", seed, "--stores", stores, "--gateways", gateways, "--seconds", days * DAY_S,
            "--write", folder / "fleet.btsnoop", "--truth", folder / "fleet.json")
        truths = [json.loads((folder / f"fleet-{store}.json").read_text()) for store in range(1, stores + 1)]
        self.sites = [truth["site"] for truth in truths]
        self.beacons = {(beacon["major"], beacon["minor"]): beacon for truth in truths for beacon in truth["beacons"]}
        self.deaf = {truth["site"]: [(span["from_s"], span["until_s"]) for span in truth["deaf"]] for truth in truths}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            published = pool.map(lambda one: self.published(*one), [(store, gateway) for store in range(1, stores + 1) for gateway in range(1, gateways + 1)])
            self.messages = sorted((message for messages in published for message in messages), key=lambda message: message.at_s)

    def published(self, store, gateway):
        """The lists and the coverage that an agent publishes, in their order."""
        site, capture = f"store-{store}", self.folder / f"fleet-{store}-{gateway}.btsnoop"
        config = self.folder / f"{store}-{gateway}.toml"
        config.write_text(CONFIGURATION.format(site=site, gateway=f"gateway-{gateway}", uuid=UUID))
        lines = run(BEACOND, "replay", capture, "--config", config).decode().splitlines()
        capture.unlink()
        return [self.message(json.loads(line)) for line in lines if PUBLISHED.search(line)]

    def message(self, line):
        text = re.sub(r'"(\d{4}-\d\d-\d\d)T', lambda day: f'"{self.day(day[1])}T', json.dumps(line["payload"]))
        return Message(self.second(json.loads(text)["at"]), line["topic"], text.encode())

    def day(self, simulated):
        return self.begin.date() + (datetime.date.fromisoformat(simulated) - SIMULATED)

    def second(self, moment):
        """Of a time, or of its text."""
        moment = datetime.datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        return (moment - self.begin).total_seconds()

    def time(self, second):
        return self.begin + datetime.timedelta(seconds=second)

    def register(self):
        """The file of the registered beacons."""
        file = self.folder / "register.csv"
        lines = [f"{line['site']},{UUID},{major},{minor},{line['asset']},{self.day(line['since'])}"
                 for (major, minor), beacon in self.beacons.items() if (line := beacon["register"])]
        file.write_text("\n".join(["site,uuid,major,minor,asset,since", *lines]) + "\n")
        return file

    def covered_s(self, site, from_s, until_s):
        """The time in which the store could hear."""
        deaf_s = sum(max(0, min(end, until_s) - max(begin, from_s)) for begin, end in self.deaf[site])
        return max(0, until_s - from_s - deaf_s)

    def heard_s(self, key, site):
        """The time in which a beacon was in a store that could hear."""
        return sum(self.covered_s(site, stay["from_s"], stay["until_s"]) for stay in self.beacons[key]["stays"] if stay["site"] == site)


def home(beacon):
    return beacon["register"] and beacon["register"]["site"]


def gone_at_s(beacon):
    """When a registered beacon left its store for ever, by death or in a van; None where it is still there."""
    return beacon["died_at_s"] if beacon["died_at_s"] is not None else beacon["moved_at_s"]
