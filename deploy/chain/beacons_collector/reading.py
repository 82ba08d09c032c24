"""A payload as it came ⇄ a message that the database may be given. What is doubtful is refused here, with the reason.

What a field may be is the schema's to say (contract.py). Here stands what no schema can say: which field goes with which, and with the
topic. Fields that no schema names are kept as they are, because a newer agent may send more.
"""

import json
import math
import re
from typing import Any

from .checks import check_of
from .contract import CONTRACT
from .topics import Address, Unreadable

# A batch of deferred fixes is the largest message that agents make; ten times as much is none of theirs.
LARGEST_PAYLOAD_BYTES = 1 << 20
# That of a store with 64 gateways of the longest names is half as long.
LARGEST_HEALTH_BYTES = 32 * 1024
# What a double can be, and the digits of 2^64 and no more.
LARGEST_EXPONENT, LONGEST_INTEGER = 308, 20

# `beacond site` speaks as a gateway of this name.
STORE = "site"

# The database would round a time of more than six digits, up as well, and so into the year 10000.
LONG_TIME = re.compile(r'("\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})\d{1,3}Z"', re.ASCII)

CHECKS = {name: check_of(CONTRACT, name) for name in CONTRACT.kinds}
GAP_PAIRS = CONTRACT.pairs()
# What tells of a time from one moment to another.
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
        raise Unreadable(fault)
    return with_short_times(text, message)


def refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no number")


def finite(word: str) -> float:
    """PostgreSQL keeps every digit that an exponent stands for: a few octets would become 128 KiB, whether or not they are 0."""
    exponent = word.lower().partition("e")[2].lstrip("+-0")
    value = float(word)
    if len(exponent) > 3 or int(exponent or 0) > LARGEST_EXPONENT or math.isinf(value):
        raise ValueError(f"{word[:LONGEST_INTEGER]} is no number to calculate with")
    return value


def bounded(word: str) -> int:
    if len(word.lstrip("-")) > LONGEST_INTEGER:
        raise ValueError(f"{word[:LONGEST_INTEGER]}… is no number to calculate with")
    return int(word)


# json.loads with an option would make one for each message.
DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite, parse_int=bounded)


def decoded(payload: bytes) -> tuple[str, dict[str, Any]]:
    """The payload as text and as the object that it must be."""
    try:
        text = payload.decode("utf-8")
        message = DECODER.decode(text)
        # Both can only be written with \\u in JSON.
        is_storable = "\\u" not in text or can_be_stored(message)
    except UnicodeDecodeError:
        raise Unreadable("payload: not UTF-8") from None
    except RecursionError:
        raise Unreadable("payload: nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"payload: not JSON: {error}") from None
    if not isinstance(message, dict):
        raise Unreadable("payload: not a JSON object")
    if not is_storable:
        raise Unreadable("payload: a NUL character or half of a surrogate pair, which PostgreSQL cannot store")
    return text, message


def with_short_times(text: str, message: dict[str, Any]) -> str:
    """The text as it came, but for times that the database could not keep: they lose what is below a microsecond."""
    plain = json.dumps(message, ensure_ascii=False) if "\\u" in text else text
    return LONG_TIME.sub(r'\1Z"', plain) if LONG_TIME.search(plain) else text


def can_be_stored(value: Any) -> bool:
    """Whether PostgreSQL's jsonb has room for every text in it."""
    if isinstance(value, str):
        return not re.search("[\0\ud800-\udfff]", value)
    if isinstance(value, dict):
        return all(can_be_stored(key) and can_be_stored(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(can_be_stored, value))


def fault_in_gap(message: dict[str, Any]) -> str | None:
    """A gap names the first and the last number of one kind, and nothing of another."""
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
    """Where the payload says something else than its topic."""
    for field in ("site", "gateway", "region", "zone"):
        # The store's own events name the gateway whose news decided them. A surge names its region, and its topic does not.
        is_told_here = field == "gateway" and address.gateway == STORE or field == "region" and not CONTRACT.kinds[address.kind].is_of_region
        if field in message and message[field] != getattr(address, field) and not is_told_here:
            return f"{field}: unlike the topic's"
    if address.zone is not None and "zone" not in message:
        return "zone: missing"
    for field in ("major", "minor"):
        if getattr(address, field) is not None and message.get(field) != getattr(address, field):
            return f"{field}: unlike the topic's"
    return None


def seconds(time: str) -> str:
    """Times in one form sort as text: the fraction is filled up."""
    whole, _, fraction = time[:-1].partition(".")
    return whole + "." + fraction.ljust(9, "0")
