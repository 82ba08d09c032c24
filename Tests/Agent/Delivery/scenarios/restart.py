"""The second start after a first one's state: still there, gone, new, another time, other regions."""

from delivery import BEGIN, Account, Capture, prove, region, retained

STAYS, GOES, COMES = 1, 2, 3
TEN_YEARS_S = 10 * 365.25 * 86_400
WHOLE = region("whole", "ranging = false")
SECOND = region("second", f"major = 1\nminor = {STAYS}\nranging = false")


def captures(house, name, second_begin):
    """First the two that are there; then, from `second_begin` on, one of them and a new one."""
    first, second = Capture(), Capture()
    first.noise(BEGIN, BEGIN + 30)
    second.noise(second_begin, second_begin + 30)
    first.visit(BEGIN + 1, STAYS, 29)
    first.visit(BEGIN + 2, GOES, 28)
    second.visit(second_begin, STAYS, 30)
    second.visit(second_begin + 5, COMES, 25)
    return first.write(house.path / f"{name}-1"), second.write(house.path / f"{name}-2")


def replayed(checks, house, broker, name, second_begin, then=None):
    """Events of the second start, by minor."""
    gateway = house.gateway(name, broker.port, exit_after_s=5)
    first, second = captures(house, name, second_begin)
    with house.subscriber(broker.port) as subscriber:
        checks.check(f"{name}: the first replay ends with 0", gateway.plays(first) == 0, gateway.said())
        subscriber.catch_up()
        checks.check(f"{name}: both enter", len(subscriber.all("/event")) == 2, subscriber.all("/event"))
        if then:
            gateway.configure(broker.port, regions=then, exit_after_s=5)
        checks.check(f"{name}: the second replay ends with 0", gateway.plays(second) == 0, gateway.said())
        subscriber.catch_up()
        account = Account(gateway, subscriber.messages)
        if not then:
            account.hold(checks, name, gateway, broker.port)
        events = [event for _, event in account.inOrder[2:]]
        return gateway, {minor: [event for event in events if event["minor"] == minor]
                         for minor in (STAYS, GOES, COMES)}


def check_usual(checks, name, events):
    checks.check(f"{name}: who is still there has no event", events[STAYS] == [], events[STAYS])
    checks.check(f"{name}: who is new enters", [event["type"] for event in events[COMES]] == ["enter"], events[COMES])
    checks.check(
        f"{name}: who is gone exits, once", [event["type"] for event in events[GOES]] == ["exit"], events[GOES])


def scenario(checks, house):
    broker = house.broker()
    _, events = replayed(checks, house, broker, "a minute later", BEGIN + 90)
    check_usual(checks, "a minute later", events)
    for event in events[GOES]:
        checks.check("a minute later: the exit is inferred", event.get("inferred") is True, event)
        # Stored at least every minute; here at the end of the first replay or at its entry.
        heard = event["last_heard_at"]
        checks.check("a minute later: it says when it was last heard",
                     "2026-01-01T00:00:02" <= heard <= "2026-01-01T00:00:30.001Z", heard)
        checks.check("a minute later: it entered before that", event["entered_at"] == "2026-01-01T00:00:02.000Z", event)
        checks.check("a minute later: dwell is what lies between", 0 <= event["dwell_s"] <= 28.1, event)

    _, events = replayed(checks, house, broker, "ten years later", BEGIN + TEN_YEARS_S)
    check_usual(checks, "ten years later", events)
    checks.none("ten years later: nobody dwelled for years",
                [event for event in events[GOES] if not 0 <= event["dwell_s"] <= 28.1])
    _, events = replayed(checks, house, broker, "ten years earlier", BEGIN - TEN_YEARS_S)
    check_usual(checks, "ten years earlier", events)
    checks.none("ten years earlier: dwell is not negative",
                [event for event in events[GOES] if not 0 <= event["dwell_s"] <= 31])

    gateway, events = replayed(checks, house, broker, "other regions", BEGIN + 90, then=[WHOLE, SECOND])
    checks.check("other regions: what began to be monitored now enters where it is first heard",
                 sorted(event["region"] for event in events[STAYS] if event["type"] == "enter") == ["second", "whole"], events)
    ends = [event for some in events.values() for event in some if event["region"] == "carts"]
    checks.check("other regions: of a region that is no longer configured, who was inside is published as unmonitored, once",
                 [(event["type"], event["minor"], event.get("unmonitored")) for event in ends]
                 == [("exit", STAYS, True), ("exit", GOES, True)], ends)
    states = retained(broker.port, gateway.root + "region/#")
    checks.check("other regions: their states are there",
                 [states.get(f"{gateway.root}region/{name}/state", {}).get("state") for name in ("whole", "second")]
                 == ["inside", "inside"], states)
    stale = [topic for topic, state in states.items() if "/carts/" in topic and state["state"] == "inside"]
    checks.none("other regions: a region that is gone is not left inside for ever", stale)


prove(scenario)
