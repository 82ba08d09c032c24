"""Holds the agent to the figures that stand in Signal.md: `regression.py DATA BEACOND`. One line for each that it lost.

The long form, with other agents' rules, thresholds and plots, is deploy/evaluate.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/evaluation"))

import crossing
import datasets
import distance

# Mean error in metres, mean factor in log2, and the least F1 at the door with the thresholds that Signal.md names.
DISTANCE = {
    "walk (danis)": (3.50, 0.72), "pixel2-hears-a20": (0.70, 0.67), "iphone6splus-hears-iphone8plus": (0.53, 0.58),
}
DOOR_F1 = 0.86
WITHIN = (0.60, 0.76)


def score(recordings):
    result = distance.Score()
    for recording in recordings:
        estimates = recording.estimates()
        for key, beacon in recording.beacons.items():
            times = [at_s for at_s, _ in beacon.readings]
            for at_s, metres, error in estimates.get(key, ()):
                place = distance.heard_before(times, at_s)
                if place is not None:
                    result.add(metres, beacon.distance_m(times[place]), error)
    return result


def main(data, beacond):
    lost = []
    families = {"walk (danis)": datasets.danis(data, beacond)}
    families |= {name: datasets.herald(data, beacond, name) for name in datasets.HERALD}
    for family, recordings in families.items():
        found = score(recordings)
        figures = found.figures
        for measure, limit in zip(("mean error, m", "mean factor, log2"), DISTANCE[family]):
            if figures[measure] > limit:
                lost.append(f"{family}: {measure} is {figures[measure]:.3f}, was at most {limit}")
        share = found.within / found.count
        if not WITHIN[0] <= share <= WITHIN[1]:
            lost.append(f"{family}: {share:.2f} of the truths are within accuracy_error_m, not 0.68 ± 0.08")
    door = crossing.best(crossing.ours(list(datasets.door(data, beacond)), [(-58, -59)], 2, crossing.DOOR))[0]
    if door < DOOR_F1:
        lost.append(f"door: F1 is {door:.3f}, was at least {DOOR_F1}")
    for line in lost:
        print("failed:", line)
    checks = 3 * len(DISTANCE) + 1
    print(f"{checks - len(lost)} held, {len(lost)} lost")
    return len(lost)


if __name__ == "__main__":
    sys.exit(min(1, main(*sys.argv[1:])))
