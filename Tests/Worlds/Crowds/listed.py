"""The times at which each phone is listed, from its packets alone, by the rule in the article Rotation.

Where each phone has an identity of its own, a new address can only be its own, so nothing is left to guess: the count has
to be that of the phones whose silence is no longer than the rule allows.
"""

import bisect
from collections import defaultdict

from capture import Packet

RESOLVE_AFTER_S = 10.0
# Listed at most once a second.
LISTED_AFTER_S = 1.0
# The learned interval is the median of the last gaps; from the third gap on, a beacon may be silent for four intervals.
GAPS = 15
FEWEST_GAPS = 3
INTERVALS = 4
# The same advertisement received twice, and an absence: neither is a gap.
SHORTEST_GAP_S, LONGEST_GAP_S = 0.01, 60.0
# From the tenth gap on, packet losses of beacons that were never heard twice within this time extend the rule further.
# This test does not repeat by how much, so it does not judge such a phone.
SLOW_S = 0.5
FEWEST_GAPS_OF_LOSS = 10


def allowed_s(gaps: list[float]) -> tuple[float, float]:
    """The silence until which a phone with these gaps must be on the list, and after which it must not be."""
    if len(gaps) < FEWEST_GAPS:
        return RESOLVE_AFTER_S, RESOLVE_AFTER_S
    recent = sorted(gaps[-GAPS:])
    stretched_s = max(RESOLVE_AFTER_S, INTERVALS * recent[len(recent) // 2])
    may_lose = len(gaps) >= FEWEST_GAPS_OF_LOSS and min(gaps) > SLOW_S
    return stretched_s, INTERVALS * LONGEST_GAP_S if may_lose else stretched_s


def spans(heard: list[tuple[float, str]]) -> list[tuple[float, float, float]]:
    """When one phone is listed, from what was `heard` (time, address): (from, surely until, at the latest until)."""
    result: list[tuple[float, float, float]] = []
    learned: dict[str, list[float]] = defaultdict(list)
    begin_s, (before_s, former) = heard[0][0], heard[0]
    for t_s, address in heard[1:] + [(float("inf"), "")]:
        surely_s, latest_s = (before_s + silence_s for silence_s in allowed_s(learned[former]))
        if t_s > surely_s:
            result.append((begin_s, surely_s, latest_s))
            begin_s = t_s
        if address == former:
            if SHORTEST_GAP_S <= t_s - before_s <= LONGEST_GAP_S:
                learned[address].append(t_s - before_s)
        elif t_s <= surely_s:
            # The learned gaps go on where the old address fell silent.
            learned[address] = learned.pop(former)
        before_s, former = t_s, address
    return result


def wrong_seconds(
    packets: list[Packet], phone_of: dict[str, object], lists: list[tuple[float, int, dict[str, int]]]
) -> tuple[int, int]:
    """The number of seconds in which the count in `lists` breaks the rule, and the number of seconds judged."""
    heard = defaultdict(list)
    for packet in packets:
        heard[phone_of[packet.address]].append((packet.t_s, packet.address))
    listed = [span for phone in heard.values() for span in spans(phone)]
    times = [t_s for t_s, _, _ in lists]
    seconds = range(int(packets[0].t_s) + 15, int(packets[-1].t_s))
    wrong = 0
    for second in seconds:
        index = bisect.bisect_right(times, second) - 1
        count = lists[index][1] if index >= 0 else 0
        fewest = sum(begin_s + LISTED_AFTER_S <= second <= surely_s for begin_s, surely_s, _ in listed)
        most = sum(begin_s <= second <= latest_s + LISTED_AFTER_S for begin_s, _, latest_s in listed)
        wrong += not fewest <= count <= most
    return wrong, len(seconds)
