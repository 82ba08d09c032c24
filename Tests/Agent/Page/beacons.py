"""The health of beacons on a phone: their batteries, and those that fell silent, by the lists of gateways."""
import time

from shop import UUID, Publisher, common, stamp, status
from verdict import check, expect

HOUR_S = 3600


def heard(minor, hours, **fields):
    return {"uuid": UUID, "major": 3, "minor": minor, "first_heard_at": stamp(0), "last_heard_at": stamp(time.time() - hours * HOUR_S), "interval_ms": 1000, "rssi_dbm": -70,
            **({"telemetry_at": stamp(time.time() - HOUR_S), "format": "minew"} if fields else {}), **fields}


def beacons(browser, broker):
    """A page that is opened late shows batteries and silent beacons."""
    publisher = Publisher(broker.port, "beacons")

    def publish_list(page, pages, *entries):
        publisher.publish(f"beacons/cellar/door/beacons/{page}", common(page=page, pages=pages, beacons=list(entries)), retain=True)

    publisher.publish("beacons/cellar/door/status", status(), retain=True)
    publish_list(0, 2, heard(1, 0, battery_percent=87), heard(2, 3, battery_percent=7), heard(3, 30, battery_mv=2912))
    publish_list(1, 2, heard(4, 50, battery_mv=2300))
    tab = browser.tab(broker.url("cellar"), 390, 844)
    rows = "JSON.stringify([...document.querySelectorAll('#beacon-list li')].map((one) => one.innerText.split('\\n').join(' ').replaceAll('\\u00a0', ' ')))"
    tab.until("page.reader.ready && document.querySelectorAll('#beacon-list li').length === 4", "it reads the retained lists")
    shown = tab.value(f"JSON.parse({rows})")
    check("a beacon that no gateway ranges is in the list, with its battery and its last hearing", "last heard 3 h ago by door" in shown[1] and "battery 7 %" in shown[1], shown)
    check("a low battery and a silent beacon are marked in words", [("battery low" in row, "silent" in row) for row in shown] == [(False, False), (True, False), (False, True), (True, True)], shown)
    words = tab.text("#beacon-health")
    check("the page says how many", "2 batteries low" in words and "2 silent" in words, words)
    check("each number is a button that the keyboard reaches", tab.value("['low', 'silent'].every((one) => document.getElementById(`beacons-${one}`).tabIndex === 0)"))
    tab.value("document.getElementById('beacons-low').click()")
    expect(tab, "it searches for them", "document.querySelectorAll('#beacon-list li').length === 2 && document.getElementById('search').value === 'is:low'", rows)
    tab.value("document.querySelectorAll('#beacon-list button')[1].click()")
    expect(tab, "the card of a beacon has its battery", "document.querySelector('#beacon-list .card').textContent.includes('2.30\\u00a0V, read')", rows)
    check("nothing sticks out of a phone", tab.value("document.documentElement.scrollWidth <= innerWidth"
          " && [...document.querySelectorAll('#panel-beacons *')].every((one) => one.getBoundingClientRect().right <= innerWidth)"))
    tab.value("document.getElementById('search').value = ''; document.getElementById('search').dispatchEvent(new Event('input'))")
    publish_list(0, 1, heard(1, 0, battery_percent=87), heard(2, 3, battery_percent=7))
    publisher.publish("beacons/cellar/door/beacons/1", b"", retain=True)
    expect(tab, "a page that is cleared takes its beacons away", "document.querySelectorAll('#beacon-list li').length === 2 && document.getElementById('beacons-silent').hidden", rows)
    markup = "<img src=x onerror=window.hit=1>"
    publish_list(0, 1, {**heard(5, 0, battery_percent=9), "uuid": markup}, {**heard(6, 0), "battery_mv": 1e300})
    expect(tab, "a hostile list is only text", "document.querySelectorAll('#beacon-list li').length === 2 && window.hit === undefined && document.querySelector('main img') === null", rows)
    publisher.publish("beacons/cellar/door/status", b"", retain=True)
    expect(tab, "a gateway that is cleared takes its list away", "document.querySelectorAll('#beacon-list li').length === 0 && document.getElementById('beacon-health').hidden", rows)
