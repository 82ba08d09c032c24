"""The heat map on the plan, and its table, on a phone."""
import time

from shop import Publisher, Shop, common, stamp
from verdict import check, expect, picture

EPOCH = "01M7YFBND8NHZK0BZS3VJ4ZZ24"
HOUR_S = 3600


def sheet(number, cells):
    """The hour that ended `number` hours ago. A cell is x, y, seconds, beacons."""
    end = time.time() // HOUR_S * HOUR_S - number * HOUR_S
    names = ("x_m", "y_m", "seconds", "beacons")
    return common(site="warm", gateway="site", epoch=EPOCH, sheet=9 - number, from_at=stamp(end - HOUR_S), to_at=stamp(end), page=0, pages=1, cell_m=1,
                  cells=[{"floor": 0} | dict(zip(names, cell, strict=True)) for cell in cells], omitted_cells=3, omitted_s=45, unplaced_s=0)


def heat(browser, broker):
    """The page shows the hours that came since it was opened, as colours and as a table."""
    people = Shop(Publisher(broker.port, "heat"), site="warm")
    people.open()
    tab = browser.tab(broker.url("warm"), 390, 844)
    tab.until("page.reader.ready && page.site()?.gateways.has('site')", "it reads")
    check("without a sheet there is nothing to choose", tab.value("document.getElementById('tab-heat').hidden"))
    cells = [(0.5, 0.5, 3600, 12), (1.5, 0.5, 200, 5), (0.5, 1.5, 900, 7)]
    people.publisher.publish(people.topic("site", "heat"), sheet(1, cells))
    expect(tab, "the first sheet brings the choice", "!document.getElementById('tab-heat').hidden")
    pixel = ("(() => { const at = (x_m, y_m) => [...page.plan.context.getImageData(Math.round(page.plan.camera.x(x_m) * page.plan.canvas.width / page.plan.camera.width),"
             " Math.round(page.plan.camera.y(y_m) * page.plan.canvas.height / page.plan.camera.height), 1, 1).data].slice(0, 3);"
             " page.plan.camera.scale = 40; page.plan.camera.x_m = 1; page.plan.camera.y_m = 1; page.plan.touched = page.plan.fitted = true; page.plan.draw();"
             " const light = ([red, green, blue]) => 0.3 * red + 0.59 * green + 0.11 * blue;"
             " return [[0.8, 0.2], [0.8, 1.8], [1.8, 0.2], [2.7, 2.2]].map(([x_m, y_m]) => light(at(x_m, y_m))); })()")
    plain = tab.value(pixel)
    tab.value("document.getElementById('tab-heat').click()")
    rows = "[...document.querySelectorAll('#heat-cells tr')].map((row) => row.innerText.trim().split(/\\s*\\t\\s*/).join('|').replace(/\\u00a0/g, ' '))"
    expect(tab, "the table has each cell, the warmest first",
           f"JSON.stringify({rows}) === JSON.stringify(['0.5|0.5|60 min|12', '0.5|1.5|15 min|7', '1.5|0.5|3 min|5'])", rows)
    warm = tab.value(pixel)
    # Lighter to darker on a light ground, also without colours.
    check("a warmer cell is darker on the plan", warm[0] < warm[1] - 20 < warm[2] - 30 < plain[3], f"{plain} {warm}")
    check("the key has a sample and a time for each shade", tab.value("document.querySelectorAll('#heat-key li').length === 5")
          and "up to 60" in tab.text("#heat-key"), tab.text("#heat-key"))
    check("what is left out is said", "45" in tab.text("#heat-omitted"), tab.text("#heat-omitted"))
    check("the picture's name has the heat", "the heat of 3 cells, the warmest at 0.5, 0.5 m" in tab.value("document.getElementById('plan').getAttribute('aria-label')"))
    check("nothing sticks out of a phone", tab.value("document.documentElement.scrollWidth <= innerWidth"
          " && [...document.querySelectorAll('#panel-heat *')].every((one) => one.getBoundingClientRect().right <= innerWidth)"),
          tab.value("JSON.stringify([document.documentElement.scrollWidth, innerWidth, ...[...document.querySelectorAll('body *')]"
                    ".filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.id || one.tagName)])"))
    check("the columns of the table have headings", tab.value("document.querySelectorAll('#panel-heat th[scope=col]').length") == 4)
    people.publisher.publish(people.topic("site", "heat"), sheet(1, cells))
    people.publisher.publish(people.topic("site", "heat"), sheet(0, cells[:1]))
    expect(tab, "the next hour is added, and a sheet that comes twice is not", f"{rows}[0] === '0.5|0.5|2 h|12' || {rows}[0] === '0.5|0.5|120 min|12'", rows)
    people.publisher.publish(people.topic("site", "heat"), sheet(2, [(column + 0.5, 9.5, 60, 5) for column in range(40)]))
    expect(tab, "the table says that it has the warmest cells alone", "document.getElementById('heat-caption').innerText === 'The 30 warmest of 43 cells'",
           "document.getElementById('heat-caption').innerText")
    picture(tab, "heat-phone")
