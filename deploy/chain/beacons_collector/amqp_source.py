"""AMQP 0-9-1: a quorum queue behind RabbitMQ's MQTT plugin, shared by as many collectors as there are."""

import threading
import time
from collections.abc import Callable

import pika
from pika.adapters.blocking_connection import BlockingChannel
from pika.credentials import ExternalCredentials
from pika.exceptions import AMQPError

from .encryption import tls_context
from .options import Options
from .said import Said
from .taking import Inbox, Taken

# RabbitMQ's MQTT plugin publishes to this exchange.
EXCHANGE = "amq.topic"
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1, 60
# How often it is looked whether the queue is still there.
LOOK_INTERVAL_S = 15
SWAP = str.maketrans("./", "/.")


class AMQPSource:
    """One thread owns the connection; what others want of it is called there.

    A delivery tag is good for one channel only, so each message carries its channel.
    """

    def __init__(self, options: Options, inbox: Inbox) -> None:
        self.options = options
        self.inbox = inbox
        self.said = Said("broker")
        self.context = tls_context(options)
        # A queue keeps what comes with QoS 0 as well.
        self.left_out = 0
        self.is_over = False
        self.is_paused = False
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
            # The connection has gone, and the broker gives what was not acknowledged to another one.
            pass

    def run(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self.is_over:
            try:
                self.consume()
                pause_s = FIRST_PAUSE_S
            except (AMQPError, OSError) as error:
                self.said.trouble(f"{self.options.host}:{self.options.port}: {type(error).__name__} {error}; trying on")
            # As with MQTT: what was taken is committed before more is asked for.
            while not self.inbox.empty() and not self.is_over:
                time.sleep(0.1)
            if not self.is_over:
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def consume(self) -> None:
        self.connection = pika.BlockingConnection(self.parameters())
        try:
            channel = self.connection.channel()
            channel.basic_qos(prefetch_count=self.options.receive_maximum)
            name = self.options.group or "beacons"
            channel.queue_declare(name, durable=True, arguments={"x-queue-type": "quorum"})
            channel.queue_bind(name, EXCHANGE, self.options.prefix.translate(SWAP) + ".#")
            channel.basic_consume(name, self.came, consumer_tag=self.options.id)
            self.said.well(f"connected to {self.options.host}:{self.options.port} as {self.options.id}, queue {name}")
            # The broker may close the channel, or take the queue away, and leave the connection open. It does not always say
            # so; asking for a queue that has gone is an error.
            look_due = time.monotonic() + LOOK_INTERVAL_S
            while not self.is_over:
                self.connection.process_data_events(time_limit=1)
                if not channel.is_open or not channel.consumer_tags:
                    raise ConnectionError(f"the broker ended the subscription to queue {name}")
                if time.monotonic() > look_due:
                    look_due = time.monotonic() + LOOK_INTERVAL_S
                    if channel.queue_declare(name, passive=True).method.consumer_count == 0:
                        raise ConnectionError(f"the broker forgot the subscription to queue {name}")
            self.connection.process_data_events(time_limit=0)
        finally:
            if self.connection.is_open:
                self.connection.close()

    def came(self, channel: BlockingChannel, method: pika.spec.Basic.Deliver, _properties: pika.BasicProperties,
             body: bytes) -> None:
        if not self.is_paused:
            message = Taken(method.routing_key.translate(SWAP), body, (channel, method.delivery_tag))
            self.inbox.put_within(message, lambda: self.is_paused)

    def parameters(self) -> pika.ConnectionParameters:
        options = self.options
        encryption = pika.SSLOptions(self.context, options.host) if self.context else None
        return pika.ConnectionParameters(
            options.host, options.port, options.virtual_host, self.credentials(), ssl_options=encryption, heartbeat=60)

    def credentials(self) -> pika.PlainCredentials | ExternalCredentials:
        """A certificate says who it is, unless a user is named as well."""
        options = self.options
        if options.cert_file and not options.username:
            return ExternalCredentials()
        return pika.PlainCredentials(options.username or "guest", options.password or "guest")
