#!/usr/bin/env python3
"""The contract itself: the AsyncAPI document holds together, every example fulfils its schema, and the schemas refuse what
is wrong. A schema that lets everything pass would make the other checks worth nothing.
"""

import copy
import json
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


def put(key, value):
    return lambda message: message["payload"].__setitem__(key, value)


def put_in(*path, key, value):
    """In what the path leads to, from the payload."""
    def change(message):
        node = message["payload"]
        for step in path:
            node = node[step]
        node[key] = value
    return change


def put_in_beacon(key, value):
    return lambda message: message["payload"]["beacons"][0].__setitem__(key, value)


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
        refuses(f"a missing {key}", kind, lambda message: message["payload"].pop(key))
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

refuses("a radio that needs nothing, with a remedy", "status", put("radio", "scanning"))
refuses("a radio that is off, without a remedy", "status", put("remedy", ""))
refuses("an epoch in lower case", "status", put("epoch", "01m7yfbnd8nhzk0bzs3vj4zz24"))
refuses("a reason that it does not know", "health", lambda message: message["payload"]["rejected"].update(boredom=1))
refuses("a count below zero", "health", lambda message: message["payload"]["dropped"].update(outbox_disk=-1))
refuses("a count with a fraction", "health", put("tracks", 1.5))
refuses("process figures without the broker's", "health", lambda message: message["payload"].pop("mqtt"))
refuses("a gap that ends before it begins", "gap", put("to_seq", 17))
refuses("a number below 1", "gap", put("from_seq", 0))
refuses("a gap without a beginning", "gap", lambda message: message["payload"].pop("from_seq"))
refuses("a gap without an end", "gap", lambda message: message["payload"].pop("to_seq"))
refuses("a gap of events and of spans", "gap", lambda message: message["payload"].update(from_span=1, to_span=2))
refuses("a gap of spans that ends before it begins", "gap", put("to_span", 2), example=1)
refuses("a gap of batches that ends before it begins", "gap", put("from_batch", 5), example=2)
refuses("a gap of spans and of batches", "gap", lambda message: message["payload"].update(from_batch=1, to_batch=2), example=1)
refuses("a span that ends before it begins", "coverage", put("from_at", "2026-11-21T08:15:32.245Z"))
refuses("a span that is published at another time", "coverage", put("at", "2026-11-21T08:15:32.245Z"))
refuses("a radio that status does not know", "coverage", put("radio", "tired"))
refuses("a span 0", "coverage", put("span", 0))
refuses("a gap of surges that ends before it begins", "gap", put("to_surge", 1), example=3)
refuses("a surge that ends before it begins", "surge", put("to_at", "2026-11-21T07:15:08.411Z"))
refuses("a surge of no entry", "surge", put("refused", 0))
refuses("a surge of more identities than entries", "surge", put("identities", 34_713))
refuses("a surge 0", "surge", put("surge", 0))
refuses("a gap of sheets that ends before it begins", "gap", put("to_sheet", 6), example=4)
refuses("a sheet that ends before it begins", "heat", put("to_at", "2026-11-21T08:59:59.999Z"))
refuses("a sheet of more than an hour", "heat", put("from_at", "2026-11-21T08:59:59.999Z"))
refuses("a cell of more beacons than a store's map has", "heat", lambda message: message["payload"]["cells"][0].update(beacons=65_537, seconds=70_000))
refuses("seconds without a position on a later page", "heat", lambda message: message["payload"].update(page=1, pages=2, omitted_cells=0, omitted_s=0))
refuses("a count that ends as it begins", "count", put("to_at", "2026-11-21T09:45:00.000Z"))
refuses("a number below the minimum", "count", put("left", 4))
refuses("a cell below the minimum", "count", lambda message: message["payload"]["dwell"][0].update(visits=4))
refuses("a cell of no bound", "count", lambda message: message["payload"]["dwell"][0].update(from_s=61))
refuses("a number that is left out and not counted", "count", put("entered", None))
refuses("a count with an identity", "count", put("major", 1))
refuses("a sheet 0", "heat", put("sheet", 0))
refuses("a page beyond the last", "heat", put("page", 1))
refuses("a cell with an identity", "heat", lambda message: message["payload"]["cells"][0].update(uuid="39ED98FF-2900-441A-802F-9C398FC199D2"))
refuses("a cell that comes twice", "heat", lambda message: message["payload"]["cells"].append(dict(message["payload"]["cells"][-1])))
refuses("a cell of more beacons than seconds", "heat", lambda message: message["payload"]["cells"][0].update(beacons=5311))
refuses("more cells than a sheet has", "heat", lambda message: message["payload"].update(
    cells=[dict(message["payload"]["cells"][0], x_m=number) for number in range(501)]))
