#!/usr/bin/env python3
"""The contract itself: the AsyncAPI document holds together, every example fulfils its schema, and the schemas refuse what
is wrong. A schema that lets everything pass would make the other checks worth nothing.
"""

import copy
import functools
import json
import pathlib
import subprocess

from contract import FOLDER, Contract
from counting import check, last_line
from jsonschema import Draft202012Validator

SAMPLES = FOLDER.parents[1] / "Tests/Tools/samples"

contract = Contract()


def references(node):
    """Every $ref below a node."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for child in node.values():
            yield from references(child)
    elif isinstance(node, list):
        for child in node:
            yield from references(child)


def leads_somewhere(reference, home):
    """Whether a reference in the document (home None) or in a schema of that name points to something."""
    file, _, pointer = reference.partition("#")
    try:
        if home is None and not file:
            contract.resolve(reference)
            return True
        node = contract.schemas[file.removeprefix("./") or home]
        for key in filter(None, pointer.split("/")):
            node = node[key]
        return True
    except (KeyError, TypeError):
        return False


def objects(node):
    """Every schema below a node that says which fields are essential."""
    if isinstance(node, dict):
        if "x-essential" in node:
            yield node
        for child in node.values():
            yield from objects(child)
    elif isinstance(node, list):
        for child in node:
            yield from objects(child)


def properties(schema):
    """Every property below a schema, with its path; properties of conditions are left out."""
    for name, property in schema.get("properties", {}).items():
        yield name, property
        yield from properties(property)
        yield from properties(property.get("items", {}))
    for name, definition in schema.get("$defs", {}).items():
        yield from properties(definition)


# The AsyncAPI document.
document = contract.document
check("AsyncAPI 3.0", document["asyncapi"] == "3.0.0" and {"title", "version"} <= document["info"].keys())
for reference in set(references(document)):
    check(f"asyncapi.yaml: {reference} leads somewhere", leads_somewhere(reference, None))
used = {
    part["channel"]["$ref"].rsplit("/", 1)[-1]
    for operation in document["operations"].values() for part in (operation, operation.get("reply")) if part
}
check("every channel has its operation", used == document["channels"].keys())
for name, channel in document["channels"].items():
    named = set(channel["parameters"])
    check(f"{name}: parameters are those of the address", named == set(part[1:-1] for part in channel["address"].split("/") if part[0] == "{"))
published = {schema for _, schema, _ in contract.channels}
shared = {"common.schema.json", "response.schema.json"}
check("every schema is a message's", published | shared == {path.name for path in FOLDER.glob("*.schema.json")})

# The schemas.
for name, schema in contract.schemas.items():
    Draft202012Validator.check_schema(schema)
    for node in objects(schema):
        check(f"{name}: what is essential is required: {node['x-essential']}", set(node["x-essential"]) <= set(node["required"]))
    check(f"{name}: a message has a topic, a delivery, essential fields and words for people, and its number is one of its fields",
          all((word in schema) == ("x-topic" in schema) for word in ("x-delivery", "x-essential", "x-order", "x-page", "x-title", "x-says", "x-when")) and
          ("x-number" not in schema or schema["x-number"] in schema["x-essential"]))
    for reference in set(references(schema)):
        check(f"{name}: {reference} leads somewhere", leads_somewhere(reference, name))
    for key, property in properties(schema):
        target = property
        while "description" not in target and "$ref" in target:
            file, _, pointer = target["$ref"].partition("#")
            target = contract.schemas[file or name]
            for step in filter(None, pointer.split("/")):
                target = target[step]
        check(f"{name}: {key} says what it means", target.get("description"))

orders = [schema["x-order"] for schema in contract.schemas.values() if "x-order" in schema]
check("each kind has a place of its own in lists", len(set(orders)) == len(orders))

# Examples, and what becomes of them.
DELIVERIES = {"retained": (1, True), "acknowledged": (1, False), "ephemeral": (0, False)}
TOPICS = {}
for name, schema in contract.schemas.items():
    if "x-topic" in schema:
        TOPICS[name.removesuffix(".schema.json")] = (schema["x-topic"], *DELIVERIES[schema["x-delivery"]])
for reference in contract.document["operations"].values():
    if "reply" in reference:
        verb = contract.resolve(reference["channel"]["$ref"])["address"].rsplit("/", 1)[-1]
        TOPICS[f"request-{verb}"] = (f"request/{verb}", 1, False)
        TOPICS[f"response-{verb}"] = (f"response/{verb}", 1, False)
TOPICS["response-refused"] = ("response/dance", 1, False)


def message(kind, payload):
    topic, qos, retain = TOPICS[kind]
    fields = payload or {}
    major = f"/{fields['major']}" if kind == "state" and "major" in fields else ""
    topic = topic.replace("{region}", f"{fields.get('region', 'carts')}{major}")
    return {
        "topic": f"beacons/{fields.get('site', 'store')}/{fields.get('gateway', 'gate')}/{topic}", "qos": qos, "retain": retain,
        "payload": payload}


def refuses(name, kind, change, example=0):
    """The example is refused once `change` has been at it; `change` gets the message."""
    mutant = copy.deepcopy(message(kind, contract.schemas[f"{kind}.schema.json"]["examples"][example]))
    change(mutant)
    check(f"{kind}: refuses {name}", contract.problems(mutant))


def place(payload, path):
    """The innermost object or list of a path such as cells.0.beacons, and its last step."""
    *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
    return functools.reduce(lambda node, step: node[step], way, payload), last


def put(path, value):
    def change(message):
        node, last = place(message["payload"], path)
        node[last] = value
    return change


def take(path):
    def change(message):
        node, last = place(message["payload"], path)
        del node[last]
    return change


def changes_of(text):
    """The changes of a line of refused.txt, as one."""
    changes = [take(part[2:]) if part.startswith("- ") else put(part.partition(" = ")[0], json.loads(part.partition(" = ")[2])) for part in text.split("; ")]
    return lambda message: [change(message) for change in changes]


def refuses_common(kind):
    """The fields that all messages of the gateway share."""
    refuses("another schema", kind, put("schema", 2))
    refuses("a time without milliseconds", kind, put("at", "2026-11-21T07:15:43Z"))
    refuses("a time of another zone", kind, put("at", "2026-11-21T07:15:43.167+01:00"))
    refuses("a day that does not exist", kind, put("at", "2026-02-30T07:15:43.167Z"))
    refuses("a word for clock that it does not know", kind, put("clock", "sync"))


# The samples in the documents.
samples = subprocess.run([SAMPLES, "--messages"], capture_output=True, text=True, check=True).stdout.splitlines()
check("the documents have samples", len(samples) > 5)
for sample in map(json.loads, samples):
    problems = contract.problems(sample)
    check(f"documents: {sample['name']}: {problems}", not problems)

for kind in TOPICS:
    schema = contract.schemas[f"{kind}.schema.json"]
    for example in schema["examples"]:
        problems = contract.problems(message(kind, example))
        check(f"{kind}: example: {problems}", not problems)
    for key in schema.get("required", []):
        refuses(f"a missing {key}", kind, take(key))
    for key in schema["examples"][0]:
        refuses(f"{key} of another type", kind, put(key, [None]))
    refuses("a field that it does not know", kind, put("colour", "red"))
    if not kind.startswith("request-"):
        refuses_common(kind)
    refuses("another qos", kind, lambda message: message.update(qos=2))
    refuses("retain turned round", kind, lambda message: message.update(retain=not message["retain"]))
    refuses("a topic that no channel has", kind, lambda message: message.update(topic=message["topic"] + "/more"))
    if kind not in ("state", "settings-reported"):
        refuses("an empty payload", kind, lambda message: message.update(payload=None))
for kind in ("state", "settings-reported"):
    check(f"{kind}: an empty payload clears it", not contract.problems(message(kind, None)))

for line in pathlib.Path(__file__).with_name("refused.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        words, name, text = (cell.strip() for cell in line.split(" | "))
        kind, _, example = words.partition(" ")
        refuses(name, kind, changes_of(text), int(example or 0))
refuses("a cell that comes twice", "heat", lambda message: message["payload"]["cells"].append(dict(message["payload"]["cells"][-1])))
refuses("more cells than a sheet has", "heat", lambda message: message["payload"].update(
    cells=[dict(message["payload"]["cells"][0], x_m=number) for number in range(501)]))
check("coverage: the words of status, and stopped", contract.schemas["coverage.schema.json"]["properties"]["radio"]["enum"]
      == [*contract.schemas["status.schema.json"]["properties"]["radio"]["enum"], "stopped"])
for kind in ("event", "gap", "coverage", "surge", "location-track"):
    refuses("another site than its topic's", kind, put("site", "shop"))
    refuses("another gateway than its topic's", kind, put("gateway", "till"))
for key in ("uuid", "major", "rssi_dbm", "proximity", "last_heard_at"):
    value = contract.schemas["event.schema.json"]["examples"][1][key]
    refuses(f"a circle with {key}", "event", put(key, value), example=3)
for kind, fix in (("location", "fix"), ("location-track", "fixes.0"), ("response-location", "result.fix")):
    for key, value in (
        ("latitude", 90.1), ("longitude", -180.1), ("horizontal_accuracy_m", 0), ("speed_m_s", -1), ("course_deg", 360),
        ("heading_deg", -1), ("at", "2026-11-21T07:15:43Z"), ("altitude_m", None), ("accuracy_m", 4),
    ):
        refuses(f"a fix with {key} {value}", kind, put(f"{fix}.{key}", value))
for kind, age in (("location", "age_s"), ("response-location", "result.age_s")):
    refuses("an age below zero", kind, put(age, -0.001))
refuses("the newest fix first", "location-track", lambda message: message["payload"]["fixes"].reverse())
refuses("more fixes than are kept", "location-track", lambda message: put("fixes", message["payload"]["fixes"][:1] * 3_601)(message))
for key in ("entered_at", "last_heard_at", "dwell_s"):
    value = contract.schemas["event.schema.json"]["examples"][1][key]
    refuses(f"an entry with {key}", "event", put(key, value))
    refuses(f"an exit without {key}", "event", take(key), example=1)
for scalar in (0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF):
    refuses(f"a region id with U+{scalar:X}", "request-monitor", put("id", "a" + chr(scalar)))
for kind, beacon in (("event", ""), ("ranging", "beacons.0.")):
    refuses("accuracy -1 where proximity is known", kind, put(f"{beacon}accuracy_m", -1))
    refuses("a distance where proximity is unknown", kind, put(f"{beacon}proximity", "unknown"))
    refuses("accuracy 0", kind, put(f"{beacon}accuracy_m", 0))
    refuses("an error -1 where proximity is known", kind, put(f"{beacon}accuracy_error_m", -1))
    refuses("a distance without its error", kind, put(f"{beacon}accuracy_error_m", None))
    refuses("an RSSI that means not available", kind, put(f"{beacon}rssi_dbm", 127))
refuses("a beacon farther than the next", "ranging", lambda message: message["payload"]["beacons"].append(
    message["payload"]["beacons"][0] | {"accuracy_m": 1.5}))

raw = copy.deepcopy(message("ranging", contract.schemas["ranging.schema.json"]["examples"][0]))
put("beacons.0.device", "7C:2F:80:A1:B2:C3")(raw)
check("raw addresses pass for whoever asks for them", not Contract(raw_devices=True).problems(raw))

last_line()
