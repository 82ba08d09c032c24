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


class Score:
    """Mean absolute error, mean factor (log2), and share of right zones; with errors, the share within them too."""

    def __init__(self):
        self.count = self.error = self.factor = self.factors = self.right = self.within = 0

    def add(self, estimate, truth, error=None):
        estimate = held(estimate)
        self.count += 1
        self.error += abs(estimate - truth)
        if truth > 0:
            self.factor += abs(math.log2(estimate / truth))
            self.factors += 1
        self.right += zone(estimate) == zone(truth)
        self.within += error is not None and abs(estimate - truth) <= error

    @property
    def figures(self):
        return {
            "mean error, m": self.error / self.count, "mean factor, log2": self.factor / max(1, self.factors),
            "wrong zone": 1 - self.right / self.count,
        }


def compare(recordings):
    """Scores of beacond ("ours"), of each peer and of raw readings over recordings of one family."""
    scores = {name: Score() for name in ("ours", "raw", *peers.DISTANCE)}
    rules = {**peers.DISTANCE, "raw": peers.RAW}
    for recording in recordings:
        estimates = recording.estimates()
        for key, beacon in recording.beacons.items():
            times = [at_s for at_s, _ in beacon.readings]
            levels = {name: filter(beacon.readings) for name, (filter, _) in rules.items()}
            for at_s, metres, error in estimates.get(key, ()):
                place = heard_before(times, at_s)
                truth = None if place is None else beacon.distance_m(times[place])
                if truth is None:
                    continue
                scores["ours"].add(metres, truth, error)
                for name, (_, model) in rules.items():
                    scores[name].add(model(levels[name][place], beacon.measured_power_dbm), truth)
    return scores
