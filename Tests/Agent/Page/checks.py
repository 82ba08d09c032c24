"""The checks of the page, one after the other; the last line has the counts. See run."""
import json
import os
import time

from beacons import beacons
from bench import ROOT, Broker, agent, configuration
from browser import Browser
from counting import last_line
from crowd import crowd
from declared import declared, rules_of
from figures import chain, load
from setup import calibration, tiles
from heat import heat
from programs import Program
from today import today
from shop import GATEWAYS, Publisher, Shop, common, status
from truth import elsewhere, missing, small, stale
from trouble import away, hostile, login
from verdict import BEACOND, REGION, SCRATCH, SITE, check, expect, live, picture, scenario

# --- Rules ------------------------------------------------------------------------------------------------------------

def rules(browser):
    """The rules of the page's modules hold in the browser."""
    for name, why in rules_of(browser, ROOT):
        check(name, why is None, why)


# --- What is on the page is what was published ------------------------------------------------------------------------

def agents(browser, broker):
    """The events of a real agent, and its goodbye."""
    tab = browser.tab(broker.url("store"))
    tab.until("page.reader.ready", "it connects")
    # The subscription is in force once something retained that was asked for has come.
    Publisher(broker.port).publish("beacons/store/ready/status", status(), retain=True)
    tab.until("page.site()?.gateways.has('ready')", "it reads")
    subscriber = Program(["mosquitto_sub", "-p", broker.port, "-t", "beacons/store/golden/#", "-F", "%t\t%p"], SCRATCH / "messages").start()
    golden = agent(BEACOND, SCRATCH / "golden", broker.port, "store", "golden", extra=REGION)
    expect(tab, "a beacon that is heard is in the list", "document.getElementById('beacon-list').innerText.includes('2/1')")
    expect(tab, "without a store its distance from the gateway is said", "document.getElementById('beacon-list').innerText.includes('from golden')")
    expect(tab, "a new address is shown as resolving", "[...page.site().beacons.known.values()].some((one) => one.shown?.resolving)")
    check("the agent plays to its end", golden.ended() == 0)
    expect(tab, "its goodbye is on the page", "document.getElementById('gateway-list').innerText.includes('offline')")
    time.sleep(0.5)
    subscriber.end()
    messages = [line.split("\t") for line in subscriber.said().splitlines()]
    events = {json.loads(payload)["seq"]: json.loads(payload)["type"] for topic, payload in messages if topic.endswith("/event")}
    shown = tab.value("Object.fromEntries(page.site().events.map((one) => [one.seq, one.type]))")
    check("every event is on the page, and no other", {int(seq): kind for seq, kind in shown.items()} == events and events, f"{shown} {events}")
    dwell = [json.loads(payload).get("dwell_s") for topic, payload in messages if topic.endswith("/event") and '"exit"' in payload]
    lines = tab.value("document.querySelectorAll('#event-list li').length")
    check("a visit is one line", lines == sum(kind == "enter" for kind in events.values()), tab.text("#event-list"))
    tab.value("document.getElementById('raw').click()")
    words = tab.text("#event-list .what")
    check("an exit says how long the stay was", all(f"after {value:.0f} s" in words or f"after {value:.1f} s" in words for value in dwell), f"{dwell} {words}")
    expect(tab, "who is gone is gone", "page.site().beacons.known.size === 0")


def until_shown(people, read, wanted):
    """The page's value once it is the expected one, or after a minute; the shop repeats its messages, as a store does."""
    for _ in range(300):
        people.publish()
        time.sleep(0.2)
        if read() == wanted:
            break
    return read()


