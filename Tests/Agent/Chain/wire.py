"""MQTT 3.1.1 by the octet, for what no client library sends: topics that are not UTF-8, and other clients' identifiers."""

import contextlib
import socket
import ssl
import struct

from mqtt_packets import connect, packet, text
from servers import LONGEST_WAIT_S

CONNACK, PUBACK = 2, 4


class Wire:
    """A connection to a broker. `certificate` is (authority, certificate, key); `will` is (topic, payload). The broker keeps the session of
    a client that `keeps` it."""

    def __init__(self, port, id, certificate=None, will=None, keeps=False):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONGEST_WAIT_S)
        if certificate:
            authority, file, key = certificate
            context = ssl.create_default_context(cafile=str(authority))
            context.load_cert_chain(str(file), str(key))
            self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")
        flags, more = 0x00 if keeps else 0x02, b""
        if will:
            flags, more = flags | 0x0C, text(will[0]) + text(will[1])
        self.socket.sendall(connect(id, flags, 60, more))
        answer = self.answer()
        self.is_let_in = answer is not None and answer[0] >> 4 == CONNACK and answer[3] == 0

    def answer(self):
        """The next packet; None where the broker hung up."""
        with contextlib.suppress(OSError):
            head = self.read(2)
            return head + self.read(head[1])
        return None

    def read(self, count):
        octets = b""
        while len(octets) < count:
            more = self.socket.recv(count - len(octets))
            if not more:
                raise ConnectionError("the broker hung up")
            octets += more
        return octets

    def publish(self, topic, payload):
        """With QoS 1. Whether the broker acknowledged it."""
        with contextlib.suppress(OSError):
            self.socket.sendall(packet(0x32, text(topic) + struct.pack(">H", 1) + payload))
            answer = self.answer()
            return answer is not None and answer[0] >> 4 == PUBACK
        return False

    def pour(self, topic, payloads):
        """All of them at once; how many of them the broker acknowledged."""
        acknowledged = 0
        with contextlib.suppress(OSError):
            self.socket.sendall(b"".join(packet(0x32, text(topic) + struct.pack(">H", number) + payload) for number, payload in enumerate(payloads, 1)))
            while acknowledged < len(payloads) and self.answer() is not None:
                acknowledged += 1
        return acknowledged

    def is_connected(self):
        """Whether the broker still answers."""
        with contextlib.suppress(OSError):
            self.socket.sendall(packet(0xC0, b""))
            return self.answer() is not None
        return False

    def vanish(self):
        """As a machine whose power fails: no DISCONNECT, so that the broker publishes the will."""
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
