"""A store's broker, and its line to the chain's: the bridge of deploy/chain/rabbitmq."""

import re

from rabbitmq import FILES
from servers import Mosquitto


class Store(Mosquitto):
    """`ports` are the chain's brokers. Without certificates the bridge speaks in the clear, as to a broker of a test."""

    def __init__(self, site, ports, certificates=None):
        super().__init__()
        text = (FILES / "bridge.conf").read_text().replace("berlin-17", site)
        addresses = " ".join(f"127.0.0.1:{port}" for port in ports)
        text, changes = re.subn(r"^addresses .*$", f"addresses {addresses}", text, flags=re.MULTILINE)
        assert changes == 1, "addresses"
        if certificates:
            for name, file in (("ca.crt", "ca.crt"), ("bridge.crt", f"{site}.crt"), ("bridge.key", f"{site}.key")):
                text = text.replace(f"/etc/mosquitto/beacond/{name}", str(certificates / file))
        else:
            text = re.sub(r"^bridge_(cafile|certfile|keyfile) .*\n", "", text, flags=re.MULTILINE)
        # A test waits less than a store may.
        text = text.replace("restart_timeout 5 60", "restart_timeout 1 2")
        with open(self.folder / "conf", "a", encoding="utf-8") as conf:
            conf.write(text)
