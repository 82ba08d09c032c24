"""Holds the answers to a flood of requests to the rate: flood.py BEGUN REQUESTS, with `topic payload` lines on standard input.

The bucket held 20 when the flood began (BEGUN, in seconds since 1970), and 10 are added each second; of those beyond it a
complaint a second shows. An answer's own `at` says how long that was, so it does not matter how fast the machine is."""

import json
import sys
from datetime import datetime

begun, requests = float(sys.argv[1]), int(sys.argv[2])
answers = [json.loads(line.split(" ", 1)[1]) for line in sys.stdin if not line.startswith("tests/ready")]
problems = []


def hold(name, some, burst, rate_per_s):
    for number, answer in enumerate(some, 1):
        passed_s = datetime.fromisoformat(answer["at"].replace("Z", "+00:00")).timestamp() - begun
        # Its `at` is cut to a millisecond, and a token that is half full is none.
        if number > burst + rate_per_s * (passed_s + 0.001):
            problems.append(f"{name} {number} after {passed_s:.3f} s")


granted = [answer for answer in answers if answer["ok"]]
complaints = [answer for answer in answers if not answer["ok"]]
hold("answer", granted, 20, 10)
hold("complaint", complaints, 1, 1)
if len(granted) < 20:
    problems.append("the first 20 were not answered")
if len(granted) < requests and not complaints:
    problems.append("no message about those that were not answered")
if any(answer["error"]["code"] != "too_many_requests" for answer in complaints):
    problems.append("a complaint of another kind")
print(f"{len(granted)} answers, {len(complaints)} complaints", *problems, sep="\n")
sys.exit(1 if problems else 0)
