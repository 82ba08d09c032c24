"""The open recordings that the defaults were chosen on, where their folder is there (see Evidence.md)."""

import csv
import glob
import gzip
import json
import os

import readings
from recording import Beacon, Recording

HERALD = {"pixel2-hears-a20": -72, "iphone6splus-hears-iphone8plus": -49}


def rows(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        yield from csv.DictReader(file)


def reading(row):
    """Seconds, dBm and metres."""
    return float(row["t_s"]), float(row["rssi_dbm"]), float(row["distance_m"])


def walked(folder, beacond, path, run, power_dbm):
    """The runs of a file; what each of the 12 receivers heard stands as a beacon of its own."""
    runs = {}
    for row in rows(os.path.join(folder, path)):
        runs.setdefault(row[run], {}).setdefault(row["receiver"], []).append(reading(row))
    for name, receivers in runs.items():
        yield Recording(name, beacond, {(1, number): _beacon(power_dbm, heard) for number, heard in enumerate(receivers.values(), 1)})


def danis(folder, beacond):
    """Nine walks."""
    return walked(folder, beacond, "distance-danis/danis.csv.gz", "walk", -61)


def flat(folder, beacond):
    """Four drives of a robot through six rooms."""
    return walked(folder, beacond, "rooms-flat/flat.csv.gz", "run", -48)


def herald(folder, beacond, name):
    heard = [(float(row["t_s"]), float(row["rssi_dbm"]), float(row["distance_cm"]) / 100)
             for row in rows(os.path.join(folder, "distance-herald", name + ".csv.gz"))]
    yield Recording(name, beacond, {(1, 1): _beacon(HERALD[name], heard)})


def mit(folder, beacond):
    """Phone hears phone on two bodies: 56 sessions in seven folders, one for each way to carry them, each of which counts the same."""
    powers = {
        row["folder"]: round(float(row["measured_power_dbm"]))
        for row in rows(os.path.join(folder, "distance-mit", "folders.csv"))
    }
    sessions = {}
    for row in rows(os.path.join(folder, "distance-mit", "mit.csv.gz")):
        sessions.setdefault(row["session"], []).append(reading(row))
    for session, heard in sessions.items():
        group = session.rsplit("/", 1)[0]
        recording = Recording(session, beacond, {(1, 1): _beacon(powers[group], heard)})
        recording.group = group
        yield recording


# Every place with true distances.
DISTANCES = {
    "walk (danis)": danis,
    "pixel2-hears-a20": lambda folder, beacond: herald(folder, beacond, "pixel2-hears-a20"),
    "iphone6splus-hears-iphone8plus": lambda folder, beacond: herald(folder, beacond, "iphone6splus-hears-iphone8plus"),
    "flat": flat,
    "bodies (mit)": mit,
}


def _beacon(power_dbm, readings):
    return Beacon(power_dbm, [r[:2] for r in readings], [(r[0], r[2]) for r in readings])


def rooms(folder, beacond):
    """One recording per gateway; per beacon the spans of certainty, from which crossings of this room follow."""
    folder = os.path.join(folder, "rooms-2015-03-10")
    with open(os.path.join(folder, "labels.json")) as file:
        labels = json.load(file)
    for room, first_ms in sorted(labels["first_record_ms"].items()):
        capture = os.path.join(folder, room + ".btsnoop")
        heard = {}
        for at_s, major, minor, power, rssi, uuid in readings.read(capture):
            if uuid.replace("-", "") == labels["uuid"]:
                heard.setdefault((major, minor), []).append((at_s, rssi))
        key_of = {str(key[1]): key for key in heard}
        recording = Recording(
            room, beacond, {key: Beacon(-62, found) for key, found in heard.items()}, capture,
            "DAF246CE-8363-11E4-B116-123B93F75CBA")
        recording.first_s = first_ms / 1000
        recording.spans = {
            key_of[minor]: [(s["from_ms"] / 1000 - first_ms / 1000, s["to_ms"] / 1000 - first_ms / 1000, s["room"])
                            for s in spans]
            for minor, spans in labels["beacons"].items() if minor in key_of
        }
        yield recording


def door(folder, beacond, receiver="I-E"):
    """Ten runs at one door, heard by a receiver inside; the crossings come from the photosensors."""
    for path in sorted(glob.glob(os.path.join(folder, "door-sal", "*.csv"))):
        readings, crossings, before = [], [], None
        for row in rows(path):
            at_s, inside = float(row["t_s"]), row["inside"] == "1"
            if row[receiver]:
                readings.append((at_s, float(row[receiver])))
            if before is not None and inside != before:
                crossings.append((at_s, at_s, inside))
            before = inside
        recording = Recording(os.path.basename(path).split(".")[0], beacond, {(1, 1): Beacon(-59, readings)})
        recording.crossings = {(1, 1): crossings}
        yield recording
