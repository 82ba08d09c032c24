"""JSON ─► text and object, with a bounded cost for each octet.

PostgreSQL keeps every digit of a number: `1e308` becomes 309 octets, and `[1e308,1e308,…]` becomes sixty times what came. A message that
PostgreSQL cannot parse would fail together with its whole batch. So the limits hold here, before the database sees the message.
"""

import json
import math
import re
from typing import Any

from .plain import plain
from .topics import Unreadable

# The limits of a double, with room for more digits than it has.
MOST_DIGITS, LARGEST_EXPONENT = 30, 308
# The contract's deepest message has five levels. A reader takes some stack for each.
MOST_LEVELS = 32
# The text that PostgreSQL makes of a message, as a multiple of the octets that came.
LARGEST_GROWTH = 4

# A string, or a number that is long or has an exponent. All other numbers are passed over.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|(-?(?:[0-9][0-9.]{%d,}|[0-9.]+[eE])[-+.0-9eE]*)' % (MOST_DIGITS - 1), re.DOTALL)
STORABLE = re.compile("[^\0\ud800-\udfff]*")


class Refused(ValueError):
    """A value that JSON allows and the collector refuses, with the reason."""


class BadNumber(Refused):
    """A number beyond the limits."""


class Decoder:
    """Decodes one message. `room` is the number of octets that PostgreSQL may add when it writes the numbers out."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.decode = json.JSONDecoder(
            parse_constant=refuse_constant, parse_int=self.whole, parse_float=self.fraction, object_pairs_hook=members).decode

    def whole(self, word: str) -> int:
        # A sign is no digit.
        if len(word) > MOST_DIGITS and (fault := fault_in_number(word)):
            raise BadNumber(fault)
        return int(word)

    def fraction(self, word: str) -> float:
        # A number of so few characters without an exponent has no fault.
        if len(word) > MOST_DIGITS or "e" in word or "E" in word:
            if fault := fault_in_number(word):
                raise BadNumber(fault)
            self.room -= int(parts(word)[1])
            if self.room < 0:
                raise Refused(f"its numbers, written out, are more than {LARGEST_GROWTH} times as long as the message: send fewer large exponents")
        return float(word)


def parts(word: str) -> tuple[str, str]:
    """The digits of a number with their sign and point, and its exponent without its sign."""
    mantissa, _, exponent = word.lower().partition("e")
    return mantissa, exponent.lstrip("+-0") or "0"


def refuse_constant(word: str) -> None:
    raise Refused(f"{word} is no number: leave the field out")


def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuses a key that comes twice. Readers of JSON differ in which of both they take, and a check would see only one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise Refused(f'the key "{plain(twice)}" comes twice in one object: send each key once')
    return found


def fault_in_number(word: str) -> str | None:
    """The fault of a number, with the limit and the remedy; None for one to calculate with."""
    mantissa, exponent = parts(word)
    if len(mantissa) - mantissa.count(".") - mantissa.count("-") > MOST_DIGITS:
        return f"the number {word[:MOST_DIGITS]}… has more than {MOST_DIGITS} digits: round it"
    if len(exponent) > len(str(LARGEST_EXPONENT)) or int(exponent) > LARGEST_EXPONENT or math.isinf(value := float(word)) or not value and mantissa.strip("-0."):
        return f"the number {plain(word)} is beyond the exponent {LARGEST_EXPONENT}: send it in another unit"
    return None


def decoded(payload: bytes) -> tuple[str, dict[str, Any]]:
    """The payload as text and as the object that it must be. Raises Unreadable."""
    # PostgreSQL writes a space after each comma and colon.
    decoder = Decoder((LARGEST_GROWTH - 1) * len(payload) - payload.count(b",") - payload.count(b":"))
    try:
        text = payload.decode("utf-8")
        message = decoder.decode(text)
    except UnicodeDecodeError as error:
        raise Unreadable(f"payload: not UTF-8 at octet {error.start}") from None
    except RecursionError:
        raise Unreadable(f"payload: {too_deep()}") from None
    except BadNumber as error:
        raise Unreadable(f"payload: {error} ({place_in(text)})") from None
    except Refused as error:
        raise Unreadable(f"payload: {error}") from None
    except ValueError as error:
        raise Unreadable(f"payload: not JSON: {error}") from None
    if not isinstance(message, dict):
        raise Unreadable("payload: not a JSON object")
    if text.count("[") + text.count("{") > MOST_LEVELS and levels(message) > MOST_LEVELS:
        raise Unreadable(f"payload: {too_deep()}")
    # JSON can only write both with \\u.
    if "\\u" in text and (key := not_storable(message)) is not None:
        raise Unreadable(f"payload: {key}a NUL character or half of a surrogate pair, which PostgreSQL cannot store")
    return text, message


def too_deep() -> str:
    return f"nested deeper than {MOST_LEVELS} levels: send flatter objects"


def place_in(text: str) -> str:
    """The place of the first number with a fault."""
    found = (token.start() for token in TOKEN.finditer(text) if token[1] and fault_in_number(token[1]))
    return f"character {next(found, 0)}"


def levels(value: Any) -> int:
    """The number of objects and lists around the innermost value."""
    depth, containers = 0, [value]
    while containers:
        depth += 1
        containers = [one for outer in containers for one in (outer.values() if isinstance(outer, dict) else outer) if isinstance(one, (dict, list))]
    return depth


def not_storable(value: Any) -> str | None:
    """The outermost key of the first text that PostgreSQL's jsonb cannot hold, with a colon; None where it can hold all."""
    if isinstance(value, str):
        return None if STORABLE.fullmatch(value) else ""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        if isinstance(key, str) and not STORABLE.fullmatch(key) or not_storable(one) is not None:
            return f"{plain(key)}: "
    return None
