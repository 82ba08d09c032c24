"""The costs of each part of the chain: processor time and memory of its processes, read from /proc. Nothing is judged by it."""

import contextlib
import os
import pathlib

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def processes():
    """Process → its parent, and processor time: its own and that of children which have ended."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            found[int(folder.name)] = (int(fields[1]), sum(map(int, fields[11:15])) * TICK_S)
    return found


def memory_mib(process):
    """A process's own memory, and its share of shared memory; only root may ask that of another user's process."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


class Part:
    """Some processes and all their children, which are one thing to whoever pays for it."""

    def __init__(self, name, leaders):
        self.name, self.leaders = name, leaders
        self.before = self.spent_s()

    def all(self):
        """Each with the processor time that it has had."""
        known, mine = processes(), set(self.leaders())
        # Parents have smaller numbers than their children, but for once in four million processes.
        for process, (parent, _) in sorted(known.items()):
            if parent in mine:
                mine.add(process)
        return [(process, known[process][1]) for process in mine & known.keys()]

    def spent_s(self):
        return sum(seconds for _, seconds in self.all())

    def figures(self, over_s):
        """Processors used since it was made, over so many seconds, and memory now."""
        share = (self.spent_s() - self.before) / over_s
        memory = sum(memory_mib(process) for process, _ in self.all())
        return f"{self.name}: {share:.2f} processors, {memory:.0f} MiB"
