"""See deploy/evaluate, which calls this with the folder of recordings or `--made-up`, the agent and where to put what it finds."""

import json
import os
import sys

import companion
import datasets
import location_figures
import measures
import own
import plots
import pocket
import positions
import store
import storeys

OPEN = ("distance-danis", "distance-herald", "rooms-flat", "distance-mit", "rooms-2015-03-10", "door-sal")


def number(value):
    return "–" if value is None else f"{value:.3f}"


def table(rows):
    yield "| recording | measure | beacond | best other rule | which | raw | |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for row in rows:
        mark = "" if row.peer is None else "ahead" if row.is_ahead else "behind"
        note = "; ".join(filter(None, (mark, row.note)))
        yield (f"| {row.family} | {row.measure} | **{number(row.ours)}** | {number(row.peer)} | {row.rule} "
               f"| {number(row.raw)} | {note} |")


def write_lines(lines, out, name):
    print("\n".join(lines))
    with open(os.path.join(out, name), "w") as file:
        file.write("\n".join(lines) + "\n")


def main(folder, beacond, out):
    os.makedirs(out, exist_ok=True)
    if folder == "--made-up":
        write_lines([*companion.lines(beacond), "", *storeys.lines(beacond)], out, "made-up.md")
        return 0
    is_open = all(os.path.isdir(os.path.join(folder, name)) for name in OPEN)
    try:
        own_recordings = list(own.recordings(folder, beacond))
    except own.TruthError as problem:
        print(problem, file=sys.stderr)
        return 65
    has_receivers = location_figures.is_there(folder)
    if not is_open and not own_recordings and not has_receivers:
        print(f"{folder}: no recordings; see Sources/beacond/Documentation.docc/Evidence.md", file=sys.stderr)
        return 66
    rows = list(measures.own_rows(own_recordings))
    for recording in own_recordings:
        plots.draw_own(recording, out)
    pockets = []
    if is_open:
        rows += measures.open_rows(folder, beacond)
        plots.draw_open(folder, out, datasets, beacond)
        pockets = ["", *pocket.lines(folder, beacond)]
    zones = ["", *store.lines(folder, beacond), "", *positions.lines(folder, beacond)] if store.is_there(folder) else []
    locations = location_figures.lines(folder, beacond) if has_receivers else []
    lines = [*(table(rows) if rows else []), *pockets, *zones, *([""] if rows and has_receivers else []), *locations]
    write_lines(lines, out, "table.md")
    with open(os.path.join(out, "table.json"), "w") as file:
        json.dump([vars(row) for row in rows], file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
