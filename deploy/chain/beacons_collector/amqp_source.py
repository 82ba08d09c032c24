"""AMQP 0-9-1: a quorum queue behind RabbitMQ's MQTT plugin, shared by all collectors."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel
from pika.credentials import ExternalCredentials
from pika.exceptions import AMQPError, ChannelClosedByBroker

from .encryption import tls_context
from .log_once import LogOnce
from .options import Options
from .taking import Inbox, Taken

# RabbitMQ's MQTT plugin publishes to this exchange.
EXCHANGE = "amq.topic"
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1, 60
# The interval at which the collector checks that the queue is still there.
LOOK_INTERVAL_S = 15
# A message that RabbitMQ has delivered this often without an acknowledgement is taken alone. RabbitMQ puts it aside after ten times.
SUSPICIOUS_DELIVERIES = 3
# The pause where there is nothing to take.
PAUSE_S = 0.1
# After the first of several short subscriptions messages are taken alone for twice this long, at most for the second value.
ALONE_S, LONGEST_ALONE_S = 1, 60
SWAP = str.maketrans("./", "/.")
# The queue of messages that were handed out too often has the name of their former queue, with this ending.
DEAD_LETTERS = "-dead-letters"


class Forgotten(Exception):
    """The broker sends nothing more on a connection that works."""


class Caution:
    """How long messages are taken one at a time, after subscriptions that ended.

    RabbitMQ counts a delivery for each unacknowledged message of a subscription that ends, and gives the messages back a while later. A collector
    that subscribes before then finds no message at the queue's head that was delivered often. So each short subscription doubles the time before
    the next one.
    """

    def __init__(self) -> None:
        self.short_subscriptions = 0
        self.alone_until_s = 0.0

    def ended(self, begin_s: float, now_s: float) -> None:
        """A subscription with many messages at once ended with an error."""
        self.short_subscriptions = self.short_subscriptions + 1 if now_s - begin_s < LOOK_INTERVAL_S else 1
        self.alone_until_s = now_s + min(ALONE_S * 2.0 ** self.short_subscriptions, LONGEST_ALONE_S)


class AMQPSource:
    """One thread owns the connection. Other threads have their calls run there.

    A delivery tag is good for one channel only, so each message carries its channel.
    """

    def __init__(self, options: Options, inbox: Inbox) -> None:
        self.options = options
        self.inbox = inbox
        self.log = LogOnce("broker")
        self.context = tls_context(options)
        # A queue also keeps messages with QoS 0.
        self.left_out = 0
        # The number of messages that were put aside, as the broker last reported.
        self.dead_letters = 0
        self.is_over = False
        self.is_paused = False
        self.is_drained = False
        # The number of messages of this connection that are not acknowledged.
        self.taken = 0
        self.was_let_in = False
        self.caution = Caution()
        # The time at which this connection began to be sent many messages at once.
        self.subscribed_s: float | None = None
        self.queue = (options.group or "beacons") + (DEAD_LETTERS if options.is_dead_letters else "")
        self.connection: pika.BlockingConnection | None = None
        self.thread = threading.Thread(target=self.run, name="amqp", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def acknowledge(self, batch: list[Taken]) -> None:
        tokens = [message.token for message in batch]

        def acknowledge_here() -> None:
            for channel, tag in tokens:
                if channel.is_open:
                    channel.basic_ack(tag)
                    self.taken -= 1

        self.call(acknowledge_here)

    def pause(self) -> None:
        self.is_paused = True

    def stop(self) -> None:
        self.is_over = True
        self.call(lambda: None)
        self.thread.join(timeout=10)

    def call(self, action: Callable[[], None]) -> None:
        try:
            if self.connection:
                self.connection.add_callback_threadsafe(action)
        except AMQPError:
            # The connection is gone, and the broker gives unacknowledged messages to another one.
            pass

    def run(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self.is_over:
            self.was_let_in, self.subscribed_s = False, None
            try:
                self.consume()
            except (AMQPError, Forgotten, OSError) as error:
                self.log.trouble(f"{self.options.host}:{self.options.port}: {type(error).__name__} {error}; trying on")
                if self.subscribed_s is not None:
                    self.caution.ended(self.subscribed_s, time.monotonic())
            # As with MQTT: taken messages are committed before the collector asks for more.
            while not self.inbox.empty() and not self.is_over:
                time.sleep(0.1)
            if not self.is_over:
                # A message that ends each connection is put aside after ten of them; all others wait for that.
                pause_s = FIRST_PAUSE_S if self.was_let_in else min(2 * pause_s, LONGEST_PAUSE_S)
                time.sleep(pause_s)

    def consume(self) -> None:
        """Takes messages over one connection. A failing system call raises RuntimeError, which ends the process.

        pika makes an AMQPError of whatever fails on the socket itself. After another call, such as epoll_ctl, pika may no longer watch the
        socket. Closing the connection would then wait for an answer that pika never reads, until the broker gives up after minutes. The
        broker would hold back all unacknowledged messages until then. The end of the process closes the connection at once.
        """
        self.connection = pika.BlockingConnection(self.parameters())
        try:
            try:
                self.taken = 0
                (self.take_dead_letters if self.options.is_dead_letters else self.subscribe)(self.connection, self.connection.channel())
                self.connection.process_data_events(time_limit=0)
            except (AMQPError, Forgotten):
                self.close(self.connection)
                raise
            self.close(self.connection)
        except OSError as error:
            raise RuntimeError(f"a system call failed on the connection to {self.options.host}:{self.options.port}: {error}") from error

    @staticmethod
    def close(connection: pika.BlockingConnection) -> None:
        if connection.is_open:
            connection.close()

    def subscribe(self, connection: pika.BlockingConnection, channel: BlockingChannel) -> None:
        channel.queue_declare(self.queue, durable=True, arguments={"x-queue-type": "quorum"})
        channel.queue_bind(self.queue, EXCHANGE, self.options.prefix.translate(SWAP) + ".#")
        # Recorded before the first message, which may be the one that ends the connection.
        self.was_let_in = True
        self.well()
        self.clear_way(connection, channel)
        self.subscribed_s = time.monotonic()
        # One consumer for each channel: RabbitMQ 3.10 lost messages of a channel with several consumers when a node went down.
        channel.basic_qos(prefetch_count=self.options.receive_maximum)
        channel.basic_consume(self.queue, self.came, consumer_tag=self.options.id)
        look_due = time.monotonic()
        while not self.is_over:
            connection.process_data_events(time_limit=1)
            if not channel.is_open or not channel.consumer_tags:
                raise Forgotten(f"the broker ended the subscription to queue {self.queue}")
            if time.monotonic() > look_due:
                look_due = time.monotonic() + LOOK_INTERVAL_S
                # The broker may close the channel, or delete the queue, and leave the connection open, sometimes without a notice. Asking
                # for a queue that is gone is an error.
                if channel.queue_declare(self.queue, passive=True).method.consumer_count == 0:
                    raise Forgotten(f"the broker forgot the subscription to queue {self.queue}")
                self.dead_letters = waiting(connection, self.queue + DEAD_LETTERS)

    def take_dead_letters(self, connection: pika.BlockingConnection, channel: BlockingChannel) -> None:
        """Takes one after the other, until none is left and all are acknowledged."""
        self.was_let_in = True
        self.well()
        while not self.is_over:
            method, properties, body = channel.basic_get(self.queue)
            if method:
                self.take(topic_of(first_key(properties.headers or {})), body, channel, method.delivery_tag)
            else:
                self.is_drained = self.is_over = self.taken == 0
                connection.process_data_events(time_limit=PAUSE_S)
            self.dead_letters = (method.message_count if method else 0) + self.taken

    def well(self) -> None:
        self.log.well(f"connected to {self.options.host}:{self.options.port} as {self.options.id}, queue {self.queue}")

    def clear_way(self, connection: pika.BlockingConnection, channel: BlockingChannel) -> None:
        """Takes the messages at the queue's head that were delivered often, one at a time.

        One of them may be the message that ends each connection. RabbitMQ counts a delivery for every message that is unacknowledged when a
        connection ends. So only a message that is alone is put aside alone.
        """
        is_suspicious = True
        while (is_suspicious or time.monotonic() < self.caution.alone_until_s) and not self.is_over and not self.is_paused:
            method, properties, body = channel.basic_get(self.queue)
            if method is None:
                is_suspicious = False
                connection.process_data_events(time_limit=PAUSE_S)
                continue
            is_suspicious = deliveries(properties.headers or {}) >= SUSPICIOUS_DELIVERIES
            self.take(topic_of(method.routing_key), body, channel, method.delivery_tag, is_alone=True)
            while self.taken and not self.is_over:
                connection.process_data_events(time_limit=PAUSE_S)
                if not channel.is_open:
                    raise Forgotten(f"the broker closed the channel to queue {self.queue}")

    def came(self, channel: BlockingChannel, method: pika.spec.Basic.Deliver, _properties: pika.BasicProperties, body: bytes) -> None:
        self.take(topic_of(method.routing_key), body, channel, method.delivery_tag)

    def take(self, topic: str, body: bytes, channel: BlockingChannel, tag: int, is_alone: bool = False) -> None:
        if not self.is_paused:
            self.taken += 1
            self.inbox.put_within(Taken(topic, body, (channel, tag), is_alone=is_alone), lambda: self.is_paused)

    def parameters(self) -> pika.ConnectionParameters:
        options = self.options
        encryption = pika.SSLOptions(self.context, options.host) if self.context else None
        return pika.ConnectionParameters(
            options.host, options.port, options.virtual_host, self.credentials(), ssl_options=encryption, heartbeat=60)

    def credentials(self) -> pika.PlainCredentials | ExternalCredentials:
        """The certificate names the user, unless the command line does."""
        options = self.options
        if options.cert_file and not options.username:
            return ExternalCredentials()
        return pika.PlainCredentials(options.username or "guest", options.password or "guest")


def waiting(connection: pika.BlockingConnection, queue: str) -> int:
    """The number of messages in a queue; 0 where there is no such queue. An error closes the channel that asked."""
    channel = connection.channel()
    try:
        count: int = channel.queue_declare(queue, passive=True).method.message_count
        channel.close()
    except ChannelClosedByBroker:
        return 0
    return count


def topic_of(key: str | bytes) -> str:
    """The MQTT topic. pika passes a topic that is not UTF-8 as octets; it stays recognisable."""
    return (key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else key).translate(SWAP)


def deliveries(headers: dict[str, Any]) -> int:
    """The number of earlier deliveries. A publisher of MQTT 5 may have set the header to anything."""
    count = headers.get("x-delivery-count")
    return count if type(count) is int else 0


def first_key(headers: dict[str, Any]) -> str | bytes:
    """The topic under which a dead letter was published, before it got the name of its queue. It is empty where a publisher made the header up."""
    try:
        key = headers["x-death"][-1]["routing-keys"][0]
    except (KeyError, IndexError, TypeError):
        return ""
    return key if isinstance(key, (str, bytes)) else ""
