#!/usr/bin/env python3
"""A place that is forgotten is named: for a made-up kind, field and figure in the schemas, and for each line that a place has lost. So is a field
that no agent sends."""

import json
import sys
import tempfile

import made_up
from contract import Contract
from places import ACL, ARTICLES, BRIDGES, CHAIN_ACL, FILES, PAGE_ACL, Places
from seen import UNSEEN, fields_declared, unseen

ASYNCAPI, MESSAGES, RABBITMQ = "deploy/contract/asyncapi.yaml", f"{ARTICLES}/Messages.md", "deploy/chain/rabbitmq/definitions.json"
passed, failures = 0, []


def check(name, found, expected):
    global passed
    if sorted(found) == sorted(expected):
        passed += 1
    else:
        failures.append(f"{name}: {sorted(set(found) ^ set(expected))}")


def forgotten(*changes, edit=None):
    with tempfile.TemporaryDirectory() as folder:
        tree = made_up.tree(folder, *changes, also=FILES)
        if edit:
            path, old, new = edit
            text = (tree / path).read_text()
            if old not in text:
                failures.append(f"{path}: no {old}")
            (tree / path).write_text(text.replace(old, new))
        return list(Places(tree).forgotten())


check("nothing is forgotten", forgotten(), [])
check("a kind", forgotten(made_up.add_kind), [
    f"{ASYNCAPI}: no operation sends ('pulse.schema.json', 'pulse', 'acknowledged')", "gap.schema.json: from_beat, to_beat",
    *(f"{place}: pulse" for place in (
        ACL, "deploy/chain/mosquitto/allow-store", "deploy/chain/rabbitmq/add-store", *(f"{path}: out 1" for path in BRIDGES),
        PAGE_ACL, "deploy/broker/page/mosquitto.conf", f"{ACL}: user berlin-17/page", f"{CHAIN_ACL}: user page", "README.md", MESSAGES, f"{ARTICLES}/Installing.md")),
    "deploy/contract/README.md: pulse.schema.json", *(f"{ARTICLES}: pulse.schema.json: {field}" for field in ("beat", "mood"))])
check("a kind that is retained", [one for one in forgotten(made_up.add_retained_kind) if "operator" in one or ": out 0" in one], [
    f"{ACL}: user operator: pulse", f"{CHAIN_ACL}: user operator: pulse", f"{RABBITMQ}: user operator: pulse", *(f"{path}: out 0: pulse" for path in BRIDGES)])
check("a field", forgotten(made_up.add_field), [f"{ARTICLES}: event.schema.json: echo"])
check("a field of a fix", forgotten(made_up.add_fix_field), [f"{ARTICLES}: common.schema.json: tilt_deg"])
check("a figure", forgotten(made_up.add_figure), [f"{ARTICLES}: health.schema.json: echoes"])

STATE = "region/{region}/state"
for edit, expected in (
        ((ASYNCAPI, "channel: { $ref: '#/channels/gap' }\n    summary: As numbers are found to be lost, and on every new connection until the broker has acknowledged it.\n"
          "    bindings: { $ref: '#/components/operationBindings/acknowledged' }", "channel: { $ref: '#/channels/gap' }\n    bindings: { $ref: '#/components/operationBindings/retained' }"),
         [f"{ASYNCAPI}: no operation sends ('gap.schema.json', 'gap', 'acknowledged')", f"{ASYNCAPI}: no schema says ('gap.schema.json', 'gap', 'retained')"]),
        (("deploy/contract/surge.schema.json", '"x-number": "surge"', '"x-number": "span"'), ["gap.schema.json: no kind is numbered by surge"]),
        ((ACL, "pattern write beacons/%u/surge\n", ""), [f"{ACL}: surge"]),
        ((ACL, "topic write beacons/+/+/region/+/+/state\n", ""), [f"{ACL}: user operator: {STATE}"]),
        ((CHAIN_ACL, "topic write beacons/+/+/location\n", ""), [f"{CHAIN_ACL}: user operator: location"]),
        ((RABBITMQ, "status|health|location|region", "status|health|region"), [f"{RABBITMQ}: user operator: location"]),
        (("deploy/chain/rabbitmq/add-store", "status|health|gap|", "status|health|"), ["deploy/chain/rabbitmq/add-store: gap"]),
        (("deploy/chain/mosquitto/allow-store", "topic write beacons/$name/+/location/#\n", ""),
         ["deploy/chain/mosquitto/allow-store: location", "deploy/chain/mosquitto/allow-store: location/track"]),
        ((BRIDGES[0], "topic +/region/+/+/+/+/event out 1 beacons/berlin-17/ beacons/berlin-17/\n", ""), [f"{BRIDGES[0]}: out 1: region/{{region}}/event"]),
        ((BRIDGES[1], "topic +/health out 0", "topic +/health out 1"), [f"{BRIDGES[1]}: out 0: health"]),
        ((PAGE_ACL, "pattern read beacons/+/+/health\n", ""), [f"{PAGE_ACL}: health"]),
        ((MESSAGES, "| `surge` |", "| surge |"), [f"{MESSAGES}: surge"]),
        (("deploy/contract/README.md", "(gap.schema.json)", ""), ["deploy/contract/README.md: gap.schema.json"])):
    check(f"{edit[0]} without {edit[1][:40]}", forgotten(edit=edit), expected)

# What no agent sends.
def unsent(*changes):
    """The fields that no message had where each one of today's contract was in one."""
    with tempfile.TemporaryDirectory() as folder:
        contract = Contract(folder=made_up.tree(folder, *changes) / "deploy/contract")
        return list(unseen(contract, fields_declared(Contract()) - UNSEEN))


check("all is sent", unsent(), [])
check("a figure and a field that no agent sends", unsent(made_up.add_figure, made_up.add_field), [
    "no message had health.schema.json: echoes", "no message had event.schema.json: echo"])
check("a kind that no agent sends", unsent(made_up.add_kind), [f"no message had pulse.schema.json: {field}" for field in made_up.PULSE])

for failure in failures:
    print(failure)
print(json.dumps({"passed": passed, "failed": len(failures)}))
sys.exit(1 if failures else 0)
