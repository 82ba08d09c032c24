"""Many receivers on one machine: an agent for each, whose radio is a topic of the broker, beside one agent with an adapter."""

import contextlib
import pathlib
import struct
import subprocess
import time

from btsnoop import beacon_data
from live import UUID, Agent, Controller, connected, cpu_s, play
from mqtt_packets import packet, text
from workload import median

BEACONS, REPORTS_PER_S = 200, 500


def batch(second, count):
    """A message of Minew's binary format with the packets of a second: `count` of `BEACONS` beacons in turn."""
    packets = {}
    for number in range(second * count, (second + 1) * count):
        packets.setdefault(number % BEACONS, []).append(-60 - number * 7 % 9)
    body = bytes.fromhex("AC233FC02F87") + struct.pack(">H", len(packets))
    for minor, levels in packets.items():
        data = beacon_data(UUID, 1, minor)
        body += (0xC0FFEE000000 + minor).to_bytes(6, "big") + struct.pack(">H", len(levels))
        body += b"".join(bytes([len(data)]) + data + bytes([0x06, level & 0xFF]) for level in levels)
    return bytes.fromhex("BB01") + struct.pack(">I", len(body) + 7) + body + b"\xDD"


class Publisher:
    """An MQTT 3.1.1 client on a bare socket that publishes with QoS 0."""

    def __init__(self, port):
        self.socket = connected(port, "receivers")
        self.socket.recv(4)

    def publish(self, topic, payload):
        self.socket.sendall(packet(0x30, text(topic.encode()) + payload))


def private_mib(process):
    """The memory of a process that no other one shares."""
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def configured(work, number, port):
    """The configuration of the agent of one receiver."""
    path = work.configuration(f"receiver-{number}", ranged=True, port=port)
    path.write_text(path.read_text() + f'[receiver]\ntopic = "rx/{number}/#"\nformat = "minew"\n')
    return path


def feed(publisher, processes, seconds):
    """Publishes a second's batch for each receiver, one after the other within the second. Returns the agents' processor seconds."""
    begun, before = time.monotonic(), [cpu_s(process.pid) for process in processes]
    for second in range(seconds):
        message = batch(second, REPORTS_PER_S)
        for number in range(len(processes)):
            time.sleep(max(0, begun + second + number / len(processes) - time.monotonic()))
            publisher.publish(f"rx/{number}/data", message)
    time.sleep(max(0, begun + seconds - time.monotonic()))
    return [cpu_s(process.pid) - spent for process, spent in zip(processes, before, strict=True)]


def measure(beacond, work, preload, broker, count, seconds):
    """The private memory of each agent of a receiver, MiB; and the processor time of a report in µs: of a receiver's, and of an adapter's."""
    controller = Controller(work.folder)
    agent = Agent(beacond.parent, preload, controller, work.configuration("adapter", ranged=True, port=broker.port))
    play(controller, BEACONS, REPORTS_PER_S, 10)
    before = agent.cpu_s()
    sent = play(controller, BEACONS, REPORTS_PER_S, seconds)
    adapter_us = (agent.cpu_s() - before) * 1e6 / sent
    agent.close()
    with contextlib.ExitStack() as stack:
        processes = []
        for number in range(count):
            process = subprocess.Popen([beacond, "run", "--config", configured(work, number, broker.port)], stdout=-3, stderr=-3)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            processes.append(process)
        publisher = Publisher(broker.port)
        feed(publisher, processes, 10)
        spent = feed(publisher, processes, seconds)
        receiver_us = median(spent) * 1e6 / (seconds * REPORTS_PER_S)
        return median([private_mib(process.pid) for process in processes]), receiver_us, adapter_us
