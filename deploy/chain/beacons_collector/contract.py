"""The contract's JSON Schemas (deploy/contract), as far as they hold for messages of older and newer agents too.

Types, ranges and lengths hold. A field that is missing may be unknown to an older agent, and a field or a word that the schema does not
name may be a newer agent's. Lengths that the schema does not bound are bounded here.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "contract"
LONGEST_TEXT, MOST_ITEMS = 1000, 1000
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),),
}
# The path of the first field that breaks the schema, with a dot behind each level; None where all is well.
Fault = Callable[[Any], str | None]


class Missing(SystemExit):
    """A schema that is not where it should be."""


@cache
def document(name: str) -> dict[str, Any]:
    try:
        schema: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    except OSError as error:
        raise Missing(f"collector: {error}; deploy/contract has to be where deploy/chain is") from None
    return schema


def check_of(kind: str) -> Fault:
    """What a message of that kind is held against."""
    name = f"{kind}.schema.json"
    return compiled(document(name), name)


def compiled(schema: dict[str, Any], name: str) -> Fault:
    checks: list[Fault] = []
    if reference := schema.get("$ref"):
        file, _, pointer = reference.partition("#")
        target: Any = document(file or name)
        for step in pointer.strip("/").split("/"):
            target = target[step]
        checks.append(compiled(target, file or name))
    if "type" in schema:
        words = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        checks.append(has_type(tuple(one for word in words for one in TYPES[word])))
    checks.append(is_within(schema))
    if "properties" in schema or isinstance(schema.get("additionalProperties"), dict):
        checks.append(has_fields(schema, name))
    if "items" in schema:
        checks.append(has_items(compiled(schema["items"], name)))
    return lambda value: next((fault for check in checks if (fault := check(value)) is not None), None)


def has_type(types: tuple[type, ...]) -> Fault:
    # Python takes True for 1.
    return lambda value: None if isinstance(value, types) and (type(value) is not bool or bool in types) else ""


def is_within(schema: dict[str, Any]) -> Fault:
    lowest, highest = schema.get("minimum"), schema.get("maximum")
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", LONGEST_TEXT)
    fewest, most = schema.get("minItems", 0), schema.get("maxItems", MOST_ITEMS)

    def fault(value: Any) -> str | None:
        if isinstance(value, str):
            is_right = shortest <= len(value) <= longest
        elif isinstance(value, (list, dict)):
            is_right = fewest <= len(value) <= most
        elif isinstance(value, (int, float)):
            is_right = (lowest is None or value >= lowest) and (highest is None or value <= highest)
        else:
            is_right = True
        return None if is_right else ""

    return fault


def has_fields(schema: dict[str, Any], name: str) -> Fault:
    fields = {field: compiled(one, name) for field, one in schema.get("properties", {}).items()}
    others = compiled(schema["additionalProperties"], name) if isinstance(schema.get("additionalProperties"), dict) else None

    def fault(value: Any) -> str | None:
        if isinstance(value, dict):
            for field, one in value.items():
                check = fields.get(field, others)
                if check and (inner := check(one)) is not None:
                    return field + ("." + inner if inner else "")
        return None

    return fault


def has_items(check: Fault) -> Fault:
    def fault(value: Any) -> str | None:
        if isinstance(value, list):
            for index, one in enumerate(value):
                if (inner := check(one)) is not None:
                    return str(index) + ("." + inner if inner else "")
        return None

    return fault
