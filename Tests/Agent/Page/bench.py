"""The bench of the checks: a broker that serves the page, and agents that publish to it."""
import re
import subprocess

import programs
from ports import free_port, until_answers
from project import ROOT

BUILD = ROOT / "deploy/page/build"


def configuration(gateways):
    """A site's configuration with the gateways of the shop."""
    return '[site]\nid = "berlin-17"\n' + "".join(
        f'[[site.gateway]]\nid = "{name}"\nzone = "{zone}"\nposition = [{x}, {y}]\nfloor = 0\n' for name, (zone, x, y) in gateways.items())


class Broker(programs.Broker):
    """A broker with a second listener, which serves the page."""

    def __init__(self, folder, *options):
        self.folder, self.web = folder, free_port()
        (folder / "www").mkdir(parents=True)
        subprocess.run([BUILD, "--output", folder / "www/index.html", *options], check=True, stdout=subprocess.DEVNULL)
        super().__init__(folder, f"max_queued_messages 0\npersistence true\npersistence_location {folder}/\n"
                         f"listener {self.web} 127.0.0.1\nprotocol websockets\nhttp_dir {folder}/www")
        self.start()

    def start(self, *before):
        super().start(*before)
        until_answers(self.web)

    def url(self, site=None):
        return f"http://127.0.0.1:{self.web}/" + (f"#site={site}" if site else "")


class GuardedBroker:
    """The store's broker and the page's as deploy/broker sets them up, with their access lists; folder and ports are the test's."""

    def __init__(self, folder):
        self.folder, self.port, self.web, self.plain = folder, free_port(), free_port(), free_port()
        (folder / "www").mkdir(parents=True)
        subprocess.run([BUILD, "--output", folder / "www/index.html"], check=True, stdout=subprocess.DEVNULL)
        make_ca = ROOT / "deploy/broker/make-ca"
        for words in ([], ["server", "localhost"], ["client", "berlin-17/entrance"], ["client", "berlin-17/page"]):
            subprocess.run([make_ca, folder / "ca", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for kind in ("crt", "key"):
            for name, certificate in (("store", "localhost"), ("page", "localhost"), ("bridge", "berlin-17-page")):
                (folder / f"{name}.{kind}").write_bytes((folder / f"ca/{certificate}.{kind}").read_bytes())
        for name in ("ca.crt", "crl.pem"):
            (folder / name).write_bytes((folder / "ca" / name).read_bytes())
        subprocess.run(["mosquitto_passwd", "-b", "-c", folder / "passwords", "anna", "let me look"], check=True, stderr=subprocess.DEVNULL)
        store = (ROOT / "deploy/broker/store/mosquitto.conf").read_text().split("# --- The bridge to the chain's broker")[0]
        self._programs = [self.begin("store", store), self.begin("page", (ROOT / "deploy/broker/page/mosquitto.conf").read_text()), self.tunnel()]

    def begin(self, name, text):
        """mosquitto with such a configuration, in this folder and on these ports."""
        for ours in ("/etc/mosquitto/beacond", "/etc/beacond-page", "/run/beacond-page"):
            text = text.replace(ours, str(self.folder))
        text = text.replace(f"{self.folder}/acl", f"{self.folder}/{name}.acl").replace("persistence_location /var/lib/mosquitto/", f"persistence_location {self.folder}/")
        text = text.replace("listener 8883", f"listener {self.port}").replace("listener 8080", f"listener {self.plain}")
        # The broker's plugin and its options have their own tests.
        text = re.sub(r"^plugin.*\n", "", text, flags=re.M)
        text = re.sub(r"^address .*", f"address localhost:{self.port}", text, flags=re.M)
        (self.folder / f"{name}.acl").write_bytes((ROOT / f"deploy/broker/{name}/acl").read_bytes())
        (self.folder / f"{name}.conf").write_text(text + "\nuser root\n")
        return self.begun("mosquitto", "-c", self.folder / f"{name}.conf", port=self.port if name == "store" else self.plain)

    def tunnel(self):
        text = (ROOT / "deploy/broker/page/stunnel.conf").read_text().replace("/etc/stunnel/page.", f"{self.folder}/page.")
        text = re.sub(r"^set[ug]id.*\n", "", text, flags=re.M).replace(":::8443", f"127.0.0.1:{self.web}").replace("127.0.0.1:8080", f"127.0.0.1:{self.plain}")
        (self.folder / "stunnel.conf").write_text("foreground = yes\npid =\n" + text)
        return self.begun("stunnel", self.folder / "stunnel.conf", port=self.web)

    def begun(self, *command, port):
        program = programs.Program(command, self.folder / "log").start()
        until_answers(port)
        return program

    def end(self):
        for program in reversed(self._programs):
            program.end()

    def gateway_says(self, topic, payload):
        """A gateway with a certificate publishes a retained message."""
        subprocess.run(["mosquitto_pub", "-h", "localhost", "-p", str(self.port), "--cafile", self.folder / "ca.crt", "--cert",
                        self.folder / "ca/berlin-17-entrance.crt", "--key", self.folder / "ca/berlin-17-entrance.key", "-V", "5", "-q", "1",
                        "-r", "-t", topic, "-m", payload], check=True)


def agent(beacond, folder, port, site, name, *, extra="", speed="5", seconds=75):
    """A replay of a simulated shop through the whole agent to the broker."""
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f'[gateway]\nsite = "{site}"\nid = "{name}"\nstate_dir = "{folder}"\n[mqtt]\nurl = "mqtt://127.0.0.1:{port}"\n{extra}')
    capture = folder / "shop.btsnoop"
    subprocess.run([beacond, "simulate", "--seed", "1", "--seconds", str(seconds), "--start-now", "--write", capture],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return programs.Program([beacond, "replay", capture, "--speed", speed, "--output", "mqtt", "--config", folder / "config.toml"]).start()
