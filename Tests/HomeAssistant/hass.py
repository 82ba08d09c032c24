"""A real Home Assistant on this machine: started, asked over its own API, and stopped."""
import json
import pathlib
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import waiting
from ports import free_port

USER, PASSWORD = "operator", "only-for-this-test"


def entry(number, domain, data):
    """A configuration entry, as the dialogue of an integration would have stored it."""
    return {
        "entry_id": f"{number:032x}", "version": 1, "minor_version": 1, "domain": domain, "title": domain, "data": data,
        "options": {}, "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user",
        "unique_id": None, "disabled_by": None,
    }


class HomeAssistant:
    def __init__(self, programs: pathlib.Path, folder: pathlib.Path, broker: int):
        self.programs, self.folder, self.port = programs, folder, free_port()
        self.process, self.token = None, None
        (folder / ".storage").mkdir(parents=True)
        (folder / "configuration.yaml").write_text(
            f"api:\nconfig:\nhttp:\n  server_host: 127.0.0.1\n  server_port: {self.port}\nlogger:\n  default: warning\n")
        entries = [
            entry(1, "mqtt", {"broker": "127.0.0.1", "port": broker, "discovery": True}),
            entry(2, "owntracks", {"webhook_id": "0" * 64, "secret": "", "cloudhook": False}),
        ]
        (folder / ".storage" / "core.config_entries").write_text(
            json.dumps({"version": 1, "minor_version": 1, "key": "core.config_entries", "data": {"entries": entries}}))
        subprocess.run([programs / "hass", "--script", "auth", "-c", folder, "add", USER, PASSWORD],
                       check=True, capture_output=True)

    def start(self):
        log = open(self.folder / "output.log", "ab")
        self.process = subprocess.Popen([self.programs / "hass", "--skip-pip", "-c", self.folder], stdout=log, stderr=log)
        if not waiting.until(self.is_ready, step=0.5):
            raise RuntimeError("Home Assistant does not answer: " + self.complaints()[-2000:])
        return self

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError("Home Assistant ended: " + self.complaints()[-2000:])
        try:
            self.token = self.token or self.log_in()
            return self.get("config")["state"] == "RUNNING"
        except (OSError, KeyError):
            return False

    def log_in(self):
        client = f"http://127.0.0.1:{self.port}/"
        flow = self.post("/auth/login_flow", {"client_id": client, "handler": ["homeassistant", None], "redirect_uri": client})
        done = self.post("/auth/login_flow/" + flow["flow_id"], {"client_id": client, "username": USER, "password": PASSWORD})
        form = urllib.parse.urlencode({"grant_type": "authorization_code", "code": done["result"], "client_id": client})
        return self.ask("/auth/token", form.encode(), "application/x-www-form-urlencoded")["access_token"]

    def ask(self, path, body=None, kind="application/json"):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body, headers={"Content-Type": kind})
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def post(self, path, value):
        return self.ask(path, json.dumps(value).encode())

    def get(self, path):
        try:
            return self.ask("/api/" + path)
        except urllib.error.HTTPError as error:
            if error.code == 401:
                self.token = None
            raise

    def states(self):
        """Every entity by its id."""
        return {state["entity_id"]: state for state in self.get("states")}

    def render(self, template):
        """Home Assistant's result for a template, by which the test reads registries."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/template", data=json.dumps({"template": template}).encode(),
            headers={"Content-Type": "application/json", "Authorization": "Bearer " + self.token})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()

    def complaints(self):
        """Home Assistant's log, from warnings on."""
        return (self.folder / "output.log").read_text(errors="replace")
