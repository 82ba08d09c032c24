"""The gateways as the broker knows them: whether each is there, whether its radio hears, and which settings it has."""

import fnmatch
import json
import sys
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any, TextIO

from beacons_collector.plain import LONGEST_LINE, plain

# The levels of topics behind a gateway that this package reads.
TOPICS = ("status", "settings/reported", "settings/desired")
# A gateway's id that stands for the store as a whole, which takes no settings.
STORE = "site"
# The longest message that is read. Status and report are far below; desired settings have at most this.
MAX_OCTETS = 262_144
# The highest version of settings: each JSON parser reads it exactly.
MAX_VERSION = 2**53 - 1
# How far a gateway's version may be above the usual one. All gateways get the next version, so a higher one was made up to use versions up.
MOST_AHEAD = 1_000_000
# The longest name of a site and of a gateway.
LONGEST_LEVEL_OCTETS = 128


@dataclass
class Gateway:
    """One gateway, by its retained messages."""

    # SITE/ID.
    name: str
    status: dict[str, Any] = field(default_factory=dict)
    reported: dict[str, Any] = field(default_factory=dict)
    # The message that the broker retains for it; None where there is none.
    desired: dict[str, Any] | None = None
    # Since when it has been online without a break, by this program's clock; None while it is offline or not known to be online.
    online_since: float | None = None

    @property
    def is_online(self) -> bool:
        return self.status.get("state") == "online"

    @property
    def radio(self) -> str:
        return plain(self.status.get("radio", "unknown"))

    @property
    def hears(self) -> bool:
        return self.radio in ("scanning", "replay")

    @property
    def in_effect(self) -> dict[str, Any]:
        settings = self.status.get("settings")
        settings = settings if isinstance(settings, dict) else {}
        digest = settings.get("digest")
        return {"version": version_of(settings), "digest": digest if isinstance(digest, str) else None}

    @property
    def label(self) -> str:
        """The name of the gateway for people."""
        return plain(self.name, LONGEST_LINE)

    @property
    def highest_version(self) -> int:
        """The highest version that it has been sent or has published. The next one has to be above it."""
        versions = [self.in_effect["version"], version_of(self.reported), version_of(self.desired or {})]
        return max([one for one in versions if one is not None], default=0)

    @property
    def is_former_known(self) -> bool:
        """Whether the broker has the settings that the gateway uses. A new broker has none."""
        version = self.in_effect.get("version")
        return version is None or version_of(self.desired or {}) == version

    @property
    def former_tables(self) -> dict[str, Any]:
        """The tables in effect, to go back to. Any client that may write the topic could have published tables that the gateway refused,
        so those that are not in effect do not count."""
        version = self.in_effect["version"]
        tables = (self.desired or {}).get("tables") if version is not None and self.is_former_known else {}
        return tables if isinstance(tables, dict) else {}


class Gateways:
    """All gateways below a prefix, as the broker knows them."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.all: dict[str, Gateway] = {}

    @property
    def filters(self) -> list[str]:
        return [f"{self.prefix}/+/+/{topic}" for topic in TOPICS]

    def take(self, topic: str, payload: bytes, now: float) -> Gateway | None:
        """Takes a message. Returns the gateway that it changes; None where it changes none."""
        if not topic.startswith(self.prefix + "/"):
            return None
        site, _, rest = topic[len(self.prefix) + 1:].partition("/")
        identity, _, kind = rest.partition("/")
        if kind not in TOPICS or identity == STORE or any(len(one.encode()) > LONGEST_LEVEL_OCTETS for one in (site, identity)):
            return None
        content = document(payload)
        if content is None and payload:
            return None
        gateway = self.all.setdefault(f"{site}/{identity}", Gateway(f"{site}/{identity}"))
        if kind == "status":
            gateway.status = content or {}
            if not gateway.is_online:
                gateway.online_since = None
            elif gateway.online_since is None:
                gateway.online_since = now
        elif kind == "settings/reported":
            gateway.reported = content or {}
        else:
            gateway.desired = content
        return gateway

    def lose_broker(self) -> None:
        """The connection to the broker is gone: what happens until the next one is not known."""
        for gateway in self.all.values():
            gateway.online_since = None

    @property
    def highest_usual_version(self) -> int:
        """The highest version that counts. It follows from the median of the stores' medians: a store can name any number of gateways and versions."""
        of_stores: dict[str, list[int]] = {}
        for one in self.all.values():
            of_stores.setdefault(one.name.partition("/")[0], []).append(one.highest_version)
        return median_low([median_low(versions) for versions in of_stores.values()] or [0]) + MOST_AHEAD

    def selected(self, patterns: list[str]) -> list[Gateway]:
        """Returns the gateways that have a status and whose SITE/ID fits a pattern of the shell. They are in the order of their names."""
        named = [one for one in self.all.values() if one.status and any(fnmatch.fnmatchcase(one.name, pattern) for pattern in patterns)]
        return sorted(named, key=lambda one: one.name)


def version_of(content: dict[str, Any]) -> int | None:
    """The version in a message; None where it is none that a gateway takes."""
    version = content.get("version")
    return version if type(version) is int and 1 <= version <= MAX_VERSION else None


def print_line(line: str, file: TextIO | None = None) -> None:
    """Prints a line for people. Names and words in it may be a stranger's."""
    print(plain(line, LONGEST_LINE), file=file or sys.stdout, flush=True)


def document(payload: bytes) -> dict[str, Any] | None:
    """The message as an object; None for anything else."""
    if len(payload) > MAX_OCTETS:
        return None
    try:
        content = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