def shop(browser, broker, publisher):
    """A store's messages about its zones and places."""
    people = Shop(publisher)
    people.open()
    tab = browser.tab(broker.url("berlin-17"))
    tab.until("page.reader.ready", "it connects")
    tab.until(f"{SITE}?.gateways.size >= 7", "the gateways come")
    people.walk(0.1)
    live(people, 15)
    people.publish()
    wanted = {f"2/{one['minor']}": [round(one["place"][0], 2), round(one["place"][1], 2)] for one in people.people if one["minor"] != 7}
    place = "[...page.plan.motes.all.values()].filter((one) => one.certain).map((one) => [one.beacon.label, [one.aim.x_m, one.aim.y_m]])"
    found = until_shown(people, lambda: dict(tab.value(place)), wanted)
    check("beacons stand where the store says", found == wanted, f"{found} {wanted}")
    expect(tab, "a beacon glides to its place and then stands", "[...page.plan.motes.all.values()].every((one) => Math.abs(one.x_m - one.aim.x_m) < 0.01)")
    for zone in {zone for zone, _, _ in GATEWAYS.values()}:
        count = sum(one["zone"] == zone for one in people.people)
        people.publish()
        # The gateway of the dairy is deaf.
        words = str(count) if zone != "dairy" else f"{count}, some unknown" if count else "?"
        expect(tab, f"the count of zone {zone}", f"[...document.querySelectorAll('#zone-list li')].some((one) => one.textContent === '{zone} {words}')")
    rows = tab.value("[...document.querySelectorAll('#beacon-list li')].map((one) => [one.querySelector('.who').textContent, one.querySelector('.marks').textContent])")
    marks = {name: mark for name, mark in rows if mark}
    check("resolving, duplicate and unknown are said in words", marks == {"2/3": "resolving", "2/5": "duplicate", "2/7": "unknown"}, marks)
    search(tab, people)
    gateways(tab, publisher)
    names(browser, tab)
    keyboard(tab)
    pictures(tab, people)
    own = [url for url in tab.requests() if not url.startswith((f"http://127.0.0.1:{broker.web}/", "data:", "blob:"))]
    check("no request leaves the broker", not own, own)


def search(tab, people):
    for typed, rows in (("2/4", 1), ("uuid:39ed", 14), ("uuid:40", 0), ("major:2", 14), ("minor:11", 1), ("id:carts", 14), ("id:phones", 0)):
        tab.value(f"document.getElementById('search').value = '{typed}'; document.getElementById('search').dispatchEvent(new Event('input'))")
        people.publish()
        expect(tab, f"a search for {typed}", f"document.querySelectorAll('#beacon-list li').length === {rows}")
        expect(tab, f"a search for {typed} on the plan", f"page.plan.motes.all.size === {rows}")
    tab.value("document.getElementById('search').value = ''; document.getElementById('search').dispatchEvent(new Event('input'))")


def gateways(tab, publisher):
    words = tab.text("#gateway-list li[data-tone=bad]")
    check("a radio that does not work is said in a word, with its remedy", "adapter blocked" in words and "rfkill unblock" in words, words)
    publisher.publish("beacons/berlin-17/tills/health", common(reports_per_s=212, tracks=14, queue_depth=3, rss_kib=9508, cpu_percent=0.4,
                      uptime_s=86400, dropped={"radio_queue": 5}, rejected={}, recoveries={}, suspected_spoofing=[], outbox=""), retain=True)
    tab.value("page.choose(null, 'tills')")
    expect(tab, "a gateway's health", "document.getElementById('gateway-list').innerText.replace(/\\s+/g, ' ').includes('reports per second 212')")
    publisher.publish("beacons/berlin-17/tills/status", status(clock="unsynced"), retain=True)
    expect(tab, "a gateway whose clock is not set", "document.getElementById('gateway-list').textContent.includes('clock not set')")
    publisher.publish("beacons/berlin-17/tills/status", status(), retain=True)


def names(browser, tab):
    nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
    bare = [node["role"]["value"] for node in nodes if not node.get("ignored") and node["role"]["value"] in
            ("button", "tab", "textbox", "searchbox", "combobox", "image", "img", "spinbutton") and not node.get("name", {}).get("value")]
    check("everything that can be used has a name", not bare, bare)
    label = tab.value("document.getElementById('plan').getAttribute('aria-label')")
    check("the plan is described in words", "6 gateways and 14 beacons" in label and "1 unknown" in label, label)


def keyboard(tab):
    tab.value("document.getElementById('tab-beacons').focus()")
    tab.key("ArrowRight")
    check("arrows go from tab to tab", tab.value("document.activeElement.id") == "tab-events" and not tab.value("document.getElementById('panel-events').hidden"))
    tab.value("document.getElementById('plan').focus()")
    before = tab.value("page.plan.camera.x_m")
    tab.key("ArrowRight")
    check("arrows move the plan", tab.value("page.plan.camera.x_m") > before)


# Walls and shelves of the shop, 24 m by 16 m, as lines that are seen by day and by night.
FLOOR_PLAN = """(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 960, height: 640 }), plan = canvas.getContext('2d');
    const box = (x, y, width, height) => plan.strokeRect(x * 40, 640 - (y + height) * 40, width * 40, height * 40);
    plan.strokeStyle = plan.fillStyle = '#8a949e';
    plan.lineWidth = 5;
    box(0.1, 0.1, 23.8, 15.8);
    box(0.1, 10.4, 5.4, 5.5);
    plan.lineWidth = 2;
    for (const x of [13.5, 15.5, 17.5]) box(x, 6, 0.9, 4.2);
    for (const y of [5.4, 7.6]) box(3, y, 7, 0.8);
    for (const x of [7.2, 8.8, 11.2, 12.8]) box(x, 1.2, 0.7, 1.8);
    page.layout.plan = { image: canvas.toDataURL('image/png'), width_m: 24 };
    page.plan.showImage(page.layout.plan.image);
})()"""


