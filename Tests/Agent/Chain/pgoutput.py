"""The stream of the plugin pgoutput, version 1, as pg_recvlogical writes it: the rows that were inserted, by table.

PostgreSQL's documentation, 55.9 Logical Replication Message Formats. pg_recvlogical ends each message with a line break.
"""

import struct

# Octets behind the first one.
FIXED = {b"B": 20, b"C": 25}


class Truncated(Exception):
    """A message that is not whole: the reader was killed as it wrote."""


class Stream:
    def __init__(self, octets):
        self.octets, self.at = octets, 0
        self.names, self.columns = {}, {}

    def take(self, count):
        if self.at + count > len(self.octets):
            raise Truncated
        self.at += count
        return self.octets[self.at - count:self.at]

    def number(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(form)))[0]

    def text(self):
        end = self.octets.find(b"\0", self.at)
        if end < 0:
            raise Truncated
        return self.take(end - self.at + 1)[:-1].decode()

    def relation(self):
        number = self.number("I")
        self.text()
        self.names[number] = self.text()
        self.take(1)
        self.columns[number] = [(self.take(1), self.text(), self.take(8))[1] for _ in range(self.number("H"))]

    def row(self, number):
        values = []
        for _ in range(self.number("H")):
            values.append(self.take(self.number("I")).decode() if self.take(1) == b"t" else None)
        return dict(zip(self.columns[number], values, strict=True))

    def inserted(self):
        """Each inserted row with the name of its table."""
        while self.at < len(self.octets):
            kind = self.take(1)
            if kind in FIXED:
                self.take(FIXED[kind])
            elif kind == b"R":
                self.relation()
            elif kind == b"I":
                number = self.number("I")
                self.take(1)
                yield self.names[number], self.row(number)
            elif kind in (b"U", b"D"):
                number = self.number("I")
                while (part := self.take(1)) in (b"K", b"O", b"N"):
                    self.row(number)
                    if part == b"N" or kind == b"D":
                        break
            else:
                raise ValueError(f"message {kind!r} at {self.at - 1}")
            assert self.take(1) == b"\n", f"no end of a message at {self.at - 1}"
