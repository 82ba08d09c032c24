"""The contract in deploy/contract, as checks for messages."""

import json
import pathlib
import re
from datetime import datetime

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

FOLDER = (pathlib.Path(__file__).parent / "../../../deploy/contract").resolve()

# A parameter of a topic address stands for one level, except for the prefix, which may have several.
LEVEL, LEVELS = r"[^/+#]+", r"[^+#]+"

formats = FormatChecker(formats=())


@formats.checks("date-time", raises=ValueError)
def is_time(text):
    """Whether the day exists; the schema checks its form."""
    return not isinstance(text, str) or time_s(text) is not None


class Contract:
    """The schemas, and the channels that AsyncAPI names.

    With raw_devices the schemas take a Bluetooth address where they want a pseudonym: the contract refuses gateways
    with [privacy] device = "raw" on purpose, and says that this is what to change to take them all the same.
    """

    def __init__(self, raw_devices=False, folder=FOLDER):
        self.schemas = {path.name: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.schema.json"))}
        if raw_devices:
            device = self.schemas["ranging.schema.json"]["$defs"]["beacon"]["properties"]["device"]
            device["$ref"] = "common.schema.json#/$defs/device_address"
        resources = [(name, Resource(schema, DRAFT202012)) for name, schema in self.schemas.items()]
        registry = Registry().with_resources(resources)
        self.validators = {
            name: Draft202012Validator(schema | {"$id": name}, registry=registry, format_checker=formats)
            for name, schema in self.schemas.items()
        }
        self.document = yaml.safe_load((folder / "asyncapi.yaml").read_text("utf-8"))
        self.channels = [
            self._channel(part["channel"]["$ref"], operation["bindings"]["$ref"])
            for operation in self.document["operations"].values()
            for part in (operation, operation.get("reply")) if part
        ]

    def resolve(self, reference):
        """The target of a "#/…" reference in the AsyncAPI document."""
        node = self.document
        for key in reference.removeprefix("#/").split("/"):
            node = node[key.replace("~1", "/").replace("~0", "~")]
        return node

    def _channel(self, channel, bindings):
        channel = self.resolve(channel)
        (message,) = channel["messages"].values()
        schema = self.resolve(message["$ref"])["payload"]["schema"]["$ref"].removeprefix("./")
        binding = self.resolve(bindings)["mqtt"]
        pattern = re.sub(
            r"\\\{(\w+)\\\}",
            lambda match: f"(?P<{match[1]}>{LEVELS if match[1] == 'prefix' else LEVEL})", re.escape(channel["address"]))
        return re.compile(pattern), schema, binding

    def problems(self, message):
        """The faults of a message, which is a dictionary with topic, qos, retain and payload."""
        found = [
            (match, schema, binding)
            for pattern, schema, binding in self.channels
            if (match := pattern.fullmatch(message["topic"]))
        ]
        if not found:
            return ["no channel fits the topic"]
        # A channel that names a level goes before one that leaves it open: request/location is no gateway named request.
        match, schema, binding = min(
            found, key=lambda entry: (len(entry[0].groupdict()), entry[0]["prefix"].count("/")))
        problems = []
        if message["qos"] != binding["qos"]:
            problems.append(f"qos {message['qos']} instead of {binding['qos']}")
        if bool(message["retain"]) != binding["retain"]:
            problems.append(f"retain {message['retain']} instead of {binding['retain']}")
        payload = message["payload"]
        if payload is None:
            # An empty payload clears a state that is no longer published, or the report of a gateway that takes no settings any more.
            return problems if schema in ("state.schema.json", "settings-reported.schema.json") else [*problems, "empty payload"]
        errors = [
            f"{'/'.join(map(str, error.absolute_path)) or 'payload'}: {error.message[:200]}"
            for error in self.validators[schema].iter_errors(payload)
        ]
        return problems + (errors or beyond_schemas(schema, match.groupdict(), payload, series_of(self)))


def series_of(contract):
    """The series of numbers, as a gap names them: seq, span and so on."""
    return [field.removeprefix("from_") for field in contract.schemas["gap.schema.json"]["properties"] if field.startswith("from_")]


def time_s(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def beyond_schemas(schema, levels, payload, series):
    """Rules between fields, and between payload and topic, which a schema can't express."""
    problems = []

    def expect(rule, holds):
        if not holds:
            problems.append(rule)

    for level in ("site", "gateway"):
        # The store's own messages name the gateway that decided them.
        is_decider = level == "gateway" and levels["gateway"] == "site"
        if level in payload and not is_decider:
            expect(f"{level} is the topic's", payload[level] == levels[level])
    expect("only the store knows zones", levels["gateway"] == "site" or "zone" not in payload)
    for level in ("region", "major", "minor", "zone"):
        if level in levels:
            expect(f"{level} is the topic's", str(payload.get(level)) == levels[level])
        elif level != "region" and schema in ("state.schema.json", "ranging.schema.json") or level == "zone":
            expect(f"no {level} where the topic has none", level not in payload)
    if schema == "gap.schema.json":
        unit = next(unit for unit in series if f"from_{unit}" in payload)
        expect(f"from_{unit} is not above to_{unit}", payload[f"from_{unit}"] <= payload[f"to_{unit}"])
    if schema == "coverage.schema.json":
        expect("a span does not end before it begins", payload["from_at"] <= payload["to_at"])
        expect("it is published as it ends", payload["at"] == payload["to_at"])
    if schema == "surge.schema.json":
        expect("a surge does not end before it begins", payload["from_at"] <= payload["to_at"])
        expect("no more identities than entries", payload["identities"] <= payload["refused"])
    if schema == "heat.schema.json":
        expect("a sheet does not end before it begins", payload["from_at"] <= payload["to_at"])
        expect("a sheet is published once its time is over", payload["to_at"] <= payload["at"] or payload["clock"] == "unsynced")
        expect("a sheet covers an hour at most", time_s(payload["to_at"]) - time_s(payload["from_at"]) <= 3_600)
        expect("page is below pages", payload["page"] < payload["pages"])
        places = [(cell["floor"], cell["y_m"], cell["x_m"]) for cell in payload["cells"]]
        expect("each cell once, in their order", places == sorted(set(places)))
        expect("a second of each beacon at least", all(cell["beacons"] <= cell["seconds"] for cell in payload["cells"]))
        expect("what is omitted stands in the first page", payload["page"] == 0 or payload["omitted_cells"] == payload["omitted_s"] == payload["unplaced_s"] == 0)
    if schema == "count.schema.json":
        numbers = [payload["entered"], payload["left"], payload["present"], *(cell["visits"] for cell in payload["dwell"])]
        ways = [(way["from"], way["to"]) for way in payload.get("ways", [])]
        numbers += [way["visits"] for way in payload.get("ways", [])]
        expect("each way once, and from one zone to another", len(set(ways)) == len(ways) and all(one != other for one, other in ways))
        bounds = [cell["from_s"] for cell in payload["dwell"]]
        expect("a count ends after it begins", payload["from_at"] < payload["to_at"])
        expect("a count is published once its time is over", payload["to_at"] <= payload["at"] or payload["clock"] == "unsynced")
        expect("each number is 0 or at least minimum", all(not number or number >= payload["minimum"] for number in numbers))
        expect("omitted says how many numbers are left out", payload["omitted"] == numbers[:2].count(None))
        expect("each cell once, the shortest first", bounds == sorted(set(bounds)))
        expect("dwell has a beginning", bool(payload["dwell"]) <= ("dwell_from_at" in payload))
    if schema == "event.schema.json" and payload["type"] == "exit":
        end = "last_inside_at" if "center" in payload else "last_heard_at"
        stay_s = time_s(payload[end]) - time_s(payload["entered_at"])
        expect(f"dwell_s is from entered_at to {end}", abs(payload["dwell_s"] - max(0, stay_s)) < 0.002)
        expect("an exit is after the last report", payload[end] <= payload["at"])
    if schema == "location-track.schema.json":
        times = [fix["at"] for fix in payload["fixes"]]
        expect("oldest first", times == sorted(times))
    if schema == "state.schema.json":
        expect("since is not after at", payload["since"] <= payload["at"])
    if schema == "ranging.schema.json":
        beacons = payload["beacons"]
        expect(
            "count is of tracks that are not resolving",
            payload["count"] == len({beacon["track"] for beacon in beacons if "resolving" not in beacon}))
        # Published to a centimetre, so two equal ones may come in either order.
        order = [(beacon["proximity"] == "unknown", beacon["accuracy_m"]) for beacon in beacons]
        expect("nearest first, unknown last", order == sorted(order))
    return problems


def read(lines):
    """Messages from lines as `beacond replay` prints them, or as `mosquitto_sub -F %j` and `-F %J` do."""
    for line in lines:
        if not line.strip():
            continue
        message = json.loads(line)
        if isinstance(message["payload"], str):
            try:
                message["payload"] = json.loads(message["payload"]) if message["payload"] else None
            except (ValueError, RecursionError):
                # The text is no object, and breaks the contract as such.
                pass
        yield message
