"""The page's words for unknown states, and for gateways that need help."""
import time

from shop import Publisher, Shop, beacon, common, status
from verdict import check, expect

# A device on which a minute has passed.
LATER = "(() => { const now = Date.now; Date.now = () => now() + 60000; })()"


def stale(browser, broker):
    """A lost connection freezes what is shown."""
    people = Shop(Publisher(broker.port, "stale"), site="stale")
    people.open()
    people.walk(0.1)
    tab = browser.tab(broker.url("stale"))
    tab.until("page.reader.ready && page.site()?.gateways.size >= 7", "it reads")
    people.publish()
    tab.until("document.querySelectorAll('#beacon-list li').length === 14", "all are there")
    check("while it is connected nothing is greyed", not tab.value("document.body.classList.contains('frozen')"))
    broker.end()
    expect(tab, "a broker that is gone is said with the time of the picture", r"/as of \d\d:\d\d:\d\d\./.test(document.getElementById('broken-words').textContent)")
    tab.value(LATER)
    listed = tab.value("page.listed")
    expect(tab, "the picture is greyed", f"document.body.classList.contains('frozen') && page.listed > {listed}")
    check("a minute without a connection forgets nobody", tab.value("document.querySelectorAll('#beacon-list li').length") == 14
          and "14 beacons" in tab.text("#beacon-count"), tab.text("#beacon-count"))
    check("the seconds of the next attempt are not announced",
          tab.value("!document.querySelector('#broken-wait').closest('[role=alert], [role=status], [aria-live]')"))
    broker.start()
    tab.value("document.getElementById('try-now').click()")
    expect(tab, "a button tries again at once", "page.reader.ready && !document.body.classList.contains('frozen') && document.getElementById('broken').hidden")
    people.publish()


def missing(browser, broker):
    """A configured gateway that never spoke counts as one that needs help."""
    people = Shop(Publisher(broker.port, "missing"), site="berlin-17")
    for gateway in ("entrance", "tills", "bakery", "store-room"):
        people.publisher.publish(people.topic(gateway, "status"), status(), retain=True)
    remedy = "Bluetooth is blocked: run 'sudo rfkill unblock bluetooth'. " + "Then look again. " * 300
    people.publisher.publish(people.topic("dairy", "status"), status("blocked", remedy), retain=True)
    people.publisher.publish(people.topic("wine", "status"), b"", retain=True)
    tab = browser.tab(broker.url("berlin-17"), 390, 844)
    expect(tab, "it is counted", "document.getElementById('gateway-count').textContent === '6 gateways, 2 need help'", "document.getElementById('gateway-count').textContent")
    expect(tab, "and named", "[...document.querySelectorAll('#gateway-list li[data-tone=bad]')].some((one) => one.textContent.includes('never heard') && one.textContent.includes('id = \"wine\"'))")
    headline = "! 2 of 6 need help: dairy is blocked, wine was never heard"
    expect(tab, "the headline says it", f"document.getElementById('connection').textContent === '{headline}'", "document.getElementById('connection').textContent")
    tab.value("document.getElementById('connection').click()")
    inside = """(() => { const list = document.getElementById('panel-gateways').getBoundingClientRect();
        return [...document.querySelectorAll('#gateway-list li[data-tone=bad] .remedy')].map((one) => one.getBoundingClientRect())
            .every((box) => box.height > 0 && box.top >= list.top && box.bottom <= innerHeight && box.height < 100); })()"""
    expect(tab, "a tap on it shows both remedies on a phone, however long they are", inside, f"[{inside}, document.getElementById('panel-gateways').innerText]")
    tab.value("document.querySelector('#gateway-list summary').click()")
    expect(tab, "the remedy stands before the facts", "(() => { const row = document.querySelector('#gateway-list li');"
           " return row.querySelector('.remedy').getBoundingClientRect().top < row.querySelector('dl').getBoundingClientRect().top; })()")
    people.publisher.publish(people.topic("dairy", "status"), status(), retain=True)
    people.publisher.publish(people.topic("wine", "status"), status(), retain=True)
    expect(tab, "and once all is well, that", "document.getElementById('connection').textContent === '✓ 6 of 6 gateways hear'", "document.getElementById('connection').textContent")


