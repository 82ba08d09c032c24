"""The zone of a phone in a pocket: the phones of the open recordings with 10 and 15 dB taken off every reading, as a body does.

The recordings with phones in pockets (distance-mit) have a measured power for each way to carry them, which hides the loss. So this takes the
loss off the phones on the cable car, in the seconds in which the truth is 3.4 m at most.
"""

import datasets
import distance
from recording import Beacon, Recording

NEAREST_M = 3.4
LOSSES_DB = {"as it is": 0, "10 dB weaker": 10, "15 dB weaker": 15}


def weaker(recording, loss_db):
    """The recording with that loss in each reading. Its capture is written from these."""
    beacons = {
        key: Beacon(beacon.measured_power_dbm, [(at_s, rssi - loss_db) for at_s, rssi in beacon.readings], beacon.distances)
        for key, beacon in recording.beacons.items()
    }
    return Recording(recording.name, recording.beacond, beacons)


def near_share(recordings):
    """The share of seconds within NEAREST_M that are immediate or near."""
    result = distance.Score()
    for second in distance.seconds(recordings, filters={}):
        if second.truth <= NEAREST_M:
            # Where both are far or both are not, the zone of this measure is right.
            is_near = distance.zone(distance.held(second.metres)) < 2
            result.add(1 if is_near else 10, 1)
    return 1 - result.figures["wrong zone"]


def lines(folder, beacond):
    yield "| near or immediate within 3.4 m | " + " | ".join(LOSSES_DB) + " |"
    yield "| --- |" + " --- |" * len(LOSSES_DB)
    for name in datasets.HERALD:
        shares = [near_share([weaker(recording, loss_db) for recording in datasets.herald(folder, beacond, name)])
                  for loss_db in LOSSES_DB.values()]
        yield f"| {name} | " + " | ".join(f"{share:.2f}" for share in shares) + " |"
