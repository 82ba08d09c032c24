"""Holds what a store says of a simulated shop against its truth: `shop.py BEACOND FOLDER SEED`.

Everybody who comes and goes makes one visit, whichever gateways hear; and the zone is the room that they are in.
"""

import json
import subprocess
import sys

GATEWAYS, SECONDS = 4, 600
# The share of seconds in the right room, and changes of zone for each true one. A walker is in the next room some seconds before
# levels show it, and half of a visit is walking.
LEAST_RIGHT, MOST_CHANGES = 0.85, 1.5


def simulated(beacond, folder, seed):
    """The places of people, and the reports of each gateway."""
    subprocess.run([beacond, "simulate", "--scenario", "rooms", "--gateways", str(GATEWAYS), "--seconds", str(SECONDS), "--seed", seed,
                    "--write", f"{folder}/shop.btsnoop", "--truth", f"{folder}/truth.json"], check=True)
    with open(f"{folder}/truth.json") as file:
        return json.load(file), [f"{folder}/shop-{number}.btsnoop" for number in range(1, GATEWAYS + 1)]


def joined(beacond, folder, captures, site="store", keys=""):
    """The messages of a store's gateways, g1 and so on, a list each, and of the store. A message is a dictionary.

    `keys` are further lines of the store's configuration, behind `[site]`.
    """
    logs = []
    for number, capture in enumerate(captures, 1):
        config = f"{folder}/g{number}.toml"
        with open(config, "w") as file:
            file.write(f'[gateway]\nsite = "{site}"\nid = "g{number}"\n[[region]]\nid = "carts"\n'
                       'uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"\nexpand = "minor"\n')
        logs.append(f"{folder}/g{number}.jsonl")
        with open(logs[-1], "w") as file:
            subprocess.run([beacond, "replay", capture, "--config", config], stdout=file, stderr=subprocess.DEVNULL, check=True)
    with open(f"{folder}/store.toml", "w") as file:
        file.write(f'[mqtt]\n[site]\nid = "{site}"\n{keys}')
    output = subprocess.run([beacond, "site", "--replay", *logs, "--config", f"{folder}/store.toml"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    gateways = []
    for log in logs:
        with open(log) as file:
            gateways.append([json.loads(line) for line in file])
    return gateways, [json.loads(line) for line in output.splitlines()]


def main(beacond, folder, seed):
    truth, captures = simulated(beacond, folder, seed)
    _, messages = joined(beacond, folder, captures)
    zones, visits, inside = {}, {}, {}
    problems = []
    for message in messages:
        levels, payload = message["topic"].split("/"), message["payload"]
        if levels[-1] == "ranging":
            for beacon in payload["beacons"]:
                # A list without certainty names no zone.
                if "zone" in beacon:
                    zones.setdefault((beacon["major"], beacon["minor"]), {})[int(message["t"])] = beacon["zone"]
        if levels[-1] != "event":
            continue
        key = (payload["major"], payload["minor"])
        if "zone" not in payload:
            visits.setdefault(key, []).append(payload["type"])
        elif payload["type"] == "enter":
            inside.setdefault(key, set()).add(payload["zone"])
            if len(inside[key]) > 1:
                problems.append(f"{key} is in {sorted(inside[key])} at {message['t']} s")
        else:
            # A visitor who was there at the start has no entry.
            inside.get(key, set()).discard(payload["zone"])
    asked = right = changes = moves = 0
    for beacon in truth["beacons"]:
        key = (beacon["major"], beacon["minor"])
        # A visitor who comes in the last seconds, or while the gateways settle, has no whole visit.
        if beacon["left_at_s"] < SECONDS - 60 and beacon["entered_at_s"] > 15 and visits.get(key) != ["enter", "exit"]:
            problems.append(f"{key} made the visit {visits.get(key)}")
        room_at = zones.get(key, {})
        for second, room in enumerate(beacon["room"]):
            at_s = int(beacon["entered_at_s"]) + second
            if at_s in room_at:
                asked, right = asked + 1, right + (room_at[at_s] == f"g{room}")
        sequence = [room_at[at_s] for at_s in sorted(room_at)]
        changes += sum(a != b for a, b in zip(sequence, sequence[1:]))
        moves += sum(a != b for a, b in zip(beacon["room"], beacon["room"][1:]))
    print(f"{right / asked:.3f} of the seconds in the right room, {changes} changes for {moves} true ones")
    if right < LEAST_RIGHT * asked or changes > MOST_CHANGES * moves:
        problems.append("that is too few, or too many")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
