#!/usr/bin/env python3
"""sandbox.py UNIT TRACE…: what strace saw that the unit's SystemCallFilter= or RestrictAddressFamilies= forbids.

Exit status 1 where there is anything. systemd itself says which calls are in a group.
"""
import re
import subprocess
import sys

# Calls that the sandbox answers with EPERM, which changes nothing:
TOLERATED = {
    # whether the clock is right; the unit says who is asked instead
    "adjtimex", "clock_adjtime",
    # Dispatch would like one of its threads to have priority, which no user but root may give
    "setpriority",
    # SQLite gives its files to the database's owner, only where it runs as root
    "fchown",
}


def group(name):
    """The calls of `@name`, or the one call that it names."""
    if not name.startswith("@"):
        return {name}
    text = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    calls = set()
    for line in text.splitlines()[1:]:
        word = line.strip()
        if word and not word.startswith("#"):
            calls |= group(word)
    return calls


def allowed(lines):
    # systemd always allows what a process needs to be started and to end.
    calls = group("@default")
    for line in lines:
        if line.startswith("SystemCallFilter="):
            names = line.split("=", 1)[1]
            for name in names.lstrip("~").split():
                calls = calls - group(name) if names.startswith("~") else calls | group(name)
    return calls


def main():
    lines = [line.strip() for line in open(sys.argv[1])]
    calls = allowed(lines)
    families = set()
    for line in lines:
        if line.startswith("RestrictAddressFamilies="):
            families |= set(line.split("=", 1)[1].split())
    seen, sockets = set(), set()
    for path in sys.argv[2:]:
        for line in open(path, errors="replace"):
            if match := re.match(r"\d+ +(\w+)\(", line):
                seen.add(match[1])
            if match := re.match(r"\d+ +socket(?:pair)?\((\w+)", line):
                sockets.add(match[1].replace("AF_LOCAL", "AF_UNIX"))
    outside = sorted(seen - calls - TOLERATED) + sorted(sockets - families)
    print(f"{len(seen)} system calls, address families {' '.join(sorted(sockets))}")
    print("outside the sandbox:", " ".join(outside) or "none")
    sys.exit(1 if outside or not seen else 0)


if __name__ == "__main__":
    main()
