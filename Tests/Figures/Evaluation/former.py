"""The filters over a window that the agent had until 0.2.0, as rules to compare with: levels of the same windows, and the agent's own
model of distance. The agent cut a window into 64 slots, which is left out here."""

import distance
import leftout

# What each was called in [smoothing], and its window among the filters of the other agents.
FILTERS = {"median": "median 10 s", "trimmed_mean": "altbeacon 20 s", "iqr_mean": "espresense 15 s"}
INDOOR = leftout.path_loss(*leftout.INDOOR)


def score(heard, name):
    """The score of a former filter over the seconds of a place."""
    window = FILTERS[name]
    return distance.score(heard, lambda second: INDOOR(second.levels[window], second.power_dbm))


def lines(places):
    """A table: the errors of the agent of today and of its former filters at each place, metres and log2 of the factor."""
    def cell(score):
        return " ".join(f"{score.figures[measure]:.2f}" for measure in leftout.MEASURES)
    yield "Filters that the agent had, with its own model of distance; mean error in metres, mean factor in log2:"
    yield ""
    yield "| filter | " + " | ".join(place.name for place in places) + " |"
    yield "| --- |" + " --- |" * len(places)
    yield "| **today's** | " + " | ".join(f"**{cell(distance.ours(place.heard))}**" for place in places) + " |"
    for name, window in FILTERS.items():
        yield f"| `{name}`, {window.split(' ', 1)[1]} | " + " | ".join(cell(score(place.heard, name)) for place in places) + " |"

