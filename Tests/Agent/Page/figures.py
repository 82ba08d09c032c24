"""How much the page bears. What is drawn is checked; how quickly is only said."""
import subprocess
import time

from bench import BUILD
from shop import Publisher, beacon, common, stamp, status
from verdict import check, expect, picture


def chain(browser, broker):
    """5,000 stores on the map."""
    publisher = Publisher(broker.port, "chain")
    for number in range(5000):
        at = {"latitude": 47 + number % 71 * 0.12, "longitude": 6 + number // 71 * 0.12}
        publisher.publish(f"beacons/shop-{number}/door/status", status("off", "Switch it on.") if number % 50 == 0 else status(), retain=True)
        publisher.publish(f"beacons/shop-{number}/door/location", common(service="standard", age_s=0, fix=dict(at, at=stamp(), horizontal_accuracy_m=10)), retain=True)
    publisher.publish("beacons/shop-0/last/status", status(), retain=True)
    probe = browser.tab(broker.url("shop-0"))
    probe.until("page.store.sites.size >= 5000 && page.site()?.gateways.has('last')", "all of them are retained")
    browser.close_tabs()
    tab = browser.tab("about:blank")
    begin = time.monotonic()
    tab.open(broker.url("shop-0"))
    tab.value("document.getElementById('tab-map').click()")
    tab.until("page.map.things().stores.length === 5000 && page.map.seen === page.version()", "all stores are drawn", 60)
    print(f"5,000 stores are on the map {time.monotonic() - begin:.2f} s after the page was asked for")
    whole(browser, broker, publisher)
    bad = tab.value("page.map.things().stores.filter((one) => one.condition.tone === 'bad').length")
    check("each store has its state", bad == 99, bad)
    picture(tab, "chain")


def whole(browser, broker, publisher):
    """The page of a chain opens with the gateways that need help."""
    for number in range(5000):
        publisher.publish(f"beacons/shop-{number}/door/health", common(queue_depth=3), retain=True)
    subprocess.run([BUILD, "--output", broker.folder / "www/chain.html"], check=True, stdout=subprocess.DEVNULL)
    tab = browser.tab("about:blank")
    begin = time.monotonic()
    tab.open(broker.url() + "chain.html")
    tab.until("page.attention?.stores >= 5000 && page.attention.list.length >= 100 && document.querySelectorAll('#help-list li').length >= 100", "who needs help is listed", 60)
    print(f"5,000 stores are judged {time.monotonic() - begin:.2f} s after the page was asked for")
    expect(tab, "the tab of those that need help is chosen", "document.getElementById('tab-help').getAttribute('aria-selected') === 'true'")
    expect(tab, "the headline counts them", "document.getElementById('connection').innerText.includes('need help')")
    check("a remedy stands beside each", "Switch it on." in tab.text("#help-list .remedy"))
    picture(tab, "help")
    tab.value("document.querySelector('#help-list button').click()")
    expect(tab, "a row opens its store", "page.siteName !== null && document.getElementById('tab-help').hidden")
    tab.value("const all = document.getElementById('site'); all.value = ''; all.dispatchEvent(new Event('change'))")
    expect(tab, "and all stores can be chosen again", "page.isChain && !document.getElementById('tab-help').hidden")


def load(browser, broker):
    """1,000 beacons and 64 gateways, ten times a second."""
    publisher = Publisher(broker.port, "load")
    for number in range(64):
        publisher.publish(f"beacons/load/gate-{number}/status", status(), retain=True)
    publisher.publish("beacons/load/site/status", status(), retain=True)
    tab = browser.tab(broker.url("load"))
    tab.until("page.reader.ready && page.site()?.gateways.size === 65", "it reads")
    end, updates, begin = time.monotonic() + 8, 0, time.monotonic()
    frames = None
    while time.monotonic() < end:
        for gateway in range(64):
            publisher.publish(f"beacons/load/gate-{gateway}/region/carts/ranging", common(region="carts", count=16, beacons=[
                beacon(1, minor, accuracy_m=2 + (updates + minor) % 5) for minor in range(gateway * 16, min(1000, gateway * 16 + 16))]))
        place = [beacon(1, minor, zone=f"gate-{minor % 64}", zone_confidence=0.9, position={
            "x_m": minor % 40 + updates % 10 * 0.2, "y_m": minor // 40 + updates % 7 * 0.2, "floor": 0, "error_m": 1.5}) for minor in range(1000)]
        for start in range(0, 1000, 250):
            publisher.publish(f"beacons/load/site/region/carts/{start // 250}/ranging", common(region="carts", count=250, beacons=place[start:start + 250]))
        updates += 1
        if frames is None and time.monotonic() - begin > 2:
            frames, since = tab.value("page.frames"), time.monotonic()
        time.sleep(max(0, begin + updates * 0.1 - time.monotonic()))
    rate = (tab.value("page.frames") - frames) / (time.monotonic() - since)
    print(f"{rate:.0f} frames a second with 1,000 beacons of 64 gateways, {updates / 8:.1f} updates a second of each")
    check("all of them are drawn", tab.value("page.plan.motes.all.size") == 1000, tab.value("page.plan.motes.all.size"))
