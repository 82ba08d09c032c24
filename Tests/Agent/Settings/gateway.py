"""A real agent that takes settings over MQTT, and an operator who publishes them and hears what the agent says."""

import json
import os
import pathlib
import subprocess
import threading

import paho.mqtt.client as mqtt
from paho.mqtt.subscribeoptions import SubscribeOptions
from programs import Program
from servers import wait_until

BEACOND = os.environ.get("BEACOND", "")
# Every message that agents publish goes there for the contract's judge.
RECORD = pathlib.Path(os.environ.get("RECORD", os.devnull))
JUDGED = ("status", "settings/reported", "health")
UUID = "39ED98FF-2900-441A-802F-9C398FC199D2"
CARTS = {"id": "carts", "uuid": UUID}
NAME = "store/gw"


class Operator:
    """Publishes settings, and remembers what all gateways say: (topic, payload), oldest first."""

    def __init__(self, port, version=mqtt.MQTTv5):
        self.heard = []
        self.ready = threading.Event()
        self.mqtt = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=version)
        self.mqtt.on_connect, self.mqtt.on_message = self._connect, self._message
        self.mqtt.on_subscribe = lambda *_: self.ready.set()
        self.mqtt.reconnect_delay_set(1, 1)
        self.mqtt.connect("127.0.0.1", port)
        self.mqtt.loop_start()
        assert self.ready.wait(60), "the operator was not let in"

    def _connect(self, client, *_):
        if client._protocol == mqtt.MQTTv5:
            client.subscribe("beacons/#", options=SubscribeOptions(1, retainAsPublished=True))
        else:
            client.subscribe("beacons/#", 1)

    def _message(self, _client, _data, message):
        self.heard.append((message.topic, message.payload))
        kind = message.topic.split("/", 3)[-1]
        if kind in JUDGED and message.payload and self.mqtt._protocol == mqtt.MQTTv5:
            line = {"topic": message.topic, "qos": message.qos, "retain": message.retain, "payload": json.loads(message.payload)}
            with open(RECORD, "a", encoding="utf-8", buffering=1 << 20) as file:
                file.write(json.dumps(line) + "\n")

    def publish(self, message, name=NAME):
        """Publishes settings/desired: an object, or octets as they are."""
        payload = message if isinstance(message, (bytes, str)) else json.dumps(message)
        sent = self.mqtt.publish(f"beacons/{name}/settings/desired", payload, qos=1, retain=True)
        sent.wait_for_publish(60)

    def set(self, version, tables, name=NAME):
        self.publish({"schema": 1, "version": version, "tables": tables}, name)

    def last(self, kind, name=NAME):
        """The last message of a kind as an object; None where it is cleared or there is none."""
        payload = next((payload for topic, payload in reversed(self.heard) if topic == f"beacons/{name}/{kind}"), b"")
        return json.loads(payload) if payload else None

    def count(self, kind, name=NAME):
        return sum(topic == f"beacons/{name}/{kind}" for topic, _ in self.heard)

    def reports(self, name=NAME):
        return [json.loads(payload) for topic, payload in self.heard if topic == f"beacons/{name}/settings/reported" and payload]

    def in_effect(self, name=NAME):
        return (self.last("status", name) or {}).get("settings") or {}

    def is_online(self, name=NAME):
        return (self.last("status", name) or {}).get("state") == "online"

    def states(self, name, first):
        """The states in its statuses, from the message of that index on."""
        return [json.loads(payload)["state"] for topic, payload in self.heard[first:] if topic == f"beacons/{name}/status" and payload]

    def waits_for(self, version, outcome, name=NAME):
        """Waits for a report of that version and outcome; returns it."""
        def found():
            report = self.last("settings/reported", name) or {}
            return report.get("version") == version and report.get("outcome") == outcome
        wait_until(found, lambda: f"{name}: {outcome} {version}, but {self.last('settings/reported', name)}")
        return self.last("settings/reported", name)

    def waits_for_use(self, version, name=NAME):
        """Waits until the gateway reports the version as applied, and its status shows it."""
        report = self.waits_for(version, "applied", name)
        wait_until(lambda: self.in_effect(name).get("version") == version and self.is_online(name),
                   lambda: f"{name}: status of version {version}, but {self.last('status', name)}")
        return report

    def close(self):
        self.mqtt.disconnect()
        self.mqtt.loop_stop()


class Gateway(Program):
    """An agent without an adapter, with its own folder. `more` are further lines of its file."""

    def __init__(self, folder, port, name=NAME, fleet='settings = "on"', more=""):
        self.name, self.port = name, port
        self.folder = folder / name.replace("/", "-")
        self.folder.mkdir()
        self.state = self.folder / "state"
        self.state.mkdir()
        self.file = self.folder / "config.toml"
        super().__init__([BEACOND, "run", "--config", self.file], self.folder / "log")
        self.configure(fleet, more)

    def configure(self, fleet='settings = "on"', more="", file=None):
        site, identity = self.name.split("/")
        (file or self.file).write_text(
            f'[gateway]\nsite = "{site}"\nid = "{identity}"\nstate_dir = "{self.state}"\n[mqtt]\nurl = "mqtt://127.0.0.1:{self.port}"\n'
            f'[fleet]\n{fleet}\n[commands]\nenabled = true\n[[region]]\nid = "carts"\nuuid = "{UUID}"\n{more}')

    def command(self, name, file=None):
        done = subprocess.run([BEACOND, name, "--config", file or self.file], capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def settings(self, file=None):
        """Returns the text of `beacond settings`, and the digest and the version in its first line."""
        status, text, said = self.command("settings", file)
        assert status == 0, said
        head = text.split("\n", 1)[0]
        return text, head.rsplit("digest ", 1)[1], head.split(": ", 1)[1].rsplit(",", 1)[0]

    def stored(self):
        """settings.json as an object; None where there is none."""
        file = self.state / "settings.json"
        return json.loads(file.read_bytes()) if file.exists() else None

    def rss_mib(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) // 1024
