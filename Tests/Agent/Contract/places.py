#!/usr/bin/env python3
"""Where the project outside its programs says which messages there are: access lists, bridges and documents. places.py [ROOT] names each place
that does not follow the schemas of ROOT/deploy/contract. The exit status is 1 where there is one.

    deploy/contract/asyncapi.yaml        a channel for each kind, with its delivery and its schema, and none besides
    access lists and bridges             who may write, carry, clear and read each kind
    the articles                         each kind in a table, each field in one of them

Most of it is written by Tests/Tools/contract. This is held against the topics that there are, and shares nothing with that program.
"""

import json
import pathlib
import re
import subprocess
import sys

from contract import FOLDER, Contract, series_of

ARTICLES = "Sources/beacond/Documentation.docc"
ACL, CHAIN_ACL, PAGE_ACL = "deploy/broker/store/acl", "deploy/chain/mosquitto/acl", "deploy/broker/page/acl"
BRIDGES = ("deploy/broker/store/mosquitto.conf", "deploy/chain/rabbitmq/bridge.conf")
# All that is read below, for a test that changes a copy of it.
FILES = (
    ACL, CHAIN_ACL, PAGE_ACL, *BRIDGES, "deploy/broker/page/mosquitto.conf", "deploy/chain/mosquitto/allow-store", "deploy/chain/rabbitmq/add-store",
    "deploy/chain/rabbitmq/definitions.json", "README.md", ARTICLES)


def topics_of(kind):
    """The topics of a kind behind site and gateway: those of instances and zones too. The store ranges no zone."""
    if "{region}" not in kind:
        return [kind]
    instances = ["r", "r/1", "r/1/2"]
    zones = [] if kind.endswith("/ranging") else [f"{instance}/zone/z" for instance in instances]
    return [kind.replace("{region}", levels) for levels in instances + zones]


def fits(pattern, topic):
    """Whether an MQTT filter takes a topic."""
    return re.fullmatch(re.escape(pattern).replace(r"\+", "[^/]+").replace("/\\#", "(/.*)?"), topic) is not None


