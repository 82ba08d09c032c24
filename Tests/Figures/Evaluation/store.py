"""Which room, by several gateways together: `beacond site`, and the rules of others, all on the same published rangings."""

import bisect
import json
import math
import os
import statistics
import tempfile

import datasets
import replay
from recording import Beacon, Recording

ROOMS, FLAT = "rooms-2015-03-10", "rooms-flat"
# A room of the flat in which no anchor hangs.
UNHEARD = "southwest"

SITE = '[mqtt]\n[site]\nid = "store"\n'
# A move is answered once between 5 s before it begins and 20 s after it ends.
EARLY_S, LATE_S = 5, 20


class Gateway:
    """A gateway's own messages as lines of `replay`, moved to the time of the others, and the room it stands in."""

    def __init__(self, recording, name, room, first_s, spot="", settings=""):
        self.name, self.room, self.spot, self.lines = name, room, spot, []
        for t_s, topic, payload in recorded(recording, name, settings):
            self.lines.append({"t": max(0, t_s + first_s), "topic": topic, "payload": payload})


def recorded(recording, name, settings=""):
    """(seconds, topic, payload) of everything that a gateway of that name says of a recording."""
    text = replay.CONFIG.replace('"evaluation"', f'"{name}"').replace("[gateway]", '[gateway]\nsite = "store"')
    text += settings + replay.region("all", recording.uuid, settle_s=0, expand='"minor"') + "\n"
    with recording.written() as (capture, _):
        for message in replay.lines(recording.beacond, "replay", capture, configuration=text):
            yield message["t"], message["topic"], message["payload"]


def listed(beacond, gateways, settings=""):
    """(seconds, beacon) of every beacon that the store's ranging lists, once a second. A gateway that knows its place has it in `spot`."""
    text = SITE + settings + "".join(f'[[site.gateway]]\nid = "{one.name}"\nzone = "{one.room}"\n{one.spot}' for one in gateways)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for gateway in gateways:
            paths.append(os.path.join(folder, gateway.name + ".jsonl"))
            with open(paths[-1], "w") as file:
                file.writelines(json.dumps(line) + "\n" for line in gateway.lines)
        for message in replay.lines(beacond, "site", "--replay", *paths, configuration=text):
            if message["topic"].endswith("/ranging"):
                yield from ((message["t"], beacon) for beacon in message["payload"]["beacons"])


def joined(beacond, gateways, settings=""):
    """Per beacon, (seconds, zone) once a second, as the store's ranging says."""
    found = {}
    for at_s, beacon in listed(beacond, gateways, settings):
        if "zone" in beacon:
            points = found.setdefault((beacon["major"], beacon["minor"]), [])
            points.append((at_s, beacon["zone"], beacon["zone_confidence"]))
    return found


def published(gateways):
    """Per beacon and gateway, (seconds, level, distance) of each ranging message."""
    found = {}
    for gateway in gateways:
        for line in gateway.lines:
            if line["topic"].endswith("/ranging"):
                for beacon in line["payload"]["beacons"]:
                    points = found.setdefault((beacon["major"], beacon["minor"]), {}).setdefault(gateway, [])
                    points.append((line["t"], beacon["rssi_dbm"], beacon["accuracy_m"]))
    return found


class Rule:
    """A rule of others: every second, from what each gateway said last, to a room."""

    timeout_s = 20

    def __init__(self):
        self.room = None

    def rooms(self, heard):
        times = {gateway: [point[0] for point in points] for gateway, points in heard.items()}
        first = math.ceil(min(times[gateway][0] for gateway in times))
        last = math.floor(max(times[gateway][-1] for gateway in times))
        for at_s in range(first, last + 1):
            now = {}
            for gateway, points in heard.items():
                place = bisect.bisect_right(times[gateway], at_s) - 1
                if place >= 0 and at_s - points[place][0] <= self.timeout_s and points[place][1] is not None:
                    now[gateway] = points[place]
            if now:
                self.room = self.decide(now, at_s)
            yield at_s, self.room


class Nearest(Rule):
    """Home Assistant's `mqtt_room`, room-assistant and ESPresense Companion's `nearest`: the room of the least distance."""

    def decide(self, now, at_s):
        known = {g: p for g, p in now.items() if p[2] >= 0}
        return min(known or now, key=lambda g: (now[g][2] if g in known else -now[g][1], g.name)).room