check("coverage: the words of status, and stopped", contract.schemas["coverage.schema.json"]["properties"]["radio"]["enum"]
      == [*contract.schemas["status.schema.json"]["properties"]["radio"]["enum"], "stopped"])
for kind in ("event", "gap", "coverage", "surge", "location-track"):
    refuses("another site than its topic's", kind, put("site", "shop"))
    refuses("another gateway than its topic's", kind, put("gateway", "till"))
refuses("a site without a gateway", "event", lambda message: message["payload"].pop("gateway"))
for key in ("uuid", "major", "rssi_dbm", "proximity", "last_heard_at"):
    value = contract.schemas["event.schema.json"]["examples"][1][key]
    refuses(f"a circle with {key}", "event", put(key, value), example=3)
refuses("a circle without a radius", "event", lambda message: message["payload"].pop("radius_m"), example=3)
refuses("a circle's exit without last_inside_at", "event", lambda message: message["payload"].pop("last_inside_at"), example=3)
refuses("a radius beyond 100 km", "event", put("radius_m", 100_001), example=3)
refuses("a distance from a region of beacons", "event", put("distance_m", 7))
refuses("a circle's exit before the last fix inside", "event", put("at", "2026-11-21T09:12:11.000Z"), example=3)
refuses("a circle's dwell that the times deny", "event", put("dwell_s", 12), example=3)
refuses("a centre without a radius", "state", lambda message: message["payload"].pop("radius_m"), example=1)
refuses("a place that is older than an hour", "event", put_in("location", key="age_s", value=3_601), example=3)
refuses("a place without its accuracy", "event", lambda message: message["payload"]["location"].pop("horizontal_accuracy_m"), example=3)
for kind, path in (
    ("location", ("fix",)), ("location-track", ("fixes", 0)), ("response-location", ("result", "fix")),
):
    for key, value in (
        ("latitude", 90.1), ("longitude", -180.1), ("horizontal_accuracy_m", 0), ("speed_m_s", -1), ("course_deg", 360),
        ("heading_deg", -1), ("at", "2026-11-21T07:15:43Z"), ("altitude_m", None), ("accuracy_m", 4),
    ):
        refuses(f"a fix with {key} {value}", kind, put_in(*path, key=key, value=value))
for kind in ("location", "response-location"):
    path = () if kind == "location" else ("result",)
    refuses("an age below zero", kind, put_in(*path, key="age_s", value=-0.001))
