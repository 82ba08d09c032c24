"""Holds the figures of Evidence.md: `store_regression.py FOLDER BEACOND`. What differs by chance from one compiler to the next is left room."""

import sys

import mapped
import positions
import store

# Least share of right seconds, most changes per true one, least F1 of moves, most seconds behind a move at the median. A move between the four
# rooms takes about a minute.
HELD = {"four rooms": (0.99, 1.25, 0.88, 60), "flat": (0.73, 1.0, 0.40, 10)}
# Most metres for half of the flat's seconds and for 95 of 100, and the least and most share within `error_m`.
PLACED = (1.75, 3.6, 0.60, 0.80)

# With a zone map, where every other anchor hears 8 dB better and the others 8 dB worse: the least share of right seconds in the flat's rooms with
# an anchor, in the one without, and in the four rooms.
OFFSET_DB, MAPPED = 8, (0.70, 0.55, 0.99)


def main(folder, beacond):
    failed = False
    for place, rules in store.figures(folder, beacond).items():
        ours, (right, changes, f1, behind_s) = rules["ours"], HELD[place]
        print(place, {name: round(value, 3) for name, value in ours.items()})
        failed |= ours["right"] < right or ours["changes"] > changes or ours["f1"] < f1 or ours["behind_s"] > behind_s
    # Receivers that publish each second, without times.
    right = store.ours(beacond, store.flat(folder, beacond, batch_s=1))["right"]
    print(f"flat heard by receivers: {right:.3f}")
    failed |= right < HELD["flat"][0]
    median, high, held = positions.figures(folder, beacond)
    print(f"positions in the flat: {median:.2f} m, {high:.2f} m, {held:.2f} within error_m")
    failed |= median > PLACED[0] or high > PLACED[1] or not PLACED[2] <= held <= PLACED[3]
    shares = mapped.figures(folder, beacond, OFFSET_DB)
    print(f"flat with offsets of ±{OFFSET_DB} dB:", {key: round(share, 3) for key, share in sorted(shares.items())})
    failed |= shares[True, True] < MAPPED[0] or shares[True, False] < MAPPED[1]
    shares = mapped.four_rooms(folder, beacond, OFFSET_DB)
    print(f"four rooms with offsets of ±{OFFSET_DB} dB:", {key: round(share, 3) for key, share in shares.items()})
    failed |= shares[True] < MAPPED[2]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
