"""A gateway gets another name, or another machine, or a lower limit: nothing that it had said stays behind as a lie, what
waits is delivered under the name that said it, and none of that holds up the new one."""

import pathlib
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from delivery import BEGIN, Account, Capture, end, free_port, prove, region, retained, until
from mqtt_packets import text
from network import MARK

STAYS = 1


def arrivals(house, name, begin, minors):
    """Each of them comes and is still there at the end."""
    capture = Capture()
    capture.noise(begin, begin + 10)
    for index, minor in enumerate(minors):
        capture.visit(begin + 1 + index, minor, 9 - index)
    return capture.write(house.path / name)


def leave(checks, house, broker, name):
    """A gateway that has said something, and stops with more of it waiting: the next number, and what it retained."""
    old = house.gateway(name, broker.port, exit_after_s=60)
    checks.check(f"{name}: it speaks", old.plays(arrivals(house, f"{name}-1", BEGIN, [STAYS, 2])) == 0, old.said())
    old.configure(free_port(), exit_after_s=60)
    waiting = old.backlog(arrivals(house, f"{name}-2", BEGIN + 20, [STAYS, 3, 4]))
    checks.check(f"{name}: two events wait", waiting == 2, old.said())
    return old


def moved(house, old, name, port):
    return house.gateway(name, port, state=old.state, exit_after_s=60)


def delivers(checks, house):
    """The broker lets the gateway write under its former name."""
    broker = house.broker()
    with house.subscriber(broker.port) as subscriber:
        old = leave(checks, house, broker, "north")
        left = old.numbers()[0]
        new = moved(house, old, "south", broker.port)
        capture = arrivals(house, "south", BEGIN + 40, [STAYS, 5])
        checks.check("moved: it ends with 0", new.plays(capture) == 0, new.said())
        until(lambda: not retained(broker.port, old.root + "#"))
        account = Account(old, subscriber.messages)
        checks.check("moved: what waited arrives under the former topics",
                     sorted(account.events) == [(left, seq) for seq in (1, 2, 3, 4)], account.events)
        checks.none("moved: no gap is stated", account.gaps + Account(new, subscriber.messages).gaps)
        own = Account(new, subscriber.messages)
        epochs = {epoch for epoch, _ in own.events}
        checks.check("moved: the new one begins an epoch of its own, at 1",
                     len(epochs) == 1 and left not in epochs and min(seq for _, seq in own.events) == 1, own.events)
        own.hold(checks, "moved", new, broker.port)
        checks.check("moved: nothing is left retained under the former name",
                     retained(broker.port, old.root + "#") == {}, retained(broker.port, old.root + "#"))
        states = retained(broker.port, new.root + "region/#")
        checks.check("moved: no state was taken along",
                     sorted(topic.split("/")[-2] for topic in states) == ["1", "5"], states)


def refused(checks, house):
    """The broker lets the gateway write under its new name alone."""
    broker = house.broker(acl="topic readwrite #\n")
    with house.subscriber(broker.port) as subscriber:
        old = leave(checks, house, broker, "east")
        left, following, _ = old.numbers()
        lies = retained(broker.port, old.root + "#")
        # The subscriber marks its progress.
        broker.allow(f"topic read #\ntopic write beacons/proof/west/#\ntopic write {MARK}#\n")
        new = moved(house, old, "west", broker.port)
        child = new.replay(arrivals(house, "west", BEGIN + 40, [STAYS, 5]))
        checks.check("refused: it ends with 0", until(lambda: child.poll() is not None) and child.poll() == 0, new.said())
        until(lambda: subscriber.all("west/gap"))
        kinds = [topic.rsplit("/", 1)[1] for topic, _, _ in subscriber.messages if topic.startswith(new.root)]
        checks.check("refused: its own events arrive before what it was refused is given up",
                     kinds.count("event") == 2 and "event" not in kinds[kinds.index("gap"):], kinds)
        account, own = Account(old, subscriber.messages), Account(new, subscriber.messages)
        lost = {(gap["epoch"], seq) for gap in own.gaps for seq in range(gap["from_seq"], gap["to_seq"] + 1)}
        checks.check("refused: what waited is stated as lost, under the new name",
                     lost == {(left, seq) for seq in (following - 2, following - 1)}, own.gaps)
        checks.none("refused: of the former name nothing new arrives", sorted(set(account.events) & lost))
        own.hold(checks, "refused", new, broker.port)
        said = [line for line in new.said().splitlines() if "of this machine's previous site and id" in line]
        checks.check("refused: that is said, once", len(said) == 1, new.said())
        checks.check("refused: what was retained stays", retained(broker.port, old.root + "#") == lies)

        broker.allow("topic readwrite #\n")
        later = arrivals(house, "west-2", BEGIN + 60, [STAYS])
        checks.check("allowed: the next start ends with 0", new.plays(later) == 0, new.said())
        checks.check("allowed: and clears it", until(lambda: retained(broker.port, old.root + "#") == {}))
        again = Account(new, subscriber.messages).gaps
        checks.check("allowed: a gap that was published is not published again", len(again) == len(own.gaps), again)


