"""The database beside the contract: kinds, words, fields and limits stand in SQL again, and here each is held against the schemas, both ways.

The database's content is read from its catalogue. A made-up kind, word, field or limit in the schemas shows that the place is named. Each integer that the
contract allows has room in its column: a message without that room would make the batch of all stores fail, and fail again by halves.
"""

import copy
import json
import re
import tempfile
from pathlib import Path

import psycopg
from beacons_collector.checks import LARGEST_INTEGER
from beacons_collector.contract import CONTRACT, Contract
from beacons_collector.reading import read
from beacons_collector.topics import Address, Unreadable

import made_up
from story import DAY, StoryTest

# Tables that bear another name than the kind that they keep.
TABLES = {"coverage": "coverage_span", "beacons": "beacon_page", "heat": "heat_sheet"}
# Columns that messages need not have. Site and gateway stand in the topic.
OWN = {"id", "site", "gateway", "received_at", "payload", "marked", "digest", "counts", "first_at"}
# What of a message has no column, in tables that do not keep it whole: who wants to know where a gateway was needs none of it.
LEFT_OUT = {"location": {"schema", "clock", "service", "age_s", "device"}, "track": {"schema", "clock"}, "beacons": {"schema", "clock"},
            "heat": {"schema", "clock"}}
# Fields that are objects, and whose fields are columns or rows.
FOLDED = {"event": ["location"], "location": ["fix"], "track": ["fixes"], "beacons": ["beacons"], "heat": ["cells"]}
# The tables whose rows are the elements of such a field.
ROWS = {"track": "beacons.location", "beacons": "beacons.beacon_heard", "heat": "beacons.heat"}
CONSTRAINTS = "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'beacons'::regnamespace AND contype = 'c' AND conislocal"
COLUMNS = "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%(name)s) AND attnum > 0 AND NOT attisdropped"
SOURCES = ("SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'beacons'::regnamespace "
           "UNION ALL SELECT viewname, definition FROM pg_views WHERE schemaname = 'beacons'")
WORDS = re.compile(r"'([a-z_]+)'")


class Places:
    """The places in a database that do not follow a contract."""

    def __init__(self, test, contract):
        self.query, self.contract = test.query, contract
        self.kept = {name: kind for name, kind in contract.kinds.items() if kind.is_kept}
        self.kind_of = {f"beacons.{TABLES.get(name, name)}": kind for name, kind in self.kept.items()}
        self.constraints = sorted(set(self.query(CONSTRAINTS)))
        self.series = {first.removeprefix("from_") for first, _ in contract.pairs()}

    def fields(self, kind):
        """The fields of a kind with what they refer to, those of its objects included."""
        found = {}
        for field, one in kind.schema["properties"].items():
            found[field] = self.whole(one, kind.file)
            if field in FOLDED.get(kind.name, ()):
                inside = self.whole(found[field].get("items", found[field]), kind.file)
                found |= {name: self.whole(part, "common.schema.json") for name, part in inside["properties"].items()}
        return found

    def whole(self, schema, home):
        if "$ref" not in schema:
            return schema
        target, name = self.contract.resolved(schema["$ref"], home)
        return self.whole(target, name) | schema

    def words(self):
        """The words that a column may have."""
        for table, text in self.constraints:
            for column, listed in re.findall(r"\((\w+) = ANY \(ARRAY\[(.*?)\]\)\)", text):
                if kind := self.kind_of.get(table):
                    expected = set(self.fields(kind).get(column, {}).get("enum", ()))
                    yield from (f"{table}.{column}: {word}" for word in sorted(expected ^ set(WORDS.findall(listed))))

    def words_in_use(self):
        """The words that functions and views ask for."""
        known = {"counts": self.series, "kind": set(self.kept) | {budget for (budget,) in self.query("SELECT kind FROM beacons.budget")}}
        for kind in self.kept.values():
            for field, one in self.fields(kind).items():
                if "enum" in one:
                    known.setdefault(field, set()).update(map(str, one["enum"]))
        for name, source in self.query(SOURCES):
            for field, listed in re.findall(r"\b(\w+)(?:'|\s|\)|::text)*(?:=|<>|NOT IN|IN|&&)\s*(?:ANY )?\(?(?:ARRAY\[)?((?:'\w+'(?:::text)?,? ?)+)", source):
                yield from (f"beacons.{name}: {field} {word}" for word in WORDS.findall(listed) if field in known and word not in known[field])

    def hearing(self):
        """The conditions in which a radio hears are those in which status needs no remedy."""
        published = set(self.kept["status"].schema["if"]["properties"]["radio"]["enum"])
        radios = set(self.fields(self.kept["coverage"])["radio"]["enum"])
        hears = {word for (word,) in self.query("SELECT word FROM unnest(%(words)s::text[]) word WHERE beacons.hears(word)", words=sorted(radios))}
        yield from (f"beacons.hears: {word}" for word in sorted(hears ^ published))

    def kinds(self):
        """Each kind is taken, and each series of numbers may have gaps."""
        rows = self.query("SELECT kind, series FROM beacons.kind")
        yield from (f"beacons.take: {name}" for name in sorted(set(self.kept) ^ {kind for kind, _ in rows}))
        yield from (f"beacons.kind.series: {word}" for word in sorted(self.series ^ {series for _, series in rows if series}))

    def columns(self):
        """Each column is a field; where the message is not kept as it came, each field is a column."""
        for table, kind in self.kind_of.items():
            columns, fields = {name for (name,) in self.query(COLUMNS, name=table)}, set(self.fields(kind)) - set(FOLDED.get(kind.name, ()))
            yield from (f"{table}.{column}: no field of {kind.name}" for column in sorted(columns - fields - OWN - set(FOLDED.get(kind.name, ()))))
            if columns and "payload" not in columns:
                more = {name for (name,) in self.query(COLUMNS, name=ROWS[kind.name])} if kind.name in ROWS else set()
                yield from (f"{table}: no column for {field}" for field in sorted(fields - columns - more - LEFT_OUT.get(kind.name, set())))

    def limits(self):
        longest = self.contract.shared("topic_level")["x-maxOctets"]
        for table, text in self.constraints:
            for column, limit in re.findall(r"octet_length\((\w+)\) <= (\d+)", text):
                if int(limit) != longest:
                    yield f"{table}.{column}: {limit} octets"
            for column, limit in re.findall(r"\((\w+) >= (\d+)\)", text):
                if (kind := self.kind_of.get(table)) and self.fields(kind).get(column, {}).get("minimum") != int(limit):
                    yield f"{table}.{column}: from {limit}"

    def forgotten(self):
        return sorted(place for look in (self.words, self.words_in_use, self.hearing, self.kinds, self.columns, self.limits) for place in look())


