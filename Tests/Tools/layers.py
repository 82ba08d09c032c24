#!/usr/bin/env python3
"""layers.py [SOURCES]: holds the order of the folders inside the two library modules. The compiler sees one module and cannot.

A folder uses types of its own and of folders that stand before it in its list. The pure module, `Core`, imports pure libraries alone.
A type is looked up by its name: the names at the top of a file are used once in the whole tree, which is held as well.
It prints each use that is against the order, as FILE:LINE, and ends with 1 then.
"""
import collections
import pathlib
import re
import sys

ORDER = {
    "Core": [
        "Time", "Ciphers", "HCI", "Beacons", "Location", "Regions", "Messages", "Receivers", "Configuration", "Fleet", "Gateway", "Site", "Console",
        "StoreSimulator",
    ],
    "Agent": ["Host", "GPS", "Outbox", "Radio", "MQTT", "Daemon"],
}
PURE_LIBRARIES = {"CCrypto", "DequeModule", "HeapModule", "RealModule"}
TEXT = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*')
IMPORT = re.compile(r"^(?:\w+ )?import (\w+)", re.MULTILINE)
NESTED = re.compile(r"^ +(?:@\w+ |package |final |indirect |private |fileprivate )*(?:struct|enum|class|actor|protocol|typealias) (\w+)", re.MULTILINE)
DECLARATION = re.compile(r"^(?:@\w+ |package |final |indirect )*(?:struct|enum|class|actor|protocol|typealias|func) (\w+)", re.MULTILINE)


def code(path):
    """The text of a file without what its comments and strings say; the lines stay where they are."""
    return TEXT.sub(lambda match: "\n" * match[0].count("\n"), path.read_text())


def faults(sources):
    """Each fault as a line of text."""
    texts = {path: code(path) for module in ORDER for path in sorted((sources / module).rglob("*.swift"))}
    # By module and folder.
    declared, nested = collections.defaultdict(dict), collections.defaultdict(set)
    for path, text in texts.items():
        place = path.relative_to(sources).parts[:2]
        for name in DECLARATION.findall(text):
            declared[name].setdefault(place, path)
        nested[place].update(NESTED.findall(text))
    for name, places in declared.items():
        if len(places) > 1:
            yield f"{name} is declared in {' and '.join(map(str, places.values()))}: one of them needs another name"
    for path, text in texts.items():
        module, folder = path.relative_to(sources).parts[:2]
        order = ORDER[module]
        if folder not in order:
            yield f"{path}: the folder {folder} has no place in the order of {module}: give it one in layers.py"
            continue
        if module == "Core":
            for library in set(IMPORT.findall(text)) - PURE_LIBRARIES:
                yield f"{path}: {library} is not among the pure libraries: {', '.join(sorted(PURE_LIBRARIES))}"
        for number, line in enumerate(text.split("\n"), 1):
            for name in re.findall(r"\b[A-Z]\w*", line):
                # A type inside another one may have the name of a type of a higher folder.
                if name in nested[module, folder]:
                    continue
                for there_module, there in declared.get(name, ()):
                    if there_module == module and there in order and order.index(there) > order.index(folder):
                        yield f"{path}:{number}: {folder} uses {name} of {there}, which stands after it"


if __name__ == "__main__":
    found = list(faults(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "Sources")))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
