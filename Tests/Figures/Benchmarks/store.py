"""A store of full size for `beacond site --replay`: 64 gateways that list 10,000 beacons once a second."""

import json
import pathlib

GATEWAYS, BEACONS = 64, 10_000
UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
BEGIN_S = 1_795_000_000


def stamp(t_s):
    return f"2026-11-18T10:{t_s // 60:02d}:{t_s % 60:02d}.000Z"


def beacon(number, t_s):
    return {"track": number % 200 + 1, "uuid": UUID, "major": number // 1000, "minor": number % 1000, "proximity": "near",
            "accuracy_m": 2.1, "accuracy_error_m": 1.3, "rssi_dbm": -60 - (number * 7 + t_s * 3) % 20, "measured_power_dbm": -59,
            "age_ms": 120, "device": f"{number:016x}"}


def write(folder, seconds, beacons=BEACONS):
    """Writes each gateway's lines and the configuration; returns the command line's arguments behind `beacond`."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    logs = []
    for gateway in range(GATEWAYS):
        name = f"g{gateway}"
        logs.append(folder / f"{name}.jsonl")
        with open(logs[-1], "w") as file:
            def say(t_s, topic, **payload):
                payload = {"schema": 1, "at": stamp(t_s), "clock": "synced", **payload}
                file.write(json.dumps({"t": t_s, "topic": f"beacons/store/{name}/{topic}", "qos": 0, "retain": False,
                                       "payload": payload}, separators=(",", ":")) + "\n")

            say(0, "status", state="online", version="1", epoch="E", radio="scanning", remedy="")
            say(0, "region/carts/state", epoch="E", region="carts", state="inside", since=stamp(0), event_seq=0)
            for t_s in range(1, seconds + 1):
                # Each second another gateway lists a beacon, as people walk.
                listed = [beacon(number, t_s) for number in range(beacons) if (number + t_s // 8) % GATEWAYS == gateway]
                say(t_s, "region/carts/ranging", region="carts", count=len(listed), beacons=listed)
    configuration = folder / "store.toml"
    configuration.write_text('[mqtt]\n[site]\nid = "store"\n')
    return ["site", "--replay", *logs, "--config", configuration]
