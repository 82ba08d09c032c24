"""The parts of access lists, bridges and documents that follow from the schemas: a line, or a word, for each kind of message."""

import re

ARTICLES = "Sources/beacond/Documentation.docc"
STORE, CHAIN, PAGE = "deploy/broker/store", "deploy/chain", "deploy/broker/page"
# How many levels the instances and zones of a region may have: it, major, minor, "zone" and a zone.
DEEPEST_REGION = 5


def regions_last(contract):
    return sorted(contract.listed, key=lambda kind: kind.is_of_region)


def filters(kind):
    """MQTT filters, behind the gateway, that take every topic of a kind."""
    if not kind.is_of_region:
        return ["/".join(kind.topic).replace("{page}", "+")]
    return ["/".join(kind.topic).replace("{region}", "/".join("+" * levels)) for levels in range(1, DEEPEST_REGION + 1)]


def branches(kinds):
    """The topics of all kinds. Those below another kind, and those of regions, become one with /#."""
    alone = {kind.topic[0] for kind in kinds if len(kind.topic) == 1}
    deep = {kind.topic[0] for kind in kinds if len(kind.topic) > 1 and ("{" in kind.topic[-1] or kind.is_of_region or kind.topic[0] in alone)}
    return list(dict.fromkeys(kind.topic[0] + "/#" if kind.topic[0] in deep else "/".join(kind.topic) for kind in kinds))


def published(contract):
    """The messages and answers of a gateway."""
    return [*branches(regions_last(contract)), "response/#"]


def retained(contract):
    """The topics that an operator may clear."""
    return [one for kind in regions_last(contract) if kind.is_retained for one in filters(kind)]


def shown(contract):
    """The topics that the page reads, for all regions alike."""
    kinds = [kind for kind in regions_last(contract) if kind.schema.get("x-page")]
    return list(dict.fromkeys("region/#" if kind.is_of_region else filters(kind)[0] for kind in kinds))


def carried(delivery, qos):
    """The lines of a bridge for what is delivered so: where it waits, regions first, and otherwise last."""
    def lines(contract):
        kinds = sorted(contract.listed, key=lambda kind: kind.is_of_region != (qos > 0))
        return [f"topic +/{one} out {qos} beacons/berlin-17/ beacons/berlin-17/" for kind in kinds if kind.delivery == delivery for one in filters(kind)]
    return lines


def each(form, choose):
    """A line for each filter, with it in the place of the star."""
    return lambda contract: [form.replace("*", one) for one in choose(contract)]


def clearing(contract):
    """The end of RabbitMQ's regular expression for what an operator may write, within a string of JSON."""
    topics = ["/".join(kind.topic).replace("{region}/", "*/").replace("{page}", "*") for kind in regions_last(contract) if kind.is_retained]
    return "|".join(one.replace("/", r"\\.").replace("*", ".*") for one in topics)


# --- Documents ---------------------------------------------------------------------------------------------------------

def table(requests):
    """The kinds as documents list them, and a last row for requests."""
    def lines(contract):
        yield "| topic | QoS | retained | says |"
        yield "| --- | --- | --- | --- |"
        for kind in contract.listed:
            topic = "/".join(kind.topic).replace("{region}", "{id}")
            qos = int(kind.delivery != "ephemeral")
            yield f"| `{topic}` | {qos} | {'yes' if kind.is_retained else 'no'} | {kind.schema['x-says']} |"
        yield f"| `request/{{verb}}` → `response/{{verb}}` | 1 | no | {requests} |"
    return lines


def links(contract):
    return " ".join(f"[`{kind.file.removesuffix('.schema.json').replace('-', '/')}`]({kind.file})" for kind in contract.listed)


def sentence(contract):
    words = [f"`{one}`" for one in published(contract)]
    return f"{', '.join(words[:-1])} and {words[-1]}"


# A file, the block in it or the words around what is written, and what that is.
PLACES = [
    (f"{STORE}/acl", "writers", each("pattern write beacons/%u/*", published)),
    (f"{STORE}/acl", "readers", each("topic read beacons/berlin-17/+/*", shown)),
    (f"{STORE}/acl", "retained", each("topic write beacons/+/+/*", retained)),
    *((path, name, carried(*how)) for path in (f"{STORE}/mosquitto.conf", f"{CHAIN}/rabbitmq/bridge.conf")
      for name, how in (("numbered", ("acknowledged", 1)), ("retained", ("retained", 0)))),
    (f"{CHAIN}/mosquitto/acl", "readers", each("topic read beacons/+/+/*", shown)),
    (f"{CHAIN}/mosquitto/acl", "retained", each("topic write beacons/+/+/*", retained)),
    (f"{CHAIN}/mosquitto/allow-store", "published", lambda contract: [f"published=({' '.join(published(contract))})"]),
    (f"{CHAIN}/rabbitmq/add-store", "published", lambda contract: [f"published='{'|'.join(one.removesuffix('/#').replace('/', '.') for one in published(contract))}'"]),
    (f"{CHAIN}/rabbitmq/definitions.json", re.escape(r"(request\\..*|settings\\.desired|") + r"(.*)\)\$", clearing),
    (f"{PAGE}/acl", "readers", each("pattern read beacons/+/+/*", shown)),
    (f"{PAGE}/mosquitto.conf", "readers", each("topic +/+/* in 0 beacons/ beacons/", shown)),
    ("deploy/contract/README.md", r"^\| (\[`.*) \| one JSON Schema", links),
    ("README.md", "kinds", table(f"[requests]({ARTICLES}/Commands.md) and answers, where `[commands]` allows them")),
    (f"{ARTICLES}/Messages.md", "kinds", table("answers to [requests](Commands.md), where `[commands]` allows them")),
    (f"{ARTICLES}/Installing.md", r"must be allowed to write ([^.]*)\.", sentence),
]
