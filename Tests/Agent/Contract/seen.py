#!/usr/bin/env python3
"""A field that no agent sends is one that a program has forgotten. seen.py FILE holds what `validate.py --seen FILE` wrote against the schemas:
status 1, and a line for each field that no message had."""

import re
import sys

from contract import Contract, series_of

# Here the agent loses events alone. Delivery damages its disk, and Rules has a gap of each series.
UNSEEN = {f"gap.schema.json: {end}_{number}" for number in series_of(Contract()) if number != "seq" for end in ("from", "to")}
# What a store says of people comes from one beside a broker: the suite Privacy has it.
UNSEEN |= {"health.schema.json: people_refused"}
UNSEEN |= {f"count.schema.json: {field}" for field in ("ways_from_at", "ways", "ways.from", "ways.to", "ways.visits")}
UNSEEN |= {f"today.schema.json: people{field}" for field in ("", ".region", ".entered", ".left", ".present", ".omitted", ".partial", ".to_at")}


def name_of(contract, topic):
    """The schema of a message that a gateway publishes by itself; None for requests and answers."""
    return next((name for name, schema in contract.schemas.items() if "x-topic" in schema and re.search(ending(schema["x-topic"]), topic)), None)


def ending(pattern):
    """A regular expression for the last levels of a kind's topics. A filter may stand for a page."""
    last = pattern.rpartition("}/")[2]
    return "(^|/)" + re.escape(last).replace(r"\{page\}", r"(\d+|\+)") + "$"


def fields_in(contract, message):
    """Each field of a message, as "SCHEMA: field.of.field"."""
    name = name_of(contract, message["topic"])
    return {f"{name}: {path}" for path in paths_in(message["payload"])} if name else set()


def paths_in(value, before=""):
    if isinstance(value, list):
        for one in value:
            yield from paths_in(one, before)
    if isinstance(value, dict):
        for field, one in value.items():
            yield before + field
            yield from paths_in(one, f"{before}{field}.")


def declared(contract, schema, home, before=""):
    """Each field that a schema declares, at any depth."""
    if "$ref" in schema and "properties" not in schema:
        file, _, pointer = schema["$ref"].partition("#")
        target = contract.schemas[file or home]
        for step in pointer.strip("/").split("/"):
            target = target[step]
        yield from declared(contract, target, file or home, before)
    for field, one in schema.get("properties", {}).items():
        yield before + field
        yield from declared(contract, one, home, f"{before}{field}.")
    if "items" in schema:
        yield from declared(contract, schema["items"], home, before)


def fields_declared(contract):
    return {f"{name}: {path}" for name, schema in contract.schemas.items() if "x-topic" in schema for path in declared(contract, schema, name)}


def unseen(contract, seen):
    every = fields_declared(contract)
    yield from (f"no message had {field}" for field in sorted(every - seen - UNSEEN))
    yield from (f"seen.py leaves out what was seen, or is no field any more: {field}" for field in sorted(UNSEEN & seen | UNSEEN - every))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        left = list(unseen(Contract(), set(file.read().splitlines())))
    print("\n".join(left))
    sys.exit(1 if left else 0)
