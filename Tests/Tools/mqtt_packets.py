"""MQTT by the octet: for clients that share no code with the agent, and for what no client library sends."""


def text(octets):
    return len(octets).to_bytes(2, "big") + octets


def packet(kind, body, length=None):
    """An MQTT packet: its first octet, its length in groups of seven bits, and the rest. `length` is one that the body does not have."""
    digits, rest = b"", len(body) if length is None else length
    while True:
        rest, low = rest >> 7, rest & 0x7F
        digits += bytes([low | (0x80 if rest else 0)])
        if not rest:
            return bytes([kind]) + digits + body


def connect(name, flags=2, keepalive_s=0, more=b""):
    """The CONNECT of MQTT 3.1.1, with a clean session. `more` are the will and the login that the flags announce."""
    return packet(0x10, text(b"MQTT") + bytes([4, flags]) + keepalive_s.to_bytes(2, "big") + text(name.encode()) + more)


def next_packet(buffer, position=0):
    """First octet, body and the position behind the packet at `position`; None while it is not whole."""
    length, shift, index = 0, 0, position + 1
    while True:
        if index >= len(buffer):
            return None
        octet = buffer[index]
        length |= (octet & 0x7F) << shift
        index, shift = index + 1, shift + 7
        if octet < 0x80:
            break
    if index + length > len(buffer):
        return None
    return buffer[position], bytes(buffer[index:index + length]), index + length


def published(kind, body):
    """Topic, payload and the PUBACK that is due of a PUBLISH of MQTT 3.1.1."""
    end = 2 + int.from_bytes(body[:2], "big")
    topic, due = body[2:end].decode(), b""
    if kind & 6:
        due = b"\x40\x02" + body[end:end + 2]
        end += 2
    return topic, body[end:], due
