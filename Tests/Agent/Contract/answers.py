#!/usr/bin/env python3
"""Holds requests and their answers against the schemas: answers.py FILE.

A line is verb, request and answer, with tabs between, as Tests/Agent/Commands/run writes them. A request that was carried out
has to fulfil its schema, and every answer the one of its verb.
"""

import json
import sys

from contract import Contract

validators = Contract().validators
broken = count = 0
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        verb, request, answer = line.rstrip("\n").split("\t")
        if not answer.startswith("{") or f"response-{verb}.schema.json" not in validators:
            continue
        count += 1
        answer = json.loads(answer)
        problems = list(validators[f"response-{verb}.schema.json"].iter_errors(answer))
        if answer["ok"]:
            problems += validators[f"request-{verb}.schema.json"].iter_errors(json.loads(request or "{}"))
        for problem in problems[:3]:
            print(f"{problem.message[:200]}: {line[:400]}")
        broken += bool(problems)
print(f"{count} messages, {broken} broken")
sys.exit(1 if broken or not count else 0)
