"""A login of the page can't disturb others. The last line has the counts; run sets up the brokers.

    page_test.py STORE_LOG      STORE_LOG is the log of the store's broker
"""

import pathlib
import socket
import ssl
import sys
import time

import paho.mqtt.client as mqtt
from clients import CA, PAGE, certificate, viewer
from counting import check, last_line
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode
from waiting import until

LOG = pathlib.Path(sys.argv[1])
EVENTS = "beacons/berlin-17/+/region/+/event"


def connections():
    """The number of clients that connected or disconnected, by the store's broker's log."""
    lines = LOG.read_text(errors="replace").splitlines()
    return [line for line in lines if "New client connected" in line or "disconnect" in line or "closed" in line or "taking over" in line]


def waiting_events(gateway, count):
    """A subscriber is away; a gateway's events are acknowledged and wait for it."""
    away = certificate("display", "display")
    away.connect(clean=True, expiry_s=3600)
    away.subscribe(EVENTS)
    away.close()
    return [gateway.tell("beacons/berlin-17/back-door/region/carts/event", {"seq": seq}) for seq in range(count)]


def come_back():
    back = certificate("display", "display")
    back.connect(clean=False, expiry_s=3600)
    return back


def sees_the_store(gateway):
    gateway.tell("beacons/berlin-17/back-door/status", '{"state":"online"}', retain=True)
    anna = viewer("anna")
    check("a login is let in", anna.connect())
    anna.subscribe("beacons/+/+/status", "beacons/+/+/region/#", qos=0)
    check("it sees what is retained", until(lambda: any(topic == "beacons/berlin-17/back-door/status" for _, topic, _ in anna.heard)))
    gateway.tell("beacons/berlin-17/back-door/region/carts/ranging", '{"count":3}')
    check("and what comes", until(lambda: any(topic.endswith("/ranging") for _, topic, _ in anna.heard)), anna.heard)
    gateway.tell("beacons/berlin-17/back-door/region/gone/state", '{"state":"inside"}', retain=True)
    gateway.tell("beacons/berlin-17/back-door/region/gone/state", "", retain=True)
    cleared = until(lambda: any(topic.endswith("gone/state") and not payload for _, topic, payload in anna.heard))
    late = viewer("till")
    late.connect()
    late.subscribe("beacons/+/+/region/#", "beacons/+/+/status", qos=0)
    until(lambda: any(topic.endswith("/status") for _, topic, _ in late.heard))
    check("what is cleared at the store's broker is cleared there", cleared and not any(topic.endswith("gone/state") for _, topic, _ in late.heard))
    late.close()
    return anna


def takeovers(gateway, anna):
    """The page's login takes others' client identifiers, with a clean start."""
    acknowledged = waiting_events(gateway, 50)
    check("50 events are acknowledged, and wait", all(acknowledged))
    before = connections()
    # The last is another page's identifier, which no login can know: a wrong guess.
    for name in ("display", "berlin-17/back-door", "berlin-17", "berlin-17/page", "local.berlin-17", "local.berlin-17/page", "", "page-0"):
        for version in (mqtt.MQTTv5, mqtt.MQTTv311):
            taker = viewer("till", client_id=name or "-", version=version)
            taker.mqtt._client_id = name.encode()
            taker.connect()
            taker.close()
    check("the store's broker has noticed nothing", connections() == before, connections()[len(before):])
    check("the gateway's connection stood", gateway.lost == 0)
    check("so did the other viewer's", anna.lost == 0)
    heard = len(anna.heard)
    gateway.tell("beacons/berlin-17/back-door/region/carts/ranging", '{"count":4}')
    check("who still sees what comes: the bridge stood", until(lambda: len(anna.heard) > heard))
    back = come_back()
    check("50 of 50 waiting events come", until(lambda: len(back.heard) >= 50, 30), f"{len(back.heard)} came")
    back.close()


def publishing(gateway):
    """No login writes anything, nor does the page's certificate."""
    spy = certificate("operator", "operator")
    spy.connect()
    spy.subscribe("#", "$SYS/broker/connection/#")
    topics = ["beacons/berlin-17/back-door/status", "beacons/berlin-17/page/status", "beacons/berlin-17/back-door/request/state",
              "beacons/till/x/region/y/event", "till", "$SYS/broker/x"]
    till = viewer("till", version=mqtt.MQTTv5)
    till.mqtt.will_set("beacons/berlin-17/back-door/status", "impostor", qos=1, retain=True)
    till.connect()
    anna = viewer("anna")
    anna.connect()
    anna.subscribe("beacons/#", qos=0)
    check("a login publishes nothing", not any(till.tell(topic, "impostor", retain=True) for topic in topics), till.refused)
    till.mqtt.disconnect(ReasonCode(PacketTypes.DISCONNECT, "Disconnect with will message"))
    own = certificate("berlin-17/page", "berlin-17/page")
    own.connect()
    check("the certificate of the page's broker publishes nothing", not any(own.tell(topic, "impostor") for topic in topics), own.acknowledged)
    own.close()
    gateway.tell("beacons/berlin-17/back-door/status", '{"after":1}', retain=True)
    check("it is heard of afterwards", until(lambda: any(b"after" in payload for _, _, payload in spy.heard)))
    check("so it is on the page", until(lambda: any(b"after" in payload for _, _, payload in anna.heard)))
    said = [topic for client in (spy, anna) for _, topic, payload in client.heard if b"impostor" in payload]
    check("and nothing of the page's", not said, said)
    beyond = [topic for _, topic, _ in anna.heard if topic.split("/")[3] not in ("status", "health", "location", "region")]
    check("a login reads nothing but what the page shows", not beyond, beyond)
    spy.close()
    anna.close()


def raw():
    """A silent connection to the page's port, with TLS."""
    context = ssl.create_default_context(cafile=CA / "ca.crt")
    return context.wrap_socket(socket.create_connection(PAGE, 10), server_hostname=PAGE[0])


def crowds(gateway):
    """Hundreds of connections without a login, and of wrong logins."""
    reader = certificate("display", "display")
    reader.connect()
    reader.subscribe(EVENTS)
    before = connections()
    held = []
    for _ in range(300):
        try:
            held.append(raw())
        except OSError:
            break
    refused = 0
    for number in range(50):
        guesser = viewer("anna", password=f"guess {number}")
        try:
            refused += not guesser.connect()
        except OSError:
            refused += 1
        guesser.close()
    check("50 wrong passwords are refused", refused == 50, refused)
    begin = time.monotonic()
    check("events are acknowledged meanwhile", all(gateway.tell("beacons/berlin-17/back-door/region/carts/event", {"seq": seq}) for seq in range(100)))
    check("and arrive, all of them", until(lambda: len(reader.heard) >= 100), len(reader.heard))
    print(f"{len(held)} idle connections and 50 guesses at the page: 100 events through the store's broker took {time.monotonic() - begin:.2f} s")
    check("the store's broker has noticed nothing", connections() == before, connections()[len(before):])
    for one in held:
        one.close()
    reader.close()

    def let_in():
        late = viewer("anna")
        try:
            return late.connect()
        except OSError:
            return False
        finally:
            late.close()
    begin = time.monotonic()
    check("the page takes logins again within 60 s", until(let_in, step=0.5) and time.monotonic() - begin < 60)


def main():
    gateway = certificate("berlin-17/back-door", "berlin-17/back-door")
    gateway.connect()
    anna = sees_the_store(gateway)
    takeovers(gateway, anna)
    anna.close()
    publishing(gateway)
    crowds(gateway)
    check("the gateway's connection stood to the end", gateway.lost == 0)
    gateway.close()
    last_line()


main()
