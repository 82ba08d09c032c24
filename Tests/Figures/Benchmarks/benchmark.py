"""Measures beacond against its budget and writes results.json, results.md and the plot. Called by deploy/benchmark.

    benchmark.py PRODUCTS TOOLS VENV [--quick] [--only=PART]
                         PRODUCTS has beacond, TOOLS the programs of this package, VENV the peers; one part alone leaves the
                         figures of the others as they were

Side by side means interleaved: each round runs everything once, five rounds, and the median counts. Processor time is
what is compared, because it says the same on a machine that has other work; instructions are from callgrind."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import plot
import receivers
import store
from drain import Drain
from live import Agent, Broker, Controller, Subscriber, cpu_s, play, report
from workload import Cost, Workload, instructions, median, peak_kib

HERE = pathlib.Path(__file__).parent
# Where the article Evidence shows it.
PICTURE = HERE / "../../../Sources/beacond/Documentation.docc/Resources/benchmark.svg"
ROUNDS = 5


class Bench:
    def __init__(self, products, tools, venv, folder, quick):
        self.beacond = pathlib.Path(products) / "beacond"
        self.tools, self.venv, self.quick = pathlib.Path(tools), pathlib.Path(venv), quick
        self.folder = pathlib.Path(folder)
        self.work = Workload(folder, tools)
        self.found = {}

    def note(self, name, value):
        self.found[name] = value
        print(f"{name}: {value}", file=sys.stderr, flush=True)

    def replay(self, capture, configuration):
        return [self.beacond, "replay", capture, "--output", "none", "--config", configuration]

    def pipeline(self):
        """beacond, the C bound and the peers on the same reports."""
        few, many = self.work.capture(200, 500_000, 100), self.work.capture(100_000, 2_000_000, 1000)
        ranged = self.work.configuration("ranged", ranged=True)
        plain = self.work.configuration("plain")
        crowded = self.work.configuration("crowded", regions=10_000)
        bound = self.tools / "bound"
        cases = {
            "beacond": self.replay(few, ranged), "c": [bound, few, 1, 1],
            "beacond_unranged": self.replay(few, plain), "c_unranged": [bound, few, 1, 0],
            "beacond_10000_regions": self.replay(few, crowded), "c_10000_regions": [bound, few, 10_000, 0],
            "beacond_100000": self.replay(many, plain), "c_100000": [bound, many, 1, 0],
        }
        # What a start costs is no report's: the configuration of 10,000 regions is read once.
        nothing = self.work.capture(200, 1, 100)
        starts = {"beacond": ranged, "beacond_unranged": plain, "beacond_10000_regions": crowded}
        for name, configuration in starts.items():
            cases["start_" + name] = self.replay(nothing, configuration)
        costs = {name: [] for name in cases}
        peers = {}
        for _ in range(ROUNDS):
            for name, command in cases.items():
                costs[name].append(Cost(command))
            for name, cost in json.loads(self.output(self.venv / "bin/python", HERE / "peers.py", few)).items():
                peers.setdefault(name, []).append(cost["ns"])
                self.found.setdefault("versions", {})[name] = cost["version"]
        for name, runs in costs.items():
            if not name.startswith("start_"):
                start = median([run.cpu_s for run in costs.get("start_" + name, [])] or [0])
                self.note(f"{name}_ns", (median([run.cpu_s for run in runs]) - start) * 1e9 / runs[0].number("reports"))
        for name, runs in peers.items():
            self.note(f"{name}_ns", median(runs))
        self.count(few, nothing, ranged, plain, crowded)
        # Beyond what 200 take, so that code and buffers are not counted.
        more = peak_kib(self.replay(many, plain)) - peak_kib(self.replay(few, plain))
        self.note("bytes_per_transmitter", more * 1024 / 99_800)

    def count(self, few, nothing, ranged, plain, crowded):
        reports = Cost(self.replay(few, plain)).number("reports")
        for name, configuration, regions in (("", ranged, 1), ("_unranged", plain, 1), ("_10000_regions", crowded, 10_000)):
            whole = instructions(self.replay(few, configuration), self.folder)
            start = instructions(self.replay(nothing, configuration), self.folder)
            self.note(f"beacond{name}_instructions", (whole - start) / reports)
            whole = instructions([self.tools / "bound", few, regions, int(name == "")], self.folder)
            start = instructions([self.tools / "bound", nothing, regions, int(name == "")], self.folder)
            self.note(f"c{name}_instructions", (whole - start) / reports)

    def output(self, *command):
        return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=-3, check=True).stdout

    def live(self):
        """Real time, with a broker over TLS: memory, processor share, start."""
        controller = Controller(self.folder)
        broker = Broker(self.folder, tls=True)
        configuration = self.work.configuration(
            "live", ranged=True, port=broker.port, mqtt=f'ca_file = "{self.folder}/ca.pem"')
        preload = self.tools / "libhcisocket.so"
        seconds = 20 if self.quick else 60
        starts = []
        for rate in (500, 2000):
            agent = Agent(self.beacond.parent, preload, controller, configuration)
            starts.append(agent.start_s)
            play(controller, 200, rate, 12)  # Regions settle, the broker is connected, code is in memory.
            before, begun = agent.cpu_s(), time.monotonic()
            play(controller, 200, rate, seconds)
            self.note(f"core_percent_{rate}", (agent.cpu_s() - before) / (time.monotonic() - begun) * 100)
            self.note(f"rss_mib_{rate}", agent.memory_kib("VmRSS") / 1024)
            self.note(f"rss_own_mib_{rate}", agent.memory_kib("RssAnon") / 1024)
            agent.close()
            self.note(f"reader_core_percent_{rate}", self.reader_percent(controller, rate, seconds))
        for _ in range(ROUNDS):
            agent = Agent(self.beacond.parent, preload, controller, configuration)
            starts.append(agent.start_s)
            agent.close()
        self.note("start_ms", median(starts) * 1000)
        broker.end()

    def reader_percent(self, controller, rate, seconds):
        """The part of it that a C program takes to read the same reports."""
        controller.connected.clear()
        reader = subprocess.Popen([self.tools / "reader"], env=dict(os.environ, BENCHMARK_CONTROLLER=controller.path))
        controller.connected.wait(10)
        play(controller, 200, rate, 2)
        before, begun = cpu_s(reader.pid), time.monotonic()
        play(controller, 200, rate, seconds)
        share = (cpu_s(reader.pid) - before) / (time.monotonic() - begun) * 100
        reader.kill()
        reader.wait()
        return share

    def latency(self, events=None):
        """From the report at the socket to the event at a subscriber, durable and not, on a quiet radio and on a busy one."""
        controller, broker = Controller(self.folder), Broker(self.folder)
        events = events or (300 if self.quick else 1000)
        for name, state in (("durable", self.folder), ("memory", pathlib.Path("/dev/shm"))):
            configuration = self.work.configuration(f"latency-{name}", expand="minor", port=broker.port)
            text = configuration.read_text().replace(f"{self.folder}/state-", f"{state}/beacond-benchmark-")
            # An exit is an event too, and would be taken for the entry that is waited for.
            configuration.write_text(text.replace("settle_s = 0", "settle_s = 0\nexit_after_s = 3600"))
            agent = Agent(self.beacond.parent, self.tools / "libhcisocket.so", controller, configuration)
            subscriber = Subscriber(broker.port, f"beacons/benchmark/latency-{name}/region/+/+/+/event")
            time.sleep(2)
            self.newcomers(controller, subscriber, range(events), f"latency_{name}")
            # The others are there already, so they make no events.
            others = threading.Thread(target=play, args=[controller, 200, 500, events * 0.06], daemon=True)
            others.start()
            time.sleep(1)
            self.newcomers(controller, subscriber, range(2_000, 2_000 + events // 2), f"latency_{name}_busy")
            others.join()
            agent.close()
            subprocess.run(["rm", "-rf", *(str(path) for path in state.glob("beacond-benchmark-*"))], check=True)
        broker.end()

    def newcomers(self, controller, subscriber, minors, name):
        """Beacons that come one by one, and how long the event of each takes."""
        taken = []
        for minor in minors:
            begun = time.monotonic()
            controller.send(report(minor))
            arrived = subscriber.message(5)
            if arrived:
                taken.append((arrived[0] - begun) * 1000)
            time.sleep(0.02 + 0.06 * (minor * 7919 % 101) / 101)
        taken.sort()
        self.note(f"{name}_p50_ms", median(taken))
        self.note(f"{name}_p99_ms", taken[int(len(taken) * 0.99)])
        self.note(f"{name}_events", len(taken))

    def wear(self):
        """The disk writes of 1,000 events: 500 beacons that come, and leave a second later. They come within a minute, but not
        so closely that they share transactions. So the disk gets the writes of an hour, except for the notes each minute
        of the beacons that are still there, which join an event's transaction."""
        controller, broker = Controller(self.folder), Broker(self.folder)
        configuration = self.work.configuration("wear", expand="minor", port=broker.port)
        configuration.write_text(configuration.read_text().replace("settle_s = 0", "settle_s = 0\nexit_after_s = 1"))
        trace = self.folder / "strace"
        agent = Agent(
            self.beacond.parent, self.tools / "libhcisocket.so", controller, configuration,
            wrapper=["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=fsync,fdatasync,pwrite64,pwritev"])
        subscriber = Subscriber(broker.port, "beacons/benchmark/wear/region/+/+/+/event")
        time.sleep(2)
        before = trace.read_text().count("\n")
        events, begun = 0, time.monotonic()
        for minor in range(500):
            controller.send(report(minor))
            while (left := begun + 0.12 * (minor + 1) - time.monotonic()) > 0:
                events += subscriber.message(left) is not None
        while events < 1000 and subscriber.message(20):
            events += 1
        self.note("wear_events", events)
        lines = trace.read_text().splitlines()[before:]
        self.note("fsyncs_per_1000_events", sum("sync(" in line for line in lines))
        written = sum(int(line.rsplit("= ", 1)[1]) for line in lines if "pwrite" in line and "= " in line and "= -1" not in line)
        self.note("written_mib_per_1000_events", written / (1 << 20))
        agent.close()
        broker.end()

    def drain(self):
        """The speed of delivering a backlog, beside plain libmosquitto."""
        drain = Drain(self.beacond, self.work, self.folder)
        rounds = [drain.round() for _ in range(2 if self.quick else ROUNDS)]
        self.note("drain_events_per_s", median([ours for ours, *_ in rounds]))
        self.note("drain_mosquitto_pub_per_s", median([reference for _, reference, _ in rounds]))

    def store(self):
        """A store of full size, without what reading nothing takes."""
        seconds = 30
        full = [self.beacond, *store.write(self.folder / "store", seconds)]
        self.note("store_core_percent", median([Cost(full).cpu_s for _ in range(3)]) / seconds * 100)
        self.note("store_peak_mib", peak_kib(full) / 1024)

    def receivers(self):
        """20 receivers on one machine, 200 beacons each."""
        broker = Broker(self.folder)
        figures = receivers.measure(self.beacond, self.work, self.tools / "libhcisocket.so", broker, 20, 20 if self.quick else 60)
        for name, value in zip(("receiver_private_mib", "receiver_report_us", "adapter_report_us"), figures, strict=True):
            self.note(name, value)
        broker.end()

    def binary(self):
        self.note("binary_mib", self.beacond.stat().st_size / (1 << 20))
        libraries = self.output("ldd", self.beacond).decode()
        self.note("shared_foundation", "Foundation" in libraries or "libswift" in libraries)
        taken = []
        for _ in range(21):
            begun = time.monotonic()
            self.output(self.beacond, "--version")
            taken.append((time.monotonic() - begun) * 1000)
        self.note("version_ms", median(taken))


def main():
    quick = "--quick" in sys.argv
    products, tools, venv = [word for word in sys.argv[1:] if not word.startswith("--")]
    with tempfile.TemporaryDirectory(prefix="beacond-benchmark-") as folder:
        bench = Bench(products, tools, venv, folder, quick)
        parts = [bench.binary, bench.pipeline, bench.live, bench.latency, bench.wear, bench.drain, bench.store, bench.receivers]
        only = [word.removeprefix("--only=") for word in sys.argv if word.startswith("--only=")]
        if only:
            bench.found = json.loads((HERE / "results.json").read_text())
            parts = [part for part in parts if part.__name__ in only]
        for part in parts:
            part()
    (HERE / "results.json").write_text(json.dumps(bench.found, indent=1) + "\n")
    plot.write(bench.found, HERE / "results.md", PICTURE)


if __name__ == "__main__":
    main()
