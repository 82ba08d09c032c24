"""The article Fields as a whole: what each field of each message says, as its schema describes it."""

HEAD = """# Fields

What each field of each message says: the words of the schemas in `deploy/contract`, which have its type and its limits, too.

`Tests/Tools/contract` writes this article. What fields mean together is in [Messages](Messages.md).
"""


def whole(contract, schema, file):
    """A schema with what it refers to, its own words first, and the name of the schema that this is part of."""
    while "$ref" in schema:
        target, file = contract.resolved(schema["$ref"], file)
        schema = target | {word: value for word, value in schema.items() if word != "$ref"}
    return schema, file


def rows(contract, schema, file, before=""):
    for field, one in schema.get("properties", {}).items():
        described, home = whole(contract, one, file)
        yield f"| `{before}{field}` | {described.get('description', '')} |"
        inside, home = whole(contract, described.get("items", described), home)
        yield from rows(contract, inside, home, f"{before}{field}.")


def article(contract):
    text = HEAD
    for kind in contract.listed:
        text += f"\n## {'/'.join(kind.topic).removeprefix('region/{region}/')}\n\n{kind.schema['description']}\n\n| field | says |\n| --- | --- |\n"
        text += "".join(f"{row}\n" for row in rows(contract, kind.schema, kind.file))
    return text


PLACES = [("Sources/beacond/Documentation.docc/Fields.md", None, article)]
