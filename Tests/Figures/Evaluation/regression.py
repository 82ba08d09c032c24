"""Holds the agent to the figures that stand in Evidence.md: `regression.py DATA BEACOND`. One line for each that it lost.

The long form, with other agents' rules, thresholds and plots, is deploy/evaluate.
"""

import sys

import crossing
import datasets
import distance

# Mean error in metres, mean factor in log2, least and most share within accuracy_error_m. For the door it is the least F1
# with the thresholds that Evidence.md names.
DISTANCE = {
    "walk (danis)": (3.90, 0.83, 0.60, 0.80), "pixel2-hears-a20": (0.82, 0.72, 0.60, 0.80),
    "iphone6splus-hears-iphone8plus": (0.57, 0.61, 0.60, 0.80), "flat": (1.74, 0.61, 0.60, 0.80),
    "bodies (mit)": (1.21, 0.80, 0.60, 0.80),
}
DOOR_F1 = 0.86


def main(data, beacond):
    lost = []
    for family, recordings in datasets.DISTANCES.items():
        found = distance.ours(distance.seconds(recordings(data, beacond), filters={}))
        figures = found.figures
        metres, factor, least, most = DISTANCE[family]
        for measure, limit in (("mean error, m", metres), ("mean factor, log2", factor)):
            if figures[measure] > limit:
                lost.append(f"{family}: {measure} is {figures[measure]:.3f}, was at most {limit}")
        if not least <= found.within <= most:
            lost.append(f"{family}: {found.within:.2f} of the truths are within accuracy_error_m, "
                        f"not {least} to {most}")
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
