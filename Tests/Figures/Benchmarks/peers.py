"""The costs of the same reports in PyPI's Bluetooth libraries: nanoseconds of processor time for each, as one JSON object.

    peers.py CAPTURE [NAME...]

The reports are read and put into each library's own form beforehand, which is not counted. None of them does what beacond
does: habluetooth follows devices (it decodes the data only where it has changed, and knows neither beacons nor regions),
the others decode one advertisement at a time."""

import asyncio
import importlib.metadata
import itertools
import json
import logging
import socket
import struct
import sys
import time

from btsnoop import records

COUNT = {"habluetooth": 100_000, "bluetooth-data-tools": 100_000, "bleparser": 20_000, "beacontools": 2_000,
         "TheengsDecoder": 200}


def events(path, count):
    """The H4 event packets of a capture of single legacy reports."""
    return [octets for _, _, octets in itertools.islice(records(path), count)]


def habluetooth(packets):
    from habluetooth import BluetoothManager, HaScanner, BluetoothScanningMode, set_manager
    from habluetooth.channels.bluez import BluetoothMGMTProtocol
    device_found = 0x0012
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    logging.disable()

    async def prepare():
        manager = BluetoothManager(bluetooth_adapters=Adapters())
        set_manager(manager)
        manager._loop = asyncio.get_running_loop()
        scanner = HaScanner(BluetoothScanningMode.PASSIVE, "hci0", "00:1A:7D:00:00:01")
        manager.async_register_scanner(scanner)
        future = asyncio.get_running_loop().create_future()
        return BluetoothMGMTProtocol(future, {0: scanner}, lambda: None, lambda: False, socket.socketpair()[0], {})

    protocol = loop.run_until_complete(prepare())
    frames = []
    for packet in packets:
        # DEVICE_FOUND: address, its type, RSSI, flags, length, data.
        data = packet[14:14 + packet[13]]
        content = packet[7:13] + bytes([2, packet[-1]]) + bytes(4) + struct.pack("<H", len(data)) + data
        frames.append(struct.pack("<HHH", device_found, 0, len(content)) + content)

    def work():
        for frame in frames:
            protocol.data_received(frame)

    return work


class Adapters:
    """No adapter of this machine."""

    adapters: dict = {}
    history: dict = {}
    default_adapter = "hci0"

    async def refresh(self):
        pass


def bluetooth_data_tools(packets):
    from bluetooth_data_tools import parse_advertisement_data_bytes
    data = [packet[14:14 + packet[13]] for packet in packets]
    return lambda: [parse_advertisement_data_bytes(one) for one in data]


def bleparser(packets):
    from bleparser import BleParser
    parser = BleParser(report_unknown=False, discovery=True, filter_duplicates=False)
    return lambda: [parser.parse_raw_data(packet) for packet in packets]


def beacontools(packets):
    from beacontools import parse_packet
    data = [packet[14:14 + packet[13]] for packet in packets]
    return lambda: [parse_packet(one) for one in data]


def theengs(packets):
    from TheengsDecoder import decodeBLE
    texts = []
    for packet in packets:
        data, content, at = packet[14:14 + packet[13]], {}, 0
        while at < len(data):
            if data[at + 1] == 0xFF:
                content["manufacturerdata"] = data[at + 2:at + 1 + data[at]].hex()
            at += 1 + data[at]
        rssi = packet[-1] - 256
        texts.append(json.dumps({"id": packet[7:13][::-1].hex(":").upper(), "rssi": rssi, **content}))
    return lambda: [decodeBLE(text) for text in texts]


PEERS = {"habluetooth": habluetooth, "bluetooth-data-tools": bluetooth_data_tools, "bleparser": bleparser,
         "beacontools": beacontools, "TheengsDecoder": theengs}


def main():
    capture, *names = sys.argv[1:]
    found = {}
    for name in names or PEERS:
        packets = events(capture, COUNT[name])
        work = PEERS[name](packets)
        begun = time.process_time()
        work()
        found[name] = {"ns": (time.process_time() - begun) * 1e9 / len(packets),
                       "version": importlib.metadata.version(name)}
    print(json.dumps(found))


main()
