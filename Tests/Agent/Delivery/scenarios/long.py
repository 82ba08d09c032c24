"""72 hours without a broker, then everything goes out in order. Memory is flat throughout, and what waits fits into the
outbox as it is configured by default.

DELIVERY_LONG=1 makes it a million events, as many as may wait by default; else there are 50,000."""

import json
import os
import pathlib
import signal
import subprocess
import time

from delivery import BEGIN, Capture, Subscriber, end, free_port, prove, until

HOURS = 72
EVENTS = 1_000_000 if os.environ.get("DELIVERY_LONG") == "1" else 50_000
FLAT_KIB = 2_048
BEACONS = 500
# By then every beacon has come, and its state is kept.
WARM_HOURS = 6
LEAST_LEFT = 5_000
WARM_EVENTS = 10_000


class Tally(Subscriber):
    """Examines events as they come and keeps none, since there are many."""

    def __init__(self, port, topic):
        super().__init__(port, (topic,))
        self.count, self.last, self.epochs, self.faults = 0, 0, set(), []

    def take(self, kind, body, acknowledgements):
        super().take(kind, body, acknowledgements)
        for _, payload, _ in self.messages:
            event = json.loads(payload)
            self.epochs.add(event["epoch"])
            if event["seq"] == self.last + 1:
                self.count, self.last = self.count + 1, event["seq"]
            elif event["seq"] > self.last and len(self.faults) < 10:
                self.faults.append(f"{event['seq']} after {self.last}")
        self.messages.clear()


def write_capture(pipe, after_hour):
    """72 hours, hour by hour: a visit is an entry and an exit, spread evenly."""
    visits, seconds = EVENTS // 2, HOURS * 3_600
    pipe.write(Capture().octets())
    done = 0
    for hour in range(HOURS):
        capture = Capture()
        capture.noise(BEGIN + hour * 3_600, BEGIN + (hour + 1) * 3_600 - 1, step=2)
        upto = visits * (hour + 1) // HOURS
        for visit in range(done, upto):
            capture.visit(BEGIN + visit * (seconds - 60) / visits, 1 + visit % BEACONS, 0.3)
        done = upto
        pipe.write(capture.octets(with_header=False))
        pipe.flush()
        after_hour(hour)
    pipe.close()


def resident_KiB(process):
    try:
        return int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024
    except (OSError, IndexError):
        return None


def check_flat(checks, name, samples):
    samples = [sample for sample in samples if sample]
    growth = max(samples) - samples[0]
    print(f"{name}: memory {samples[0]} KiB at first, {min(samples)} to {max(samples)} KiB meanwhile")
    checks.check(f"{name}: memory grows by {FLAT_KIB} KiB at most", growth <= FLAT_KIB, f"{growth} KiB")


def size_MiB(gateway):
    return sum(file.stat().st_size for file in gateway.state.iterdir()) / (1 << 20)


def hours_without_broker(checks, gateway):
    samples = []
    child = gateway.replay("-", stdin=subprocess.PIPE)
    begin = time.monotonic()
    write_capture(
        child.stdin, lambda hour: samples.append(resident_KiB(child.pid)) if hour >= WARM_HOURS else None)
    gateway.settle(child)
    samples.append(resident_KiB(child.pid))
    took, largest = time.monotonic() - begin, size_MiB(gateway)
    end(child, signal.SIGTERM)
    waiting = gateway.numbers()[2]
    checks.check(f"all of {EVENTS} events wait after {HOURS} hours", waiting == EVENTS,
                 f"{waiting}; {gateway.said()[-300:]}")
    print(f"{waiting} events of {HOURS} hours committed in {took:.0f} s; {largest:.1f} MiB in the state folder, "
          f"{largest * (1 << 20) / max(waiting, 1):.0f} bytes an event")
    checks.check("they fit into the default max_mib", largest <= 256, largest)
    check_flat(checks, f"{HOURS} hours", samples)
    return waiting


def goes_on(tally, child, waiting):
    """Whether more comes, where not all has come; there is a moment between two looks."""
    time.sleep(0.2)
    last = tally.last
    return until(lambda: tally.last > last or last >= waiting or child.poll() is not None) and child.poll() is None


def scenario(checks, house):
    gateway = house.gateway("long", free_port())
    waiting = hours_without_broker(checks, gateway)
    broker = house.broker()
    gateway.configure(broker.port)
    with Tally(broker.port, gateway.root + "region/+/+/+/event") as tally:
        samples = []
        child = gateway.run()
        begin = time.monotonic()
        # By then the database's page cache is full.
        until(lambda: tally.count > WARM_EVENTS)
        while tally.last < waiting and goes_on(tally, child, waiting):
            if waiting - tally.last > LEAST_LEFT:
                samples.append(resident_KiB(child.pid))
        took = time.monotonic() - begin
        end(child, signal.SIGTERM)
        checks.none("drained: every number arrives, in order", tally.faults)
        checks.check("drained: all of them", (tally.count, len(tally.epochs)) == (waiting, 1), tally.count)
        checks.check("drained: nothing waits", gateway.numbers()[2] == 0, gateway.numbers())
        print(f"drained {tally.count} in {took:.0f} s ({tally.count / took:.0f}/s); {size_MiB(gateway):.1f} MiB remain")
        check_flat(checks, "drained", samples)


prove(scenario)