def replaced(checks, house):
    """Another machine with an empty state folder takes the name over."""
    broker = house.broker()
    first, neighbour = (house.gateway(name, broker.port, exit_after_s=60) for name in ("till", "till-2"))
    for gateway in (first, neighbour):
        checks.check("replaced: the first machine speaks",
                     gateway.plays(arrivals(house, gateway.name, BEGIN, [STAYS, 2])) == 0, gateway.said())
    note = first.root + "region/carts/note"
    with house.subscriber(broker.port) as subscriber:
        subscriber.send(0x31, text(note.encode()) + b'"not ours"')
        until(lambda: note in retained(broker.port))
        others = retained(broker.port, neighbour.root + "#")
        checks.check("replaced: two states are left", len(retained(broker.port, first.root + "region/carts/+/+/state")) == 2)
        shutil.rmtree(first.state)
        child = first.run()
        checks.check("replaced: they are cleared by the next one",
                     until(lambda: not retained(broker.port, first.root + "region/carts/+/+/state")), first.said())
        checks.check("replaced: and nothing else is", note in retained(broker.port))
        checks.check("replaced: a neighbour's are not touched", retained(broker.port, neighbour.root + "#") == others)
        # A round without findings ends the search.
        checks.check("replaced: it says how many", until(lambda: "2 retained states" in first.said()),
                     first.said())
        end(child, signal.SIGTERM)
        checks.none("replaced: no more is said of it", [
            line for line in first.said().splitlines() if "does not let this gateway read" in line])


def unreadable(checks, house):
    """The gateway's access list lets it write alone, and the broker does not report that."""
    broker = house.broker(acl="topic write #\n")
    gateway = house.gateway("mute", broker.port)
    child = gateway.run()
    checks.check("unreadable: it is said what to allow", until(lambda: "does not let this gateway read" in gateway.said()),
                 gateway.said())
    end(child, signal.SIGTERM)


def limited(checks, house):
    """A limit is lowered, or regions stand before those that it left room for."""
    broker = house.broker()
    gateway = house.gateway("shelf", broker.port, regions=[region("one"), region("two")], exit_after_s=60)
    checks.check("limited: it speaks",
                 gateway.plays(arrivals(house, "shelf-1", BEGIN, [1, 2])) == 0, gateway.said())

    def inside():
        states = retained(broker.port, gateway.root + "region/#")
        return sorted(topic.removeprefix(gateway.root) for topic, state in states.items() if state["state"] == "inside")
    checks.check("limited: both regions are inside, twice each", len(inside()) == 4, inside())
    text = gateway.configuration.read_text().replace("[regions]", "[regions]\nmax_regions = 2")
    gateway.configuration.write_text(text.replace("[[region]]", region("new") + "[[region]]", 1))
    gateway.plays(arrivals(house, "shelf-2", BEGIN + 20, [1, 2]))
    checks.check("limited: a region that max_regions refuses is not left inside",
                 inside() == [f"region/{name}/1/{minor}/state" for name in ("new", "one") for minor in (1, 2)], inside())
    gateway.configuration.write_text(
        gateway.configuration.read_text().replace("max_regions = 2", "max_regions = 2\nmax_instances = 3"))
    gateway.plays(arrivals(house, "shelf-3", BEGIN + 40, [1, 2]))
    checks.check("limited: nor is an instance that max_instances refuses", len(inside()) == 3, inside())


def scenario(checks, house):
    delivers(checks, house)
    refused(checks, house)
    replaced(checks, house)
    unreadable(checks, house)
    limited(checks, house)


prove(scenario)
