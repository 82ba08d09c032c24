"""The rows of the table: for each measure ours, the best peer rule and which, raw."""

import crossing
import datasets
import distance
import peers
import room

# Pairs of exit_after_s (ours) and seconds of silence (theirs) at one gateway: peers may choose the better.
SILENCES_S = (5, 15)


class Row:
    """One measure. `less` says whether less is better."""

    def __init__(self, family, measure, ours, peer, rule, raw, less=True, note=""):
        self.family, self.measure, self.ours, self.peer, self.rule, self.raw = family, measure, ours, peer, rule, raw
        self.less, self.note = less, note

    @property
    def is_ahead(self):
        """At or ahead of the best peer, to the third digit."""
        if self.peer is None:
            return True
        ours, peer = round(self.ours, 3), round(self.peer, 3)
        return ours <= peer if self.less else ours >= peer


def distance_rows(family, recordings):
    scores = distance.compare(recordings)
    ours = scores.pop("ours")
    if not ours.parts:
        return
    raw = scores.pop("raw").figures
    for measure, value in ours.figures.items():
        figures = {name: score.figures[measure] for name, score in scores.items()}
        rule = min(figures, key=figures.get)
        yield Row(family, measure, value, figures[rule], rule, raw[measure])
    yield Row(family, "within ± accuracy_error_m", ours.within, None, "", None, less=False)


def room_rows(recordings):
    figures = room.compare(recordings)
    ours, raw = figures.pop("ours"), figures.pop("raw")
    rule = max(figures, key=figures.get)
    yield Row("rooms", "strongest gateway is right", ours, figures[rule], rule, raw, less=False)


def crossing_rows(family, recordings, window, depths, exits_s):
    """Ours and theirs with the thresholds that give each the best F1."""
    pairs = crossing.thresholds(recordings, depths)
    if not pairs or not any(recording.crossings for recording in recordings):
        return
    ours = max((crossing.best(crossing.ours(recordings, pairs, exit_s, window)) + (exit_s,) for exit_s in exits_s),
               key=lambda found: found[0])
    figures = {
        name: max(crossing.best(crossing.theirs(recordings, pairs, silence_s, window, filter))[0]
                  for silence_s in SILENCES_S)
        for name, filter in peers.FILTERS.items()
    }
    raw = figures.pop("raw")
    rule = max(figures, key=figures.get)
    note = f"{ours[1][0]} and {ours[1][1]} dBm, exit_after_s {ours[3]}"
    yield Row(family, "enter and exit, F1", ours[0], figures[rule], rule, raw, less=False, note=note)
    yield Row(family, "median delay, s", ours[2], None, "", None)


def open_rows(folder, beacond):
    """Of the open recordings."""
    for name, recordings in datasets.DISTANCES.items():
        yield from distance_rows(name, recordings(folder, beacond))
    rooms = list(datasets.rooms(folder, beacond))
    yield from room_rows(rooms)
    crossing.room_crossings(rooms)
    yield from crossing_rows("rooms", rooms, crossing.ROOM, (4, 8), (5, 15))
    yield from crossing_rows("door (sal)", list(datasets.door(folder, beacond)), crossing.DOOR, (1, 2, 4, 6, 8), (2, 3))


def own_rows(recordings):
    for recording in recordings:
        yield from distance_rows(recording.name, [recording])
        yield from crossing_rows(recording.name, [recording], crossing.DOOR, (2, 4, 8), (2, 5, 15))
