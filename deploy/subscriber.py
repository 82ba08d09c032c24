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

seen = {}  # (site, gateway, epoch): the numbers dealt with; a real subscriber keeps this beside its data


def on_message(client, userdata, message):
    _, site, gateway, *_, kind = message.topic.split("/")
    if kind not in ("event", "gap"):
        return
    body = json.loads(message.payload)
    if kind == "gap" and "from_seq" not in body:
        return  # a gap in the coverage, say, not in the events
    numbers = seen.setdefault((site, gateway, body["epoch"]), set())
    if kind == "gap":
        lost = set(range(body["from_seq"], body["to_seq"] + 1)) - numbers
        numbers |= lost
        print(gateway, "lost for good:", sorted(lost), body["cause"])
    elif body["seq"] in numbers:
        print(gateway, body["seq"], "came twice, dropped")
    else:
        numbers.add(body["seq"])
        beacon = (body["major"], body["minor"]) if "major" in body else ()  # a circle has none: the gateway itself crossed it
        where = body.get("location")  # the gateway's own place, where it knows it
        place = (where["latitude"], where["longitude"], f"±{where['horizontal_accuracy_m']} m") if where else ()
        print(gateway, body["seq"], body["at"], body["type"], body["region"], *beacon, *place)
        if missing := set(range(min(numbers), max(numbers))) - numbers:
            print(gateway, "missing so far:", sorted(missing))


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
