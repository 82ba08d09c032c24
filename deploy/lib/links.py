#!/usr/bin/env python3
"""Makes the links of README and SECURITY lead to the package's files: links.py < README.md

A link to a file outside the package becomes plain text.
"""
import re
import sys

ARTICLES = "Sources/beacond/Documentation.docc/"
PLACES = {
    "deploy/contract/": "../contract/",
    "deploy/broker/": "../examples/broker/",
    "deploy/chain/mosquitto/": "../examples/chain/mosquitto/",
    "LICENSE": "../copyright",
    "CHANGELOG.md": "CHANGELOG.md",
    "SECURITY.md": "SECURITY.md",
}


def place(target):
    """The path in the package, as seen from the articles' folder; `None` where the package lacks
    the file."""
    if re.match(r"#|https?:", target):
        return target
    if target.startswith(ARTICLES):
        return target.removeprefix(ARTICLES)
    for begin, folder in PLACES.items():
        if target.startswith(begin):
            return folder + target.removeprefix(begin)
    return None


def link(match):
    found = place(match[2])
    return f"[{match[1]}]({found})" if found else match[1]


print(re.sub(r"\[([^]]*)\]\(([^)\s]+)\)", link, sys.stdin.read()), end="")
