"""A payload as it came ⇄ a message that the database may be given. What is doubtful is refused here, with the reason.

Each kind is a table: field, whether it must be there, and the check that it passes. Fields that no table names are kept as
they are, because a newer agent may send more.
"""

import json
import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from . import contract
from .topics import Address, Unreadable, is_level

# A batch of deferred fixes is the largest message that agents make; ten times as much is none of theirs.
LARGEST_PAYLOAD_BYTES = 1 << 20
# That of a store with 64 gateways of the longest names is half as long.
LARGEST_HEALTH_BYTES = 32 * 1024
# What a double can be, and the digits of 2^64 and no more.
LARGEST_EXPONENT, LONGEST_INTEGER = 308, 20

# `beacond site` speaks as a gateway of this name.
STORE = "site"

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", re.ASCII)
# The database would round a time of more than six digits, up as well, and so into the year 10000.
LONG_TIME = re.compile(r'("\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})\d{1,3}Z"', re.ASCII)
EPOCH = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
Check = Callable[[Any], bool]
Table = dict[str, tuple[bool, Check]]


def is_integer(value: Any, lowest: int, highest: int) -> bool:
    """Python takes True for 1; a message that says true means something else."""
    return type(value) is int and lowest <= value <= highest


def is_number(value: Any, lowest: float, highest: float) -> bool:
    return type(value) in (int, float) and lowest <= value <= highest


def is_time(value: Any) -> bool:
    if not isinstance(value, str) or not TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value[:19])
    except ValueError:
        return False
    return True


def is_text(value: Any, longest: int = 500) -> bool:
    return isinstance(value, str) and len(value) <= longest


def is_name(value: Any) -> bool:
    return isinstance(value, str) and is_level(value)


def is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


def number(lowest: float, highest: float) -> Check:
    return lambda value: is_number(value, lowest, highest)


def integer(lowest: int, highest: int) -> Check:
    return lambda value: is_integer(value, lowest, highest)


def one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def is_fix(value: Any) -> bool:
    return isinstance(value, dict) and fault_in(value, FIX) is None


# Beyond this a reader of JSON may take two numbers for one, and a database runs out of room for the one after the last.
LARGEST_NUMBER = 2**53 - 1
NUMBERS = integer(1, LARGEST_NUMBER)
BEACON_VALUE = integer(0, 65535)
PLACE: Table = {"latitude": (True, number(-90, 90)), "longitude": (True, number(-180, 180))}
ANY_NUMBER = number(-1e300, 1e300)
FIX: Table = PLACE | {
    "at": (True, is_time), "horizontal_accuracy_m": (True, number(0, 1e9)), "altitude_m": (False, ANY_NUMBER),
    "speed_m_s": (False, ANY_NUMBER), "course_deg": (False, ANY_NUMBER), "heading_deg": (False, ANY_NUMBER),
}
EPOCH_FIELD: Table = {"epoch": (True, lambda value: isinstance(value, str) and EPOCH.fullmatch(value) is not None)}
COMMON: Table = {
    "schema": (True, integer(1, 1)), "at": (True, is_time), "clock": (False, one_of("synced", "unsynced")),
    "site": (False, is_name), "gateway": (False, is_name),
}
TABLES: dict[str, Table] = {
    "event": EPOCH_FIELD | {
        "seq": (True, NUMBERS), "type": (True, one_of("enter", "exit")), "region": (True, is_name),
        "zone": (False, is_name), "dwell_s": (False, number(0, 1e12)), "entered_at": (False, is_time),
        "last_heard_at": (False, is_time), "last_inside_at": (False, is_time), "partial": (False, is_boolean),
        "inferred": (False, is_boolean), "unmonitored": (False, is_boolean),
        "location": (False, lambda value: isinstance(value, dict) and fault_in(value, PLACE) is None),
    },
    "gap": EPOCH_FIELD | {
        "from_seq": (False, NUMBERS), "to_seq": (False, NUMBERS), "from_span": (False, NUMBERS),
        "to_span": (False, NUMBERS), "from_surge": (False, NUMBERS), "to_surge": (False, NUMBERS), "from_batch": (False, NUMBERS), "to_batch": (False, NUMBERS),
        "cause": (True, is_text),
    },
    "coverage": EPOCH_FIELD | {
        "span": (True, NUMBERS), "from_at": (True, is_time), "to_at": (True, is_time), "radio": (True, is_text),
    },
    "surge": EPOCH_FIELD | {
        "surge": (True, NUMBERS), "from_at": (True, is_time), "to_at": (True, is_time), "region": (True, is_name),
        "refused": (True, NUMBERS), "identities": (True, NUMBERS),
    },
    "status": EPOCH_FIELD | {
        "state": (True, one_of("online", "offline")), "radio": (True, is_text), "version": (False, is_text),
        "remedy": (False, is_text),
    },
    # The contract's schema says the rest.
    "health": {},
    "state": {
        "region": (True, is_name), "zone": (False, is_name), "state": (True, one_of("inside", "outside", "unknown")),
        "since": (True, is_time), "event_seq": (False, integer(0, LARGEST_NUMBER)), "epoch": (False, EPOCH_FIELD["epoch"][1]),
    },
    "location": {"fix": (True, is_fix), "age_s": (False, number(0, 1e12)), "service": (False, is_text)},
    "track": EPOCH_FIELD | {
        "batch": (True, NUMBERS), "finished": (True, one_of("distance", "timeout", "stopped")),
        "fixes": (True, lambda value: isinstance(value, list) and all(map(is_fix, value))),
    },
}
BEACON: Table = {
    "uuid": (True, lambda value: isinstance(value, str) and UUID.fullmatch(value) is not None),
    "major": (True, BEACON_VALUE), "minor": (True, BEACON_VALUE),
    "rssi_dbm": (False, lambda value: value is None or is_number(value, -127, 20)),
    "accuracy_m": (False, number(-1, 1000)), "accuracy_error_m": (False, number(-1, 1000)),
    "proximity": (False, one_of("unknown", "immediate", "near", "far")),
}
CIRCLE: Table = {
    "center": (True, lambda value: isinstance(value, dict) and fault_in(value, PLACE) is None),
    "radius_m": (True, number(0, 1e9)), "distance_m": (False, number(0, 1e9)),
}


