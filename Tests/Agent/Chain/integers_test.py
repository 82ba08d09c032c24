"""Each integer that the contract allows has room in its column. A message without that room would make the batch of all stores fail, and fail again by halves."""

import copy
import json

import psycopg
from beacons_collector.checks import LARGEST_INTEGER
from beacons_collector.contract import CONTRACT
from beacons_collector.reading import read
from beacons_collector.topics import Address, Unreadable

from story import DAY, StoryTest

# The kinds of columns that hold less than the contract's largest integer, and what they hold.
NARROW = {"integer": 2**31 - 1, "smallint": 2**15 - 1}


def integers(schema, home, path=()):
    """The place of each integer in a schema, with its least and its largest value. A step of a place is a name, or 0 for the items of a list."""
    if "$ref" in schema:
        target, home = CONTRACT.resolved(schema["$ref"], home)
        schema = target | {word: value for word, value in schema.items() if word != "$ref"}
    types = schema.get("type", ())
    if "integer" in ([types] if isinstance(types, str) else types):
        yield path, schema.get("minimum", -LARGEST_INTEGER), schema.get("maximum", LARGEST_INTEGER)
    for name, one in schema.get("properties", {}).items():
        yield from integers(one, home, (*path, name))
    for one in (schema[word] for word in ("items",) if word in schema):
        yield from integers(one, home, (*path, 0))
    for one in schema.get("anyOf", ()):
        yield from integers(one, home, path)


def changed(payload, path, value):
    """A copy of the payload with another value at that place; None where it has no such place."""
    payload = copy.deepcopy(payload)
    inner = payload
    try:
        for step in path[:-1]:
            inner = inner[step]
        if inner[path[-1]] is None or isinstance(inner[path[-1]], bool):
            return None
        inner[path[-1]] = value
    except (KeyError, IndexError, TypeError):
        return None
    return payload


def is_read(kind, payload):
    """Returns whether the collector reads the message: one that it refuses never reaches the database."""
    topic = CONTRACT.kinds[kind].topic
    named = ("region", "major", "minor", "zone") if "{region}" in topic else ("page",) if "{page}" in topic else ()
    levels = {name: payload.get(name) for name in named}
    try:
        read(json.dumps(payload).encode(), Address(kind, payload.get("site", "store"), payload.get("gateway", "site"), **levels))
    except Unreadable:
        return False
    return True


def today(payload):
    """The example on a day that the database takes."""
    text = json.dumps(payload)
    return json.loads(text.replace("2026-11-21T", f"{DAY:%Y-%m-%d}T").replace("2026-11-22T", f"{DAY:%Y-%m-%d}T"))


class IntegersTest(StoryTest):
    def kept(self):
        return {name: kind for name, kind in CONTRACT.kinds.items() if kind.is_kept}

    def test_the_largest_and_the_least_of_each_integer_fails_no_batch(self):
        tried = 0
        for name, kind in self.kept().items():
            for number, example in enumerate(kind.schema["examples"]):
                for path, *extremes in integers(kind.schema, kind.file):
                    for value in extremes:
                        payload = changed(today(example), path, value)
                        if payload is None or not is_read(name, payload):
                            continue
                        gateway = payload.get("gateway", "site")
                        with self.subTest(kind=name, example=number, path=path, value=value), self.connection.transaction(force_rollback=True):
                            try:
                                self.take([{"kind": name, "gateway": gateway, "payload": payload}])
                            except psycopg.errors.DataError as error:
                                self.fail(f"{error.sqlstate}: {error.diag.message_primary}")
                        tried += 1
        self.assertGreater(tried, 100)

    def test_a_column_named_like_an_integer_of_the_contract_holds_the_largest_one(self):
        largest = {}
        for kind in self.kept().values():
            for path, _, most in integers(kind.schema, kind.file):
                largest[path[-1]] = max(most, largest.get(path[-1], 0))
        columns = self.query("SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'beacons'")
        narrow = [(table, column, NARROW[kind]) for table, column, kind in columns if kind in NARROW and column in largest]
        self.assertGreater(len(narrow), 5)
        self.assertEqual([(table, column) for table, column, room in narrow if largest[column] > room], [])