class Bermuda(Rule):
    """Bermuda: nearer than the present one by 30 % of their mean at once, or by 15 % for 10 s."""

    def __init__(self):
        super().__init__()
        self.present, self.since = None, None

    def decide(self, now, at_s):
        known = {g: p[2] for g, p in now.items() if p[2] >= 0}
        if not known:
            return self.room
        best = min(known, key=lambda g: (known[g], g.name))
        if self.present not in known:
            self.present, self.since = best, None
        elif best is not self.present:
            share = (known[self.present] - known[best]) / ((known[self.present] + known[best]) / 2)
            if share < 0.15:
                self.since = None
            else:
                self.since = at_s if self.since is None else self.since
                if share > 0.3 or at_s - self.since >= 10:
                    self.present, self.since = best, None
        else:
            self.since = None
        return self.present.room


RULES = {"nearest (mqtt_room, room-assistant)": Nearest, "Bermuda": Bermuda}


def score(rooms, spans, moves):
    """Seconds in the right room, changes, how many true moves were answered once, and for each move the seconds until the room was right.

    `rooms`: (seconds, room) once a second; `spans`: (begin, end, room) in which it is certain; `moves`: (begin, end, room).
    """
    times = [point[0] for point in rooms]
    asked = right = 0
    for begin, end, room in spans:
        at_s = begin + 10
        while at_s <= end:
            place = bisect.bisect_right(times, at_s) - 1
            asked, at_s = asked + 1, at_s + 1
            right += place >= 0 and rooms[place][1] == room
    changes = [(b[0], b[1]) for a, b in zip(rooms, rooms[1:]) if a[1] is not None and a[1] != b[1]]
    open_changes, answered = list(changes), 0
    for begin, end, room in moves:
        hit = next((c for c in open_changes if begin - EARLY_S <= c[0] <= end + LATE_S and c[1] == room), None)
        if hit:
            open_changes.remove(hit)
            answered += 1
    return {"asked": asked, "right": right, "changes": len(changes), "moves": len(moves), "answered": answered,
            "behind_s": [behind_s(rooms, move, spans) for move in moves]}


def behind_s(rooms, move, spans):
    """The seconds from a move's beginning until the room is right; infinite where it never was until 20 s after the stay."""
    begin, end, room = move
    left = max([stay[1] for stay in spans if stay[2] == room and stay[0] <= end + 15 and stay[1] >= begin], default=end)
    return next((at_s - begin for at_s, answer in rooms if begin <= at_s <= left + LATE_S and answer == room), math.inf)


def total(scores):
    behind = [delay_s for score in scores for delay_s in score.pop("behind_s")]
    sums = {key: sum(score[key] for score in scores) for key in scores[0]}
    precision = sums["answered"] / sums["changes"] if sums["changes"] else 0
    recall = sums["answered"] / sums["moves"] if sums["moves"] else 0
    return {"right": sums["right"] / sums["asked"], "changes": sums["changes"] / max(1, sums["moves"]),
            "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0,
            "behind_s": statistics.median(behind) if behind else math.inf}


def compare(beacond, stores):
    """`stores`: (gateways, {beacon: (spans, moves)}). Every rule's figures, ours last."""
    figures = {}
    for name, rule in RULES.items():
        scores = []
        for gateways, truth in stores:
            heard = published(gateways)
            scores += [score(list(rule().rooms(heard[key])), *truth[key]) for key in truth if key in heard]
        figures[name] = total(scores)
    figures["ours"] = ours(beacond, stores)
    return figures


def ours(beacond, stores):
    """The figures of `beacond site`."""
    scores = []
    for gateways, truth in stores:
        found = joined(beacond, gateways)
        scores += [score([p[:2] for p in found.get(key, [])], *truth[key]) for key in truth]
    return total(scores)


