"""Holds the agent to what the article Evidence says of the recordings: `location_regression.py DATA BEACOND`. A line for each that it lost.

Delays, shares and distances are figures only: deploy/evaluate prints them."""

import sys

import whereabouts


def main(folder, beacond):
    checks, lost = 0, []
    for name in whereabouts.STILL:
        for kind, count, told in whereabouts.still(whereabouts.recording(folder, name), beacond):
            checks += 1
            if told["ours"]:
                lost.append(f"{name}, {kind}: {told['ours']} events of {count} circles, and nothing moved")
    for name in whereabouts.DRIVES:
        found = whereabouts.drive(whereabouts.recording(folder, name), folder, beacond)["ours"]
        checks += 1
        if (found.right, found.wrong) != (found.crossings, 0):
            lost.append(f"{name}: {found.right} of {found.crossings} crossings were told once, and {found.wrong} events are wrong")
    for line in lost:
        print("failed:", line)
    print(f"{checks - len(lost)} held, {len(lost)} lost")
    return len(lost)


if __name__ == "__main__":
    sys.exit(min(1, main(*sys.argv[1:])))
