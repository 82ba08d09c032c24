"""deploy/chain/rabbitmq as three real nodes on loopback: its files with other names, ports and folders, and its scripts as they are."""

import os
import pathlib
import re
import secrets
import shutil
import signal
import threading

from servers import ROOT, Server, answers, free_port, run, scratch_folder, wait_until

FILES = ROOT / "deploy/chain/rabbitmq"
PROGRAMS = pathlib.Path("/usr/lib/rabbitmq/bin")


class Names(Server):
    """Erlang's directory of nodes; without one of ours, the first node would start one that outlives it."""

    def command(self):
        return [shutil.which("epmd"), "-port", self.port, "-address", "127.0.0.1"]

    def is_up(self):
        return answers(self.port)


class Node(Server):
    """One of the three."""

    def __init__(self, number, cluster):
        super().__init__(f"rabbitmq-{number}")
        self.name = f"broker-{number}@127.0.0.1"
        self.cluster = cluster
        self.amqp, self.mqtt, self.distribution = free_port(), free_port(), free_port()
        text = re.sub(r"rabbit@broker-(\d)\.example\.com", r"broker-\1@127.0.0.1", (FILES / "rabbitmq.conf").read_text())
        for old, new in (("ssl.default = 5671", f"ssl.1 = 127.0.0.1:{self.amqp}"), ("ssl.default = 8883", f"ssl.1 = 127.0.0.1:{self.mqtt}"),
                         ("/etc/rabbitmq/beacond", str(cluster.certificates)), ("= 4GB", "= 50MB")):
            assert old in text, old
            text = text.replace(old, new)
        (self.folder / "rabbitmq.conf").write_text(text)
        shutil.copy(FILES / "enabled_plugins", self.folder)
        # Erlang wants its secret to be readable by its owner alone.
        cookie = self.folder / ".erlang.cookie"
        cookie.write_text(cluster.cookie)
        cookie.chmod(0o400)
        if os.getuid() == 0:
            shutil.chown(cookie, "nobody")

    def environment(self):
        return {
            "HOME": str(self.folder), "RABBITMQ_NODENAME": self.name, "RABBITMQ_USE_LONGNAME": "true",
            "ERL_EPMD_PORT": str(self.cluster.names.port), "RABBITMQ_DIST_PORT": str(self.distribution),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null", "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            # Ours, which Debian's RabbitMQ would find in /usr/lib/rabbitmq/plugins, and its own.
            "RABBITMQ_PLUGINS_DIR": f"{self.cluster.plugins}:{(PROGRAMS / 'rabbitmq-server').resolve().parents[1]}/plugins",
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"), "RABBITMQ_LOG_BASE": str(self.folder / "logs"),
            "RABBITMQ_LOGS": "-", "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        }

    def command(self):
        return [PROGRAMS / "rabbitmq-server"]

    def is_up(self):
        return answers(self.amqp) and answers(self.mqtt)


class RabbitMQ:
    """The cluster, its authority and the certificates of those who talk to it."""

    def __init__(self):
        self.cookie = secrets.token_hex(16)
        self.certificates = scratch_folder("authority")
        authority = ROOT / "deploy/broker/make-ca"
        run(authority, self.certificates)
        run(authority, self.certificates, "server", "127.0.0.1")
        for name in ("collector", "operator", "tester", "berlin-17", "paris-3"):
            run(authority, self.certificates, "client", name)
        for end in ("crt", "key"):
            shutil.copy(self.certificates / f"127.0.0.1.{end}", self.certificates / f"broker.{end}")
        if os.getuid() == 0:
            run("chown", "-R", "nobody", self.certificates)
        self.plugins = scratch_folder("plugins")
        run(FILES / "client-id/build", self.plugins)
        if os.getuid() == 0:
            run("chown", "-R", "nobody", self.plugins)
        self.names = Names("epmd")
        self.nodes = [Node(number, self) for number in (1, 2, 3)]

    def start(self):
        self.names.start()
        # The first one makes the cluster, the others join it.
        self.nodes[0].start()
        others = [threading.Thread(target=node.start) for node in self.nodes[1:]]
        for one in others:
            one.start()
        for one in others:
            one.join()
        wait_until(lambda: all(node.is_up() for node in self.nodes), "three nodes")
        self.control(FILES / "set-up")
        return self

    def control(self, command, *arguments, node=0):
        """Runs one of RabbitMQ's programs, or of ours that call them, at a node."""
        return run(command, *arguments, env=os.environ | self.nodes[node].environment()).decode()

    def let_in_tester(self):
        """A user that may write everywhere, like all stores together."""
        self.control("rabbitmqctl", "add_user", "tester", secrets.token_hex(16))
        self.control("rabbitmqctl", "clear_password", "tester")
        self.control("rabbitmqctl", "set_permissions", "tester", ".*", ".*", ".*")

    def login(self, name):
        """Options of mosquitto's clients for a login."""
        at = self.certificates
        return ["--cafile", at / "ca.crt", "--cert", at / f"{name}.crt", "--key", at / f"{name}.key", "-V", "mqttv311"]

    def certificate(self, name):
        """A login in the octets of wire.py."""
        return [self.certificates / file for file in ("ca.crt", f"{name}.crt", f"{name}.key")]

    def waiting(self, queue):
        """How many messages a queue holds."""
        rows = self.control("rabbitmqctl", "--quiet", "list_queues", "--no-table-headers", "name", "messages").split("\n")
        return next(int(row.split("\t")[1]) for row in rows if row.startswith(queue + "\t"))

    # What the collector's tests want of a broker.

    def collector_options(self, node=0):
        at = self.certificates
        return ["--broker", f"amqps://127.0.0.1:{self.nodes[node].amqp}", "--group", "chain", "--ca-file", at / "ca.crt",
                "--cert-file", at / "collector.crt", "--key-file", at / "collector.key"]

    def own_options(self, name):
        """Of a collector with a queue that no other one has. deploy/chain/rabbitmq gives collectors the one queue of the chain."""
        own = r"^(chain|chain-dead-letters|own-.*|amq\.topic)$"
        self.control("rabbitmqctl", "set_permissions", "collector", own, own, own)
        return ["--id", name, "--group", f"own-{name}"]

    def forget_own(self, name):
        """Deletes the queue of such a collector."""
        self.control("rabbitmqctl", "delete_queue", f"own-{name}")

    def publish_options(self, node=0):
        return ["-h", "127.0.0.1", "-p", self.nodes[node].mqtt, *self.login("tester")]

    def forget(self, _id):
        """The queue is everybody's; what is left in it is stored by the next test's collector."""

    def is_empty(self):
        """Takes what waits out of every queue; whether none had anything, on its way to a consumer neither."""
        lines = self.control("rabbitmqctl", "list_queues", "--quiet", "--no-table-headers", "name", "messages").splitlines()
        full = [name for name, count in (line.split("\t") for line in lines if line) if count != "0"]
        for name in full:
            self.control("rabbitmqctl", "purge_queue", name)
        return not full

    def kill(self, number=signal.SIGKILL):
        for node in self.nodes:
            node.kill(number)

    def __exit__(self, *_):
        for server in (*self.nodes, self.names):
            server.__exit__()
        for folder in (self.certificates, self.plugins):
            shutil.rmtree(folder, ignore_errors=True)
