"""The digest of rows: equal for equal rows in any order. It is computed from a stream of the database and again from the written file.

Each row has a 64-bit number, mixed from the values of its columns in order. The digest is the number of rows with two sums over their
numbers, modulo 2⁶⁴, so a row that is missing, double or changed makes another digest.
"""

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Numbers = np.ndarray[Any, np.dtype[np.uint64]]
FACTOR, OTHER, ABSENT = np.uint64(0x9E3779B97F4A7C15), 0xD6E8FEB86659FD93, 0xA0761D6478BD642F
# Separates the elements of a list. Names hold no control characters.
BETWEEN = "\x1f"


class Digest:
    """Adds batches up."""

    def __init__(self) -> None:
        self.rows = 0
        self.sums = [0, 0]

    def add(self, batch: pa.RecordBatch) -> None:
        if not batch.num_rows:
            return
        total = np.zeros(batch.num_rows, np.uint64)
        for place, column in enumerate(batch.columns):
            total *= FACTOR
            total += numbers_of(column, place)
        total = mixed(total)
        self.rows += batch.num_rows
        for index, numbers in enumerate((total, mixed(total ^ np.uint64(OTHER)))):
            self.sums[index] = (self.sums[index] + int(numbers.sum(dtype=np.uint64))) % 2**64

    @property
    def text(self) -> str:
        """The rows and the digest, as a file's name holds them."""
        return f"{self.rows}-{self.sums[0]:016x}{self.sums[1]:016x}"


def mixed(numbers: Numbers) -> Numbers:
    """Spreads each bit over the word: the finaliser of splitmix64."""
    numbers = numbers ^ (numbers >> np.uint64(30))
    numbers *= np.uint64(0xBF58476D1CE4E5B9)
    numbers ^= numbers >> np.uint64(27)
    numbers *= np.uint64(0x94D049BB133111EB)
    numbers ^= numbers >> np.uint64(31)
    return numbers


def numbers_of(column: pa.Array, place: int) -> Numbers:
    """A number for each value. The number depends on the column's place."""
    seed, absent = (np.uint64((place + 1) * constant % 2**64) for constant in (OTHER, ABSENT))
    if column.null_count == len(column):
        return np.full(len(column), absent, np.uint64)
    if pa.types.is_list(column.type):
        column = pc.binary_join(column, BETWEEN)
    if pa.types.is_string(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        distinct = np.fromiter((number_of(text) for text in column.dictionary.to_pylist()), np.uint64, len(column.dictionary))
        numbers = mixed(distinct ^ seed)[column.indices.fill_null(0).to_numpy(zero_copy_only=False)]
    else:
        numbers = mixed(bits_of(column) ^ seed)
    if column.null_count:
        numbers[column.is_null().to_numpy(zero_copy_only=False)] = absent
    return numbers


def number_of(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def bits_of(column: pa.Array) -> Numbers:
    """The values' own bits. Files keep them, of a float too."""
    if pa.types.is_boolean(column.type):
        return column.fill_null(False).to_numpy(zero_copy_only=False).astype(np.uint64)
    if pa.types.is_floating(column.type):
        return column.fill_null(0.0).to_numpy(zero_copy_only=False).view(np.uint64).copy()
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    if pa.types.is_date(column.type):
        column = column.cast(pa.int32())
    return column.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64).view(np.uint64).copy()
