"""Text of strangers without the characters that a terminal obeys: control characters, bidirectional overrides, invisible signs."""

from typing import Any

# Enough to recognise a word.
LONGEST_WORD = 40


def plain(word: Any, longest: int = LONGEST_WORD) -> str:
    """The first characters of a word. Each character that does not print becomes U+FFFD."""
    return "".join(one if one.isprintable() else "\ufffd" for one in str(word)[:longest])