class WordsTest(StoryTest):
    def forgotten(self, *changes):
        with tempfile.TemporaryDirectory() as folder, self.connection.transaction(force_rollback=True):
            return Places(self, Contract(made_up.tree(Path(folder), *changes) / "deploy/contract")).forgotten()

    def changed(self, name, change):
        return self.forgotten(lambda folder: made_up.changed(folder, name, change))

    def test_the_database_has_each_kind_word_field_and_limit_of_the_contract_and_no_other(self):
        self.assertEqual(self.forgotten(), [])

    def test_what_it_is_held_against_is_there(self):
        """A constraint that no pattern above knows would be held against nothing."""
        places = Places(self, Contract())
        words = {table for table, text in places.constraints if "ANY (ARRAY[" in text}
        self.assertLessEqual({"beacons.event", "beacons.status"}, words)
        self.assertEqual([text for _, text in places.constraints if "ANY (ARRAY[" in text and not re.search(r"\((\w+) = ANY \(ARRAY\[(.*?)\]\)\)", text)], [])
        self.assertEqual([table for table, kind in places.kind_of.items() if kind.name != "state" and not self.query(COLUMNS, name=table)], [])

    def test_a_kind_that_it_does_not_take_is_named_and_so_is_its_series_of_numbers(self):
        def add_pair(folder):
            number = {"type": "integer", "minimum": 1}
            made_up.changed(folder, "gap", lambda schema: schema["properties"].update(from_beat=number, to_beat=number))

        self.assertEqual(self.forgotten(made_up.add_kind, add_pair), ["beacons.kind.series: beat", "beacons.take: pulse"])

    def test_a_word_is_named_whether_the_database_or_the_contract_lacks_it(self):
        self.assertEqual(self.changed("event", lambda schema: schema["properties"]["type"]["enum"].append("pass")), ["beacons.event.type: pass"])
        found = self.changed("status", lambda schema: schema["properties"]["state"].update(enum=["online", "away"]))
        self.assertEqual(found, ["beacons.status.state: away", "beacons.status.state: offline"])
        found = self.changed("status", lambda schema: schema["properties"]["state"].update(enum=["offline", "there"]))
        self.assertEqual(found, ["beacons.coverage_open: state online", "beacons.gateway_now: state online", "beacons.status.state: online", "beacons.status.state: there"])
        found = self.changed("event", lambda schema: schema["properties"]["type"].update(enum=["come", "exit"]))
        self.assertLessEqual({"beacons.event.type: come", "beacons.event.type: enter"}, set(found))
        self.assertTrue([place for place in found if place.endswith(": type enter")], found)
        found = self.changed("status", lambda schema: schema["if"]["properties"]["radio"]["enum"].append("stalled"))
        self.assertEqual(found, ["beacons.hears: stalled"])

    def test_a_field_of_a_fix_without_a_column_is_named_and_a_column_without_a_field(self):
        self.assertEqual(self.forgotten(made_up.add_fix_field), ["beacons.location: no column for tilt_deg", "beacons.track: no column for tilt_deg"])
        self.assertEqual(self.changed("event", lambda schema: schema["properties"].pop("inferred")), ["beacons.event.inferred: no field of event"])

    def test_a_limit_that_differs_is_named(self):
        found = self.changed("common", lambda schema: schema["$defs"]["topic_level"].update({"x-maxOctets": 100}))
        self.assertIn("beacons.event.zone: 128 octets", found)
        self.assertIn("beacons.surge.region: 128 octets", found)
        found = self.changed("surge", lambda schema: schema["properties"]["refused"].update(minimum=2))
        self.assertEqual(found, ["beacons.surge.refused: from 1"])


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
    if "items" in schema:
        yield from integers(schema["items"], home, (*path, 0))
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
