#!/usr/bin/env python3
"""Checks that the messages hold what Home Assistant reads: discovery.py FILE…, the output of replays with [homeassistant]. Status 1,
and a line for each field or word that the schema of the entity's topic lacks. An entity with a list of states must name every word.
"""

import fileinput
import re
import sys

from contract import Contract, read
from seen import declared, name_of

# Behind a field may stand Jinja's own: a method of it, or a filter.
FIELD = re.compile(r"value_json\.([a-z_]+(?:\.[a-z_]+)*)")
SAID = re.compile(r"value_json\.([a-z_.]+) (?:==|!=) '(\w+)'")
LISTED = re.compile(r"value_json\.([a-z_.]+) in \[([^\]]*)\]")
CHOSEN = re.compile(r"\{([^{}]*)\}\.get\(value_json\.([a-z_.]+)")
SELECTED = re.compile(r"value_json\.([a-z_.]+) \| selectattr\('(\w+)', 'eq', '(\w+)'\)")

# A list's items are chosen by one field, and another field is taken of them.
CHOSEN_ITEMS = re.compile(r"(?:selectattr\(|map\(attribute=)'(\w+)'")


def words_of(contract, name, field):
    """The words of a field; None where it may be anything."""
    schema, home = contract.schemas[name], name
    for level in field.split("."):
        schema = schema.get("items", schema)["properties"][level]
        while "$ref" in schema:
            file, _, pointer = schema["$ref"].partition("#")
            home = file or home
            schema = contract.schemas[home]
            for step in pointer.strip("/").split("/"):
                schema = schema[step]
    return schema.get("enum")


def named(template):
    """Each field that a template reads, and each word that it asks for."""
    for field in FIELD.findall(template):
        yield field, None
    yield from SAID.findall(template)
    for field, words in LISTED.findall(template):
        yield from ((field, word) for word in re.findall(r"'(\w+)'", words))
    for choice, field in CHOSEN.findall(template):
        yield from ((field, word) for word in re.findall(r"'(\w+)':", choice))
    for field, attribute, word in SELECTED.findall(template):
        yield f"{field}.{attribute}", word
    for attribute in CHOSEN_ITEMS.findall(template):
        yield f"{FIELD.search(template)[1]}.{attribute}", None


def wrong_in(contract, entity):
    """The faults in the description of one entity."""
    for key, template in entity.items():
        if not key.endswith("_template"):
            continue
        kind = key.removesuffix("_template").replace("value", "state")
        name = name_of(contract, entity[f"{kind}_topic"])
        fields = set(declared(contract, contract.schemas[name], name))
        for field, word in named(template):
            if field not in fields:
                yield f"{key}: {name} has no field {field}"
            elif word and word not in (words_of(contract, name, field) or [word]):
                yield f"{key}: {name}: {field} is never {word}"
    for key, field in (("options", None), ("event_types", "type")):
        if key in entity:
            name = name_of(contract, entity["state_topic"])
            words = words_of(contract, name, field or FIELD.search(entity["value_template"])[1])
            yield from (f"{key}: {name}: {word}" for word in sorted(set(words) ^ set(entity[key])))


def wrong(contract, messages):
    for message in messages:
        if message["topic"].endswith("/config") and message["payload"]:
            yield from (f"{message['topic']}: {one}" for one in wrong_in(contract, message["payload"]))


if __name__ == "__main__":
    entities = [message for message in read(fileinput.input(sys.argv[1:], encoding="utf-8")) if message["topic"].startswith("homeassistant/")]
    found = list(wrong(Contract(), entities))
    print("\n".join(found) or f"{len(entities)} entities")
    sys.exit(1 if found or not entities else 0)
