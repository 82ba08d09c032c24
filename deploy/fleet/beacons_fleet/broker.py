"""The connection to the broker: what has come is taken by the caller's thread."""

import queue
import ssl
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import paho.mqtt.client as mqtt
from beacons_collector.encryption import words
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

PORTS = {"mqtt": 1883, "mqtts": 8883}
KEEPALIVE_S = 30
CONNECT_S = 20.0
# Retained messages have all come once so long nothing has.
QUIET_S = 1.0


class Unreachable(Exception):
    """The broker cannot be reached, or refuses the client."""


class Message(NamedTuple):
    """A message of the broker. What it retained before comes with `is_retained`, what is said now without."""

    topic: str
    payload: bytes
    is_retained: bool


@dataclass(frozen=True)
class Address:
    """A broker and a login."""

    host: str
    port: int
    is_encrypted: bool
    username: str | None
    password: str | None
    ca_file: Path | None
    cert_file: Path | None
    key_file: Path | None

    @staticmethod
    def of(url: str, ca_file: Path | None, cert_file: Path | None, key_file: Path | None, environment: dict[str, str]) -> "Address":
        """Raises ValueError with the reason."""
        parts = urlsplit(url)
        if parts.scheme not in PORTS or not parts.hostname:
            raise ValueError(f"{url}: must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
        if bool(cert_file) != bool(key_file):
            raise ValueError("--cert-file and --key-file go together")
        if (ca_file or cert_file) and parts.scheme != "mqtts":
            raise ValueError(f"{url}: --ca-file and --cert-file need mqtts://, because mqtt:// is not encrypted")
        return Address(
            parts.hostname, parts.port or PORTS[parts.scheme], parts.scheme == "mqtts",
            unquote(parts.username) if parts.username else environment.get("BEACONS_BROKER_USERNAME"),
            unquote(parts.password) if parts.password else environment.get("BEACONS_BROKER_PASSWORD"), ca_file, cert_file, key_file)


class Broker:
    """A connection that comes back by itself. `events` has messages, and the words connected and lost."""

    def __init__(self, address: Address, filters: list[str]) -> None:
        """Raises ValueError with the reason why the files for TLS cannot be used."""
        self.address, self.filters = address, filters
        self.events: queue.Queue[Message | str] = queue.Queue()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_connect = self.connected
        self.client.on_connect_fail = lambda *_: self.events.put("lost")
        self.client.on_disconnect = lambda *_: self.events.put("lost")
        self.client.on_subscribe = self.subscribed
        self.client.on_message = self.came
        self.client.reconnect_delay_set(1, 30)
        self.client.max_queued_messages_set(0)
        self.client.max_inflight_messages_set(100)
        self.refusal = ""
        if address.username:
            self.client.username_pw_set(address.username, address.password)
        if address.is_encrypted:
            try:
                context = ssl.create_default_context(cafile=address.ca_file)
                if address.cert_file:
                    context.load_cert_chain(address.cert_file, address.key_file, password="")
            except OSError as error:
                raise ValueError(f"{address.ca_file or address.cert_file}: the files for TLS cannot be used: {words(error)}") from None
            self.client.tls_set_context(context)

    def open(self) -> None:
        """Connects, and returns once it is subscribed. Raises Unreachable."""
        properties = Properties(PacketTypes.CONNECT)
        properties.ReceiveMaximum = 2000
        place = f"{self.address.host}:{self.address.port}"
        try:
            self.client.connect(self.address.host, self.address.port, KEEPALIVE_S, clean_start=True, properties=properties)
        except (OSError, ValueError) as error:
            raise Unreachable(f"{place} cannot be reached: {words(error)}") from None
        self.client.loop_start()
        due = time.monotonic() + CONNECT_S
        # A broker may send what it retains before it confirms the subscription.
        early: list[Message] = []
        while time.monotonic() < due and not self.refusal:
            try:
                event = self.events.get(timeout=0.5)
            except queue.Empty:
                continue
            if isinstance(event, Message):
                early.append(event)
            elif event == "connected":
                for message in early:
                    self.events.put(message)
                return
        raise Unreachable(f"{place}: {self.refusal or 'no answer'}")

    def connected(self, _client: mqtt.Client, _data: object, _flags: mqtt.ConnectFlags, reason: ReasonCode, _properties: Properties | None) -> None:
        if reason.is_failure:
            self.refusal = f"the login was refused: {reason}"
            return
        self.client.subscribe([(one, 1) for one in self.filters])

    def subscribed(self, _client: mqtt.Client, _data: object, _id: int, reasons: list[ReasonCode], _properties: Properties | None) -> None:
        refused = [f"{one} ({reason})" for one, reason in zip(self.filters, reasons, strict=False) if reason.is_failure]
        if refused:
            self.refusal = f"the subscription was refused: {', '.join(refused)}"
            return
        self.events.put("connected")

    def came(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        try:
            self.events.put(Message(message.topic, message.payload, message.retain))
        except UnicodeDecodeError:
            # No gateway has a topic that is not UTF-8. Some brokers pass it on.
            pass

    def publish(self, topic: str, payload: bytes) -> None:
        """Publishes a retained message at QoS 1, on this connection or the next."""
        self.client.publish(topic, payload, qos=1, retain=True)

    def flush(self, limit_s: float) -> bool:
        """Waits until the broker has everything. Returns whether it has."""
        due = time.monotonic() + limit_s
        while self.client.want_write() or self.client._out_messages:
            if time.monotonic() > due:
                return False
            time.sleep(0.02)
        return True

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
