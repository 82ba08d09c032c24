"""The contract of gateways with their readers (deploy/contract): the kinds of messages, and their rules.

The JSON Schemas are the source. The collector reads them once, at its start, and has no table of kinds, fields or words of its own.
deploy/contract/README.md explains the keywords that begin with x-.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "contract"
# Returns a fault as "field.of.field: what is wrong with it"; None where all is well.
Check = Callable[[Any], str | None]


class Missing(SystemExit):
    """A schema that is missing, or is not valid."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of message, named by the last level of its topic that is a word."""

    name: str
    # The levels of its topic after the gateway. The word {region} stands for the levels of a region, and {page} for a number.
    topic: tuple[str, ...]
    # retained, acknowledged or ephemeral: the operation bindings of asyncapi.yaml.
    delivery: str
    # The schema, and the name of its file.
    schema: dict[str, Any]
    file: str

    @property
    def is_retained(self) -> bool:
        return self.delivery == "retained"

    @property
    def is_kept(self) -> bool:
        """Whether the chain keeps it for later readers. Ephemeral messages are for present readers, and other schemas may say x-chain: false."""
        return self.delivery != "ephemeral" and self.schema.get("x-chain", True)

    @property
    def is_of_region(self) -> bool:
        return "{region}" in self.topic


class Contract:
    """The schemas of a folder, by the names of their files."""

    def __init__(self, folder: Path = FOLDER) -> None:
        # Without the schema of a kind, the collector would refuse all its messages.
        named = set(re.findall(r"\./([\w-]+\.schema\.json)", words_of(folder / "asyncapi.yaml")))
        self.schemas = {name: document(folder / name) for name in sorted(named | {path.name for path in folder.glob("*.schema.json")})}
        self.kinds = {kind.name: kind for name in self.schemas if (kind := kind_of(name, self.schemas[name]))}

    def resolved(self, reference: str, home: str) -> tuple[dict[str, Any], str]:
        """Returns the target of a $ref in the schema `home`, and the name of the target's schema."""
        file, _, pointer = reference.partition("#")
        name = file or home
        try:
            target: Any = self.schemas[name]
            for step in pointer.strip("/").split("/"):
                target = target[step]
        except (KeyError, TypeError):
            raise Missing(f"collector: {home}: {reference} leads nowhere; deploy/contract has to be of one release") from None
        return target, name

    def shared(self, word: str) -> dict[str, Any]:
        """Returns a definition that several messages share."""
        return self.resolved(f"#/$defs/{word}", "common.schema.json")[0]

    def pairs(self) -> list[tuple[str, str]]:
        """Returns the fields of a gap that name its first and its last number, for each series."""
        fields = self.kinds["gap"].schema["properties"]
        return [(field, last) for field in fields if field.startswith("from_") and (last := "to_" + field.removeprefix("from_")) in fields]


def words_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Missing(f"collector: {error}; deploy/contract has to be where deploy/chain is, and complete") from None


def document(path: Path) -> dict[str, Any]:
    try:
        schema: dict[str, Any] = json.loads(words_of(path))
    except ValueError as error:
        raise Missing(f"collector: {path}: {error}") from None
    return schema


def kind_of(name: str, schema: dict[str, Any]) -> Kind | None:
    """Returns the kind that a schema describes; None for shared words, requests and answers."""
    if "x-topic" not in schema:
        return None
    topic = tuple(schema["x-topic"].split("/"))
    try:
        return Kind([level for level in topic if level[0] != "{"][-1], topic, schema["x-delivery"], schema, name)
    except KeyError as missing:
        raise Missing(f"collector: {name}: {missing.args[0]} is missing") from None


CONTRACT = Contract()
