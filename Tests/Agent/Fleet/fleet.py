"""The chain under a fleet: brokers, collectors, a database, real agents behind a store's line, light clients, and what goes wrong."""

import contextlib
import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import time

import psycopg

import agents
from collector_test import Collector
from costs import Part
from network import Proxy
from programs import Program
from rabbitmq import FILES, RabbitMQ
from servers import ROOT, SCHEMA, Mosquitto, PostgreSQL, run, scratch_folder, wait_until
from store import Store

SITES = ("berlin-17", "paris-3")
EPOCH = "01KDVDNA0T000000000000FEET"
# Shops that are simulated; an agent plays one of them.
SHOPS = 8


@dataclasses.dataclass
class Size:
    """How much of it; each figure by an environment variable of its own, FLEET_GATEWAYS and so on."""

    agents: int = 10
    gateways: int = 600
    rate: int = 200
    # How long nothing goes wrong, how often a collector is killed, for how long the database and a line are away.
    steady_s: int = 15
    kills: int = 4
    away_s: int = 3
    cut_s: int = 10
    # Of three nodes, how many die; one after the other.
    nodes: int = 1

    @classmethod
    def ordered(cls):
        size = cls(100, 9900, 3000, 120, 100, 10, 3600, 3) if os.environ.get("FLEET") == "long" else cls()
        for field in dataclasses.fields(cls):
            with contextlib.suppress(KeyError):
                setattr(size, field.name, int(os.environ[f"FLEET_{field.name.upper()}"]))
        return size

    def seconds(self):
        """About how long all of it takes: so long the real agents have something to hear."""
        return self.steady_s + 4 * self.kills + self.away_s + self.cut_s + 30


class OneBroker(Mosquitto):
    """deploy/chain/mosquitto with its limits; a gateway is a connection. It is restarted, because killed it forgets up to a minute.

    One collector, without a group: mosquitto forgets groups when it is restarted, and acknowledges what it then has nobody for.
    """

    per_line, tls, members = 1, None, 1

    def __init__(self):
        shipped = (ROOT / "deploy/chain/mosquitto/mosquitto.conf").read_text().splitlines()
        words = ("max_", "message_size", "persistent_client", "autosave")
        super().__init__("\n".join(line for line in shipped if line.startswith(words)) + "\n")

    def ports(self):
        return [self.port]

    def leaders(self):
        return [self.process.pid]

    def member_options(self, _name):
        return []

    def store(self, site, ports):
        return Store(site, ports)

    def goes(self, size):
        self.kill(signal.SIGTERM)
        time.sleep(size.away_s)
        self.start()


class Cluster(RabbitMQ):
    """deploy/chain/rabbitmq; a connection is a store's bridge with four gateways."""

    per_line, members = 4, 3

    def start(self):
        super().start()
        self.let_in_tester()
        self.control(FILES / "add-store", *SITES)
        self.tls = {end: str(self.certificates / file) for end, file in (("ca", "ca.crt"), ("cert", "tester.crt"), ("key", "tester.key"))}
        return self

    def ports(self):
        return [node.mqtt for node in self.nodes]

    def leaders(self):
        return [node.process.pid for node in self.nodes]

    def member_options(self, name):
        """Each at a node of its own."""
        return self.collector_options(name)

    def store(self, site, ports):
        return Store(site, ports, self.certificates)

    def goes(self, size):
        """The first one has made the queue, and leads it."""
        for node in self.nodes[:size.nodes]:
            node.kill(signal.SIGKILL)
            time.sleep(size.away_s)
            node.start()


class Light(Program):
    """The process of the light clients."""

    def __init__(self, broker, size, scripts, folder):
        self._result = folder / "published.json"
        (folder / "order.json").write_text(json.dumps({
            "ports": broker.ports(), "tls": broker.tls, "gateways": size.gateways, "per_line": broker.per_line, "rate": size.rate,
            "epoch": EPOCH, "scripts": scripts, "result": str(self._result)}))
        super().__init__([sys.executable, pathlib.Path(__file__).with_name("light.py"), folder / "order.json"], folder / "light", cwd=folder)
        self.start()
        wait_until(lambda: self.status() is not None or "ready" in self.said(), "the light clients' lines")
        assert self.status() is None, self.said()[-3000:]

    def published(self):
        """Ends them. Returns the agents' messages, once all are acknowledged."""
        assert self.end() == 0, self.said()[-3000:]
        return json.loads(self._result.read_text())


