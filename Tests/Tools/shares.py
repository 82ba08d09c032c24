"""Prints one share of the long parts of the suites: `shares.py 1/10`. `shares.py recorded 1/3` prints a share of the parts that need recordings, which
are in no other share but 1/1. `shares.py lengths` prints the seconds for which a processor computes for each of ten.

Tests/Tools/costs says in which tenth each part is, so that a new part, or other seconds, move no other part. The number of commits before a commit decides
which tenth the commit has, so that ten commits after each other have all of them. Where the clone does not have them all, its digest decides.
BEACOND_TURN=3 asks for the fourth tenth.

The first line is the number of the share, as 4/10. Then comes a line for each suite: its name, and its parts.
"""

import os
import pathlib
import re
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parent
# What a share has to make first for parts that need it, seconds of one processor.
SETUP_S = {"release": 400, "arm64": 400}
# Without the tools of the cross build a share skips the parts that need them.
HAS_CROSS_TOOLS = (TOOLS.parents[1] / ".build-cross/compiler").is_dir()


class Part:
    """A long part, from its line in `costs`. `*` behind its name: it is divided, and each share has a piece of it. Any other part has a tenth, 1 to 10."""

    def __init__(self, name, seconds, percent, _failures, *more):
        self.is_divided = name.endswith("*")
        self.suite, self.name = name.rstrip("*").split("/", 1)
        self.work_s = int(seconds) * int(percent) / 100
        self.tenth = int(more[0]) if more and more[0].isdigit() else None
        self.needs = more[-1] if more and not more[-1].isdigit() else None


def parts(text):
    """The long parts in the list of costs. Lines without a slash are whole steps."""
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return [Part(*words) for words in lines if "/" in words[0]]


def share(every, index, count):
    """The parts of one of `count` shares. Divided ones are in each."""
    return [part for part in every if part.is_divided or (part.tenth - 1) % count == index]


def work_s(some, count):
    """Returns the seconds of computing of the parts of a share, with those of the builds that they need."""
    some = [part for part in some if HAS_CROSS_TOOLS or part.needs != "arm64"]
    needs = {part.needs for part in some}
    return sum(part.work_s / (count if part.is_divided else 1) for part in some) + sum(SETUP_S.get(need, 0) for need in needs)


def without_tenth(every, lightest):
    """The line about parts that have no tenth; None where each has one."""
    names = [f"{part.suite}/{part.name}" for part in every if not part.is_divided and part.tenth not in range(1, 11)]
    return f"Tests/Tools/costs: {', '.join(names)}: behind the failures comes the tenth, 1 to 10. The lightest is {lightest}" if names else None


def turn():
    """The number that decides which share a commit has."""
    def git(*words):
        return subprocess.run(["git", "-C", TOOLS, *words], check=True, capture_output=True, text=True).stdout.strip()
    if os.environ.get("BEACOND_TURN", "").isdigit():
        return int(os.environ["BEACOND_TURN"])
    try:
        is_shallow = git("rev-parse", "--is-shallow-repository") == "true"
        return int(git("rev-parse", "HEAD")[:8], 16) if is_shallow else int(git("rev-list", "--count", "HEAD"))
    except (OSError, subprocess.CalledProcessError):
        return 0


def main():
    match = re.fullmatch(r"((recorded )?1/([1-9]|10))|lengths", " ".join(sys.argv[1:]))
    if not match:
        sys.exit("a share is 1/N with N from 1 to 10, as 1/10 for a tenth of the long parts, or 1/1 for all of them")
    every = parts((TOOLS / "costs").read_text())
    recorded = [part for part in every if part.needs == "recordings"]
    others = [part for part in every if part not in recorded]
    tenths = [[part for part in others if part.is_divided or part.tenth == tenth] for tenth in range(1, 11)]
    lengths_s = [work_s(some, 10) for some in tenths]
    if wrong := without_tenth(every, 1 + lengths_s.index(min(lengths_s))):
        sys.exit(wrong)
    if not match[1]:
        for number, (some, length_s) in enumerate(zip(tenths, lengths_s, strict=True), 1):
            print(f"{number:2} {length_s:5.0f} s", *sorted({part.suite for part in some}))
        return
    count = int(match[3])
    index = turn() % count
    if match[2]:
        every = recorded
    elif count > 1:
        every = others
    print(f"{index + 1}/{count}")
    suites = {}
    for part in share(every, index, count):
        suites.setdefault(part.suite, []).append(part.name)
    for suite, names in sorted(suites.items()):
        print(suite, *names)


if __name__ == "__main__":
    main()
