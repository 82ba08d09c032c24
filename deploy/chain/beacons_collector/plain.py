"""Text of strangers without the characters that a terminal obeys: control characters, bidirectional overrides, invisible signs."""

import json
from typing import Any

# Enough to recognise a word, and the widest line.
LONGEST_WORD, LONGEST_LINE = 40, 1000


def plain(word: Any, longest: int = LONGEST_WORD) -> str:
    """The first characters of a word. Each character that does not print becomes U+FFFD."""
    return "".join(one if one.isprintable() else "\ufffd" for one in str(word)[:longest])


def plain_json(value: Any) -> str:
    """A value as JSON that a terminal may show. Characters that do not print are written as JSON's escapes."""
    return "".join(one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in json.dumps(value, indent=1, ensure_ascii=False))