class Chain:
    """All of it. `run` lets everything happen; afterwards `published` is what every gateway knows that it published."""

    def __init__(self, make_broker):
        self.size = Size.ordered()
        self.stack = contextlib.ExitStack()
        self.windows, self.figures = {}, []
        self.folder = scratch_folder("fleet")
        self.stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        # As a chain has it: what is committed is on the disk. The time of a commit is what is measured.
        self.database = PostgreSQL("fsync=on", "track_commit_timestamp=on", "max_connections=50").start()
        self.stack.callback(self.database.__exit__)
        run(SCHEMA, "--database", self.database.url)
        self.broker = make_broker()
        self.stack.callback(self.broker.__exit__)
        self.broker.start()
        # The first store's line is one that can be cut.
        self.lines = [Proxy(port).__enter__() for port in self.broker.ports()]
        self.stack.callback(self.cut)
        self.stores = [self.broker.store(site, ports) for site, ports in zip(
            SITES, ([line.port for line in self.lines], self.broker.ports()), strict=True)]
        for store in self.stores:
            self.stack.callback(store.__exit__)
            store.start()
        self.collectors, self.lives = {}, 0
        self.stack.callback(self.end_collectors, signal.SIGKILL)
        for name in range(self.broker.members):
            self.start_collector(name)

    def start_collector(self, name):
        self.lives += 1
        options = [*self.broker.member_options(name), "--metrics", self.database.folder / f"life-{self.lives}.prom"]
        self.collectors[name] = Collector(self.broker, self.database, *options, id=f"collector-{name}").is_ready()

    def end_collectors(self, number=signal.SIGTERM):
        statuses = [collector.end(number) for collector in self.collectors.values() if collector.status() is None]
        self.collectors = {}
        return statuses

    @contextlib.contextmanager
    def window(self, name):
        begin = time.time()
        yield
        self.windows[name] = (begin, time.time())
        # What was published last is not to wait for what goes wrong next.
        time.sleep(2)

    def run(self):
        scripts = [agents.script(self.folder, seed) for seed in range(1, 4)]
        shops = [agents.simulated(self.folder, 100 + number, self.size.seconds()) for number in range(min(SHOPS, self.size.agents))]
        real = [agents.Agent(self.folder, SITES[number % 2], f"g{number}", self.stores[number % 2].port, shops[number % len(shops)])
                for number in range(self.size.agents)]
        light = Light(self.broker, self.size, scripts, self.folder)
        self.steady(light, real)
        self.faults()
        self.light = light.published()
        self.published = self.light.pop("published") | {agent.name: agent.events() for agent in real}
        wait_until(lambda: self.events() >= sum(self.published.values()),
                   lambda: f"{sum(self.published.values())} events, not {self.events()}: {[one.said()[-500:] for one in self.collectors.values()]}")
        # Twice what a batch waits for: a repetition may still be on its way.
        time.sleep(1)
        self.statuses = self.end_collectors()

    def steady(self, light, real):
        """Nothing goes wrong: what it costs."""
        parts = [
            Part("brokers", self.broker.leaders), Part("database", lambda: [self.database.process.pid]),
            Part(f"collectors: {len(self.collectors)}", lambda: [one.pid for one in self.collectors.values()]),
            Part(f"{len(real)} agents", lambda: [agent.pid for agent in real]),
            Part("2 stores' brokers", lambda: [store.process.pid for store in self.stores]),
            Part("light clients", lambda: [light.pid])]
        carried = self.carried()
        with self.window("nothing"):
            time.sleep(self.size.steady_s)
        self.line_octets = self.carried() - carried
        self.figures += [part.figures(self.size.steady_s) for part in parts]

    def carried(self):
        return sum(line.carried for line in self.lines)

    def cut(self):
        for line in self.lines:
            line.__exit__()

    def mend(self):
        self.lines = [Proxy(line.target, line.port).__enter__() for line in self.lines]

    def faults(self):
        dice = random.Random(5)
        with self.window(f"{self.size.kills} times kill -9 of a collector"):
            for _ in range(self.size.kills):
                name = dice.randrange(self.broker.members)
                self.collectors[name].end(signal.SIGKILL)
                self.start_collector(name)
                time.sleep(dice.random())
            self.catch_up()
        with self.window("the database restarted"):
            self.database.kill(signal.SIGQUIT)
            time.sleep(self.size.away_s)
            self.database.start()
            self.catch_up()
        with self.window("a broker or node down"):
            self.broker.goes(self.size)
            self.catch_up()
        with self.window("a store's line cut"):
            self.cut()
            time.sleep(self.size.cut_s)
            self.mend()
            self.catch_up()

    def catch_up(self):
        """Until what is committed is of now: the newest event of the light clients is younger than two seconds. To look at the events
        themselves, again and again, would take a core from what is measured."""
        wait_until(lambda: self.ask("SELECT max(newest_at) > now() - interval '2 s' FROM beacons.gateway WHERE site LIKE 'light%'") == [(True,)],
                   lambda: f"the collectors to catch up: {[one.said()[-500:] for one in self.collectors.values()]}")

    def ask(self, sql):
        with psycopg.connect(self.database.url) as connection:
            answer = connection.execute(sql)
            return answer.fetchall() if answer.description else []

    def events(self):
        return self.ask("SELECT count(*) FROM beacons.event")[0][0]

    def __exit__(self, *_):
        self.stack.close()
