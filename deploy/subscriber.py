#!/usr/bin/env python3
"""Prints the events of all gateways, each of them once, and the numbers that are missing or lost.

    deploy/subscriber.py HOST PORT                                 a broker without TLS, such as that of deploy/quickstart
    deploy/subscriber.py HOST PORT CA_FILE CERT_FILE KEY_FILE      a broker with TLS that asks for a certificate

The subscriber needs paho-mqtt 2. Debian 13 has it: apt install python3-paho-mqtt. Elsewhere:

    python3 -m venv venv && venv/bin/pip install 'paho-mqtt>=2' && venv/bin/python deploy/subscriber.py …

The client `analytics` has a session that the broker keeps, so events wait at the broker while the client is away.

Exit status: 64 wrong use, 69 the broker can't be reached or refuses the client, 70 paho-mqtt 2 is missing.
"""
import json
import sys

TOPICS = ["region/+/event", "region/+/+/event", "region/+/+/+/event", "gap"]

seen = {}  # {site: {(gateway, epoch): ranges of numbers}}; a real subscriber keeps this beside its data


def on_message(client, userdata, message):
    try:  # any client that the broker lets in may have published anything
        _, site, gateway, *_, kind = message.topic.split("/")
        if kind in ("event", "gap"):
            take(site, gateway, kind, json.loads(message.payload))
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        show("passed over:", type(error).__name__, error)


def take(site, gateway, kind, body):
    if kind == "gap" and "from_seq" not in body:
        return  # a gap in the coverage, say, not in the events
    first, last = (body["from_seq"], body["to_seq"]) if kind == "gap" else (body["seq"], body["seq"])
    ranges = ranges_of(site, gateway, body["epoch"])
    new = add(ranges, first, last)  # of a gap from 1 to 2^53 - 1 there is one range
    if kind == "gap":
        show(gateway, "lost for good:", new, body["cause"])
    elif not new:
        show(gateway, first, "came twice, dropped")
    else:
        beacon = (body["major"], body["minor"]) if "major" in body else ()  # a circle has none: the gateway itself crossed it
        where = body.get("location")  # the gateway's own place, where it knows it
        place = (where["latitude"], where["longitude"], f"±{where['horizontal_accuracy_m']} m") if where else ()
        show(gateway, first, body["at"], body["type"], body["region"], *beacon, *place)
        if len(ranges) > 1:
            show(gateway, "missing so far:", [(one[1] + 1, other[0] - 1) for one, other in zip(ranges, ranges[1:])])


def ranges_of(site, gateway, epoch):
    """The numbers of an epoch so far. Of a store, the last 1,000 epochs are kept."""
    if not isinstance(epoch, str) or len(epoch) > 100:
        raise ValueError("epoch is none")
    epochs = seen.setdefault(site, {})
    ranges = epochs.setdefault((gateway, epoch), [])
    if len(epochs) > 1000:
        del epochs[next(iter(epochs))]
    return ranges


def add(ranges, first, last):
    """Adds the numbers of a range to sorted ranges. Returns the ranges of those that were new."""
    if type(first) is not int or type(last) is not int or not 1 <= first <= last < 2**53:
        raise ValueError("no numbers of events")
    new, begin = [], first
    for low, high in ranges:
        if low <= last and high >= first:
            new += [(begin, low - 1)] if begin < low else []
            begin = high + 1
    new += [(begin, last)] if begin <= last else []
    joined = []
    for low, high in sorted([*ranges, (first, last)]):
        if joined and low <= joined[-1][1] + 1:
            low, high = joined[-1][0], max(high, joined.pop()[1])
        joined.append((low, high))
    while len(joined) > 100:
        joined[:2] = [(joined[0][0], joined[1][1])]  # stops waiting for the oldest missing numbers
    ranges[:] = joined
    return new


def show(*words):
    """Prints no sign that a terminal obeys."""
    print(*("".join(one if one.isprintable() else "\ufffd" for one in str(word)[:200]) for word in words))


def on_connect(client, userdata, flags, reason, properties):
    if reason.is_failure:
        print(f"The broker refuses the client: {reason}", file=sys.stderr)
        client.disconnect()
        client.user_data_set(69)
    else:
        client.subscribe([("beacons/+/+/" + topic, 1) for topic in TOPICS])


def main(arguments):
    if len(arguments) not in (2, 5) or not arguments[1].isdecimal() or not 0 < int(arguments[1]) < 65536:
        print("usage: deploy/subscriber.py HOST PORT [CA_FILE CERT_FILE KEY_FILE]", file=sys.stderr)
        return 64
    try:
        import paho.mqtt.client as mqtt
        version = mqtt.CallbackAPIVersion.VERSION2
    except (ImportError, AttributeError):
        print("paho-mqtt 2 is missing: python3 -m venv venv && venv/bin/pip install 'paho-mqtt>=2', then use venv/bin/python.", file=sys.stderr)
        return 70
    host, port, *files = arguments
    client = mqtt.Client(version, client_id="analytics", clean_session=False, userdata=0)
    client.on_message, client.on_connect = on_message, on_connect
    try:
        if files:
            client.tls_set(*files)  # the authority's certificate, then the client's own and its key
        client.connect(host, int(port))
        client.loop_forever()
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(f"The broker at {host}:{port} can't be reached: {error}", file=sys.stderr)
        return 69
    return client.user_data_get()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