refuses("a service that there is not", "location", put("service", "visits"))
refuses("a receiver without a name", "location", put("device", ""))
refuses("a batch 0", "location-track", put("batch", 0))
refuses("a batch without a fix", "location-track", put("fixes", []))
refuses("the newest fix first", "location-track", lambda message: message["payload"]["fixes"].reverse())
refuses("an end that there is not", "location-track", put("finished", "paused"))
refuses("more fixes than are kept", "location-track", lambda message: put("fixes", message["payload"]["fixes"][:1] * 3_601)(message))
refuses("an answer with a fix and an error", "response-location", put("error", {"code": "location_unavailable", "text": "none"}))
refuses("to wait for longer than 300 s", "request-location", put("timeout_s", 301), example=1)
refuses("not to wait", "request-location", put("timeout_s", 0), example=1)
refuses("an availability that there is not", "status", put_in("location", key="availability", value="lost"), example=1)
refuses("a place in status", "status", put_in("location", key="latitude", value=52.5), example=1)
refuses("a reason that there is not", "health", put_in("location", "rejected", key="bored", value=1))
refuses("figures of location without the receiver's time", "health", lambda message: message["payload"]["location"].pop("receiver_on_s"))
refuses("another region than its topic's", "state", put("region", "till"))
refuses("another major than its topic's", "state", put("major", 3))
refuses("a minor that its topic has not", "state", put("minor", 3))
refuses("since after at", "state", put("since", "2026-11-21T07:15:43.168Z"))
refuses("a minor without a major", "state", lambda message: (message["payload"].pop("major"), put("minor", 3)(message)))
refuses("an event number below 0", "state", put("event_seq", -1))
for key in ("entered_at", "last_heard_at", "dwell_s"):
    value = contract.schemas["event.schema.json"]["examples"][1][key]
    refuses(f"an entry with {key}", "event", put(key, value))
    refuses(f"an exit without {key}", "event", lambda message: message["payload"].pop(key), example=1)
refuses("an entry that is partial", "event", put("partial", True))
refuses("partial where it is not true", "event", put("partial", False), example=1)
refuses("an entry that is unmonitored", "event", put("unmonitored", True))
refuses("unmonitored where it is not true", "event", put("unmonitored", False), example=2)
refuses("an exit that is near", "event", lambda message: message["payload"].update(
    proximity="near", accuracy_m=2, accuracy_error_m=1), example=1)
refuses("a dwell that the times deny", "event", put("dwell_s", 12), example=1)
refuses("an exit before the last report", "event", put("at", "2026-11-21T07:31:00.000Z"), example=1)
refuses("a UUID in lower case", "event", put("uuid", "39ed98ff-2900-441a-802f-9c398fc199d2"))
refuses("a UUID without dashes", "event", put("uuid", "39ED98FF2900441A802F9C398FC199D2"))
refuses("a major beyond 16 bits", "event", put("major", 65_536))
refuses("a major that is text", "event", put("major", "2"))
refuses("a region id with a slash", "event", put("region", "a/b"))
for scalar in (0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF):
    refuses(f"a region id with U+{scalar:X}", "request-monitor", put("id", "a" + chr(scalar)))
refuses("a device address", "event", put("device", "7C:2F:80:A1:B2:C3"))
for kind, change in (("event", put), ("ranging", put_in_beacon)):
    refuses("accuracy -1 where proximity is known", kind, change("accuracy_m", -1))
    refuses("a distance where proximity is unknown", kind, change("proximity", "unknown"))
    refuses("accuracy 0", kind, change("accuracy_m", 0))
    refuses("an error -1 where proximity is known", kind, change("accuracy_error_m", -1))
    refuses("a distance without its error", kind, change("accuracy_error_m", None))
    refuses("an RSSI that means not available", kind, change("rssi_dbm", 127))
refuses("a raw address for a device", "ranging", put_in_beacon("device", "7C:2F:80:A1:B2:C3"))
refuses("resolving where it is not true", "ranging", put_in_beacon("resolving", False))
refuses("an age below zero", "ranging", put_in_beacon("age_ms", -1))
refuses("a measured power beyond 8 bits", "ranging", put_in_beacon("measured_power_dbm", 128))
refuses("a count that the list denies", "ranging", put("count", 2))
refuses("a beacon farther than the next", "ranging", lambda message: message["payload"]["beacons"].append(
    message["payload"]["beacons"][0] | {"accuracy_m": 1.5}))

raw = copy.deepcopy(message("ranging", contract.schemas["ranging.schema.json"]["examples"][0]))
put_in_beacon("device", "7C:2F:80:A1:B2:C3")(raw)
check("raw addresses pass for whoever asks for them", not Contract(raw_devices=True).problems(raw))

last_line()
