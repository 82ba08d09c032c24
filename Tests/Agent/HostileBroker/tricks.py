"""Packets that brokers should not send: one trick a row, in the octets of MQTT 5.0."""

from dataclasses import dataclass

from mqtt_packets import packet, text

LOGIN, SUBSCRIBE, PUBLISH = "login", "subscribe", "publish"


@dataclass
class Trick:
    name: str
    # The kind of packet after which the trick is played, in place of the right answer.
    instead_of: str
    octets: bytes
    # Whether the broker then closes the connection; otherwise it goes on correctly.
    hangs_up: bool = False
    # Words of the agent's log line about it; empty where no line is needed.
    says: str = ""
    # With `mqtt.protocol` 3 instead of 5.
    version: int = 5


def accepted(properties=b""):
    """CONNACK: welcome."""
    return packet(0x20, bytes([0, 0, len(properties)]) + properties)


def request(properties, topic=b"beacons/hostile/gw/request/state"):
    """PUBLISH, QoS 0, to the agent."""
    return packet(0x30, text(topic) + bytes([len(properties)]) + properties + b"{}")


def unknown_properties():
    for identifier in 0x00, 0x7F, 0x99:
        # As a variable byte integer.
        number = bytes([identifier]) if identifier < 0x80 else bytes([identifier & 0x7F | 0x80, 1])
        lone = bytes([len(number)]) + number
        for name, when, octets in (
                ("CONNACK", LOGIN, packet(0x20, b"\0\0" + lone)),
                ("PUBACK", PUBLISH, packet(0x40, b"\0\1\0" + lone)),
                ("SUBACK", SUBSCRIBE, packet(0x90, b"\0\1" + lone + b"\1")),
                ("PUBLISH", SUBSCRIBE, request(number)),
                ("DISCONNECT", PUBLISH, packet(0xE0, b"\x8b" + lone)),
                ("AUTH", LOGIN, packet(0xF0, b"\x18" + lone))):
            yield Trick(f"property {identifier:#04x} in {name}", when, octets, says="does not speak MQTT")


