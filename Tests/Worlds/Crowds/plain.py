"""The rule to beat: pairing by time alone.

A new address of the identity takes over the track of an address that fell silent before the new one was first heard. It does so once
the old address is silent for 2 s; of several, the one heard last. Otherwise the new address is a track of its own, at the latest after
10 s, when silent addresses leave the list.
"""

from dataclasses import dataclass

from capture import Packet

UNKNOWN_AFTER_S = 2.0
RESOLVE_AFTER_S = 10.0


@dataclass
class Address:
    first_s: float
    last_s: float
    track: int | None = None
    heir: str | None = None


class PlainPairing:
    def __init__(self) -> None:
        self.addresses: dict[str, Address] = {}
        self.tracks = 0
        self.undecided: set[str] = set()

    def _new_track(self) -> int:
        self.tracks += 1
        return self.tracks

    def _listed(self, now_s: float) -> list[tuple[str, Address]]:
        return [(name, one) for name, one in self.addresses.items() if now_s - one.last_s < RESOLVE_AFTER_S]

    def hear(self, packet: Packet) -> None:
        known = self.addresses.get(packet.address)
        if known is None or packet.t_s - known.last_s >= RESOLVE_AFTER_S and (known.heir or known.track is None):
            self.addresses[packet.address] = Address(packet.t_s, packet.t_s)
            self.undecided.add(packet.address)
        else:
            if known.heir:
                # The former address was heard again, so there are two beacons.
                self.addresses[known.heir].track = self._new_track()
                known.heir = None
            known.last_s = packet.t_s
        self.resolve(packet.t_s)

    def resolve(self, now_s: float) -> None:
        """Decides what can be decided at `now_s`."""
        for name in sorted(self.undecided, key=lambda name: self.addresses[name].first_s):
            newcomer = self.addresses[name]
            possible = [
                one
                for _, one in self._listed(now_s)
                if one.track is not None and one.heir is None and one.last_s <= newcomer.first_s
            ]
            silent = [one for one in possible if now_s - one.last_s >= UNKNOWN_AFTER_S]
            if silent:
                predecessor = max(silent, key=lambda one: one.last_s)
                newcomer.track, predecessor.heir = predecessor.track, name
            elif not possible or now_s - newcomer.first_s >= RESOLVE_AFTER_S:
                newcomer.track = self._new_track()
            if newcomer.track is not None:
                self.undecided.remove(name)

    def snapshot(self, now_s: float) -> tuple[int, dict[str, int]]:
        """The count, and the track of each listed address that is decided."""
        self.resolve(now_s)
        tracks = {name: one.track for name, one in self._listed(now_s) if one.track is not None}
        # An address that left the list long ago can't matter any more.
        for name in [name for name, one in self.addresses.items() if now_s - one.last_s > 900 and one.track]:
            del self.addresses[name]
        return len(set(tracks.values())), tracks


def snapshots(packets: list[Packet]) -> list[tuple[float, int, dict[str, int]]]:
    """Time, count and tracks, once a second."""
    pairing = PlainPairing()
    lists = []
    second = 0
    for packet in packets:
        while second < packet.t_s:
            lists.append((float(second), *pairing.snapshot(second)))
            second += 1
        pairing.hear(packet)
    return lists
