"""A store's day as beacond site retains it, on a phone at night."""
import time

from shop import Publisher, Shop, common, stamp, status
from verdict import check, expect, picture

HOUR_S = 3600
ENTRIES = [0, 0, 0, 0, 0, 0, 0, 3, 9, 14, 21, 26, 31, 28, 24, 22, 30, 12]


def day(hours=len(ENTRIES), **fields):
    """A day that began `hours` ago, of which one hour was not heard."""
    begin = time.time() // HOUR_S * HOUR_S - (hours - 1) * HOUR_S
    region = {"region": "carts", "visits": 223, "present": 14, "unknown": 0, "median_stay_s": 1290, "entries": ENTRIES[:hours],
              "last_week": [0] * 8 + [6, 12, 18, 25, 29, 33, 27, 20, 26, 31, 35, 22, 4, 0, 0, 0], **fields}
    heard = [{"from_at": stamp(begin + hour * HOUR_S), "heard_share": 0.3 if hour == 13 else 1} for hour in range(hours)]
    return common(day="2026-11-23", time_zone="", from_at=stamp(begin), to_at=stamp(begin + 24 * HOUR_S), hours=heard, regions=[region], omitted=0)


def today(browser, broker):
    """The day so far is right in a page that is opened late."""
    people = Shop(Publisher(broker.port, "today"), site="evening")
    people.open()
    people.publisher.publish(people.topic("site", "today"), day(), retain=True)
    tab = browser.tab(broker.url("evening"), 390, 844)
    tab.dark(True)
    tab.until("page.reader.ready && page.site()?.today", "it reads the retained day")
    tab.value("document.getElementById('tab-today').click()")
    figures = "[...document.querySelectorAll('#today-figures dd')].map((one) => one.textContent)"
    expect(tab, "its figures are there at once", f"JSON.stringify({figures}) === JSON.stringify(['223', '14', '22\\u00a0min'])", figures)
    words = tab.text("#today-words")
    check("the busiest hour and the hour that was not heard are said", "Busiest hour: 12–13, 31 visits." in words and "only in part: 13–14." in words, words)
    check("each hour is a row of the table, those to come too", tab.value("document.querySelectorAll('#today-hours tr').length") == 24)
    label = tab.value("document.querySelector('#today-chart svg').getAttribute('aria-label')")
    check("the chart is described in words", "07–08: 3" in label and "17–18: 12" in label, label)
    bars = tab.value("document.querySelectorAll('#today-chart .bar-today').length")
    check("an hour with visits has a bar", bars == sum(count > 0 for count in ENTRIES), bars)
    check("the week before is a line, and what was not heard is hatched",
          tab.value("document.querySelectorAll('#today-chart path.line-week').length === 1 && document.querySelectorAll('#today-chart path.hatch').length === 1"))
    check("nothing sticks out of a phone", tab.value("document.documentElement.scrollWidth <= innerWidth"
          " && [...document.querySelectorAll('#panel-today *')].every((one) => one.getBoundingClientRect().right <= innerWidth)"))
    picture(tab, "today-phone-dark")
    hostile = day(present=None)
    hostile["regions"].append({**hostile["regions"][0], "region": '<img src=x onerror="window.harmed = 1">'})
    people.publisher.publish(people.topic("site", "today"), hostile, retain=True)
    expect(tab, "who is present is unknown while no gateway hears", f"{figures}[1] === '?'", figures)
    check("a hostile name is only text", tab.value("window.harmed === undefined && document.querySelector('#panel-today img') === null"
          " && document.querySelectorAll('#today-region option').length === 2"))
    people.publisher.publish(people.topic("site", "today"), day(), retain=True)
    expect(tab, "the number comes back", f"{figures}[1] === '14'", figures)
    people.publisher.publish(people.topic("site", "status"), status(state="offline"), retain=True)
    expect(tab, "without beacond site it is unknown, and the page says why",
           f"{figures}[1] === '?' && document.getElementById('today-date').textContent.includes('beacond site does not run')", figures)
    visitors = {"region": "visitors", "entered": 34, "left": 31, "present": 18, "omitted": 0, "partial": False, "to_at": stamp(time.time())}
    people.publisher.publish(people.topic("site", "status"), status(), retain=True)
    people.publisher.publish(people.topic("site", "today"), {**day(), "people": [visitors]}, retain=True)
    expect(tab, "people are a region of their own", "document.querySelectorAll('#today-region option').length === 2")
    tab.value("document.getElementById('today-region').value = 'visitors'; document.getElementById('today-region').onchange()")
    expect(tab, "they have the sums of their counts, and no hours",
           f"JSON.stringify({figures}) === JSON.stringify(['34', '31', '18']) && document.querySelector('#today .key-line').offsetHeight === 0", figures)
