#!/usr/bin/env python3
"""feed.py FORMAT PERIOD_S SECONDS TOPIC PORT: publishes what a receiver of that format would, with one iBeacon each 100 ms.

The clock of the receiver is right, except with CLOCK_AHEAD_S. Each batch is one message of mosquitto_pub.
"""
import base64
import json
import os
import subprocess
import sys
import time

FORMAT, PERIOD_S, SECONDS, TOPIC, PORT = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5]
AHEAD_S = float(os.environ.get("CLOCK_AHEAD_S", 0))
UUID = bytes.fromhex("39ED98FF2900441A802F9C398FC199D2")
DATA = bytes.fromhex("0201061AFF4C000215") + UUID + bytes([0, 1, 0, 7, 0xC5])
ADDRESS, RSSI = "C2005900038E", -61


def minew(times):
    packets = b"".join(bytes([len(DATA)]) + DATA + bytes([0x06, RSSI & 0xFF]) for _ in times)
    body = bytes.fromhex("AC233FC02F87") + (1).to_bytes(2, "big") + bytes.fromhex(ADDRESS) + len(times).to_bytes(2, "big") + packets
    return bytes.fromhex("BB01") + (len(body) + 7).to_bytes(4, "big") + body + b"\xDD"


def moko(times):
    packets = [{"mac": ADDRESS, "timestamp": int(at_s * 1000), "rssi": RSSI, "adv_data": DATA.hex()} for at_s in times]
    return json.dumps({"msg_id": 3070, "device_info": {"mac": "AC233FC02F87"}, "data": packets}).encode()


def cassia(times):
    packets = [{"bdaddrs": [{"bdaddr": ADDRESS, "bdaddrType": "random"}], "rssi": RSSI, "adData": DATA.hex(),
                "timestamp": int(at_s * 1000)} for at_s in times]
    return json.dumps({"action": "data.scan", "gateway": "CC:1B:E0:E2:8F:2C", "data": packets}).encode()


def shelly(times):
    packets = [[ADDRESS, RSSI, base64.b64encode(DATA).decode(), ""] for _ in times]
    event = {"component": "script:1", "event": "ble.scan_result", "data": [2, packets], "ts": times[-1] + 0.001}
    return json.dumps({"method": "NotifyEvent", "params": {"ts": times[-1], "events": [event]}}).encode()


end = time.time() + SECONDS
batch_end = time.time()
while batch_end < end:
    batch_end += PERIOD_S
    time.sleep(max(0, batch_end - time.time()))
    count = max(1, round(PERIOD_S / 0.1))
    times = [batch_end + AHEAD_S - 0.1 * (count - 1 - number) for number in range(count)]
    subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", PORT, "-t", TOPIC, "-q", "1", "-s"],
                   input={"minew": minew, "moko": moko, "cassia": cassia, "shelly": shelly}[FORMAT](times), check=True)
