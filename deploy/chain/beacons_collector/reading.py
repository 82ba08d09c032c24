"""Turns a payload into a message for the database. A doubtful payload is refused here, with the reason.

The schemas define the values of a field (contract.py). This file has the rules that no schema can hold: the relations between fields, and to the
topic. Fields that no schema names are kept as they are, because a newer agent may send more.
"""

import json
import re
from typing import Any

from .checks import check_of
from .contract import CONTRACT
from .decoding import decoded
from .plain import plain
from .topics import Address, Unreadable

# A batch of deferred fixes is the agents' largest message. A message ten times as long comes from no agent.
LARGEST_PAYLOAD_BYTES = 1 << 20
# The health of a store with 64 gateways of the longest names is half as long.
LARGEST_HEALTH_BYTES = 32 * 1024
# The longest path of fields in a reason: a stranger may have named them.
LONGEST_FAULT = 500

# The gateway name of `beacond site`.
STORE = "site"

# The database would round a time with more than six digits, perhaps up into the year 10000.
LONG_TIME = re.compile(r'("\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})\d{1,3}Z"', re.ASCII)

CHECKS = {name: check_of(CONTRACT, name) for name in CONTRACT.kinds}
GAP_PAIRS = CONTRACT.pairs()
# The kinds of messages that cover a time from one moment to another.
SPANS = {name for name, kind in CONTRACT.kinds.items() if {"from_at", "to_at"} <= set(kind.schema["x-essential"])}


def read(payload: bytes, address: Address) -> str | None:
    """The text of a message that fits its address; `None` for an empty one, which only clears a retained topic.

    Raises Unreadable with the reason.
    """
    if not payload and CONTRACT.kinds[address.kind].is_retained:
        return None
    longest = LARGEST_HEALTH_BYTES if address.kind == "health" else LARGEST_PAYLOAD_BYTES
    if len(payload) > longest:
        raise Unreadable(f"payload: longer than {longest} bytes")
    text, message = decoded(payload)
    fault = CHECKS[address.kind](message)
    if not fault and address.kind == "gap":
        fault = fault_in_gap(message)
    if not fault and address.kind in SPANS and seconds(message["to_at"]) < seconds(message["from_at"]):
        fault = "to_at: before from_at"
    fault = fault or difference(message, address)
    if fault:
        raise Unreadable(plain(fault, LONGEST_FAULT))
    return with_short_times(text, message)


def with_short_times(text: str, message: dict[str, Any]) -> str:
    """The text as it came. Times that the database could not keep lose their digits below a microsecond."""
    plain = json.dumps(message, ensure_ascii=False) if "\\u" in text else text
    return LONG_TIME.sub(r'\1Z"', plain) if LONG_TIME.search(plain) else text


def fault_in_gap(message: dict[str, Any]) -> str | None:
    """Checks that a gap names the first and the last number of one series alone."""
    pairs = [pair for pair in GAP_PAIRS if pair[0] in message or pair[1] in message] or [GAP_PAIRS[0]]
    first, last = pairs[0]
    for field in (first, last):
        if field not in message:
            return f"{field}: missing"
    if len(pairs) > 1:
        other = next(field for field in pairs[1] if field in message)
        return f"{other}: beside {first}"
    return f"{last}: below {first}" if message[last] < message[first] else None


def difference(message: dict[str, Any], address: Address) -> str | None:
    """The field in which the payload contradicts its topic."""
    for field in ("site", "gateway", "region", "zone"):
        # The store's own events name the gateway that decided them. A surge names its region, and its topic does not.
        may_differ = field == "gateway" and address.gateway == STORE or field == "region" and not CONTRACT.kinds[address.kind].is_of_region
        if field in message and message[field] != getattr(address, field) and not may_differ:
            return f"{field}: unlike the topic's"
    if address.zone is not None and "zone" not in message:
        return "zone: missing"
    for field in ("major", "minor", "page"):
        if getattr(address, field) is not None and message.get(field) != getattr(address, field):
            return f"{field}: unlike the topic's"
    return None


def seconds(time: str) -> str:
    """Brings times into one form with a full fraction, so that they sort as text."""
    whole, _, fraction = time[:-1].partition(".")
    return whole + "." + fraction.ljust(9, "0")
