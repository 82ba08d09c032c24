"""Holds the figures of made-up levels that the article Evidence sums up: `madeup_regression.py BEACOND`. One line for each that is lost.

The limits leave room for differences between compilers. No figure depends on the machine's speed.
"""

import sys

import companion
import storeys

# Beside ESPresense-companion's levels, in the order of `companion.PUBLISHED`: what the article Evidence sums up.
COMPANION = {
    ("diagonal_walk", None): (0.46, 0.91, 0.49, 1.17, 0.034, 0.018),
    ("diagonal_walk", "living-nw"): (0.55, 1.23),
    ("diagonal_walk", "living-sw"): (0.54, 1.77),
    ("diagonal_walk", "bedroom-ne"): (0.61, 1.83),
    ("diagonal_walk", "bedroom-se"): (0.56, 1.11),
    ("living_to_bedroom", None): (0.41, 0.95, 0.46, 1.40, 0.160, 0.095),
    ("living_to_bedroom", "living-nw"): (0.47, 1.09),
    ("living_to_bedroom", "living-sw"): (0.46, 1.20),
    ("living_to_bedroom", "bedroom-ne"): (0.57, 1.29),
    ("living_to_bedroom", "bedroom-se"): (0.57, 1.28),
}
MORE_M, MORE_SHARE = 0.05, 0.01
# Least share of seconds on the right floor, and most changes per true one.
STOREYS = {
    ("shop", True): (0.942, 1.19), ("shop", False): (0.913, 1.13), ("flats", True): (0.979, 1.07),
    ("flats", False): (0.948, 1.13), ("office", True): (0.980, 1.07), ("office", False): (0.980, 1.07),
}


def lost_to_companion(beacond):
    """A figure is lost where it is worse than stated, or not better than what the peer publishes."""
    ours = companion.figures(beacond)
    for (way, missing), published in companion.PUBLISHED.items():
        for (measure, theirs), stated in zip(published.items(), COMPANION[way, missing], strict=True):
            more = MORE_SHARE if measure in (companion.ROOM, companion.ZONE) else MORE_M
            found = ours[way, missing, measure]
            if found > stated + more or found >= theirs:
                yield f"{way} without {missing}: {measure} is {found:.3f}, stated {stated}, published {theirs}"


def lost_floors(beacond):
    for place, (right, changes) in storeys.figures(beacond).items():
        least, most = STOREYS[place]
        if right < least or changes > most:
            yield f"floors, {place}: {right:.3f} of the seconds are right, at least {least}; {changes:.2f} changes, at most {most}"


def main(beacond):
    lost = [*lost_to_companion(beacond), *lost_floors(beacond)]
    for line in lost:
        print("failed:", line)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
