#!/usr/bin/env python3
"""files.py PROGRAM FEW MANY COUNT: the files of ours whose instructions grow between two profiles of callgrind, those of COUNT reports or events more.

A file counts with one instruction for each two of them. PROGRAM is a debug build, whose symbols name the file of a function; an optimised one
has one function for many files. It prints the number of files, then each with its instructions for one.
"""

import collections
import re
import subprocess
import sys

NAME = re.compile(r"(c?fn)=\((\d+)\)(?: (.*))?")


def own_instructions(profile):
    """The instructions of each function, without those of the functions that it calls."""
    names, costs, function, is_call = {}, collections.Counter(), None, False
    with open(profile, encoding="utf-8") as lines:
        for line in lines:
            if found := NAME.match(line):
                kind, number, name = found.groups()
                # A recursion has a suffix of its own.
                names[number] = names.get(number) or name.rstrip("\n").split("'")[0]
                if kind == "fn":
                    function = names[number]
            elif line.startswith("calls="):
                is_call = True
            elif line[0] in "+-*0123456789":
                if not is_call:
                    costs[function] += int(line.split()[1])
                is_call = False
    return costs


def files_of(program, functions):
    """The file of each function that the program's symbols know."""
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    addresses = {words[2]: words[0] for words in map(str.split, symbols.splitlines()) if len(words) == 3}
    known = [function for function in functions if function in addresses]
    places = subprocess.run(
        ["addr2line", "-e", program], input="\n".join(addresses[name] for name in known), capture_output=True, text=True, check=True).stdout
    return {name: place.rsplit(":", 1)[0] for name, place in zip(known, places.splitlines())}


def main(program, few, many, count):
    before, after = own_instructions(few), own_instructions(many)
    grown = collections.Counter()
    places = files_of(program, after)
    for function, instructions in after.items():
        _, ours, file = places.get(function, "").partition("/Sources/")
        if ours and "/.build/" not in places[function]:
            grown[file] += instructions - before[function]
    grown = {file: more / int(count) for file, more in grown.items() if more / int(count) >= 0.5}
    print(len(grown))
    for file, instructions in sorted(grown.items(), key=lambda item: -item[1]):
        print(f"{instructions:10.1f}  {file}")


if __name__ == "__main__":
    main(*sys.argv[1:])
