#!/usr/bin/env python3
"""state.py [SOURCES]: holds CONTRIBUTING's rules that a type changes its stored properties in one file, and that a folder has three files.

A change is an assignment to a stored property, or a call that mutates it, in an extension in another file than the type's. It counts in a
mutating function or a setter of a struct or enum, and in any function of a class. So a reader finds each change of a state in one file. An
initialiser changes nothing that is already there. It prints each such property, and each folder with fewer than three Swift
files or with a name that another folder has, and ends with 1 then.
"""
import collections
import pathlib
import re
import sys

from layers import code

SCOPE = re.compile(r"\b(struct|enum|class|actor|protocol|extension) ([\w.]+)[^{};=]*?\{")
STORED = re.compile(r"^ *(?:@\w+(?:\([^)]*\))? )*((?:[a-z]+(?:\(\w+\))? )*)var (\w+)([^\n]*)", re.MULTILINE)
BLOCK = re.compile(r"\{(?! *(?:didSet|willSet)\b)")
MUTATING = re.compile(r"\bmutating func (\w+)")
# Of the standard library and of collections.
MUTATORS = {
    "append", "formIntersection", "formSymmetricDifference", "formUnion", "insert", "merge", "popFirst", "popLast", "prepend", "remove", "removeAll",
    "removeFirst", "removeLast", "removeMin", "removeMax", "removeSubrange", "removeValue", "replaceSubrange", "reserveCapacity", "reverse", "shuffle",
    "sort", "subtract", "swapAt", "toggle", "update", "updateValue", "negate", "next",
}
OPERATOR = re.compile(r"\s*(?:[-+*/%&|^]|&[-+*]|<<|>>|\?\?)?=(?![=])")
MEMBER = re.compile(r"[?!]?\.(\w+)")


def closing(text, start):
    """The place after the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        if text[place] in "([{":
            depth += 1
        elif text[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place + 1
    return len(text)


def scopes(text):
    """Each type and extension of a file: kind, full name, and the ranges of its own text, without the types inside it."""
    found = [[match[1], match[2], match.start(), match.end() - 1, closing(text, match.end() - 1)] for match in SCOPE.finditer(text)]
    for kind, name, start, begin, end in found:
        outer = [other for other in found if other[3] < start and other[4] >= end]
        inner = [other for other in found if begin < other[2] and other[4] <= end]
        body = list(text[begin:end])
        for _, _, first, _, last in inner:
            for place in range(first - begin, last - begin):
                if body[place] != "\n":
                    body[place] = " "
        full = ".".join([other[1] for other in sorted(outer, key=lambda other: other[2])] + [name])
        yield kind, full, begin, "".join(body)


def stored(body):
    """The stored variables of a type's own text that another file may set."""
    # Only what stands directly in the type, not in its functions.
    flat, depth = [], 0
    for letter in body:
        if letter in ")]}":
            depth -= 1
        flat.append(letter if depth <= 1 or letter == "\n" else " ")
        if letter in "([{":
            depth += 1
    for match in STORED.finditer("".join(flat)):
        modifiers, name, rest = match.groups()
        if re.search(r"\b(?:private|fileprivate|static|lazy)\b", modifiers) or "(set)" in modifiers:
            continue
        value = rest.split("=", 1)
        if BLOCK.search(value[0]) and not re.search(r"\{ *(?:didSet|willSet)", rest):
            continue
        yield name


def changes(body, name, mutating):
    """The places in a text at which a stored property changes."""
    for match in re.finditer(rf"(?<![\w.])(?:self\.)?{name}\b(?!:)", body):
        before = body[:match.start()].rstrip(" ")
        if before.endswith(("let", "var", "func", "case", "for")):
            continue
        if before.endswith("&") and not before.endswith("&&"):
            yield match.start()
            continue
        place, isMember = match.end(), True
        while isMember:
            isMember = False
            if body[place:place + 1] == "[":
                place, isMember = closing(body, place), True
            elif (member := MEMBER.match(body, place)) and body[member.start():member.start() + 2] != "..":
                if body[member.end():member.end() + 1] in ("(",) or re.match(r" (?:\{)", body[member.end():member.end() + 2]):
                    if member[1] in mutating:
                        yield match.start()
                    break
                place, isMember = member.end(), True
            elif body[place:place + 1] in "?!" and body[place:place + 1] and body[place + 1:place + 2] in ".[":
                place, isMember = place + 1, True
        else:
            if OPERATOR.match(body, place):
                yield match.start()
                continue
            # (a, b) = …
            tuple_ = re.match(r"[^()=\n]*\)\s*=(?!=)", body[place:])
            if tuple_ and re.search(r"\([^()=\n]*$", body[:match.start()]):
                yield match.start()


CHANGING = re.compile(r"\bmutating func\b|\b(?:set|_modify|didSet|willSet)\b(?: *\(\w+\))? *(?=\{)")
ANY = re.compile(r"\b(?:func|var)\b")


def changing(body, kind):
    """An extension's text with nothing but the functions that may change stored properties; the lines stay where they are."""
    left = ["\n" if letter == "\n" else " " for letter in body]
    for match in (CHANGING if kind == "struct" else ANY).finditer(body):
        brace = body.find("{", match.end())
        if brace >= 0:
            end = closing(body, brace)
            left[brace:end] = body[brace:end]
    return "".join(left)


def faults(sources):
    """The places at which each property changes in another file than its type's, by its name."""
    texts = {path: code(path) for path in sorted(sources.rglob("*.swift"))}
    mutating = MUTATORS.union(MUTATING.findall("\n".join(texts.values())))
    properties, extensions = {}, []
    for path, text in texts.items():
        for kind, name, begin, body in scopes(text):
            if kind == "extension":
                extensions.append((path, name, begin, body, text))
            elif kind in ("struct", "class", "actor"):
                # Two types of one name in two files are two private types.
                properties.setdefault(name, (path, kind, list(stored(body))))
    found = collections.defaultdict(list)
    for path, name, begin, body, text in extensions:
        declared, kind, names = properties.get(name, (path, "", []))
        if declared == path:
            continue
        for property_ in names:
            for place in changes(changing(body, kind), property_, mutating):
                found[f"{name}.{property_}"].append((path, text.count("\n", 0, begin + place) + 1))
    return found


def folders(sources):
    """Each folder with fewer than three files, or with another one's name, as a line of text."""
    named = collections.defaultdict(list)
    for folder in sorted(path for path in sources.rglob("*") if path.is_dir()):
        count = len(list(folder.glob("*.swift")))
        if count:
            named[folder.name].append(folder)
        if 0 < count < 3:
            yield f"{folder} has {count} Swift files: at least three, or none"
    for name, places in named.items():
        if len(places) > 1:
            yield f"{' and '.join(map(str, places))} have one name"


def report(sources):
    """Each fault as a line of text."""
    for name, places in sorted(faults(sources).items()):
        path, line = places[0]
        yield f"{path}:{line}: {name} changes in another file than its type's"
    yield from folders(sources)


if __name__ == "__main__":
    lines = list(report(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "Sources")))
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(1 if lines else 0)
