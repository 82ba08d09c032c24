"""A hundred events may wait, and thousands come: the oldest go, and a gap names them."""

import json

from delivery import BEGIN, Account, Crowd, ended, prove, until

LIMIT = 100


def scenario(checks, house):
    broker = house.broker()
    proxy = house.proxy(broker.port)
    gateway = house.gateway("bounded", proxy.port, outbox=f"max_events = {LIMIT}")
    with house.subscriber(broker.port) as subscriber:
        # Some events arrive before the fault.
        air = Crowd(BEGIN, 40, 6)
        child = gateway.hears(air, speed=4)
        until(lambda: len(subscriber.all("/event")) > 300)
        proxy.refuses = True
        proxy.silence()
        # Long enough for hundreds. Then it is quiet, so that no more events are lost.
        away = air.at
        until(lambda: air.at > away + 20)
        air.beacons = 0
        proxy.refuses = False

        def stated():
            return len(Account(gateway, subscriber.messages).stated())

        def counted():
            return [health["dropped"].get("outbox_max_events") for health in subscriber.all("/health")][-1:]
        checks.check("health counts what was dropped", until(lambda: stated() and counted() == [stated()], step=0.2),
                     f"{counted()}, and {stated()} stated")
        child.air.end()
        checks.check("it ends with 0", ended(child) == 0, gateway.said())
        subscriber.catch_up()
        account = Account(gateway, subscriber.messages)
        account.hold(checks, "bounded", gateway, broker.port, is_complete=False)
        missing, stated = set(account.missing()), account.stated()
        checks.check("many times the limit was lost", len(missing) > 3 * LIMIT, len(missing))
        checks.none("what is missing is stated", sorted(missing - stated))
        checks.check("what is stated is missing, but for what was under way", len(stated - missing) <= 40,
                     len(stated - missing))
        checks.check("the cause is max_events", {gap["cause"] for gap in account.gaps} == {"max_events"}, account.gaps)
        checks.check("one outage makes few gaps", len(account.gaps) <= 3, account.gaps)
        checks.none("gaps have the capture's time", [
            gap for gap in account.gaps if gap["clock"] != "synced" or not gap["at"].startswith("2026-01-01T00:")])
        late = [seq for seq in later_than_their_gap(gateway, subscriber.messages)]
        checks.none("no event arrives after the gap that declares it lost", late)
        epoch, next_seq, waiting = gateway.numbers()
        checks.check("the newest arrive", account.last == {epoch: next_seq - 1} and waiting == 0, account.last)
        print(f"bounded: {len(missing)} of {next_seq - 1} lost, gaps "
              + ", ".join(f"{gap['from_seq']}–{gap['to_seq']}" for gap in account.gaps))


def later_than_their_gap(gateway, messages):
    lost, seen = set(), set()
    for topic, payload, _ in messages:
        if topic == gateway.root + "gap":
            gap = json.loads(payload)
            if "from_seq" in gap:
                lost |= set(range(gap["from_seq"], gap["to_seq"] + 1))
        elif topic.startswith(gateway.root) and topic.endswith("/event"):
            seq = json.loads(payload)["seq"]
            if seq in lost and seq not in seen:
                yield seq
            seen.add(seq)


prove(scenario)
