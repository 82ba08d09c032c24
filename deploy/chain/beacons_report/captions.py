"""The captions of the figures: they explain the signs that a figure has, and no other."""

from collections.abc import Sequence
from typing import Any

from .plots import Bar


def day_caption(bars: Sequence[Bar]) -> str:
    marks = [mark for bar in bars for mark in (bar.before, bar.usual) if mark]
    return words(
        (True, "Bar: counted visits."),
        (any(bar.low is not None for bar in bars), "Black line: the true number, on nine days of ten."),
        (any(bar.before for bar in bars), "Diamond: the week before."),
        (any(bar.usual for bar in bars), "Dashes: usual."),
        (any(mark.low is not None for mark in marks), "Where these have two ends, a part was not heard."),
        (any(bar.value is not None and not bar.heard for bar in bars), "Striped: less than half was heard."),
        (any(bar.value is None and bar.note == "?" for bar in bars), "?: not heard."))


def hour_caption(bars: Sequence[Bar]) -> str:
    return words(
        (True, "Bar: visits in the hour, all days together."),
        (any(bar.before for bar in bars), "Dashed: the week before."),
        (any(not bar.heard for bar in bars), "Striped: not heard on one of the days."))


def table_caption(rows: Sequence[dict[str, Any]]) -> str:
    cells = [cell["words"] for row in rows for cell in row["cells"]]
    return words(
        (True, "Visits by weekday and hour."),
        (any(cell.endswith("*") for cell in cells), "*: heard in part."),
        ("?" in cells, "?: not heard."),
        ("–" in cells, "–: closed, or to come."))


def words(*parts: tuple[bool, str]) -> str:
    return " ".join(sentence for is_there, sentence in parts if is_there)