class Places:
    """The files of a tree beside its schemas. Each method names what is wrong in the files that it is about."""

    def __init__(self, root):
        self.root = root
        self.contract = Contract(folder=root / "deploy/contract")
        self.kinds = {name: schema for name, schema in self.contract.schemas.items() if "x-topic" in schema}

    def text(self, path):
        return (self.root / path).read_text("utf-8")

    def block(self, path, user):
        """The lines of an access list that hold for a user."""
        return re.split(r"^user ", self.text(path).partition(f"\nuser {user}\n")[2], maxsplit=1, flags=re.M)[0]

    def messages(self):
        for name, schema in self.kinds.items():
            yield name, schema["x-topic"], schema["x-delivery"]

    def uncovered(self, place, filters, wanted):
        """A line for each kind of which the filters do not take every topic. `filters` begin behind the gateway."""
        for _, topic, delivery in self.messages():
            if wanted(topic, delivery) and not all(any(fits(one, each) for one in filters) for each in topics_of(topic)):
                yield f"{place}: {topic}"

    # --- The document --------------------------------------------------------------------------------------------------

    def asyncapi(self):
        place, sent = "deploy/contract/asyncapi.yaml", set()
        for operation in self.contract.document["operations"].values():
            if operation["action"] != "send" or "reply" in operation:
                continue
            channel = self.contract.resolve(operation["channel"]["$ref"])
            topic = channel["address"].removeprefix("{prefix}/{site}/{gateway}/")
            (message,) = channel["messages"].values()
            schema = self.contract.resolve(message["$ref"])["payload"]["schema"]["$ref"].removeprefix("./")
            if topic.startswith("response/"):
                continue
            topic = re.sub(r"^region/.*/", "region/{region}/", topic)
            sent.add((schema, topic, operation["bindings"]["$ref"].rsplit("/", 1)[-1]))
        known = set(self.messages())
        yield from (f"{place}: no operation sends {one}" for one in sorted(known - sent))
        yield from (f"{place}: no schema says {one}" for one in sorted(sent - known))

    def series(self):
        """A gap has the numbers of every numbered kind."""
        numbers = {schema["x-number"] for schema in self.kinds.values() if "x-number" in schema}
        yield from (f"gap.schema.json: from_{number}, to_{number}" for number in sorted(numbers - set(series_of(self.contract))))
        yield from (f"gap.schema.json: no kind is numbered by {number}" for number in sorted(set(series_of(self.contract)) - numbers))

    # --- Brokers -------------------------------------------------------------------------------------------------------

    def writers(self):
        path = "deploy/chain/mosquitto/allow-store"
        printed = subprocess.run([self.root / path, "berlin-17"], capture_output=True, text=True, check=True).stdout
        for place, form, text in ((ACL, r"^pattern write beacons/%u/(.*)$", self.text(ACL)), (path, r"^topic write beacons/berlin-17/\+/(.*)$", printed)):
            yield from self.uncovered(place, re.findall(form, text, re.M), lambda *_: True)
        path = "deploy/chain/rabbitmq/add-store"
        granted = re.search(r"^published='(.*)'$", self.text(path), re.M)[1].split("|")
        yield from self.uncovered(path, [f"{word.replace('.', '/')}/#" for word in granted], lambda *_: True)

    def bridges(self):
        """Checks that numbered messages wait, retained ones do not, and the others stay in the store."""
        for path in BRIDGES:
            for delivery, qos in (("acknowledged", 1), ("retained", 0)):
                filters = re.findall(rf"^topic \+/(\S+) out {qos} ", self.text(path), re.M)
                yield from self.uncovered(f"{path}: out {qos}", filters, lambda _, one: one == delivery)  # noqa: B023
            filters = re.findall(r"^topic \+/(\S+) (?:out|both) ", self.text(path), re.M)
            yield from (f"{path}: {topic} leaves the store" for _, topic, delivery in self.messages()
                        if delivery == "ephemeral" and any(fits(one, each) for one in filters for each in topics_of(topic)))

    def operators(self):
        """The user that clears the retained topics of a lost gateway."""
        for path in (ACL, CHAIN_ACL):
            filters = re.findall(r"^topic write beacons/\+/\+/(.*)$", self.block(path, "operator"), re.M)
            yield from self.uncovered(f"{path}: user operator", filters, lambda _, delivery: delivery == "retained")
        path = "deploy/chain/rabbitmq/definitions.json"
        form = re.search(r"beacons\\\.\[\^\.\]\+\\\.\[\^\.\]\+\\\.(\(.*\)\$)", json.loads(self.text(path))["topic_permissions"][0]["write"])[1]
        for _, topic, delivery in self.messages():
            if delivery == "retained" and not all(re.match(form, each.replace("/", ".")) for each in topics_of(topic)):
                yield f"{path}: user operator: {topic}"

    def page(self):
        """The page's logins read what it shows."""
        read = {schema["x-topic"] for schema in self.kinds.values() if schema["x-page"]}
        places = {
            PAGE_ACL: r"^pattern read beacons/\+/\+/(.*)$", "deploy/broker/page/mosquitto.conf": r"^topic \+/\+/(\S+) in 0 ",
            f"{ACL}: user berlin-17/page": r"^topic read beacons/berlin-17/\+/(.*)$", f"{CHAIN_ACL}: user page": r"^topic read beacons/\+/\+/(.*)$",
        }
        for place, form in places.items():
            path, _, user = place.partition(": user ")
            lines = self.block(path, user) if user else self.text(path)
            yield from self.uncovered(place, re.findall(form, lines, re.M), lambda topic, _: topic in read)

    # --- Documents -----------------------------------------------------------------------------------------------------

    def tables(self):
        rows = {path: set(re.findall(r"`([^`]+)`", " ".join(re.findall(r"^\|([^|]*)\|", self.text(path), re.M)))) for path in ("README.md", f"{ARTICLES}/Messages.md")}
        for path, named in rows.items():
            # A region's topics stand there with all that they may have.
            words = {re.sub(r"^.*/(?=\w+$)", "", one) if "region" in one else one for one in named}
            yield from (f"{path}: {topic}" for _, topic, _ in self.messages() if topic.removeprefix("region/{region}/") not in words)
        path = f"{ARTICLES}/Installing.md"
        allowed = re.search(r"must be allowed to write ([^.]*)\.", self.text(path))[1]
        yield from self.uncovered(path, [f"{word.removesuffix('/#')}/#" for word in re.findall(r"`([^`]+)`", allowed)], lambda *_: True)
        path = "deploy/contract/README.md"
        yield from (f"{path}: {name}" for name in self.kinds if f"({name})" not in self.text(path))

    def fields(self):
        articles = "\n".join(path.read_text("utf-8") for path in (self.root / ARTICLES).glob("*.md"))
        words = set(re.findall(r"\w+", articles))
        named = {(name, field) for name in [*self.kinds, "common.schema.json"] for field in fields_of(self.contract.schemas[name])}
        yield from (f"{ARTICLES}: {name}: {field}" for name, field in sorted(named) if field not in words)

    def forgotten(self):
        for look in (self.asyncapi, self.series, self.writers, self.bridges, self.operators, self.page, self.tables, self.fields):
            yield from look()


def fields_of(schema):
    """Every field that a schema declares, at any depth."""
    for field, one in schema.get("properties", {}).items():
        yield field
        yield from fields_of(one)
        yield from fields_of(one.get("items", {}))
    for one in schema.get("$defs", {}).values():
        yield from fields_of(one)


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER.parents[1]
    forgotten = list(Places(root).forgotten())
    print("\n".join(forgotten) or "every place follows the schemas")
    sys.exit(1 if forgotten else 0)
