"""MQTT 5: a persistent session that outlives this process, and acknowledgements by the collector."""

import logging
import sys
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from .encryption import tls_context, words
from .log_once import LogOnce
from .options import Options
from .taking import LARGEST_INBOX_BYTES, Inbox, Taken

# The time for which the broker keeps messages for a collector that is away.
SESSION_EXPIRY_S = 7 * 24 * 3600
# Not below the need of a store's connection; a broker that is gone is noticed within a minute and a half.
KEEPALIVE_S = 60
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1, 60
# Two clients with one id disconnect each other as soon as they are connected. mosquitto 2.0 gives no reason.
SHORT_S = 5
# The longest wait of a QoS 0 message for room. It holds up the connection, so it is far below the keepalive.
LONGEST_WAIT_FOR_ROOM_S = 5


class LastFailure(logging.Handler):
    """The reason why a connection broke. paho gives it to its log alone, and "unspecified error" to the callback."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.words = ""
        # A logger of its own, for errors alone: otherwise each message would be a line.
        self.logger = logging.Logger("mqtt", logging.ERROR)
        self.logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        errors = [one for one in record.args or () if isinstance(one, OSError)]
        if errors:
            self.words = words(errors[0])

    def taken(self) -> str:
        failure, self.words = self.words, ""
        return failure


class MQTTSource:
    """paho's network thread takes messages in; any thread may acknowledge.

    A packet identifier is good for one connection only: on the next one the broker may have given it to another message.
    So each message carries the number of its connection, and an acknowledgement for an older one is left out.
    """

    def __init__(self, options: Options, inbox: Inbox) -> None:
        self.options = options
        self.inbox = inbox
        self.log = LogOnce("broker")
        self.room = LogOnce("inbox")
        # MQTT has no dead letters, and a session has no end.
        self.dead_letters, self.is_drained = 0, False
        # Messages that found no room, and whether to ask for them again.
        self.left_out = 0
        self.is_owed = False
        self.is_refused = False
        self.connection = 0
        self.connected_at = 0.0
        # The number of connections in a row that were lost at once.
        self.short = 0
        self.lock = threading.Lock()
        self.is_paused = False
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=options.id, protocol=mqtt.MQTTv5,
                                  manual_ack=True)
        self.client.on_connect = self.connected
        self.client.on_connect_fail = self.not_reached
        self.client.on_disconnect = self.disconnected
        self.client.on_subscribe = self.subscribed
        self.client.on_message = self.came
        self.client.reconnect_delay_set(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        if options.username:
            self.client.username_pw_set(options.username, options.password)
        if context := tls_context(options):
            self.client.tls_set_context(context)
        self.failure = LastFailure()
        self.client.enable_logger(self.failure.logger)

    def start(self) -> None:
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = SESSION_EXPIRY_S
        properties.ReceiveMaximum = self.options.receive_maximum
        self.client.connect_async(self.options.host, self.options.port, KEEPALIVE_S, clean_start=False,
                                  properties=properties)
        self.client.loop_start()

    def acknowledge(self, batch: list[Taken]) -> None:
        if self.short and time.monotonic() - self.connected_at > SHORT_S:
            self.short = 0
            self.log.well("connected")
        if self.is_owed and self.inbox.qsize() <= self.options.receive_maximum // 2:
            self.is_owed = False
            self.room.well("has room again: what is retained is asked for again")
            self.subscribe()
        for message in batch:
            if message.token is None:
                continue
            connection, packet_id = message.token
            with self.lock:
                if connection == self.connection:
                    self.client.ack(packet_id, 1)

    def pause(self) -> None:
        self.is_paused = True

    def stop(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def subscribe(self) -> None:
        # Stores' bridges send retained messages with QoS 0, which no session keeps. So the collector asks for all of them, to learn of
        # changes while it was away. A known message is a repetition.
        options = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE)
        self.client.subscribe(self.options.topic_filter, options=options)

    def connected(self, _client: mqtt.Client, _data: object, _flags: mqtt.ConnectFlags, reason: ReasonCode,
                  _properties: Properties | None) -> None:
        self.is_refused = reason.is_failure
        if reason.is_failure:
            return self.log.trouble(f"the login was refused: {reason}")
        self.subscribe()

    def subscribed(self, _client: mqtt.Client, _data: object, _id: int, reasons: list[ReasonCode],
                   _properties: Properties | None) -> None:
        if any(reason.is_failure for reason in reasons):
            return self.log.trouble(f"the subscription to {self.options.topic_filter} was refused: {reasons[0]}")
        self.connected_at = time.monotonic()
        if self.short < 2:
            self.log.well(f"connected to {self.options.host}:{self.options.port} as {self.options.id}, "
                           f"subscribed to {self.options.topic_filter}")

    def not_reached(self, _client: mqtt.Client, _data: object) -> None:
        # paho calls this while it handles the error, and does not pass the error on.
        self.log.trouble(f"{self.options.host}:{self.options.port} cannot be reached: {words(sys.exception())}; trying on")

    def disconnected(self, _client: mqtt.Client, _data: object, _flags: mqtt.DisconnectFlags, reason: ReasonCode,
                     _properties: Properties | None) -> None:
        with self.lock:
            self.connection += 1
        failure = self.failure.taken()
        is_short = time.monotonic() - self.connected_at < SHORT_S
        # Where the broker forgets its sessions, taken messages that are not committed are here alone. So they are committed before the
        # collector asks for more. The broker keeps those that come meanwhile.
        while not self.inbox.empty() and not self.is_paused:
            time.sleep(0.1)
        # A refused login also ends the connection, which need not be reported again.
        if not reason.is_failure or self.is_refused:
            self.is_refused = False
            return
        self.short = self.short + 1 if is_short else 0
        if reason.value == 0x8E or self.short >= 2:
            self.log.trouble(f"the connection is lost as soon as it is there, as where another client uses the id {self.options.id}: "
                              "give each collector an --id of its own")
        else:
            self.log.trouble(f"the connection was lost: {failure or reason}")

    def came(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        if self.is_paused:
            return
        token = (self.connection, message.mid) if message.qos else None
        taken = Taken(topic_of(message), message.payload, token)
        if token:
            # The broker sends no more than the receive maximum before acknowledgements, which bounds the queue.
            self.inbox.put_within(taken, lambda: self.is_paused)
            return
        if self.has_room():
            self.inbox.put(taken)
        elif not self.is_paused:
            self.left_out += 1
            self.is_owed = True
            self.room.trouble("no room for what comes with QoS 0, because the database takes nothing: it is left out")

    def has_room(self) -> bool:
        """Whether a QoS 0 message may be taken: after a wait, because all retained messages come at once."""
        due = time.monotonic() + LONGEST_WAIT_FOR_ROOM_S
        while self.inbox.qsize() >= self.options.receive_maximum or self.inbox.octets >= LARGEST_INBOX_BYTES:
            # One wait is enough: a wait for each message would end the connection.
            if self.is_owed or self.is_paused or time.monotonic() > due:
                return False
            time.sleep(0.01)
        return True


def topic_of(message: mqtt.MQTTMessage) -> str:
    """The topic. One that is not UTF-8 stays recognisable."""
    try:
        return message.topic
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "surrogateescape")
