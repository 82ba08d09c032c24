#!/usr/bin/env python3
"""access.py [SOURCES]: holds CONTRIBUTING's rule that a declaration is `package` only where another module uses it. Tests see everything.

A use is the name in the text of a module that imports the declaration's; so a name that another one shares may pass. A type is used by each
`package` declaration whose signature names it, and a requirement of a protocol by the protocol. A member of a type that is not `package`
cannot be used. It prints each needless `package` as FILE:LINE, and ends with 1 then.
"""

import collections
import pathlib
import re
import sys

from layers import code

# A module, and those that import it.
USERS = {"Core": ["Agent", "beacond"], "Agent": ["beacond"]}
TYPES = ("struct", "enum", "class", "actor", "protocol", "typealias")
COMMENT = re.compile(r"//[^\n]*")
DECLARATION = re.compile(
    r"^( *)(?:@\w+(?:\([^)]*\))? )*package (?:\w+ |private\(set\) )*?(func|var|let|init|subscript|case|extension|" + "|".join(TYPES) + r")\b[?!]? ?`?(\w*)", re.MULTILINE)
SCOPE = re.compile(r"^( *)(?:@\w+ |\w+ )*?(struct|enum|class|actor|protocol|extension) ([\w.]+)[^\n]*(?:\n[^\n{}]*)*?\{", re.MULTILINE)
DECLARED = re.compile(r"\b(?:" + "|".join(TYPES) + r") (\w+)")
PROTOCOL = re.compile(r"^(?:package )?protocol \w+[^{]*\{(.*?)^\}", re.MULTILINE | re.DOTALL)
REQUIREMENT = re.compile(r"\b(?:func|var) (\w+)")
INITIALISER = re.compile(r"\binit(\([^)]*\))")
LABEL = re.compile(r"[(,]\s*(\w+)(?: \w+)?:")
# Requirements of the standard library's protocols.
REQUIRED = {"description", "hash", "rawValue", "allCases", "next", "makeIterator", "startIndex", "endIndex", "errorDescription"}


def labels(parameters):
    """The labels of an initialiser, which name it among those of its type."""
    return tuple(LABEL.findall(parameters))


def signature(text, start, kind):
    """A declaration up to its body or value; with the cases of an enum and the requirements of a protocol."""
    depth, end = 0, start
    while end < len(text):
        letter = text[end]
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif depth <= 0 and (letter == "{" or letter == "\n" and not re.match(r"\n\s*(?:->|where\b|throws\b|\{|:|[A-Z])", text[end:end + 80])):
            break
        end += 1
    if kind in ("enum", "protocol") and end < len(text) and text[end] == "{":
        indent = re.match(r" *", text[text.rfind("\n", 0, start) + 1:])[0]
        close = text.find(f"\n{indent}}}", end)
        body = text[end:close]
        return text[start:end] + (body if kind == "protocol" else "\n".join(re.findall(r"^ *(?:indirect )?case .*", body, re.MULTILINE)))
    return text[start:end]


def faults(sources):
    """Each needless `package` as a line of text."""
    texts = {module: {path: code(path) for path in sorted((sources / module).rglob("*.swift"))} for module in ("Core", "Agent", "beacond")}
    words = {
        module: set(re.findall(r"\w+", "\n".join(COMMENT.sub("", path.read_text()) for path in files))) for module, files in texts.items()}
    bodies = "\n".join(body for files in texts.values() for text in files.values() for body in PROTOCOL.findall(text))
    required = REQUIRED.union(REQUIREMENT.findall(bodies))
    initialisers = {("rawValue",)} | {labels(parameters) for parameters in INITIALISER.findall(bodies)}
    for module, users in USERS.items():
        used = set().union(*(words[user] for user in users))
        found = []
        for path, text in texts[module].items():
            scopes = [(len(match[1]), match.start(), match[2], match[3].split(".")[-1]) for match in SCOPE.finditer(text)]
            for match in DECLARATION.finditer(text):
                outer = [scope for scope in scopes if scope[0] < len(match[1]) and scope[1] < match.start()]
                owner = next((name for indent, _, _, name in reversed(outer) if indent < len(match[1])), "")
                found.append((path, text.count("\n", 0, match.start()) + 1, match[2], match[3], owner, signature(text, match.end(2), match[2])))
        types = {name for _, _, kind, name, _, _ in found if kind in TYPES}
        declared = set(DECLARED.findall("\n".join(texts[module].values())))
        signatures = collections.Counter(word for *_, text in found for word in set(re.findall(r"\b[A-Z]\w*", text)))
        for path, line, kind, name, owner, text in found:
            if kind == "extension" or name in required and kind in ("func", "var", "let"):
                continue
            if kind == "init" and labels(text) in initialisers:
                continue
            place = f"{path}:{line}: {owner + '.' if owner else ''}{name or kind}"
            if owner in declared and owner not in types:
                yield f"{place} is package in a type that is not"
            elif kind in TYPES and signatures[name] > 1:
                continue
            elif kind in ("init", "subscript"):
                # An initialiser is called by its type's name, or by a context of that type.
                if owner not in used and owner not in required:
                    yield f"{place} is package, and no other module uses it"
            elif name and name not in used:
                yield f"{place} is package, and no other module uses it"


if __name__ == "__main__":
    found = list(faults(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "Sources")))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
