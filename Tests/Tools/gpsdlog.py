"""Logs of gpsd's receivers, as `gpspipe -w` writes them, and their replay by `beacond replay --location`."""

import json
import math
import os
import subprocess
import tempfile
from datetime import datetime, timedelta, timezone

VERSION = '{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}'
# How long a replay may take at most: no promise, a machine at a tenth of the usual speed keeps it. Seconds.
LIMIT_S = 300
# WGS 84: the larger half axis in metres, and the square of the eccentricity.
AXIS_M, ECCENTRICITY2 = 6_378_137.0, 0.00669437999014


def degrees(north_m, east_m, centre):
    """The place so far from the centre (latitude, longitude). Right to some millimetres within a kilometre."""
    phi = math.radians(centre[0])
    w2 = 1 - ECCENTRICITY2 * math.sin(phi) ** 2
    along_meridian, across = AXIS_M * (1 - ECCENTRICITY2) / w2 ** 1.5, AXIS_M / math.sqrt(w2)
    return (centre[0] + math.degrees(north_m / along_meridian),
            centre[1] + math.degrees(east_m / (across * math.cos(phi))))


def distance_m(one, other):
    """Between two places (latitude, longitude) that are near each other, by the radii of curvature in their middle."""
    phi = math.radians((one[0] + other[0]) / 2)
    w2 = 1 - ECCENTRICITY2 * math.sin(phi) ** 2
    north = math.radians(other[0] - one[0]) * AXIS_M * (1 - ECCENTRICITY2) / w2 ** 1.5
    east = math.radians((other[1] - one[1] + 180) % 360 - 180) * AXIS_M / math.sqrt(w2) * math.cos(phi)
    return math.hypot(north, east)


def clock(time):
    """As gpsd writes it."""
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class Log:
    """A log that begins at `begin`; fixes are given in metres from the centre."""

    def __init__(self, begin=datetime(2024, 5, 6, 8, tzinfo=timezone.utc), centre=(52.5163, 13.3777)):
        self.begin, self.centre = begin, centre
        self.lines = [VERSION]

    def line(self, text):
        self.lines.append(text if isinstance(text, str) else json.dumps(text))

    def time(self, at_s):
        return clock(self.begin + timedelta(seconds=at_s))

    def fix(self, at_s, east_m=0.0, north_m=0.0, accuracy_m=5.0, **fields):
        """A fix. A field that is given as None is left out."""
        latitude, longitude = degrees(north_m, east_m, self.centre)
        report = {"class": "TPV", "device": "/dev/ttyACM0", "mode": 3, "time": self.time(at_s), "lat": round(latitude, 9),
                  "lon": round(longitude, 9), "eph": round(accuracy_m * 1.621, 4), **fields}
        self.line({name: value for name, value in report.items() if value is not None})

    def fixes(self, span, east_m=0.0, **fields):
        """A fix for each time of the span; what is given as a function is asked with the time."""
        for at_s in span:
            self.fix(at_s, **{name: value(at_s) if callable(value) else value
                              for name, value in {"east_m": east_m, **fields}.items()})


class Replayed:
    """The output of a replay: exit status, standard error, the unchanged lines, and their messages."""

    def __init__(self, done):
        self.status, self.said, self.output = done.returncode, done.stderr.decode(), done.stdout
        self.messages = [json.loads(line) for line in self.output.splitlines()]

    def of(self, end):
        """(seconds, payload) of each message whose topic ends so."""
        return [(message["t"], message["payload"]) for message in self.messages
                if ("/" + message["topic"]).endswith("/" + end)]

    def payloads(self, end):
        return [payload for _, payload in self.of(end)]

    @property
    def events(self):
        return self.payloads("event")

    @property
    def health(self):
        return self.payloads("health")[-1]["location"]


def configuration(location=(), regions=(), **tables):
    """`location` has the keys of its table, None for no table; `regions` those of each. Other tables by their names,
    and [regions] as `regions_rules`."""
    def table(head, keys):
        return [head, *(f"{key} = {json.dumps(value)}" for key, value in dict(keys).items())]

    lines = table("[gateway]", {"site": "tests", "id": "van"})
    for name, keys in tables.items():
        lines += table(f"[{name.removesuffix('_rules')}]", keys)
    if location is not None:
        lines += table("[location]", {"source": "gpsd", **dict(location)})
    for region in regions:
        lines += table("[[region]]", region)
    return "\n".join(lines) + "\n"


def replay(beacond, log, config, capture=None, state=None):
    """`log` is a Log, a path, or None."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, text in (("config.toml", config), ("log.json", "\n".join(log.lines) + "\n" if isinstance(log, Log) else "")):
            paths[name] = os.path.join(folder, name)
            with open(paths[name], "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
        command = [beacond, "replay", *([capture] if capture else []), "--config", paths["config.toml"]]
        if log is not None:
            command += ["--location", paths["log.json"] if isinstance(log, Log) else log]
        if state:
            command += ["--state", state]
        return Replayed(subprocess.run(command, capture_output=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL))