HEALTH = contract.check_of("health")


def fault_in(message: dict[str, Any], table: Table) -> str | None:
    """The first field that breaks its table, and how."""
    for field, (required, passes) in table.items():
        if field not in message:
            if required:
                return f"{field}: missing"
        elif not passes(message[field]):
            return f"{field}: not a value that it can have"
    return None


def read(payload: bytes, address: Address) -> str | None:
    """The text of a message that fits its address; `None` for an empty one, which only clears a retained topic.

    Raises Unreadable with the reason.
    """
    if not payload and address.kind in ("state", "status", "health", "location"):
        return None
    longest = LARGEST_HEALTH_BYTES if address.kind == "health" else LARGEST_PAYLOAD_BYTES
    if len(payload) > longest:
        raise Unreadable(f"payload: longer than {longest} bytes")
    text, message = decoded(payload)
    fault = fault_in(message, COMMON | TABLES[address.kind])
    if not fault and address.kind == "health" and (field := HEALTH(message)) is not None:
        fault = f"{field}: not a value that it can have"
    if not fault and address.kind == "event":
        fault = fault_in_event(message)
    if not fault and address.kind == "gap":
        fault = fault_in_gap(message)
    if not fault and address.kind in ("coverage", "surge") and seconds(message["to_at"]) < seconds(message["from_at"]):
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


def fault_in_event(message: dict[str, Any]) -> str | None:
    """An event is a beacon's or a circle's; an exit carries the stay that it ends."""
    is_circle = "center" in message
    if fault := fault_in(message, CIRCLE if is_circle else BEACON):
        return fault
    if message["type"] == "enter":
        return None
    for field in ("entered_at", "last_inside_at" if is_circle else "last_heard_at", "dwell_s"):
        if field not in message:
            return f"{field}: missing"
    return None


GAP_PAIRS = (("from_seq", "to_seq"), ("from_span", "to_span"), ("from_surge", "to_surge"), ("from_batch", "to_batch"))


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
        # The store's own events name the gateway whose news decided them, and a surge its region, which no topic of its does.
        is_told_here = field == "gateway" and address.gateway == STORE or field == "region" and address.kind == "surge"
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
