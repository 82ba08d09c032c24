"""A JSON Schema ─► a function that finds the first fault of a value.

The function checks what holds for messages of older and newer agents too: types, limits, forms, and words that cannot grow. A field is missing
only where it is essential (x-essential), because an older agent may not know the other required ones. A newer agent may send fields that no
schema names, and other words where a schema is extensible (x-extensible). What the schemas leave open is limited here.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from .contract import Check, Contract, Missing

LONGEST_TEXT, MOST_ITEMS = 1000, 1000
# Beyond this a reader of JSON may take two integers for one, and a database has no room for the next one.
LARGEST_INTEGER = 2**53 - 1
# Seconds or metres beyond this are faults, and no time of a database is so far away.
LARGEST_NUMBER = 1e12
WRONG = ": not a value that it can have"

# The keywords that the functions below check, and those that they ignore: texts for people, and rules of one release alone.
CHECKED = {
    "$ref", "type", "enum", "const", "anyOf", "allOf", "if", "then", "else", "properties", "additionalProperties", "items", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format",
    "x-essential", "x-extensible", "x-maxOctets",
}
PASSED_OVER = {
    "$schema", "$defs", "title", "description", "examples", "default", "required", "dependentRequired", "oneOf", "not", "propertyNames",
    "x-topic", "x-delivery", "x-number", "x-order", "x-page", "x-chain", "x-title", "x-says", "x-when",
}

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", re.ASCII)
UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
Test = Callable[[Any], bool]


def is_time(value: str) -> bool:
    if not TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value[:19])
    except ValueError:
        return False
    return True


# Agents write one form; readers accept more: fewer or more digits of a second, and lower case.
FORMATS: dict[str, Test] = {"date-time": is_time, "uuid": lambda value: UUID.fullmatch(value) is not None}


def check_of(contract: Contract, kind: str) -> Check:
    """Returns the check for a message of that kind."""
    return Compiler(contract).compiled(contract.kinds[kind].schema, contract.kinds[kind].file)


class Compiler:
    """Makes functions of schemas. `home` is the name of the schema that a reference without a file leads into."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract

    def compiled(self, schema: dict[str, Any], home: str) -> Check:
        if unknown := schema.keys() - CHECKED - PASSED_OVER:
            raise Missing(f"collector: {home}: {min(unknown)}: a keyword that the collector does not know; deploy/contract has to be of one release with it")
        checks: list[Check] = []
        if "$ref" in schema:
            checks.append(self.compiled(*self.contract.resolved(schema["$ref"], home)))
        if "type" in schema or "enum" in schema or "const" in schema:
            checks.append(self.value(schema, home))
        elif "x-essential" in schema:
            checks.append(lacks(schema["x-essential"]))
        if "anyOf" in schema:
            checks.append(any_of([self.compiled(one, home) for one in schema["anyOf"]]))
        checks += [self.branch(one, home) for one in (*schema.get("allOf", ()), schema) if "if" in one and has_essentials(one)]
        return checks[0] if len(checks) == 1 else all_of(checks)

    def branch(self, schema: dict[str, Any], home: str) -> Check:
        """Returns the fields that a condition makes essential. A rule that a field must be absent holds for one release alone."""
        holds = condition(schema["if"])
        then, otherwise = (self.compiled(essentials(schema.get(word, {})), home) for word in ("then", "else"))
        return lambda value: then(value) if holds(value) else otherwise(value)

    def value(self, schema: dict[str, Any], home: str) -> Check:
        if schema.get("x-extensible"):
            return leaf(text(schema))
        words = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
        if words and isinstance(words[0], bool):
            # The field is only written where it is true, so false means the same as a missing field.
            return leaf(lambda value: value is True or value is False)
        if words:
            return leaf(one_of(words))
        types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        checks = [self.typed(schema, home, one) for one in types]
        return checks[0] if len(checks) == 1 else any_of(checks)

    def typed(self, schema: dict[str, Any], home: str, word: str) -> Check:
        if word == "object":
            return self.fields(schema, home)
        if word == "array":
            return self.items(schema, home)
        tests: dict[str, Callable[[dict[str, Any]], Test]] = {
            "string": text, "integer": integer, "number": number, "boolean": lambda _: lambda value: type(value) is bool,
            "null": lambda _: lambda value: value is None,
        }
        return leaf(tests[word](schema))

    def fields(self, schema: dict[str, Any], home: str) -> Check:
        checks = {field: self.compiled(one, home) for field, one in schema.get("properties", {}).items()}
        others = self.compiled(schema["additionalProperties"], home) if isinstance(schema.get("additionalProperties"), dict) else None
        essential = schema.get("x-essential", ())

        def fault(value: Any) -> str | None:
            if not isinstance(value, dict) or len(value) > MOST_ITEMS:
                return WRONG
            for field in essential:
                if field not in value:
                    return f"{field}: missing"
            for field, one in value.items():
                check = checks.get(field, others)
                if check and (inner := check(one)) is not None:
                    return field + ("" if inner[0] == ":" else ".") + inner
            return None

        return fault

    def items(self, schema: dict[str, Any], home: str) -> Check:
        check = self.compiled(schema["items"], home)
        fewest, most = schema.get("minItems", 0), schema.get("maxItems", MOST_ITEMS)

        def fault(value: Any) -> str | None:
            if not isinstance(value, list) or not fewest <= len(value) <= most:
                return WRONG
            for index, one in enumerate(value):
                if (inner := check(one)) is not None:
                    return str(index) + ("" if inner[0] == ":" else ".") + inner
            return None

        return fault


