"""A hundred events may wait, and thousands come: the oldest go, and a gap says which."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from delivery import BEGIN, Account, crowd, prove, until

LIMIT = 100


def scenario(checks, house):
    broker = house.broker()
    proxy = house.proxy(broker.port)
    gateway = house.gateway("bounded", proxy.port, outbox=f"max_events = {LIMIT}")
    with house.subscriber(broker.port) as subscriber:
        # Some events arrive while all is well.
        child = gateway.replay(crowd(BEGIN, 130, 100, 6).write(house.path / "bounded"), "--speed", "10")
        until(lambda: len(subscriber.all("/event")) > 300, 20)
        proxy.refuses = True
        proxy.silence()
        time.sleep(9)
        proxy.refuses = False
        checks.check("it ends with 0", child.wait(180) == 0, gateway.said())
        time.sleep(0.5)
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
        health = subscriber.all("/health")[-1]
        checks.check("health counts what was dropped",
                     health["dropped"].get("outbox_max_events") == len(stated), health)
        epoch, next_seq, waiting = gateway.numbers()
        checks.check("the newest arrive", account.last == {epoch: next_seq - 1} and waiting == 0, account.last)
        print(f"bounded: {len(missing)} of {next_seq - 1} lost, gaps "
              + ", ".join(f"{gap['from_seq']}–{gap['to_seq']}" for gap in account.gaps))


def later_than_their_gap(gateway, messages):
    import json
    lost, seen = set(), set()
    for _, topic, payload, _ in messages:
        if topic == gateway.root + "gap":
            gap = json.loads(payload)
            lost |= set(range(gap["from_seq"], gap["to_seq"] + 1))
        elif topic.startswith(gateway.root) and topic.endswith("/event"):
            seq = json.loads(payload)["seq"]
            if seq in lost and seq not in seen:
                yield seq
            seen.add(seq)


prove(scenario)
