"""A copy of the contract with one thing more of each sort: a kind of message, a field, a word and a figure of health. Tests show with it
that whatever follows the contract follows these too, and that whatever repeats it is found out.
"""

import json
import shutil
from pathlib import Path

from project import ROOT

CONTRACT = ROOT / "deploy/contract"
COMMON = "common.schema.json#/$defs/"
PULSE = {
    "schema": 1, "at": "2026-11-21T07:16:00.000Z", "clock": "synced", "site": "store", "gateway": "gate", "epoch": "01M7YFBND8NHZK0BZS3VJ4ZZ24",
    "beat": 3, "mood": "calm",
}


def shared(*words):
    return {word: {"$ref": COMMON + word} for word in words}


def kind():
    """The schema of the made-up kind `pulse`, numbered by `beat`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "pulse", "description": "A made-up message.",
        "x-topic": "pulse", "x-delivery": "acknowledged", "x-number": "beat", "x-order": 12, "x-page": True, "x-title": "How does it feel?",
        "x-says": "its made-up pulse", "x-when": "Now and then.", "type": "object",
        "required": list(PULSE), "x-essential": ["schema", "at", "epoch", "beat", "mood"], "additionalProperties": False,
        "properties": shared("schema", "at", "clock", "site", "gateway", "epoch") | {
            "beat": {"$ref": COMMON + "seq"}, "mood": {"enum": ["calm", "wild"], "description": "A made-up word."}},
        "examples": [PULSE],
    }


def changed(folder, name, change):
    path = folder / f"{name}.schema.json"
    schema = json.loads(path.read_text())
    change(schema)
    path.write_text(json.dumps(schema))


def add_kind(folder):
    (folder / "pulse.schema.json").write_text(json.dumps(kind()))


def add_retained_kind(folder):
    """The made-up kind as a retained one: an operator must be allowed to clear it."""
    schema = kind() | {"x-delivery": "retained"}
    del schema["x-number"]
    (folder / "pulse.schema.json").write_text(json.dumps(schema))


def add_field(folder):
    """To events: `echo`, a count."""
    changed(folder, "event", lambda schema: schema["properties"].update(echo={"$ref": COMMON + "count"}))


def add_word(folder):
    """To the states of a region: `asleep`."""
    changed(folder, "state", lambda schema: schema["properties"]["state"]["enum"].append("asleep"))


def add_radio(folder):
    """To the conditions of a radio: `tired`, in status and in coverage."""
    for name in ("status", "coverage"):
        changed(folder, name, lambda schema: schema["properties"]["radio"]["enum"].append("tired"))


def add_figure(folder):
    """To health: `echoes`, a count."""
    changed(folder, "health", lambda schema: schema["properties"].update(echoes={"$ref": COMMON + "count"}))


def add_fix_field(folder):
    """To fixes: `tilt_deg`."""
    changed(folder, "common", lambda schema: schema["$defs"]["fix"]["properties"].update(tilt_deg={"type": "number"}))


def tree(folder, *changes, also=()):
    """A folder with deploy/contract, so changed, and with copies of what else of the project is named."""
    target = Path(folder) / "deploy/contract"
    shutil.copytree(CONTRACT, target)
    for change in changes:
        change(target)
    for path in also:
        copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
        (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / path, Path(folder) / path)
    return Path(folder)
