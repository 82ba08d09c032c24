#!/usr/bin/env python3
"""discovery_test.py FILE…: an entity that reads what the schemas have not, or leaves out a word that they have, is named."""

import fileinput
import sys
import tempfile

import made_up
from contract import Contract, read
from counting import check, last_line
from discovery import wrong

messages = list(read(fileinput.input(sys.argv[1:], encoding="utf-8")))


def names(change, *expected):
    """The faults of all entities with so changed schemas, each once."""
    with tempfile.TemporaryDirectory() as folder:
        found = {one.partition("/config: ")[2] for one in wrong(Contract(folder=made_up.tree(folder, change) / "deploy/contract"), messages)}
    check("; ".join(expected), found == set(expected), sorted(found))


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


names(made_up.add_radio, "options: status.schema.json: tired")
names(without("health", "properties", "queue_depth"), "value_template: health.schema.json has no field queue_depth")
names(without("status", "properties", "remedy"), "json_attributes_template: status.schema.json has no field remedy")
names(without("event", "properties", "type", "enum", "exit"), "event_types: event.schema.json: exit")
names(without("state", "properties", "state", "enum", "outside"), "value_template: state.schema.json: state is never outside")
names(without("health", "properties", "gateways", "items", "properties", "hearing", "enum", "hears"), "value_template: health.schema.json: gateways.hearing is never hears")
names(without("status", "properties", "radio", "enum", "replay"), "options: status.schema.json: replay", "availability_template: status.schema.json: radio is never replay")
names(without("beacons", "properties", "beacons", "items", "properties", "battery_percent"), "value_template: beacons.schema.json has no field beacons.battery_percent")
names(without("beacons", "properties", "beacons", "items", "properties", "major"), "value_template: beacons.schema.json has no field beacons.major")
last_line()
