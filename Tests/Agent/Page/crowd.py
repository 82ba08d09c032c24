"""A large store on a small screen: 64 gateways and 1,000 beacons on a phone."""
import time

from shop import Publisher, beacon, common, status
from verdict import check, picture

HALL = [(column * 10 + 5, row * 8 + 4) for row in range(8) for column in range(8)]


def publish(publisher):
    """The store's messages about 1,000 beacons in its hall of 80 m by 64 m."""
    entries = [beacon(1, minor, zone=f"gate-{minor % 64}", zone_confidence=0.9, position={
        "x_m": round(minor * 7.31 % 80, 2), "y_m": round(minor * 3.97 % 64, 2), "floor": 0, "error_m": 1.5}) for minor in range(1000)]
    for start in range(0, 1000, 250):
        publisher.publish(f"beacons/hall/site/region/carts/{start // 250}/ranging", common(region="carts", count=250, beacons=entries[start:start + 250]))


def wait_for(tab, publisher, name, expression, why="null"):
    """Waits until it holds; meanwhile the store publishes its beacons again and again, as a store does."""
    for _ in range(300):
        publish(publisher)
        time.sleep(0.2)
        if tab.value(f"Boolean({expression})"):
            break
    check(name, tab.value(f"Boolean({expression})"), tab.value(f"JSON.stringify({why})"))


def crowd(browser, broker):
    """64 gateways and 1,000 beacons can be read on a phone."""
    publisher = Publisher(broker.port, "crowd")
    for number in range(64):
        said = status("blocked", "Release it: rfkill unblock bluetooth.") if number == 20 else status()
        publisher.publish(f"beacons/hall/gate-{number}/status", said, retain=True)
    publisher.publish("beacons/hall/site/status", status(), retain=True)
    tab = browser.tab(broker.url("hall"))
    tab.screen(390, 844, True)
    tab.until("page.reader.ready && page.site()?.gateways.size === 65", "it reads")
    places = ", ".join(f"['gate-{number}', {x}, {y}]" for number, (x, y) in enumerate(HALL))
    tab.value(f"for (const [id, x_m, y_m] of [{places}]) page.layout.gateways.set(id, {{ id, zone: id, floor: 0, rssi_offset_db: 0, x_m, y_m }});"
              " page.changes += 1")
    wait_for(tab, publisher, "1,000 beacons come", "page.plan.motes.all.size === 1000 && page.plan.shown.far")
    check("from afar they are numbers, and nobody is left out", tab.value("page.plan.shown.clusters.reduce((sum, one) => sum + one.count, page.plan.shown.dots.length)") == 1000)
    # What stands where on the screen: no label lies over another one, and the deaf gateway has its word.
    clash = """(() => { const all = page.plan.shown.labels.placed; return all.flatMap((one, index) => all.slice(index + 1)
        .filter((other) => one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top)
        .map((other) => one.words + ' over ' + other.words)); })()"""
    check("no label lies over another one", tab.value(clash) == [], tab.value(clash))
    check("the deaf gateway has its word", tab.value("page.plan.shown.labels.placed.some((one) => one.words === 'gate-20: adapter blocked')"))
    picture(tab, "crowd-phone")
    tab.value("document.getElementById('search').value = '1/500'; document.getElementById('search').dispatchEvent(new Event('input'))")
    sought = "page.plan.shown.sought.length === 1 && page.plan.shown.sought[0].mote.beacon.label === '1/500'"
    wait_for(tab, publisher, "what is looked for is shown above all others", sought)
    where = "(() => { const [{ x, y }] = page.plan.shown.sought; return x > 40 && y > 40 && x < page.plan.camera.width - 40 && y < page.plan.camera.height - 40; })()"
    wait_for(tab, publisher, "and the plan has moved to it", f"{where} && page.plan.camera.scale > 8", "page.plan.camera")
    picture(tab, "crowd-found")
    tab.value("document.getElementById('search').value = ''; document.getElementById('search').dispatchEvent(new Event('input'))")
    wait_for(tab, publisher, "after the search all are there again, as before", "page.plan.shown.far && page.plan.motes.all.size === 1000"
               " && page.plan.camera.scale < 8")
    tab.value("for (let step = 0; step < 6; step += 1) document.getElementById('zoom-in').click()")
    wait_for(tab, publisher, "from near they are dots", "!page.plan.shown.far && page.plan.shown.dots.length > 5", "[page.plan.camera, page.plan.shown.far, page.plan.shown.dots.length, page.plan.motes.all.size, page.sought, page.plan.before]")
    check("and their labels do not lie over each other", tab.value(clash) == [], tab.value(clash))
    picture(tab, "crowd-near")
    tab.screen(1280, 800)
    tab.value("page.plan.showAll()")
    wait_for(tab, publisher, "on a desk as well", f"page.plan.camera.width > 600 && page.plan.shown.labels.placed.length > 20 && ({clash}).length === 0", clash)
    picture(tab, "crowd-desk")
