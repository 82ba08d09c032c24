"""Enter and exit at one gateway: F1 over thresholds, by the events that beacond publishes."""

import replay


class Window:
    """A crossing is answered once, from `early_s` before it begins to `late_s` after it ends."""

    def __init__(self, early_s, late_s):
        self.early_s, self.late_s = early_s, late_s


ROOM, DOOR = Window(5, 20), Window(3, 10)


def room_crossings(recordings):
    """Crossings of each gateway's room, as (begin, end, inward) per beacon: moves between two certain spans. What happens
    before the first span and after the last is not judged, because the recording does not show where the beacon was."""
    for recording in recordings:
        recording.crossings = {}
        recording.judged = {key: (spans[0][0], spans[-1][1]) for key, spans in recording.spans.items()}
        for key, spans in recording.spans.items():
            moves = recording.crossings.setdefault(key, [])
            for (_, begin, left), (end, _, reached) in zip(spans, spans[1:]):
                if recording.name in (left, reached):
                    moves.append((begin, end, reached == recording.name))


def judged(recording, key, events):
    """The events of the time about which there is a log."""
    begin, end = recording.judged.get(key, (float("-inf"), float("inf")))
    return [event for event in events if begin <= event[0] <= end]


def match(events, crossings, window):
    """(right answers, delays in seconds): each crossing at most once, each event for the first that it fits."""
    open_ones, delays = list(crossings), []
    for at_s, inward in events:
        for crossing in open_ones:
            begin, end, into = crossing
            if into == inward and begin - window.early_s <= at_s <= end + window.late_s:
                open_ones.remove(crossing)
                delays.append(max(0, at_s - end) if begin != end else at_s - end)
                break
    return len(delays), delays


def f1(answers, right, crossings):
    return 2 * right / (answers + crossings) if answers + crossings else 0


def thresholds(recordings, depths):
    levels = [round(level) for recording in recordings for beacon in recording.beacons.values()
              for _, level in beacon.readings]
    return [(enter, enter - depth) for enter in range(max(-98, min(levels)), min(-46, max(levels)) + 1)
            for depth in depths]


def gate(readings, levels, enter, leave, silence_s):
    """A peer's events: enters at `enter`, exits below `leave` or after `silence_s` without a reading."""
    inside, events, last = None, [], None
    for (at_s, _), level in zip(readings, levels):
        if inside and at_s - last > silence_s:
            events.append((last + silence_s, False))
            inside = False
        if inside is None:
            inside = level >= enter
        elif not inside and level >= enter:
            events.append((at_s, True))
            inside = True
        elif inside and level < leave:
            events.append((at_s, False))
            inside = False
        last = at_s
    return events


def ours(recordings, pairs, exit_after_s, window):
    """Per threshold: (F1, median delay). One replay a recording: every pair of thresholds is a region of its own."""
    totals = {pair: [0, 0, 0, []] for pair in pairs}
    for recording in recordings:
        regions = [
            replay.region(f"{-pair[0]}-{-pair[1]}-{key[0]}-{key[1]}", recording.uuid, *key, ranging=False,
                          entry_rssi_dbm=pair[0], exit_rssi_dbm=pair[1], exit_after_s=exit_after_s, settle_s=1)
            for pair in pairs for key in recording.crossings
        ]
        events = {}
        for start in range(0, len(regions), 1000):
            for at_s, levels, payload in recording.messages(regions[start:start + 1000], ("event",)):
                events.setdefault(levels[0], []).append((at_s, payload["type"] == "enter"))
        for pair in pairs:
            for key, crossings in recording.crossings.items():
                counted = judged(recording, key, events.get(f"{-pair[0]}-{-pair[1]}-{key[0]}-{key[1]}", []))
                right, delays = match(counted, crossings, window)
                add(totals[pair], len(counted), right, len(crossings), delays)
    return totals


def add(total, answers, right, crossings, delays):
    total[0] += answers
    total[1] += right
    total[2] += crossings
    total[3] += delays


def theirs(recordings, pairs, silence_s, window, filter):
    totals = {pair: [0, 0, 0, []] for pair in pairs}
    for recording in recordings:
        for key, crossings in recording.crossings.items():
            readings = recording.beacons[key].readings
            levels = filter(readings)
            for pair in pairs:
                counted = judged(recording, key, gate(readings, levels, *pair, silence_s))
                right, delays = match(counted, crossings, window)
                add(totals[pair], len(counted), right, len(crossings), delays)
    return totals


def best(totals):
    """(F1, thresholds, median delay) of the best pair of thresholds."""
    def score(pair):
        answers, right, crossings, _ = totals[pair]
        return f1(answers, right, crossings)
    pair = max(totals, key=score)
    delays = sorted(totals[pair][3])
    return score(pair), pair, delays[len(delays) // 2] if delays else None
