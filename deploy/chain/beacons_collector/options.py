"""The command line and the environment."""

import argparse
import os
import socket
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

HELP = {"-h", "--help"}
PORTS = {"mqtt": 1883, "mqtts": 8883, "amqp": 5672, "amqps": 5671}
DESCRIPTION = """Takes the messages of gateways from the broker and commits them to the database, each number once. It acknowledges
only what is committed, and runs until SIGTERM."""
EPILOGUE = """User and password stand in the URL or in BEACONS_BROKER_USERNAME and BEACONS_BROKER_PASSWORD. The database's
password is taken as libpq takes it: PGPASSFILE, PGPASSWORD. Exit status: 0 stopped, everything taken is committed; 64 the
command line is wrong, or a file that it names; 70 a part of the collector failed, and it says which; 75 stopped while the database was away or did not answer for 10 s: the broker keeps what was taken."""


@dataclass(frozen=True)
class Options:
    """The options of the collector."""

    scheme: str
    host: str
    port: int
    virtual_host: str
    username: str | None
    password: str | None
    database: str
    group: str | None
    id: str
    prefix: str
    ca_file: str | None
    cert_file: str | None
    key_file: str | None
    receive_maximum: int
    metrics: str | None
    is_dead_letters: bool

    @property
    def is_encrypted(self) -> bool:
        return self.scheme in ("mqtts", "amqps")

    @property
    def is_amqp(self) -> bool:
        return self.scheme in ("amqp", "amqps")

    @property
    def topic_filter(self) -> str:
        return (f"$share/{self.group}/" if self.group else "") + self.prefix + "/#"


class Parser(argparse.ArgumentParser):
    """A parser that ends with 64 for a wrong command line, like every command of the project."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(64, f"{self.prog.rpartition('/')[2]}: {message}\n")


def parse(arguments: list[str]) -> Options:
    parser = Parser(prog="deploy/chain/collector", description=DESCRIPTION, epilog=EPILOGUE)
    parser.add_argument("--broker", required=True, metavar="URL",
                        help="mqtt://HOST[:PORT], mqtts://…, amqp://HOST[:PORT][/VHOST] or amqps://…")
    parser.add_argument("--database", type=database_url, required=True, metavar="URL", help="as libpq takes it: postgresql://HOST/NAME")
    parser.add_argument("--group", help="share the work: members of a group get each message once among them. Not with mosquitto: it "
                             "forgets groups when it is restarted, and then drops what comes before a member is back")
    parser.add_argument("--id", default=f"beacons-collector-{socket.gethostname()}",
                        help="the client id; under it the broker keeps the session for 7 days (default: %(default)s)")
    parser.add_argument("--prefix", default="beacons", help="what topics begin with (default: %(default)s)")
    parser.add_argument("--ca-file", metavar="FILE", help="the broker's authorities (default: the system's)")
    parser.add_argument("--cert-file", metavar="FILE", help="a certificate to log in with, and --key-file its key")
    parser.add_argument("--key-file", metavar="FILE")
    parser.add_argument("--receive-maximum", type=int, default=2000, metavar="N",
                        help="how many messages may be on their way, 1 to 65535: bounds memory (default: %(default)s)")
    parser.add_argument("--metrics", metavar="FILE", help="write figures for Prometheus' textfile collector every 15 s and at the end")
    parser.add_argument("--dead-letters", action="store_true",
                        help="with amqp: take what the broker has put aside (the queue GROUP-dead-letters), once, and end")
    given = parser.parse_args(arguments)
    try:
        url = urlsplit(given.broker)
        port = url.port or PORTS.get(url.scheme, 0)
    except ValueError as error:
        parser.error(f"--broker {given.broker}: {error}")
    if url.scheme not in PORTS or not url.hostname:
        parser.error(f"--broker {given.broker}: must be mqtt://, mqtts://, amqp:// or amqps:// and a host")
    if given.dead_letters and url.scheme not in ("amqp", "amqps"):
        parser.error("--dead-letters: only RabbitMQ has them, so --broker must be amqp:// or amqps://")
    if not given.id:
        parser.error("--id: must not be empty: the broker keeps the session under it")
    if not 1 <= given.receive_maximum <= 65535:
        parser.error("--receive-maximum: must be from 1 to 65535")
    if bool(given.cert_file) != bool(given.key_file):
        parser.error("--cert-file and --key-file go together")
    prefix = given.prefix.strip("/")
    if not prefix or any(sign in given.prefix + (given.group or "") for sign in "+#\0") or "/" in (given.group or ""):
        parser.error("--prefix and --group: topic levels without + and #; a group is one level")
    for file in (given.ca_file, given.cert_file, given.key_file):
        if file and not os.path.isfile(file):
            parser.error(f"{file}: no such file")
    return Options(
        url.scheme, url.hostname, port, unquote(url.path[1:]) or "/",
        unquote(url.username) if url.username else os.environ.get("BEACONS_BROKER_USERNAME"),
        unquote(url.password) if url.password else os.environ.get("BEACONS_BROKER_PASSWORD"), given.database,
        given.group, given.id, prefix, given.ca_file, given.cert_file, given.key_file, given.receive_maximum,
        given.metrics, given.dead_letters)


def database_url(url: str) -> str:
    """Checks for argparse that libpq understands the URL, since it would fail later otherwise. An empty one leaves everything to the environment. libpq's
    own message is not shown: it holds the URL, and so the password."""
    # Here, so that help needs no library.
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(url)
    except psycopg.Error:
        raise argparse.ArgumentTypeError("neither a URL nor a connection string of PostgreSQL") from None
    return url