def rooms(folder, beacond, offset_db=0):
    """Four gateways, one in each room; six beacons that are carried between them. Every other gateway hears so much better, and the others worse."""
    with open(os.path.join(folder, ROOMS, "labels.json")) as file:
        labels = json.load(file)
    first_ms = min(labels["first_record_ms"].values())
    gateways = []
    for number, (room, begin_ms) in enumerate(sorted(labels["first_record_ms"].items())):
        capture = os.path.join(folder, ROOMS, room + ".btsnoop")
        recording = Recording(room, beacond, {}, capture=capture, uuid=labels["uuid"])
        settings = f"[radio]\nrssi_offset_db = {offset_db if number % 2 else -offset_db}\n"
        gateways.append(Gateway(recording, room.lower(), room, (begin_ms - first_ms) / 1000, settings=settings))
    truth = {}
    for major, minor in published(gateways):
        certain = labels["beacons"].get(str(minor), ())
        spans = [((s["from_ms"] - first_ms) / 1000, (s["to_ms"] - first_ms) / 1000, s["room"]) for s in certain]
        moves = [(a[1], b[0], b[2]) for a, b in zip(spans, spans[1:]) if a[2] != b[2]]
        if spans:
            truth[major, minor] = (spans, moves)
    return [(gateways, truth)]


def batched(points, batch_s):
    """Points as they are dated of a receiver that publishes batches without times: each batch's are spread over it."""
    batches = {}
    for at_s, rssi in points:
        batches.setdefault(math.floor(at_s / batch_s), []).append(rssi)
    return [((number + (place + 0.5) / len(levels)) * batch_s, rssi) for number, levels in batches.items() for place, rssi in enumerate(levels)]


def flat(folder, beacond, batch_s=None, offset_db=0):
    """Six anchors and a robot, each run once with the anchors' first modules and once with their second.

    With `batch_s` the anchors are receivers that publish so often, without times. With `offset_db` every other anchor hears so much better, and
    the others so much worse.
    """
    hangs = {row["receiver"]: row for row in datasets.rows(os.path.join(folder, FLAT, "receivers.csv"))}
    heard = {}
    for row in datasets.rows(os.path.join(folder, FLAT, "flat.csv.gz")):
        reading = (float(row["t_s"]), float(row["rssi_dbm"]), row["room"])
        heard.setdefault(row["run"], {}).setdefault(row["receiver"], []).append(reading)
    stores = []
    for run, receivers in sorted(heard.items()):
        first_s = min(points[0][0] for points in receivers.values())
        for module in "ab":
            chosen = {name: points for name, points in receivers.items() if name.endswith(module)}
            gateways = []
            for number, (name, points) in enumerate(sorted(chosen.items())):
                sign = 1 if number % 2 else -1
                heard_of = [(t_s, rssi + sign * offset_db) for t_s, rssi, _ in points]
                beacon = Beacon(-48, batched(heard_of, batch_s) if batch_s else heard_of)
                recording = Recording(run + name, beacond, {(1, 1): beacon})
                spot = f"position = [{hangs[name]['x_m']}, {hangs[name]['y_m']}]\n"
                begin_s = beacon.readings[0][0] - first_s
                gateways.append(Gateway(recording, "anchor" + name, hangs[name]["room"], begin_s, spot))
            seconds = {int(t_s - first_s): room for points in chosen.values() for t_s, _, room in sorted(points)}
            stores.append((gateways, {(1, 1): flat_truth(seconds)}))
    return stores


def flat_truth(seconds):
    """Spans and moves of the rooms in which an anchor hangs. `score` begins 10 s into a span, which is meant for the run's start."""
    runs = []
    for second, room in sorted(seconds.items()):
        if runs and runs[-1][2] == room:
            runs[-1] = (runs[-1][0], second, room)
        else:
            runs.append((second, second, room))
    spans = [(begin - 9 if begin else 0, end - 1, room) for begin, end, room in runs if room != UNHEARD]
    return spans, [(begin, begin, room) for begin, _, room in runs[1:] if room != UNHEARD]


def is_there(folder):
    return all(os.path.isdir(os.path.join(folder, name)) for name in (ROOMS, FLAT))


def figures(folder, beacond):
    """Per place, every rule's figures."""
    return {"four rooms": compare(beacond, rooms(folder, beacond)), "flat": compare(beacond, flat(folder, beacond))}


def lines(folder, beacond):
    yield "| place | rule | seconds right | changes per true one | F1 of moves | median behind a move, s |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for place, rules in figures(folder, beacond).items():
        for rule, found in rules.items():
            yield f"| {place} | {rule} | {found['right']:.3f} | {found['changes']:.2f} | {found['f1']:.2f} | {found['behind_s']:.0f} |"
