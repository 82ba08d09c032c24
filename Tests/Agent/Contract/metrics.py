#!/usr/bin/env python3
"""Reads a file of metrics as strictly as Prometheus and its linter do: metrics.py FILE."""

import re
import sys

NAME = r"[a-z][a-z0-9_]*"
SAMPLE = re.compile(rf'({NAME})(?:\{{({NAME})="((?:[^"\\\n]|\\[\\"n])*)"\}})? (-?[0-9]+(?:\.[0-9]+)?)')
# Base units only, in the plural, as the last word but _total and _info.
OTHER_UNITS = re.compile(r"_(ms|milliseconds|minutes|kib|mib|kilobytes|percent|s)(_total)?$")

with open(sys.argv[1], encoding="utf-8", newline="") as file:
    text = file.read()
problems, types, seen, current = [], {}, set(), None
if not text.endswith("\n"):
    problems.append("the last line has no end")
lines = iter(text.splitlines())
for line in lines:
    if help := re.fullmatch(rf"# HELP ({NAME}) (\S.*)", line):
        current = help[1]
        kind = re.fullmatch(rf"# TYPE {current} (counter|gauge)", next(lines, ""))
        if not kind or current in types:
            problems.append(f"{current}: no TYPE behind its HELP, or it stands there twice")
            continue
        types[current] = kind[1]
        if (kind[1] == "counter") != current.endswith("_total"):
            problems.append(f"{current}: exactly counters end in _total")
        if not current.startswith("beacond_") or OTHER_UNITS.search(current):
            problems.append(f"{current}: no name by Prometheus' conventions")
    elif (sample := SAMPLE.fullmatch(line)) and sample[1] == current:
        if sample.groups()[:3] in seen:
            problems.append(f"twice: {line}")
        seen.add(sample.groups()[:3])
        if types.get(current) == "counter" and sample[4].startswith("-"):
            problems.append(f"a counter below zero: {line}")
    else:
        problems.append(f"neither HELP nor a sample of {current}: {line}")
problems += [f"{name} has no sample" for name in types.keys() - {name for name, _, _ in seen}]
print("\n".join(problems) or f"{len(types)} metrics, {len(seen)} samples")
sys.exit(1 if problems or not types else 0)
