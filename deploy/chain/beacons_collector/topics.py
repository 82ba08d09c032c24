"""The address in a topic:  `{prefix}/{site}/{gateway}/…`, where the prefix may have several levels."""

from dataclasses import dataclass

from .contract import CONTRACT

# A site, a gateway, a region or a zone is one level with at most this many octets. The database's indexes rely on it.
LONGEST_LEVEL: int = CONTRACT.shared("topic_level")["x-maxOctets"]
HIGHEST_VALUE: int = CONTRACT.shared("major")["maximum"]


class Unreadable(ValueError):
    """A message that the database does not get: it goes to `rejected` with this reason."""


@dataclass(frozen=True, slots=True)
class Address:
    """The origin of a message, and its subject."""

    kind: str
    site: str
    gateway: str
    region: str | None = None
    major: int | None = None
    minor: int | None = None
    zone: str | None = None
    page: int | None = None


# Kinds whose topics name no region, by the levels after the gateway, and the words of the others.
PLAIN = {kind.topic: kind for kind in CONTRACT.kinds.values() if not kind.is_of_region}
OF_REGIONS = {kind.name: kind for kind in CONTRACT.kinds.values() if kind.is_of_region}


def is_level(value: str) -> bool:
    return 0 < len(value.encode("utf-8", "replace")) <= LONGEST_LEVEL


def site_of(topic: str, prefix: str) -> str:
    """The site in a topic, even of one that no gateway has; empty where there is none."""
    site = topic.removeprefix(prefix + "/").partition("/")[0] if topic.startswith(prefix + "/") else ""
    return site if is_level(site) else ""


def parse(topic: str, prefix: str) -> Address | None:
    """The address in a topic; `None` for messages that are not kept.

    Raises Unreadable for a topic under the prefix that no gateway has.
    """
    if any("\ud800" <= sign <= "\udfff" for sign in topic):
        raise Unreadable("topic: not UTF-8")
    if not topic.startswith(prefix + "/"):
        raise Unreadable("topic: not under the prefix")
    levels = topic[len(prefix) + 1:].split("/")
    if len(levels) < 3 or not is_level(levels[0]) or not is_level(levels[1]):
        raise Unreadable(f"topic: names no site and gateway of 1 to {LONGEST_LEVEL} bytes")
    site, gateway, *rest = levels
    # Requests, answers and ranging are for clients that are connected now, and are not kept. A requester may name a topic
    # below response/ for the answer.
    if rest[0] == "request" and len(rest) == 2 and rest[1] or rest[0] == "response" and len(rest) >= 2 and rest[1]:
        return None
    if kind := PLAIN.get(tuple(rest)):
        return Address(kind.name, site, gateway) if kind.is_kept else None
    if len(rest) == 2 and (kind := PLAIN.get((rest[0], "{page}"))):
        return Address(kind.name, site, gateway, page=number(rest[1], "page")) if kind.is_kept else None
    if rest[0] == "region" and len(rest) >= 3 and (kind := OF_REGIONS.get(rest[-1])):
        address = region_address(kind.name, site, gateway, rest[1:-1])
        if kind.is_kept:
            return address
        if address.zone is None:
            return None
    raise Unreadable("topic: not one of a gateway's")


def region_address(kind: str, site: str, gateway: str, levels: list[str]) -> Address:
    """`{id}`, `{id}/{major}` or `{id}/{major}/{minor}`, then perhaps `zone/{zone}`."""
    zone = None
    if len(levels) >= 3 and levels[-2] == "zone":
        zone, levels = levels[-1], levels[:-2]
    region, *values = levels
    if not is_level(region) or (zone is not None and not is_level(zone)) or len(values) > 2:
        raise Unreadable(f"topic: names no region, or no zone, of 1 to {LONGEST_LEVEL} bytes")
    return Address(kind, site, gateway, region, *[number(value, "major or minor") for value in values] + [None] * (2 - len(values)),
                   zone)


def number(level: str, what: str) -> int:
    """A major, a minor or a page as a topic level. Only one spelling is valid, so that a beacon has one topic."""
    if not level.isascii() or not level.isdigit() or len(level) > 5 or int(level) > HIGHEST_VALUE or level != str(int(level)):
        raise Unreadable(f"topic: a {what} that is no number from 0 to {HIGHEST_VALUE}")
    return int(level)
