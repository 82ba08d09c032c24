"""Clients of the brokers that run has set up: with a certificate at the store's broker, or with a login of the page."""

import json
import os
import pathlib
import secrets
import ssl
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from waiting import PATIENCE_S, until

CA = pathlib.Path(os.environ["CA"])
STORE = ("127.0.0.2", int(os.environ["STORE_PORT"]))
PAGE = ("127.0.0.3", int(os.environ["PAGE_PORT"]))


class Client:
    """An MQTT client that remembers what it hears, what is acknowledged, and how often it was disconnected."""

    def __init__(self, client_id, address, *, version=mqtt.MQTTv5, transport="tcp", keepalive=60):
        self.heard, self.acknowledged, self.refused, self.lost = [], {}, [], 0
        self.connected, self.code, self.closing = threading.Event(), None, False
        options = {} if version == mqtt.MQTTv5 else {"clean_session": True}
        self.mqtt = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id, protocol=version, transport=transport, **options)
        self.mqtt.on_connect, self.mqtt.on_disconnect = self._connect, self._disconnect
        self.mqtt.on_message, self.mqtt.on_publish = self._message, self._publish
        self.mqtt.max_inflight_messages_set(100)
        self.address, self.version, self.keepalive = address, version, keepalive

    def _connect(self, client, userdata, flags, code, properties):
        self.code, self.flags = code, flags
        self.connected.set()

    def _disconnect(self, client, userdata, flags, code, properties):
        self.connected.clear()
        if not self.closing:
            self.lost += 1

    def _message(self, client, userdata, message):
        self.heard.append((time.monotonic(), message.topic, message.payload))

    def _publish(self, client, userdata, mid, code, properties):
        if code.is_failure:
            self.refused.append(str(code))
        else:
            self.acknowledged[mid] = time.monotonic()

    def connect(self, *, clean=True, expiry_s=0):
        """Connects and returns whether the broker took it."""
        more = {}
        if self.version == mqtt.MQTTv5:
            properties = Properties(PacketTypes.CONNECT)
            properties.SessionExpiryInterval = expiry_s
            more = {"clean_start": clean, "properties": properties}
        self.mqtt.connect(*self.address, keepalive=self.keepalive, **more)
        self.mqtt.loop_start()
        self.connected.wait(PATIENCE_S)
        return self.code is not None and not self.code.is_failure

    def subscribe(self, *filters, qos=1):
        done = threading.Event()
        self.mqtt.on_subscribe = lambda *_: done.set()
        self.mqtt.subscribe([(one, qos) for one in filters])
        if not done.wait(PATIENCE_S):
            raise TimeoutError("no SUBACK")
        return self

    def publish(self, topic, payload="{}", qos=1, retain=False):
        return self.mqtt.publish(topic, payload if isinstance(payload, (bytes, str)) else json.dumps(payload), qos=qos, retain=retain)

    def tell(self, topic, payload="{}", retain=False):
        """Publishes, and returns whether the broker acknowledged it."""
        told = self.publish(topic, payload, retain=retain)
        until(lambda: told.is_published() or not self.mqtt.is_connected())
        return told.mid in self.acknowledged

    def close(self):
        self.closing = True
        self.mqtt.disconnect()
        self.mqtt.loop_stop()


def certificate(name, client_id="", address=STORE, **options):
    """A client with a certificate; one that was refused at the handshake raises an OSError when it connects."""
    client = Client(client_id, address, **options)
    file = CA / name.replace("/", "-")
    client.mqtt.tls_set(CA / "ca.crt", f"{file}.crt", f"{file}.key")
    return client


def viewer(name, password=None, client_id=None, **options):
    """A viewer of the page, from MQTT 3.1.1 as the page speaks it to whatever `options` say."""
    options = {"version": mqtt.MQTTv311} | options
    client = Client(client_id or f"page-{secrets.token_hex(8)}", PAGE, transport="websockets", **options)
    client.mqtt.tls_set(CA / "ca.crt", cert_reqs=ssl.CERT_REQUIRED)
    client.mqtt.username_pw_set(name, f"{name}'s password" if password is None else password)
    return client
