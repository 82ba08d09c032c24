#!/usr/bin/env python3
"""A place that is forgotten is named: for a made-up kind, field and figure in the schemas, and for each line that a place has lost. What follows from
the schemas is written by Tests/Tools/contract. A field that no agent sends is named as well."""

import subprocess
import tempfile

import made_up
from contract import Contract
from counting import check, last_line
from places import ACL, ARTICLES, BRIDGES, CHAIN_ACL, FILES, PAGE_ACL, Places
from seen import UNSEEN, fields_declared, unseen

ASYNCAPI, MESSAGES, RABBITMQ = "deploy/contract/asyncapi.yaml", f"{ARTICLES}/Messages.md", "deploy/chain/rabbitmq/definitions.json"


def equal(name, found, expected):
    check(name, sorted(found) == sorted(expected), sorted(set(found) ^ set(expected)))


def forgotten(*changes, edit=None):
    """The places named in a changed copy of the project, before Tests/Tools/contract has written it and after. For the edit of a file it is said
    besides whether it is written as it was."""
    with tempfile.TemporaryDirectory() as folder:
        tree = made_up.tree(folder, *changes, also=[*FILES, "deploy/page"])
        if edit:
            path, old, new = edit
            whole = (tree / path).read_text()
            if old not in whole:
                check(f"{path} has {old}", False)
            (tree / path).write_text(whole.replace(old, new))
        before = list(Places(tree).forgotten())
        stale = written(tree, "--check")
        written(tree)
        after = list(Places(tree).forgotten())
        if edit:
            after += [] if (tree / path).read_text() == whole else [f"{path} is not as it was"]
        return before, after, stale


def written(tree, *options):
    """The files that Tests/Tools/contract names."""
    done = subprocess.run([made_up.ROOT / "Tests/Tools/contract", "--root", tree, *options], capture_output=True, text=True, check=False)
    return [line.split(" is ")[0] for line in (done.stderr if options else done.stdout).splitlines()]


def named(name, places, before, after=(), stale=None):
    equal(name, places[0], before)
    equal(f"{name}, written", places[1], after)
    if stale is not None:
        equal(f"{name}, to be written", places[2], stale)


# Every file that lists all kinds, those that list what the broker keeps for gateways that are gone, and those of the page's users.
FIELDS, COPY = f"{ARTICLES}/Fields.md", "deploy/page/source/messages/contract.js"
LISTS = [ASYNCAPI, ACL, *BRIDGES, "deploy/chain/mosquitto/allow-store", "deploy/chain/rabbitmq/add-store", "README.md", MESSAGES, f"{ARTICLES}/Installing.md",
         "deploy/contract/README.md", FIELDS, COPY]
READERS = [PAGE_ACL, "deploy/broker/page/mosquitto.conf", CHAIN_ACL]
named("nothing is forgotten", forgotten(), [], [], [])
named("a kind", forgotten(made_up.add_kind), [
    f"{ASYNCAPI}: no operation sends ('pulse.schema.json', 'pulse', 'acknowledged')", "gap.schema.json: from_beat, to_beat",
    *(f"{place}: pulse" for place in (
        ACL, "deploy/chain/mosquitto/allow-store", "deploy/chain/rabbitmq/add-store", *(f"{path}: out 1" for path in BRIDGES),
        PAGE_ACL, "deploy/broker/page/mosquitto.conf", f"{ACL}: user berlin-17/page", f"{CHAIN_ACL}: user page", "README.md", MESSAGES, f"{ARTICLES}/Installing.md")),
    "deploy/contract/README.md: pulse.schema.json", *(f"{ARTICLES}: pulse.schema.json: {field}" for field in ("beat", "mood"))],
    stale=[*LISTS, *READERS, "deploy/contract/gap.schema.json"])
before, after, stale = forgotten(made_up.add_retained_kind)
equal("a kind that is retained", [one for one in before if "operator" in one or ": out 0" in one], [
    f"{ACL}: user operator: pulse", f"{CHAIN_ACL}: user operator: pulse", f"{RABBITMQ}: user operator: pulse", *(f"{path}: out 0: pulse" for path in BRIDGES)])
