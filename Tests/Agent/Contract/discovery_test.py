#!/usr/bin/env python3
"""discovery_test.py FILE…: an entity that reads what the schemas have not, or leaves out a word that they have, is named."""

import fileinput
import json
import sys
import tempfile

import made_up
from contract import Contract, read
from discovery import wrong

messages = list(read(fileinput.input(sys.argv[1:], encoding="utf-8")))
passed, failures = 0, []


def check(change, *expected):
    """The faults of all entities with so changed schemas, each once."""
    global passed
    with tempfile.TemporaryDirectory() as folder:
        found = {one.partition("/config: ")[2] for one in wrong(Contract(folder=made_up.tree(folder, change) / "deploy/contract"), messages)}
    if found == set(expected):
        passed += 1
    else:
        failures.append(f"{sorted(found)} instead of {sorted(expected)}")


def without(name, *path):
    """A change of the schema: something in it is gone."""
    def change(schema):
        *way, last = path
        for step in way:
            schema = schema[step]
        if isinstance(schema, list):
            schema.remove(last)
        else:
            del schema[last]
    return lambda folder: made_up.changed(folder, name, change)


check(made_up.add_radio, "options: status.schema.json: tired")
check(without("health", "properties", "queue_depth"), "value_template: health.schema.json has no field queue_depth")
check(without("status", "properties", "remedy"), "json_attributes_template: status.schema.json has no field remedy")
check(without("event", "properties", "type", "enum", "exit"), "event_types: event.schema.json: exit")
check(without("state", "properties", "state", "enum", "outside"), "value_template: state.schema.json: state is never outside")
check(without("health", "properties", "gateways", "items", "properties", "hearing", "enum", "hears"), "value_template: health.schema.json: gateways.hearing is never hears")
check(without("status", "properties", "radio", "enum", "replay"), "options: status.schema.json: replay", "availability_template: status.schema.json: radio is never replay")
check(without("beacons", "properties", "beacons", "items", "properties", "battery_percent"), "value_template: beacons.schema.json has no field beacons.battery_percent")
check(without("beacons", "properties", "beacons", "items", "properties", "major"), "value_template: beacons.schema.json has no field beacons.major")
for failure in failures:
    print(failure)
print(json.dumps({"passed": passed, "failed": len(failures)}))
sys.exit(1 if failures else 0)
