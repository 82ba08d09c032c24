"""The material of all measurements: captures, configurations, and runs of programs with their costs."""

import pathlib
import re
import resource
import statistics
import subprocess

UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"


def median(values):
    return statistics.median(values)


class Workload:
    """Captures and configurations in a scratch folder, made once."""

    def __init__(self, folder, tools):
        self.folder = pathlib.Path(folder)
        self.tools = pathlib.Path(tools)

    def capture(self, beacons, reports, interval_ms):
        path = self.folder / f"{beacons}-{reports}-{interval_ms}.btsnoop"
        if not path.exists():
            with path.open("wb") as file:
                subprocess.run(
                    [self.tools / "capture", str(beacons), str(reports), str(interval_ms)], stdout=file, check=True)
        return path

    def configuration(self, name, regions=1, ranged=False, expand="none", port=1883, mqtt=""):
        """The first region is the beacons'; the others are of beacons that never come."""
        path = self.folder / f"{name}.toml"
        text = (
            f'[gateway]\nsite = "benchmark"\nid = "{name}"\nstate_dir = "{self.folder}/state-{name}"\n'
            f"[radio]\nmax_transmitters = 131072\n[regions]\nmax_regions = 16384\nmax_instances = 131072\n"
            f'settle_s = 0\n[mqtt]\nurl = "{"mqtts" if "ca_file" in mqtt else "mqtt"}://127.0.0.1:{port}"\n{mqtt}\n'
            f'[[region]]\nid = "shop"\nuuid = "{UUID}"\nranging = {str(ranged).lower()}\nexpand = "{expand}"\n')
        for number in range(1, regions):
            text += (
                f'[[region]]\nid = "elsewhere-{number}"\nuuid = "5EAB0000-0000-0000-0000-{number:012X}"\n'
                f"major = {number}\n")
        path.write_text(text)
        return path


class Cost:
    """The costs of one run: processor seconds of the program itself and its peak memory, with its output."""

    def __init__(self, command, **settings):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
            **settings)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.said = done.stderr
        self.cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def number(self, name):
        return int(re.search(rf"{name}=(\d+)", self.said).group(1))


def instructions(command, folder):
    """Instructions executed, as callgrind counts them: the same on every run."""
    out = pathlib.Path(folder) / "callgrind.out"
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *map(str, command)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def peak_kib(command):
    """The most memory that was resident."""
    script = "import resource,subprocess,sys;subprocess.run(sys.argv[1:],stdout=-3,stderr=-3,check=True);" \
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run(
        ["python3", "-c", script, *map(str, command)], stdout=subprocess.PIPE, text=True, check=True)
    return int(done.stdout)
