"""A CSV file of an operator: read as a whole, with the line of its first fault."""

import csv
import io
import re
from collections.abc import Callable, Hashable, Iterator
from datetime import date
from pathlib import Path
from typing import TypeVar

# The file is read into memory.
LARGEST_FILE_BYTES = 128 << 20
# A site is a level of a topic.
LONGEST_SITE_BYTES = 128
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# A spreadsheet with German settings saves 01.11.2026.
DOTTED_DAY = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})", re.ASCII)


Row = TypeVar("Row")
Name = TypeVar("Name", bound=Hashable)


class WrongFile(Exception):
    """The fault of a file, with its line."""


def rows(path: Path, header: list[str], more: list[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a file with that header, perhaps with `more` behind it: the number of each, and its fields without the spaces around them.

    Raises WrongFile for a file that cannot be read, another header, and a line with another number of fields.
    """
    text = text_of(path)
    # A spreadsheet with a decimal comma separates fields by semicolons.
    first = text.partition("\n")[0].strip()
    separator = ";" if first in (";".join(header), ";".join(header + more)) else ","
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    try:
        found = next(reader, [])
        if more and found == header + more:
            header = found
        if found != header:
            raise WrongFile(f"{path}:1: the first line must be {','.join(header)}")
        for fields in reader:
            # Spreadsheets leave empty lines and rows of empty fields at the end.
            if not any(map(str.strip, fields)):
                continue
            if len(fields) != len(header):
                raise WrongFile(f"{path}:{reader.line_num}: {len(fields)} fields, not {len(header)}")
            row = {name: field.strip() for name, field in zip(header, fields, strict=True)}
            for name, value in row.items():
                if not value.isprintable():
                    raise WrongFile(f"{path}:{reader.line_num}: {name}: has a character that cannot be printed")
            yield reader.line_num, row
    except csv.Error as error:
        raise WrongFile(f"{path}:{reader.line_num}: {error}") from None


def unique(
    path: Path, header: list[str], read: Callable[[dict[str, str]], Row], name: Callable[[Row], Name], what: str, most: int, more: list[str] | None = None
) -> list[Row]:
    """The rows of a file, one a line, each name once.

    `read` raises ValueError with the field that is wrong. Raises WrongFile with the first line that is wrong.
    """
    found: dict[Name, tuple[Row, int]] = {}
    for line, fields in rows(path, header, more or []):
        try:
            row = read(fields)
            if name(row) in found:
                raise ValueError(f"the {what} of line {found[name(row)][1]} again")
            if len(found) == most:
                raise ValueError(f"more than {most} {what}s")
        except ValueError as error:
            raise WrongFile(f"{path}:{line}: {error}") from None
        found[name(row)] = (row, line)
    return [row for row, _ in found.values()]


def text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            octets = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise WrongFile(f"{path}: {error.strerror}") from None
    if len(octets) > LARGEST_FILE_BYTES:
        raise WrongFile(f"{path}: longer than {LARGEST_FILE_BYTES >> 20} MiB")
    try:
        # With the mark that Excel puts before the first line, or without it.
        return octets.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = octets.count(b"\n", 0, error.start) + 1
        raise WrongFile(f"{path}:{line}: not UTF-8: save it as CSV UTF-8") from None


def site_of(text: str) -> str:
    """A field that names a store. Raises ValueError."""
    if not text:
        raise ValueError("site: empty")
    if len(text.encode()) > LONGEST_SITE_BYTES or any(sign in text for sign in "/+#"):
        raise ValueError(f"site: must be one topic level of at most {LONGEST_SITE_BYTES} bytes, without /, + and #")
    return text


def day_of(name: str, text: str) -> date:
    """A field that is a day. Raises ValueError."""
    try:
        if DAY.fullmatch(text):
            return date.fromisoformat(text)
        if dotted := DOTTED_DAY.fullmatch(text):
            day, month, year = map(int, dotted.groups())
            return date(year, month, day)
    except ValueError:
        pass
    raise ValueError(f"{name}: {text[:50]} is no day such as 2026-11-21 or 21.11.2026")
