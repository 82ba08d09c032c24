"""What the page says of what it does not know, and of what needs help."""
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
    people.tell()
    tab.until("document.querySelectorAll('#beacon-list li').length === 14", "all are there")
    check("while it is connected nothing is greyed", not tab.value("document.body.classList.contains('frozen')"))
    broker.stop()
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
    people.tell()
    check("nothing is complained about", not tab.complaints(), tab.complaints())
