"""Compares the listed view of a crowd with the truth."""

import bisect
from collections import defaultdict
from dataclasses import dataclass

from capture import Packet

# The longest time between the last packet of the old address and the first of the new one in which a rotation can be
# followed. After it the old one has left the list.
RESOLVE_AFTER_S = 10.0
# Listed at most once a second.
LISTED_AFTER_S = 1.0
UNKNOWN_AFTER_S = 2.0
# A wrong merge gives a visitor another one's way through the shop; a split only begins the visitor's own way anew.
MERGE_WEIGHT = 2


@dataclass
class Score:
    """Sums over captures."""

    rotations: int = 0
    splits: int = 0
    merges: int = 0
    seconds: int = 0
    wrong_seconds: int = 0
    presences: int = 0
    tracks: int = 0

    @property
    def errors(self) -> float:
        """Identity errors per rotation: splits and wrong merges."""
        return (self.splits + self.merges) / max(1, self.rotations)

    @property
    def weighted(self) -> float:
        return (self.splits + MERGE_WEIGHT * self.merges) / max(1, self.rotations)

    @property
    def wrong_share(self) -> float:
        return self.wrong_seconds / max(1, self.seconds)

    def __iadd__(self, other: "Score") -> "Score":
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self


def score(
    packets: list[Packet], phone_of: dict[str, object], lists: list[tuple[float, int, dict[str, int]]]
) -> Score:
    """The score of the `lists` (time, count, track by address) of `packets`, where each address belongs to a phone."""
    result = Score()
    first, last, track = {}, {}, {}
    heard = defaultdict(list)
    for packet in packets:
        first.setdefault(packet.address, packet.t_s)
        last[packet.address] = packet.t_s
        heard[phone_of[packet.address]].append(packet.t_s)
    for _, _, tracks in lists:
        track.update(tracks)

    # The latest address of each phone, and the phone of each track.
    current: dict[object, str] = {}
    owner: dict[int, object] = {}
    for address in sorted(first, key=first.get):
        if address not in track:
            continue
        phone = phone_of[address]
        former = current.get(phone)
        is_rotation = former is not None and first[address] - last[former] < RESOLVE_AFTER_S
        result.rotations += is_rotation
        if owner.get(track[address], phone) != phone:
            result.merges += 1
        elif is_rotation and track[address] != track[former]:
            result.splits += 1
        if not is_rotation:
            result.presences += 1
        owner[track[address]] = phone
        current[phone] = address
    result.tracks = len(set(track.values()))

    times = [t_s for t_s, _, _ in lists]
    for second in range(int(packets[0].t_s) + 15, int(packets[-1].t_s)):
        index = bisect.bisect_right(times, second) - 1
        count = lists[index][1] if index >= 0 else 0
        fewest = most = 0
        for instants in heard.values():
            end = bisect.bisect_right(instants, second)
            if end == 0:
                continue
            silence_s = second - instants[end - 1]
            most += silence_s <= RESOLVE_AFTER_S + LISTED_AFTER_S
            begin = bisect.bisect_left(instants, second - UNKNOWN_AFTER_S - LISTED_AFTER_S)
            # Heard now, and when it was time to be listed.
            fewest += silence_s <= UNKNOWN_AFTER_S and begin > 0 and second - instants[begin - 1] <= RESOLVE_AFTER_S
        result.seconds += 1
        result.wrong_seconds += not fewest <= count <= most
    return result