def pictures(tab, people):
    """Pictures for the articles, and that nothing sticks out on a phone."""
    tab.value("document.activeElement.blur(); page.choose(null, null)")
    tab.value(FLOOR_PLAN)
    tab.until("page.plan.image", "the plan is shown")
    for width, height, mobile in ((1280, 760, False), (390, 844, True)):
        for dark in (False, True):
            tab.screen(width, height, mobile)
            tab.dark(dark)
            tab.value("page.plan.touched = false; page.plan.fit()")
            # What is seen at night are the events.
            tab.value(f"document.getElementById('tab-{'events' if dark else 'beacons'}').click()")
            live(people, 12, 0.4)
            picture(tab, f"{'phone' if mobile else 'desk'}-{'dark' if dark else 'light'}")
            check(f"nothing sticks out at {width} pixels", tab.value("document.documentElement.scrollWidth <= innerWidth"))
    tab.value("page.layout.plan = null; page.plan.showImage(null)")
    tab.screen(1440, 900)
    tab.dark(False)


# --- The map ----------------------------------------------------------------------------------------------------------

def van(browser, broker):
    """A gateway that rides: its trail, its course and its circle, of a real agent and a receiver's log."""
    golden = ROOT / "Tests/Agent/Golden"
    folder = SCRATCH / "van"
    folder.mkdir()
    text = (golden / "van.toml").read_text()
    head = f'[mqtt]\nurl = "mqtt://127.0.0.1:{broker.port}"\n'
    (folder / "config.toml").write_text(text if "[mqtt]" in text else text + head)
    tab = browser.tab(broker.url("fleet"))
    tab.until("page.reader.ready", "it connects")
    tab.value("document.getElementById('tab-map').click()")
    command = [BEACOND, "replay", golden / "first-run.btsnoop", "--location", golden / "van.gpsd", "--speed", "40", "--output", "mqtt",
               "--config", folder / "config.toml"]
    replay = Program(command, folder / "said").start()
    expect(tab, "the van moves on the map", "page.map.things().movers.some((one) => one.id === 'van-7' && one.trail.length > 20 && one.fix.course_deg !== null)",
           "page.map.things()")
    expect(tab, "its depot is a circle, with its state", "page.map.things().circles.some((one) => one.region === 'depot' && one.radius_m === 150)")
    expect(tab, "its events are shown", "document.getElementById('event-list').textContent.includes('depot')")
    # A second in which the batches are over.
    check("it plays to its end", replay.ended() == 0, replay.said())
    picture(tab, "map")


# The long parts, which the short form leaves.
LONG = (calibration, chain, crowd, declared, elsewhere, hostile, load, missing, stale, van)


def is_left(run):
    """Whether this form of the suite leaves these checks out. Those of the shop are the beginning of all."""
    chosen = os.environ.get("SUITE_PARTS", "").split()
    if os.environ["SUITE_FORM"] == "short":
        return run in LONG
    return os.environ["SUITE_FORM"] == "rest" and run is not shop and (run not in LONG or bool(chosen) and run.__name__ not in chosen)


def main():
    (SCRATCH / "site.toml").write_text(configuration(GATEWAYS))
    broker = Broker(SCRATCH / "broker", "--config", SCRATCH / "site.toml")
    try:
        with Browser(SCRATCH / "profile") as browser:
            publisher = Publisher(broker.port)
            for run, *arguments in ((tiles,), (rules, browser), (declared, browser), (small, browser, broker), (shop, browser, broker, publisher), (today, browser, broker), (heat, browser, broker), (beacons, browser, broker), (calibration, browser, broker),
                                    (hostile, browser, broker, publisher), (agents, browser, broker), (van, browser, broker), (away, browser, broker),
                                    (stale, browser, broker), (missing, browser, broker), (elsewhere, browser, broker),
                                    (crowd, browser, broker), (login, browser), (load, browser, broker), (chain, browser, broker)):
                # What the shop has published stays at the broker, and some of the others look at it.
                if is_left(run):
                    continue
                begin = time.monotonic()
                scenario(run, *arguments)
                check(f"nothing is complained about by the pages of {run.__name__}", not browser.complaints(), browser.complaints())
                browser.close_tabs()
                print(f"{run.__name__}: {time.monotonic() - begin:.0f} s", flush=True)
    finally:
        broker.end()
    last_line()


main()
