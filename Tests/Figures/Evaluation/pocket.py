"""The zone of a phone in a pocket: the phones of the open recordings with 10 and 15 dB taken off every reading, as a body does.

The recordings with phones in pockets (distance-mit) have a measured power for each way to carry them, which hides the loss. So this takes the
loss off the phones on the cable car, in the seconds in which the truth is 3.4 m at most.
"""

import datasets
import distance
import perturbed

NEAREST_M = 3.4
WAYS = ("as it is", "10 dB weaker", "15 dB weaker")
KIND = "cable car"


def near_share(recordings):
    """The share of seconds within NEAREST_M that are immediate or near; each group counts the same."""
    result = distance.Score()
    for second in distance.seconds(recordings, filters={}):
        if second.truth <= NEAREST_M:
            # Where both are far or both are not, the zone of this measure is right.
            is_near = distance.zone(distance.held(second.metres)) < 2
            result.add(1 if is_near else 10, 1, group=second.group)
    return 1 - result.figures["wrong zone"]


def lines(folder, beacond):
    yield "| near or immediate within 3.4 m | " + " | ".join(WAYS) + " |"
    yield "| --- |" + " --- |" * len(WAYS)
    for name, (kind, recordings) in datasets.DISTANCES.items():
        if kind != KIND:
            continue
        shares = [near_share([perturbed.worse(recording, way) for recording in recordings(folder, beacond)])
                  for way in WAYS]
        yield f"| {name} | " + " | ".join(f"{share:.2f}" for share in shares) + " |"
