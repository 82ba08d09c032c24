"""Divides the long parts of the suites into shares that compute for about the same time, and prints one share: `shares.py 1/10`. `shares.py recorded 1/3` prints
a share of the parts that need recordings, which are in no other share but 1/1. `shares.py lengths` prints the seconds for which a processor computes for each of ten.

The commit decides which tenth that is, so that ten commits after each other have all of them: it is the number of commits before it, or its digest
where the clone does not have them all. BEACOND_TURN=3 asks for the fourth tenth.

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
    """A long part, from its line in `costs`. `*` behind its name: it is divided, and each share has a piece of it."""

    def __init__(self, name, seconds, percent, _failures, needs=None):
        self.is_divided = name.endswith("*")
        self.suite, self.name = name.rstrip("*").split("/", 1)
        self.work_s, self.needs = int(seconds) * int(percent) / 100, needs


def parts(text):
    """The long parts in the list of costs. Lines without a slash are whole steps."""
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return [Part(*words) for words in lines if "/" in words[0]]


def shares(every, count):
    """The parts in `count` shares: those that compute longest first, each into the share with the least work. Divided ones are in each."""
    result = [[part for part in every if part.is_divided] for _ in range(count)]
    whole = [part for part in every if not part.is_divided]
    for part in sorted(whole, key=lambda part: (-part.work_s, part.suite, part.name)):
        min(result, key=lambda share: work_s([*share, part], count)).append(part)
    return result


def work_s(share, count):
    """Returns the seconds of computing of the parts of a share, with those of the builds that they need."""
    share = [part for part in share if HAS_CROSS_TOOLS or part.needs != "arm64"]
    needs = {part.needs for part in share}
    return sum(part.work_s / (count if part.is_divided else 1) for part in share) + sum(SETUP_S.get(need, 0) for need in needs)


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
    match = re.fullmatch(r"((recorded )?1/([1-9][0-9]{0,2}))|lengths", " ".join(sys.argv[1:]))
    if not match:
        sys.exit("a share is 1/N, as 1/10 for a tenth of the long parts, or 1/1 for all of them")
    every = parts((TOOLS / "costs").read_text())
    recorded = [part for part in every if part.needs == "recordings"]
    if not match[1]:
        for share in shares([part for part in every if part not in recorded], 10):
            print(f"{work_s(share, 10):5.0f} s", *sorted({part.suite for part in share}))
        return
    count = int(match[3])
    index = turn() % count
    if match[2]:
        every = recorded
    elif count > 1:
        every = [part for part in every if part not in recorded]
    print(f"{index + 1}/{count}")
    suites = {}
    for part in shares(every, count)[index]:
        suites.setdefault(part.suite, []).append(part.name)
    for suite, names in sorted(suites.items()):
        print(suite, *names)


if __name__ == "__main__":
    main()
