"""Holds the agent to what the article Evidence says of the recordings: `location_regression.py DATA BEACOND`. A line for each that it lost.

Delays, shares and distances are figures only: deploy/evaluate prints them."""

import sys

import location_figures


def main(folder, beacond):
    checks, lost = 0, []
    for name in location_figures.STILL:
        for kind, count, events in location_figures.still(location_figures.recording(folder, name), beacond):
            checks += 1
            if events["ours"]:
                lost.append(f"{name}, {kind}: {events['ours']} events of {count} circles, and nothing moved")
    for name in location_figures.DRIVES:
        found = location_figures.drive(location_figures.recording(folder, name), folder, beacond)["ours"]
        checks += 1
        if (found.right, found.wrong) != (found.crossings, 0):
            lost.append(f"{name}: {found.right} of {found.crossings} crossings were reported once, and {found.wrong} events are wrong")
    for line in lost:
        print("failed:", line)
    print(f"{checks - len(lost)} held, {len(lost)} lost")
    return len(lost)


if __name__ == "__main__":
    sys.exit(min(1, main(*sys.argv[1:])))