def has_essentials(schema: dict[str, Any]) -> bool:
    return "x-essential" in schema or any(has_essentials(schema[word]) for word in ("then", "else") if word in schema)


def essentials(branch: dict[str, Any]) -> dict[str, Any]:
    """Returns the part of a branch that holds in every release."""
    return {word: branch[word] for word in ("x-essential", "if", "then", "else") if word in branch}


def condition(schema: dict[str, Any]) -> Test:
    """Returns whether fields are there, and have a word: the conditions that the schemas have."""
    required, words = schema.get("required", ()), {
        field: one.get("enum", [one.get("const")]) for field, one in schema.get("properties", {}).items()}
    return lambda value: all(field in value for field in required) and all(
        field not in value or value[field] in allowed for field, allowed in words.items())


def leaf(test: Test) -> Check:
    return lambda value: None if test(value) else WRONG


def lacks(fields: list[str]) -> Check:
    return lambda value: next((f"{field}: missing" for field in fields if field not in value), None)


def all_of(checks: list[Check]) -> Check:
    def fault(value: Any) -> str | None:
        for check in checks:
            if (found := check(value)) is not None:
                return found
        return None

    return fault


def any_of(checks: list[Check]) -> Check:
    def fault(value: Any) -> str | None:
        found: str | None = WRONG
        for check in checks:
            if (found := check(value)) is None:
                return None
        return found

    return fault


def one_of(words: list[Any]) -> Test:
    if all(isinstance(word, str) for word in words):
        known = frozenset(words)
        return lambda value: isinstance(value, str) and value in known
    # Python takes True for 1, and 1.0 as well; in a message they mean something else.
    return lambda value: any(type(value) is type(word) and value == word for word in words)


def limits(schema: dict[str, Any], most: float) -> tuple[float, float]:
    return schema.get("minimum", schema.get("exclusiveMinimum", -most)), schema.get("maximum", schema.get("exclusiveMaximum", most))


def integer(schema: dict[str, Any]) -> Test:
    lowest, highest = limits(schema, LARGEST_INTEGER)
    return lambda value: type(value) is int and lowest <= value <= highest


def number(schema: dict[str, Any]) -> Test:
    lowest, highest = limits(schema, LARGEST_NUMBER)
    left_out = [schema[word] for word in ("exclusiveMinimum", "exclusiveMaximum") if word in schema]
    return lambda value: type(value) in (int, float) and lowest <= value <= highest and value not in left_out


def text(schema: dict[str, Any]) -> Test:
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", LONGEST_TEXT)
    octets = schema.get("x-maxOctets")
    form = FORMATS.get(schema.get("format", ""))
    if form is None and "pattern" in schema:
        # Python's $ also matches before a line end.
        pattern = re.compile(re.sub(r"\$\Z", r"\\Z", schema["pattern"]))
        form = lambda value: pattern.search(value) is not None  # noqa: E731

    def is_right(value: Any) -> bool:
        return (isinstance(value, str) and shortest <= len(value) <= longest and (octets is None or len(value.encode("utf-8", "replace")) <= octets)
                and (form is None or form(value)))

    return is_right
