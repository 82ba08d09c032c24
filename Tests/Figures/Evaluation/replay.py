"""Runs captures through `beacond replay`, and nothing else of beacond's."""

import json
import os
import subprocess
import tempfile

CONFIG = """
[gateway]
id = "evaluation"
[ranging]
mode = "interval"
[privacy]
device = "omit"
"""


def region(name, beacon_uuid, major=None, minor=None, **rules):
    """One [[region]] of the configuration."""
    lines = ["[[region]]", f'id = "{name}"', f'uuid = "{beacon_uuid}"']
    lines += [f"{key} = {value}" for key, value in (("major", major), ("minor", minor)) if value is not None]
    for key, value in rules.items():
        lines.append(f"{key} = {str(value).lower() if isinstance(value, bool) else value}")
    return "\n".join(lines)


def lines(*command, configuration):
    """The messages that a command of beacond prints with that configuration."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.toml")
        with open(path, "w") as file:
            file.write(configuration)
        with subprocess.Popen([*command, "--config", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            yield from map(json.loads, process.stdout)
            problem = process.stderr.read().decode()
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: {problem.strip()}")


def messages(beacond, capture, regions, kinds=("ranging",), settings=""):
    """(seconds, topic's end, payload) of every message of these kinds. Everything not said here, or in `settings`, which are
    tables of the configuration, is beacond's default."""
    for message in lines(beacond, "replay", capture, "--output", "jsonl", configuration=CONFIG + settings + "\n" + "\n".join(regions) + "\n"):
        levels = message["topic"].split("/")
        if levels[-1] in kinds:
            yield message["t"], levels[4:], message["payload"]