TRICKS = [
    *unknown_properties(),
    # Valid properties in wrong places or forms.
    Trick("a property that only a PUBLISH has, in CONNACK", LOGIN, accepted(b"\x02\0\0\0\1"), says="does not speak MQTT"),
    Trick("a property twice in CONNACK", LOGIN, accepted(b"\x21\0\1\x21\0\2"), says="does not speak MQTT"),
    Trick("properties longer than their packet", LOGIN, packet(0x20, b"\0\0\x7f\x21\0\1"), says="does not speak MQTT"),
    Trick("a property that is cut short", LOGIN, packet(0x20, b"\0\0\2\x21\0"), says="does not speak MQTT"),
    Trick("a length of properties without end", LOGIN, packet(0x20, b"\0\0\xff\xff\xff\xff\xff"),
          says="does not speak MQTT"),
    Trick("text that is not UTF-8 as a reason", LOGIN, accepted(b"\x1f\0\2\xc3\x28"), says="does not speak MQTT"),
    Trick("a receive maximum of 0", LOGIN, accepted(b"\x21\0\0")),
    Trick("a maximum packet size of 0", LOGIN, accepted(b"\x27\0\0\0\0")),
    Trick("a maximum packet size of 1", LOGIN, accepted(b"\x27\0\0\0\1")),
    Trick("a maximum QoS of 7", LOGIN, accepted(b"\x24\7")),
    Trick("a keepalive of 65535 s", LOGIN, accepted(b"\x13\xff\xff")),
    Trick("another client identifier", LOGIN, accepted(b"\x12\0\3you"), says="does not speak MQTT"),
    Trick("session present, after a clean start", LOGIN, packet(0x20, b"\1\0\0")),
    # Packets at the wrong time, for unknown identifiers, or too short.
    Trick("an empty CONNACK", LOGIN, b"\x20\0", says="does not speak MQTT"),
    Trick("CONNACK as MQTT 3.1.1 writes it", LOGIN, b"\x20\2\0\0", says="does not speak MQTT"),
    Trick("CONNACK with an unknown reason", LOGIN, packet(0x20, b"\0\xfe\0"), hangs_up=True, says="refused the login"),
    Trick("two CONNACKs", LOGIN, accepted() * 2),
    Trick("a CONNECT", LOGIN, packet(0x10, b"\0\4MQTT\5\2\0\0\0\0\0"), says="does not speak MQTT"),
    Trick("packet type 0", LOGIN, b"\0\0", says="does not speak MQTT"),
    Trick("PUBACK before the login", LOGIN, b"\x40\2\0\1", says="does not speak MQTT"),
    Trick("DISCONNECT in place of CONNACK", LOGIN, b"\xe0\1\x97", hangs_up=True),
    Trick("an empty DISCONNECT", PUBLISH, b"\xe0\0", hangs_up=True),
    Trick("PUBACK for packet 0", PUBLISH, b"\x40\2\0\0", says="does not speak MQTT"),
    Trick("PUBACK for a packet that never was", PUBLISH, b"\x40\2\xff\xff"),
    Trick("PUBACK with an unknown reason", PUBLISH, b"\x40\3\0\1\xfe"),
    Trick("PUBACK of one octet", PUBLISH, b"\x40\1\0", says="does not speak MQTT"),
    Trick("PUBREC in place of PUBACK", PUBLISH, b"\x50\2\0\1"),
    Trick("PUBCOMP in place of PUBACK", PUBLISH, b"\x70\2\0\1"),
    Trick("SUBACK without a code", SUBSCRIBE, b"\x90\3\0\1\0"),
    Trick("SUBACK with too many codes", SUBSCRIBE, packet(0x90, b"\0\1\0" + bytes(100))),
    Trick("SUBACK for a subscription that never was", SUBSCRIBE, b"\x90\4\xff\xff\0\1"),
    Trick("UNSUBACK", SUBSCRIBE, b"\xb0\4\0\1\0\0"),
    # Impossible requests.
    Trick("PUBLISH without a topic", SUBSCRIBE, b"\x30\3\0\0\0"),
    Trick("PUBLISH with a topic that runs past its end", SUBSCRIBE, b"\x30\3\0\x7f\0", says="does not speak MQTT"),
    Trick("PUBLISH with QoS 3", SUBSCRIBE, b"\x36\7\0\2ab\0\1\0", says="does not speak MQTT"),
    Trick("PUBLISH with a topic alias that was never given", SUBSCRIBE, request(b"\x23\0\1", topic=b"")),
    Trick("PUBLISH with a topic that is not UTF-8", SUBSCRIBE, request(b"", topic=b"\xff\xfe"),
          says="does not speak MQTT"),
    Trick("PUBLISH to a topic with a NUL", SUBSCRIBE, request(b"", topic=b"a\0b"), says="does not speak MQTT"),
    Trick("a response topic with a NUL", SUBSCRIBE, request(b"\x08\0\3a\0b"), says="does not speak MQTT"),
    Trick("a response topic that is empty", SUBSCRIBE, request(b"\x08\0\0")),
    Trick("an announced 256 MiB that never come", SUBSCRIBE, b"\x30\xff\xff\xff\x7f\0\2ab", hangs_up=True),
    Trick("a length of five octets", LOGIN, b"\x20\xff\xff\xff\xff\x01", says="does not speak MQTT"),
    # Octets that are not MQTT at all.
    Trick("a web server", LOGIN, b"HTTP/1.1 400 Bad Request\r\n\r\n", hangs_up=True, says="hung up"),
    Trick("a mail server", LOGIN, b"220 mail.example.com ESMTP\r\n", says="silent"),
    Trick("an alert of TLS", LOGIN, b"\x15\x03\x03\0\2\2\x28", hangs_up=True),
    Trick("64 KiB of 0xFF", LOGIN, b"\xff" * 65_536, says="does not speak MQTT"),
    Trick("64 KiB of zeros after the login", PUBLISH, bytes(65_536), says="does not speak MQTT"),
    Trick("hanging up at the login", LOGIN, b"", hangs_up=True, says="hung up"),
    Trick("hanging up within CONNACK", LOGIN, b"\x20", hangs_up=True, says="hung up"),
    Trick("hanging up after a message", PUBLISH, b"", hangs_up=True, says="closed the connection"),
    Trick("no answer to the login", LOGIN, b"", says="silent"),
    Trick("no answer to a message", PUBLISH, b""),
    # Without properties.
    Trick("an empty CONNACK", LOGIN, b"\x20\0", says="does not speak MQTT", version=3),
    Trick("CONNACK with an unknown code", LOGIN, b"\x20\2\0\xfe", hangs_up=True, says="refused the login", version=3),
    Trick("CONNACK as MQTT 5 writes it", LOGIN, accepted(), version=3),
    Trick("DISCONNECT, which only clients say", PUBLISH, b"\xe0\0", hangs_up=True, version=3),
    Trick("AUTH", PUBLISH, b"\xf0\0", says="does not speak MQTT", version=3),
]
