"""Troubles: garbage, a broker that goes away, a login."""
import json
import time

from bench import GuardedBroker
from shop import Publisher, Shop, beacon, common, stamp, status
from verdict import SCRATCH, SITE, check, expect


def hostile(browser, broker, publisher):
    """Garbage and markup in messages."""
    tab = browser.tab(broker.url("berlin-17"))
    tab.until(f"page.reader.ready && {SITE}?.gateways.size >= 7", "it reads")
    markup = "<img src=x onerror=window.hit=1><script>window.hit=1</script>"
    publisher.publish(f"beacons/berlin-17/{markup.replace('/', '')}/status", status("blocked", markup + " $& ${1}"), retain=True)
    publisher.publish("beacons/berlin-17/site/region/carts/ranging", common(region="carts", count=1, beacons=[
        beacon(9, 9, uuid=markup, zone=markup, position={"x_m": 5, "y_m": 5, "floor": 0, "error_m": 1})]))
    expect(tab, "markup is text", f"document.getElementById('gateway-list').textContent.includes({json.dumps(markup)})")
    check("and nothing else", tab.value("window.hit === undefined && document.querySelectorAll('main img, main script').length === 0"))
    bad = [b"", b"{", b"\xff\xfe", b"null", b"[" * 100000, b'{"at":1e999}', b'{"__proto__":{"at":1}}', json.dumps(common(beacons="x")).encode(),
           json.dumps(common(beacons=[{"major": -1}])).encode(), b"x" * 200000, b'{"at":"2026-01-01T00:00:00Z","beacons":[null]}']
    for payload in bad:
        publisher.publish("beacons/berlin-17/tills/region/carts/ranging", payload)
    for topic in ("beacons/berlin-17/tills/region/carts/99999/state", "beacons/berlin-17/__proto__/status", "beacons/constructor/toString/status"):
        publisher.publish(topic, b"{}")
    expect(tab, "what can't be read is counted and said", "/could not be read.*toString/.test(document.getElementById('notices').textContent)")
    Shop(publisher).publish()
    expect(tab, "the page lives on", f"{SITE}.beacons.known.size === 14")
    publisher.publish(f"beacons/berlin-17/{markup.replace('/', '')}/status", b"", retain=True)
    expect(tab, "a status that is cleared takes the gateway away", "!document.getElementById('gateway-list').textContent.includes('onerror')")


def away(browser, broker):
    """A broker that goes, a network that goes, a clock that is off."""
    tab = browser.tab(broker.url("berlin-17"))
    tab.until(f"page.reader.ready && {SITE}?.gateways.size >= 7", "it reads")
    broker.end()
    expect(tab, "a broker that is gone is said", "document.getElementById('notices').textContent.includes('Trying again')")
    check("and what was there stays to be seen", tab.value(f"{SITE}.gateways.size >= 7"))
    broker.start()
    expect(tab, "it comes back by itself", "page.reader.ready && document.getElementById('connection').dataset.state === 'online'")
    expect(tab, "and the notice goes", "!document.getElementById('notices').textContent.includes('Trying again')")
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    tab.call("Network.emulateNetworkConditions", offline=True, **network)
    expect(tab, "a device without a network shows so", "document.getElementById('notices').textContent.includes('no network')")
    tab.call("Network.emulateNetworkConditions", offline=False, **network)
    expect(tab, "and it goes on by itself", "page.reader.ready && !document.getElementById('notices').textContent.includes('no network')")
    publisher = Publisher(broker.port, "clock")
    publisher.publish("beacons/berlin-17/tills/status", status(), retain=True)
    for _ in range(6):
        publisher.publish("beacons/berlin-17/tills/region/carts/ranging", {**common(region="carts", count=0, beacons=[]), "at": stamp(time.time() - 3600)})
    expect(tab, "a clock that is off is said", "/60\\smin ahead of/.test(document.getElementById('notices').textContent)")


def login(browser):
    """A broker that wants to know who looks, as deploy/broker sets it up."""
    broker = GuardedBroker(SCRATCH / "guarded")
    try:
        broker.gateway_says("beacons/berlin-17/entrance/status", json.dumps(status()))
        tab = browser.tab(f"https://localhost:{broker.web}/#site=berlin-17")
        expect(tab, "a login is asked for", "!document.getElementById('login').hidden")
        enter = ("document.getElementById('username').value = 'anna'; document.getElementById('password').value = '%s'; "
                 "document.getElementById('login-form').requestSubmit()")
        tab.value(enter % "wrong")
        expect(tab, "a wrong one is said", "document.getElementById('login-words').textContent.includes('refuses')")
        tab.value(enter % "let me look")
        expect(tab, "the right one shows the store", "page.site()?.gateways.get('entrance')?.status && document.getElementById('login').hidden")
        # Another page with the same name does not push it out.
        other = browser.tab(f"https://localhost:{broker.web}/#site=berlin-17")
        other.until("!document.getElementById('login').hidden", "the other asks as well")
        other.value(enter % "let me look")
        other.until("page.reader.ready", "the other is in")
        broker.gateway_says("beacons/berlin-17/entrance/health", json.dumps(common(tracks=1)))
        expect(tab, "two with one name are both served", "page.reader.ready && page.site().gateways.get('entrance').health !== null")
        write = """new Promise((resolve) => {
            const socket = new WebSocket(page.reader.url, 'mqtt'), text = (value) => [0, value.length, ...new TextEncoder().encode(value)];
            socket.onopen = () => {
                const login = [0, 4, 77, 81, 84, 84, 4, 0xc2, 0, 60, ...text('page-w'), ...text('anna'), ...text('let me look')];
                socket.send(new Uint8Array([0x10, login.length, ...login]));
                for (const topic of ['beacons/berlin-17/entrance/status', 'beacons/berlin-17/page/status', 'beacons/berlin-17/entrance/request/state']) {
                    const body = [...text(topic), 0x7b, 0x7d];
                    socket.send(new Uint8Array([0x31, body.length, ...body]));
                }
                socket.send(new Uint8Array([0xc0, 0]));
            };
            let octets = 0;
            socket.onmessage = async (event) => { octets += event.data.size; if (octets >= 6) resolve(true); };
        })"""
        check("the broker has heard of each attempt to write", tab.value(write))
        broker.gateway_says("beacons/berlin-17/entrance/location", json.dumps(common(service="standard", age_s=0, fix={
            "at": stamp(), "latitude": 52.5, "longitude": 13.4, "horizontal_accuracy_m": 10})))
        expect(tab, "what came after them is there", "page.site().gateways.get('entrance').fix !== null")
        check("the login may read, and write nothing", tab.value("page.site().gateways.get('entrance').status.state === 'online' && !page.site().gateways.has('page')"
              " && page.notices.garbage.count === 0"), tab.text("#notices"))
    finally:
        broker.end()
