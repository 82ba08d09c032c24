"""The parts of the contract itself that follow from the schemas: the channels, operations and messages of asyncapi.yaml, and the numbers in a gap."""

import json
import re
import textwrap

WIDTH = 130
# Where a region's messages go: the name of the levels, the levels, what they name, and the first channel's title.
LEVELS = (
    ("region", "", ["region"], None),
    ("major", "/{major}", ["region", "major"], 'The same for each major, with expand = "major"'),
    ("minor", "/{major}/{minor}", ["region", "major", "minor"], 'The same for each major and minor, with expand = "minor"'),
    ("zone", "/zone/{zone}", ["region", "zone"], "Is something of the region in this zone of the store? Said by the site alone"),
    ("zoneOfMajor", "/{major}/zone/{zone}", ["region", "major", "zone"], None),
    ("zoneOfMinor", "/{major}/{minor}/zone/{zone}", ["region", "major", "minor", "zone"], None),
)


def capital(text):
    return text[0].upper() + text[1:]


def plain(text):
    """A text as YAML has it on one line."""
    return json.dumps(text, ensure_ascii=False) if re.search(r": | #|^[^\w]|:$", text) else text


def scalar(key, text, indent):
    """A field of YAML, folded where its line would be too long."""
    line = f"{indent}{key}: {plain(text)}"
    if len(line) <= WIDTH + 20:
        return [line]
    return [f"{indent}{key}: >-", *textwrap.wrap(text, WIDTH, initial_indent=indent + "  ", subsequent_indent=indent + "  ", break_on_hyphens=False)]


def channel(kind, levels):
    """The name of the channel: state, stateOfMajor, zoneState, zoneStateOfMajor."""
    if levels.startswith("zone"):
        return f"zone{capital(kind.name)}{levels.removeprefix('zone')}"
    return kind.name if levels == "region" else f"{kind.name}Of{capital(levels)}"


def of_regions(contract):
    """The kinds that each sort of levels has. The store alone knows zones, and a kind has them where it has such a field."""
    kinds = [kind for kind in contract.listed if kind.is_of_region]
    for levels, topic, named, title in LEVELS:
        yield levels, topic, named, title, [kind for kind in kinds if "zone" not in levels or "zone" in kind.schema["properties"]]


def one_channel(kind, name, address, title, parameters):
    yield f"{name}:"
    yield f"  address: '{{prefix}}/{{site}}/{{gateway}}/{address}'"
    if title:
        yield from scalar("title", title, "  ")
    yield "  messages:"
    yield f"    {kind.name}: {{ $ref: '#/components/messages/{kind.name}' }}"
    yield from parameters


def parameters(anchor, named, is_first):
    if not is_first:
        return [f"  parameters: *{anchor}"]
    return [f"  parameters: &{anchor}", *(f"    {one}: {{ $ref: '#/components/parameters/{one}' }}" for one in ("prefix", "site", "gateway", *named))]


def channels(contract):
    for index, kind in enumerate(kind for kind in contract.listed if not kind.is_of_region):
        own = [level.strip("{}") for level in kind.topic if level.startswith("{")]
        yield from one_channel(
            kind, kind.name, "/".join(kind.topic), kind.schema["x-title"],
            parameters(kind.name if own else "gateway", own, bool(own) or index == 0))
    for levels, topic, named, title, kinds in of_regions(contract):
        yield ""
        for index, kind in enumerate(kinds):
            heading = kind.schema["x-title"] if levels == "region" else title if index == 0 else None
            address = "/".join(kind.topic).replace("{region}", f"{{region}}{topic}")
            yield from one_channel(kind, channel(kind, levels), address, heading, parameters(levels, named, index == 0))


def operations(contract):
    at = [(kind.name, kind, kind.schema["x-when"]) for kind in contract.listed if not kind.is_of_region]
    for levels, _, _, _, kinds in of_regions(contract):
        at += [(channel(kind, levels), kind, kind.schema["x-when"] if levels == "region" else None) for kind in kinds]
    for name, kind, when in at:
        yield f"publish{capital(name)}:"
        yield "  action: send"
        yield f"  channel: {{ $ref: '#/channels/{name}' }}"
        if when:
            yield from scalar("summary", when, "  ")
        yield f"  bindings: {{ $ref: '#/components/operationBindings/{kind.delivery}' }}"


def messages(contract):
    for index, kind in enumerate(contract.listed):
        yield f"{kind.name}:"
        yield f"  title: {'/'.join(kind.topic).removeprefix('region/{region}/')}"
        yield from scalar("summary", capital(kind.schema["x-says"]) + ".", "  ")
        yield "  payload:"
        yield "    schemaFormat: application/schema+json;version=2020-12"
        yield f"    schema: {{ $ref: ./{kind.file} }}"
        yield from ["  bindings: *json"] if index else ["  bindings: &json", "    mqtt:", "      contentType: application/json", "      bindingVersion: 0.2.0"]


# --- The numbers in a gap ----------------------------------------------------------------------------------------------

def series(contract):
    """The numbered things, with their kinds. Events come first: they are numbers and nothing else."""
    return [(kind.schema["x-number"], kind) for kind in contract.listed if "x-number" in kind.schema]


def alternatives(contract):
    return ", ".join(f'{{ "required": ["from_{number}", "to_{number}"] }}' for number, _ in series(contract))


def together(contract):
    """Each end with the other one, two series to a line."""
    pairs = [f'"from_{number}": ["to_{number}"], "to_{number}": ["from_{number}"]' for number, _ in series(contract)]
    return ",\n    ".join(", ".join(pairs[at:at + 2]) for at in range(0, len(pairs), 2))


def ends(contract):
    return "".join(one for number, kind in series(contract) for one in pair(number, kind))


def pair(number, kind):
    """Both fields. A kind with the shared numbers refers to their definition."""
    reference = kind.schema["properties"][number].get("$ref", f"{kind.file}#/properties/{number}")
    what = "number" if number == "seq" else number
    for end, means in (("from", f"The first {what} of the gap."), ("to", f"The last {what} of the gap, never below from_{number}.")):
        line = f'    "{end}_{number}": {{ "$ref": "{reference}", "description": "{means}" }},\n'
        yield line if len(line) <= 128 else f'    "{end}_{number}": {{\n      "$ref": "{reference}",\n      "description": "{means}"\n    }},\n'


GAP = "deploy/contract/gap.schema.json"
PLACES = [
    (GAP, r'^  "oneOf": \[(.*)\],$', alternatives),
    (GAP, r'^  "dependentRequired": \{\n    ((?:.*\n)*?.*)\n  \},$', together),
    (GAP, r'^((?:    "(?:from|to)_\w+": \{(?: .*|\n(?:      .*\n)*    \}),\n)+)', ends),
    ("deploy/contract/asyncapi.yaml", "channels", channels),
    ("deploy/contract/asyncapi.yaml", "operations", operations),
    ("deploy/contract/asyncapi.yaml", "messages", messages),
]
