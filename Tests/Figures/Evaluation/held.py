"""Holds the agent to the figures that the article Evidence states: `held.py PART [FOLDER] BEACOND`. The part is `made-up`, which needs no folder,
or one that is of recordings: `recordings`, `stores` or `location`. It prints each figure, and a line for each that is outside its limits; then
the exit status is 1.

held.csv has the limits. No figure depends on the machine's speed. The long form, with other agents' rules, thresholds and plots, is deploy/evaluate.
"""

import csv
import math
import pathlib
import sys

import companion
import crossing
import datasets
import distance
import location_figures
import mapped
import positions
import store
import storeys

# How much better every other anchor hears, and how much worse the others.
OFFSET_DB = 8


def made_up(beacond):
    ours = companion.figures(beacond)
    for (way, missing, measure), value in ours.items():
        yield f"{way} without {missing or 'none'}: {measure}", value
    behind = [(way, missing, measure) for (way, missing, measure), value in ours.items() if value >= companion.PUBLISHED[way, missing][measure]]
    for one in behind:
        print("not better than ESPresense-companion:", *one)
    yield "figures in which ESPresense-companion is ahead", len(behind)
    for (building, are_above), (right, changes) in storeys.figures(beacond).items():
        name = f"{building}, upper gateways {'above the lower ones' if are_above else 'between them'}"
        yield f"{name}: right floor", right
        yield f"{name}: changes per true one", changes


def recordings(folder, beacond):
    for family, recordings_of in datasets.DISTANCES.items():
        found = distance.ours(distance.seconds(recordings_of(folder, beacond), filters={}))
        for measure in ("mean error, m", "mean factor, log2"):
            yield f"{family}: {measure}", found.figures[measure]
        yield f"{family}: truths within accuracy_error_m", found.within
    yield "door: F1", crossing.best(crossing.ours(list(datasets.door(folder, beacond)), [(-58, -59)], 2, crossing.DOOR))[0]


def stores(folder, beacond):
    for place, rules in store.figures(folder, beacond).items():
        yield from ((f"{place}: {measure}", value) for measure, value in rules["ours"].items())
    # Receivers that publish each second, without times.
    yield "flat heard by receivers: right", store.ours(beacond, store.flat(folder, beacond, batch_s=1))["right"]
    median, high, within = positions.figures(folder, beacond)
    yield from {"flat: median error, m": median, "flat: 95 of 100 within, m": high, "flat: places within error_m": within}.items()
    shares = mapped.figures(folder, beacond, OFFSET_DB)
    yield "flat with a map, rooms with an anchor", shares[True, True]
    yield "flat with a map, rooms without an anchor", shares[True, False]
    yield "four rooms with a map", mapped.four_rooms(folder, beacond, OFFSET_DB)[True]


def location(folder, beacond):
    """Delays, shares and distances are figures only: deploy/evaluate prints them."""
    for name in location_figures.STILL:
        still = list(location_figures.still(location_figures.recording(folder, name), beacond))
        print(*(f"{name}, {kind}: {events['ours']} events of {count} circles" for kind, count, events in still), sep="\n")
        yield f"{name}: events, and nothing moved", sum(events["ours"] for _, _, events in still)
    for name in location_figures.DRIVES:
        found = location_figures.drive(location_figures.recording(folder, name), folder, beacond)["ours"]
        yield f"{name}: crossings that were not reported once", abs(found.crossings - found.right)
        yield f"{name}: wrong events", found.wrong


PARTS = {"made-up": made_up, "recordings": recordings, "stores": stores, "location": location}


def limits_of(part):
    """{figure: (least, most)}"""
    with open(pathlib.Path(__file__).with_suffix(".csv"), encoding="utf-8") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter=";")
        return {row["figure"]: (float(row["least"] or -math.inf), float(row["most"] or math.inf)) for row in rows if row["part"] == part}


def main(part, *where):
    limits, found = limits_of(part), dict(PARTS[part](*where))
    lost = [f"{name} has no limit in held.csv" for name in sorted(found.keys() - limits.keys())]
    lost += [f"{name} has a limit, and was not computed" for name in sorted(limits.keys() - found.keys())]
    for name, value in found.items():
        print(f"{name}: {value:.3f}")
        least, most = limits.get(name, (-math.inf, math.inf))
        if not least <= value <= most:
            lost.append(f"{name} is {value:.3f}, and may be from {least} to {most}")
    for line in lost:
        print("failed:", line)
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