def elsewhere(browser, broker):
    """A store that is looked at no more is read no more."""
    publisher = Publisher(broker.port, "elsewhere")
    for site in ("north", "south"):
        publisher.publish(f"beacons/{site}/door/status", status(), retain=True)

    def publish_one(site, minor):
        publisher.publish(f"beacons/{site}/door/region/carts/ranging", common(region="carts", count=1, beacons=[beacon(2, minor)]))

    tab = browser.tab(broker.url("north"))
    tab.until("page.reader.ready && page.site()?.gateways.has('door')", "it reads")
    tab.value("(() => { page.came = []; const take = page.take; page.take = function (topic, ...rest) { page.came.push(topic); return take.call(page, topic, ...rest); }; })()")
    publish_one("north", 1)
    expect(tab, "the store that is looked at is read", "page.site().beacons.known.size === 1")
    tab.value("location.hash = '#site=south'")
    expect(tab, "another one is read instead", "page.siteName === 'south' && page.site()?.gateways.has('door')")
    for _ in range(300):
        publish_one("south", 0)
        time.sleep(0.1)
        if tab.value("page.came.includes('beacons/south/door/region/carts/ranging')"):
            break
    tab.value("page.came.length = 0")
    publish_one("north", 2)
    publish_one("south", 3)
    expect(tab, "and the former one no more", "page.came.includes('beacons/south/door/region/carts/ranging') && !page.came.includes('beacons/north/door/region/carts/ranging')", "page.came")
    tab.value("location.hash = '#site=%2B'")
    expect(tab, "a wildcard in the address is refused", "document.getElementById('notices').textContent.includes('No store can be called') && page.siteName === 'south'")
    publish_one("north", 4)
    publish_one("south", 5)
    expect(tab, "and reads no other store", "page.site().beacons.known.size === 1 && [...page.site().beacons.known.values()][0].minor === 5")
    check("of the others nothing came", not tab.value("page.came.includes('beacons/north/door/region/carts/ranging')"))


def small(browser, broker):
    """A small window, a mischievous name and a long message spoil nothing."""
    publisher = Publisher(broker.port, "small")
    turned = "door-\u202etxt"
    publisher.publish(f"beacons/small/{turned}/status", status("blocked", "Turn it \u2066on."), retain=True)
    tab = browser.tab(broker.url("small"), 320, 256)
    tab.until("document.querySelectorAll('#gateway-list li').length === 1", "it reads")
    words = tab.value("document.body.textContent + [...document.querySelectorAll('[title], [aria-label]')].map((one) => one.title + one.getAttribute('aria-label')).join()")
    check("no name turns the direction of text", not any(one in words for one in "\u202e\u2066") and "door-\ufffdtxt" in words)
    check("at 400 % nothing sticks out, and the page scrolls", tab.value("document.documentElement.scrollWidth <= 320 && document.documentElement.scrollHeight > 256"))
    heights = tab.value("(() => { document.getElementById('connection').click();"
                        " return ['plan', 'panel-gateways'].map((id) => document.getElementById(id).getBoundingClientRect().height); })()")
    check("and plan and list have room", heights[0] >= 100 and heights[1] >= 80, heights)
    tab.value("document.getElementById('tab-map').click()")
    expect(tab, "an empty map says so", "!document.getElementById('map-none').hidden && document.getElementById('map-none').textContent.includes('has published where it is')")
    publisher.publish("beacons/small/door/status", b"{")
    expect(tab, "garbage is said", "document.querySelector('#notice-list [data-name=garbage]')")
    tab.value("document.querySelector('#notice-list [data-name=garbage] button').click()")
    check("and can be dismissed", tab.value("!document.querySelector('#notice-list [data-name=garbage]')"))
    publisher.publish("beacons/small/door/status", b"{{")
    tab.until("page.notices.garbage.count === 2", "more garbage comes")
    listed = tab.value("page.listed")
    expect(tab, "also what comes soon after", f"page.listed > {listed} && !document.querySelector('#notice-list [data-name=garbage]')")
    tab.value(LATER + "; " + LATER.replace("60000", "600000"))
    expect(tab, "and is said again ten minutes later", "document.querySelector('#notice-list [data-name=garbage]')")
    tab.value("document.getElementById('tab-plan').click()")
    legend = "document.querySelector('#panel-plan .key p').getBoundingClientRect().height"
    check("the legend covers nothing until it is asked for", tab.value(f"{legend} === 0"))
    tab.value("document.querySelector('#panel-plan .key summary').click()")
    check("and is there then", tab.value(f"{legend} > 20"))
    tab.value("document.getElementById('plan').focus()")
    before = tab.value("[page.plan.camera.x_m, page.plan.camera.y_m, page.plan.camera.scale]")
    for key in ("ArrowRight", "+", "0"):
        tab.key(key)
    check("0 shows all, as it was before", tab.value("[page.plan.camera.x_m, page.plan.camera.y_m, page.plan.camera.scale]") == before and not tab.value("page.plan.touched"))