equal("a kind that is retained, written", after, [])
equal("a kind that is retained, to be written", stale, [*LISTS, *READERS, RABBITMQ])
for name, change, before in (
        ("a field", made_up.add_field, [f"{ARTICLES}: event.schema.json: echo"]),
        ("a field of a fix", made_up.add_fix_field, [f"{ARTICLES}: common.schema.json: tilt_deg"]),
        ("a figure", made_up.add_figure, [f"{ARTICLES}: health.schema.json: echoes"])):
    named(name, forgotten(change), before, stale=[FIELDS, COPY])

STATE = "region/{region}/state"
for edit, expected in (
        ((ASYNCAPI, "channel: { $ref: '#/channels/gap' }\n    summary: As numbers are found to be lost, and on every new connection until the broker has acknowledged it.\n"
          "    bindings: { $ref: '#/components/operationBindings/acknowledged' }", "channel: { $ref: '#/channels/gap' }\n    bindings: { $ref: '#/components/operationBindings/retained' }"),
         [f"{ASYNCAPI}: no operation sends ('gap.schema.json', 'gap', 'acknowledged')", f"{ASYNCAPI}: no schema says ('gap.schema.json', 'gap', 'retained')"]),
        ((ACL, "pattern write beacons/%u/surge\n", ""), [f"{ACL}: surge"]),
        ((ACL, "topic write beacons/+/+/region/+/+/state\n", ""), [f"{ACL}: user operator: {STATE}"]),
        ((CHAIN_ACL, "topic write beacons/+/+/location\n", ""), [f"{CHAIN_ACL}: user operator: location"]),
        ((RABBITMQ, "|health|location", "|health"), [f"{RABBITMQ}: user operator: location"]),
        (("deploy/chain/rabbitmq/add-store", "status|health|gap|", "status|health|"), ["deploy/chain/rabbitmq/add-store: gap"]),
        (("deploy/chain/mosquitto/allow-store", " location/# ", " "),
         ["deploy/chain/mosquitto/allow-store: location", "deploy/chain/mosquitto/allow-store: location/track"]),
        ((BRIDGES[0], "topic +/region/+/+/+/+/event out 1 beacons/berlin-17/ beacons/berlin-17/\n", ""), [f"{BRIDGES[0]}: out 1: region/{{region}}/event"]),
        ((BRIDGES[1], "topic +/health out 0", "topic +/health out 1"), [f"{BRIDGES[1]}: out 0: health"]),
        ((PAGE_ACL, "pattern read beacons/+/+/health\n", ""), [f"{PAGE_ACL}: health"]),
        ((MESSAGES, "| `surge` |", "| surge |"), [f"{MESSAGES}: surge"]),
        ((COPY, "'coverage', ", ""), []),
        ((FIELDS, "| `from_seq` |", "| seq |"), []),
        (("deploy/contract/README.md", "(gap.schema.json)", ""), ["deploy/contract/README.md: gap.schema.json"])):
    named(f"{edit[0]} without {edit[1][:40]}", forgotten(edit=edit), expected, stale=[edit[0]])
for path in BRIDGES:
    leak = [f"{path}: region/{{region}}/ranging leaves the store"]
    named(f"{path} with ranging", forgotten(edit=(path, "#topic +/region/+/ranging", "topic +/region/+/ranging")), leak, [*leak, f"{path} is not as it was"], [])
SURGE = "deploy/contract/surge.schema.json"
named("a kind that is not numbered any more", forgotten(edit=(SURGE, '  "x-number": "surge",\n', "")), ["gap.schema.json: no kind is numbered by surge"],
      [f"{SURGE} is not as it was"], ["deploy/contract/gap.schema.json"])

# What no agent sends.
def unsent(*changes):
    """The fields that no message had where each one of today's contract was in one."""
    with tempfile.TemporaryDirectory() as folder:
        contract = Contract(folder=made_up.tree(folder, *changes) / "deploy/contract")
        return list(unseen(contract, fields_declared(Contract()) - UNSEEN))


equal("all is sent", unsent(), [])
equal("a figure and a field that no agent sends", unsent(made_up.add_figure, made_up.add_field), [
    "no message had health.schema.json: echoes", "no message had event.schema.json: echo"])
equal("a kind that no agent sends", unsent(made_up.add_kind), [f"no message had pulse.schema.json: {field}" for field in made_up.PULSE])

last_line()
