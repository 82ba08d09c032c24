"""72 hours without a broker, a million events, then everything goes out in order while memory stays flat.

It takes many minutes and runs only with DELIVERY_LONG=1. DELIVERY_LONG_EVENTS makes it shorter."""

import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from delivery import BEGIN, Account, Capture, free_port, prove, until

HOURS = 72
EVENTS = int(os.environ.get("DELIVERY_LONG_EVENTS", "1000000"))
FLAT_KIB = 2_048
BEACONS = 500


def write_capture(pipe):
    """72 hours, hour by hour: a visit is an entry and an exit, spread evenly."""
    visits, seconds = EVENTS // 2 + 1, HOURS * 3_600
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
    pipe.close()


def resident_KiB(process):
    try:
        return int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024
    except (OSError, IndexError):
        return None


def scenario(checks, house):
    if os.environ.get("DELIVERY_LONG") != "1":
        checks.skip("72 hours without a broker", "set DELIVERY_LONG=1")
        return
    bounds = f"max_events = {EVENTS + 10_000}\nmax_mib = 4096"
    gateway = house.gateway("long", free_port(), outbox=bounds)
    child = gateway.replay("-", stdin=subprocess.PIPE)
    begin = time.monotonic()
    write_capture(child.stdin)
    time.sleep(20)
    child.terminate()
    child.wait()
    _, next_seq, waiting = gateway.numbers()
    checks.check(f"{EVENTS} events wait after {HOURS} hours", waiting >= EVENTS, f"{waiting}; {gateway.said()[-300:]}")
    print(f"{waiting} events of {HOURS} hours committed in {time.monotonic() - begin:.0f} s, "
          f"peak {peak(gateway)}; outbox {(gateway.state / 'outbox.sqlite').stat().st_size >> 20} MiB")
    broker = house.broker()
    gateway.configure(broker.port, outbox=bounds)
    with house.subscriber(broker.port, topics=(gateway.root + "region/+/+/+/event",)) as subscriber:
        samples = []
        child = gateway.run()
        until(lambda: len(subscriber.messages) > 1_000, 60)
        begin = time.monotonic()
        while len(subscriber.messages) < waiting and child.poll() is None and time.monotonic() - begin < 3_600:
            samples.append(resident_KiB(child.pid))
            time.sleep(0.5)
        took = time.monotonic() - begin
        child.terminate()
        child.wait()
        samples = [sample for sample in samples if sample]
        account = Account(gateway, subscriber.messages)
        checks.none("drained: every number arrives", account.missing())
        checks.none("drained: in order", account.disordered)
        checks.check("drained: all of them", len(account.events) == waiting, len(account.events))
        growth = max(samples) - samples[0]
        print(f"drained {len(account.events)} in {took:.0f} s ({len(account.events) / took:.0f}/s), memory "
              f"{samples[0]} KiB at the start, {min(samples)} to {max(samples)} KiB meanwhile")
        checks.check(f"memory grows by {FLAT_KIB} KiB at most", growth <= FLAT_KIB, f"{growth} KiB")


def peak(gateway):
    return f"{sum(file.stat().st_size for file in gateway.state.iterdir()) >> 20} MiB on disk"


prove(scenario)
