"""Distance: every second in which a beacon was heard in the last 2 s, against the truth of that reading."""

import bisect
import math

import peers

LIMITS_M = (0.01, 50)
ZONES_M = (0.5, 4)


def held(metres):
    return min(max(metres, LIMITS_M[0]), LIMITS_M[1])


def zone(metres):
    return sum(metres >= limit for limit in ZONES_M)


def heard_before(times, at_s):
    """The place in `times` of the last reading until `at_s`; None where it is more than 2 s ago."""
    place = bisect.bisect_right(times, at_s + 1e-6) - 1
    return place if place >= 0 and at_s - times[place] <= 2 else None


class Part:
    """Sums over the seconds of one group."""

    def __init__(self):
        self.count = self.error = self.factor = self.factors = self.right = self.within = 0

    @property
    def figures(self):
        return (self.error / self.count, self.factor / max(1, self.factors), 1 - self.right / self.count,
                self.within / self.count)


class Score:
    """Mean absolute error, mean factor (log2), share of wrong zones; with errors, the share within them too. Where a place
    has groups, as where each was recorded with other hands and pockets, each counts the same."""

    def __init__(self):
        self.parts = {}

    def add(self, estimate, truth, error=None, group=None):
        part = self.parts.setdefault(group, Part())
        estimate = held(estimate)
        part.count += 1
        part.error += abs(estimate - truth)
        if truth > 0:
            part.factor += abs(math.log2(estimate / truth))
            part.factors += 1
        part.right += zone(estimate) == zone(truth)
        part.within += error is not None and abs(estimate - truth) <= error

    def _mean(self, index):
        return sum(part.figures[index] for part in self.parts.values()) / len(self.parts)

    @property
    def figures(self):
        return {name: self._mean(index)
                for index, name in enumerate(("mean error, m", "mean factor, log2", "wrong zone"))}

    @property
    def within(self):
        return self._mean(3)


class Second:
    """One second: its truth, what beacond said, and the level of each rule's filter."""

    __slots__ = ("group", "truth", "power_dbm", "metres", "error", "levels")

    def __init__(self, group, truth, power_dbm, metres, error, levels):
        self.group, self.truth, self.power_dbm = group, truth, power_dbm
        self.metres, self.error, self.levels = metres, error, levels


def seconds(recordings, filters=peers.FILTERS):
    """All that are judged, of the recordings of one place."""
    found = []
    for recording in recordings:
        estimates = recording.estimates()
        for key, beacon in recording.beacons.items():
            times = [at_s for at_s, _ in beacon.readings]
            levels = {name: filter(beacon.readings) for name, filter in filters.items()}
            for at_s, metres, error in estimates.get(key, ()):
                place = heard_before(times, at_s)
                truth = None if place is None else beacon.distance_m(times[place])
                if truth is not None:
                    found.append(Second(
                        recording.group, truth, beacon.measured_power_dbm, metres, error,
                        {name: values[place] for name, values in levels.items()}))
    return found


def score(heard, metres):
    """The score of a rule: `metres` says what it makes of a second."""
    result = Score()
    for second in heard:
        result.add(metres(second), second.truth, group=second.group)
    return result


def ours(heard):
    result = Score()
    for second in heard:
        result.add(second.metres, second.truth, second.error, second.group)
    return result


def theirs(name):
    """Another agent's distance for a second."""
    filter, model = {**peers.DISTANCE, "raw": peers.RAW}[name]
    return lambda second: model(second.levels[filter], second.power_dbm)


def compare(recordings):
    """Scores of beacond ("ours"), of each peer and of raw readings over recordings of one family."""
    heard = seconds(recordings)
    scores = {"ours": ours(heard)}
    scores |= {name: score(heard, theirs(name)) for name in (*peers.DISTANCE, "raw")} if heard else {}
    return scores
