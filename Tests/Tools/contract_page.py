"""The page's part of the contract: deploy/page/source/messages/contract.js as a whole. The page needs no build for that: the file is part of its source."""

import json
import re

HEAD = """// Made by Tests/Tools/contract: change the schemas in deploy/contract, and run it again.
// The kinds of messages, and of each field what it may be. Page and contract are of one release; fields.js reads by this.

"""
# A line of the file; what is longer is folded.
WIDTH = 150


def field(schema, home):
    """The page's rules for a field. `home` is the contract, and the name of the schema in it that the field is part of."""
    if "$ref" in schema:
        contract, file = home
        target, name = contract.resolved(schema["$ref"], file)
        return field(target | {word: value for word, value in schema.items() if word != "$ref"}, (contract, name))
    if "anyOf" in schema:
        # One value that stands for none, and what it may be otherwise.
        none, some = sorted(schema["anyOf"], key=lambda one: "const" not in one)
        return field(some, home) | {"none": none["const"]}
    words = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if words and words[0] is True:
        return {"is": "flag"}
    if words:
        return {"is": "word", "words": words} | ({"grows": True} if schema.get("x-extensible") else {})
    kind = schema["type"] if isinstance(schema["type"], str) else next(one for one in schema["type"] if one != "null")
    makers = {"object": structure, "array": items, "string": text, "integer": number, "number": number, "boolean": lambda *_: {"is": "flag"}}
    return makers[kind](schema, home)


def text(schema, _):
    return {"is": "time"} if schema.get("format") == "date-time" else {"is": "text", **limits(schema, most=["maxLength"])}


def number(schema, _):
    kind = "whole" if schema["type"] == "integer" else "number"
    return {"is": kind, **limits(schema, low=["minimum", "exclusiveMinimum"], high=["maximum", "exclusiveMaximum"])}


def items(schema, home):
    return {"is": "list", **limits(schema, most=["maxItems"]), "of": field(schema["items"], home)}


def limits(schema, **names):
    """The limits that a schema has, under the names that fields.js has for them."""
    return {name: schema[word] for name, words in names.items() for word in words if word in schema}


def structure(schema, home):
    """An object's fields, and those without which it says nothing."""
    if isinstance(schema.get("additionalProperties"), dict):
        return {"is": "each", "of": field(schema["additionalProperties"], home)}
    essential = {"essential": schema["x-essential"]} if "x-essential" in schema else {}
    return {"is": "object", **essential, "fields": {name: field(one, home) for name, one in schema["properties"].items()}}


def script(value, indent=0):
    """A value as the page's sources write it, folded where a line would be too long."""
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False).replace("'", "\\'").replace('"', "'") if isinstance(value, str) else json.dumps(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(script, value)) + "]"
    parts = [f"{name if re.fullmatch('[a-z_]+', name) else script(name)}: " for name in value]
    line = "{ " + ", ".join(part + script(one) for part, one in zip(parts, value.values(), strict=True)) + " }"
    if len(line) + indent <= WIDTH and "\n" not in line:
        return line
    inner = " " * (indent + 2)
    return "{\n" + "".join(f"{inner}{part}{script(one, indent + 2)},\n" for part, one in zip(parts, value.values(), strict=True)) + " " * indent + "}"


def kinds(contract):
    for name, kind in contract.kinds.items():
        yield name, {"topic": "/".join(kind.topic), **structure(kind.schema, (contract, kind.file))}


def page_contract(contract):
    shared = {"longest_level": contract.shared("topic_level")["maxLength"], "highest_value": contract.shared("major")["maximum"]}
    declared = "".join(f"export const {name} = {value};\n" for name, value in shared.items())
    unread = [name for name, kind in contract.kinds.items() if not kind.schema.get("x-page")]
    return (f"{HEAD}{declared}\n/** The kinds of messages that the page has no use for, and does not ask its broker for. */\nexport const unread = {script(unread)};\n"
            f"\nexport const kinds = {script(dict(kinds(contract)))};\n")


PLACES = [("deploy/page/source/messages/contract.js", None, page_contract)]
