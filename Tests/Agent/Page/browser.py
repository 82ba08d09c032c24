"""A headless Chromium, driven over its DevTools protocol through two pipes: JSON values, each with a zero octet behind it."""
import base64
import json
import os
import select
import subprocess
import time

PATIENCE_S = int(os.environ["PATIENCE_S"])


class Failure(AssertionError):
    """A failure of the browser, or of the page in it."""


class Browser:
    """Begins Chromium with a profile of its own. Use it with `with`."""

    def __init__(self, folder):
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()
        # The shell puts the pipes' ends where Chromium looks for them. Root needs --no-sandbox.
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--mute-audio",
                   "--force-device-scale-factor=1", "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"]
        shell = f'exec "$@" 3<&{to_child} 4>&{from_child}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "-", *command], pass_fds=[to_child, from_child], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.events, self.targets = b"", 0, [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Failure("the browser does not answer")
            piece = os.read(self.read_end, 1 << 20)
            if not piece:
                raise Failure("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """A command and its result; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self.receive(deadline)
            if answer.get("id") != self.number:
                self.events = self.events[-20000:] + [answer]
            elif "error" in answer:
                raise Failure(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def tab(self, url, width=1440, height=900, dark=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.targets.append(target)
        tab = Tab(self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.call(f"{domain}.enable")
        # An authority of the test's own stands behind its certificates.
        tab.call("Security.setIgnoreCertificateErrors", ignore=True)
        tab.screen(width, height)
        tab.dark(dark)
        tab.open(url)
        return tab

    def complaints(self):
        """Exceptions of the pages since the last ones were closed, and what their policy refused."""
        thrown = [event["params"]["exceptionDetails"] for event in self.events if event["method"] == "Runtime.exceptionThrown"]
        logged = [event["params"]["entry"] for event in self.events if event["method"] == "Log.entryAdded"]
        return [one.get("exception", {}).get("description", one["text"]) for one in thrown] + [
            one["text"] for one in logged if one["source"] == "security"]

    def close_tabs(self):
        """Ends all pages, so that what they still draw slows nothing down."""
        for target in self.targets:
            self.call("Target.closeTarget", targetId=target)
        self.targets, self.events = [], []


class Tab:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def screen(self, width, height, mobile=False, density=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=density, mobile=mobile)

    def dark(self, dark):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'" if url != "about:blank" else "true", f"{url} opens")

    def value(self, expression):
        """The value of an expression of JavaScript; a promise is awaited."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(f"{expression[:200]}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def until(self, expression, what, patience_s=PATIENCE_S):
        deadline = time.monotonic() + patience_s
        while not self.value(f"Boolean({expression})"):
            if time.monotonic() > deadline:
                raise Failure(f"not so: {what}; the page says: {self.value('document.body.innerText')[:1500]}")
            time.sleep(0.05)

    def text(self, selector):
        words = self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent).join('\\n')")
        # A number and its unit stay on one line.
        return words.replace("\u00a0", " ")

    def key(self, name, code=None):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=code or name, windowsVirtualKeyCode={"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37}.get(name, 0))

    def drag(self, start, end):
        """Presses the mouse at one point and lets it go at the other; a tap where both are the same."""
        self.mouse("mousePressed", start)
        if start != end:
            for share in (0.3, 0.7, 1):
                self.mouse("mouseMoved", [one + (other - one) * share for one, other in zip(start, end)])
        self.mouse("mouseReleased", end)

    def mouse(self, kind, place):
        self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", buttons=1, clickCount=1)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def requests(self):
        """The addresses that the page asked for, in the order of time."""
        return [event["params"]["request"]["url"] for event in self.browser.events
                if event.get("sessionId") == self.session and event["method"] == "Network.requestWillBeSent"]
