"""Distances with numbers chosen where they are not judged: a whole kind of place is left out in turn, one number is picked on the
others, and what was left out is judged with it. For us it is the far end of the room, for each other rule that has a number to pick
its exponent."""

import math

import distance
import peers

# What is picked for beacond, metres. Exponent and excess have reasons outside of these recordings; the room has none.
ROOMS = (3, 3.5, 4, 4.5, 5, 6, 7, 8, 10, 14)
FAR_EXPONENT = 10
# What the model `indoor` has: exponent, excess in dB, far end of the room in metres.
INDOOR = (2.2, -2, 7)
# Published distances have two decimals. With these settings they are a level to 0.2 dB and better wherever it matters.
LEVEL_SETTINGS = '[distance]\nmodel = "log"\npath_loss_exponent = 4\nexcess_loss_db = -30\n'
MEASURES = ("mean error, m", "mean factor, log2")


def path_loss(exponent, excess_db, room_m):
    """beacond's own formula (the article Signal has it)."""
    room_db = 10 * exponent * math.log10(room_m)
    def metres(level_dbm, power_dbm):
        fading_db = power_dbm - level_dbm - excess_db
        beyond_db = max(0, fading_db - room_db)
        return 10 ** (min(fading_db, room_db) / (10 * exponent) + beyond_db / (10 * FAR_EXPONENT))
    return metres


def level_dbm(metres, power_dbm):
    """The level of beacond's filter, from the distance that it published with LEVEL_SETTINGS."""
    return power_dbm - (40 * math.log10(metres) - 30)


class Place:
    """One place: its kind, its seconds, and the errors of every rule with every number that it may pick."""

    def __init__(self, name, kind, recordings):
        self.name, self.kind = name, kind
        self.recordings = recordings = list(recordings)
        self.heard = distance.seconds(recordings)
        # A tenth of the seconds of the long recordings is enough to choose by.
        self.sample = self.heard[::max(1, len(self.heard) // 10_000)]
        levels = {id(recording): recording.estimates(LEVEL_SETTINGS) for recording in recordings}
        self.ours = self._ours(recordings, levels)
        self.published = {name: self._errors(self.heard, distance.theirs(name)) for name in peers.DISTANCE}
        self.published["ours"] = self._errors(self.heard, lambda second: second.metres)
        self.best = [min(self.published[name][index] for name in peers.DISTANCE) for index in (0, 1)]
        self.by_number = {
            name: {n: self._errors(self.sample, self._log(name, n)) for n in peers.EXPONENTS}
            for name in peers.CHOOSABLE
        }

    @staticmethod
    def _log(name, exponent):
        filter, model = peers.DISTANCE[name][0], peers.log(exponent)
        return lambda second: model(second.levels[filter], second.power_dbm)

    @staticmethod
    def _errors(heard, metres):
        figures = distance.score(heard, metres).figures
        return [figures[measure] for measure in MEASURES]

    def _ours(self, recordings, estimates):
        """(group, truth, power, level) of the seconds."""
        found = []
        for recording in recordings:
            for key, beacon in recording.beacons.items():
                times = [at_s for at_s, _ in beacon.readings]
                for at_s, metres, _ in estimates[id(recording)].get(key, ()):
                    place = distance.heard_before(times, at_s)
                    truth = None if place is None else beacon.distance_m(times[place])
                    if truth is not None:
                        power_dbm = beacon.measured_power_dbm
                        found.append((recording.group, truth, power_dbm, level_dbm(metres, power_dbm)))
        return found

    def ours_with(self, numbers, sparse=False):
        model, result = path_loss(*numbers), distance.Score()
        for group, truth, power_dbm, level in self.ours[::max(1, len(self.ours) // 10_000) if sparse else 1]:
            result.add(model(level, power_dbm), truth, group=group)
        return [result.figures[measure] for measure in MEASURES]


def picked(places, errors, numbers):
    """The number that is best on these places: by the geometric mean of its errors over the best other rule's, each kind of place
    counting the same."""
    def of(number):
        kinds = {}
        for place in places:
            kinds.setdefault(place.kind, []).extend(error / best for error, best in zip(errors(place, number), place.best))
        return geometric_mean(map(geometric_mean, kinds.values()))
    return min(numbers, key=of)


def left_out(places):
    """{rule: {place: (errors, what was picked)}}: every kind judged with what the others picked."""
    cache = {}
    def ours(place, room_m):
        if (place.name, room_m) not in cache:
            cache[place.name, room_m] = place.ours_with((*INDOOR[:2], room_m), sparse=True)
        return cache[place.name, room_m]
    found = {}
    for kind in sorted({place.kind for place in places}):
        others = [place for place in places if place.kind != kind]
        room_m = picked(others, ours, ROOMS)
        exponents = {
            name: picked(others, lambda place, n, name=name: place.by_number[name][n], peers.EXPONENTS)
            for name in peers.CHOOSABLE
        }
        for place in places:
            if place.kind != kind:
                continue
            found.setdefault("ours", {})[place.name] = (place.ours_with((*INDOOR[:2], room_m)), room_m)
            for name in peers.DISTANCE:
                exponent = exponents.get(name)
                errors = place.published[name] if exponent is None else place.by_number[name][exponent]
                found.setdefault(name, {})[place.name] = (errors, exponent)
    return found


def geometric_mean(ratios):
    ratios = list(ratios)
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def lines(places):
    """The two tables: errors by place, and ours over each other rule's over all places."""
    out = left_out(places)
    yield "| place | rule | as it is: m, log2 | left out: m, log2 | picked on the others |"
    yield "| --- | --- | --- | --- | --- |"
    for place in places:
        for name in ("ours", *peers.DISTANCE):
            errors, number = out[name][place.name]
            what = "–" if number is None else f"room {number} m" if name == "ours" else f"n {number}"
            numbers = ROOMS if name == "ours" else peers.EXPONENTS
            if number in (numbers[0], numbers[-1]):
                what += ", the end of the range"
            yield (f"| {place.name} | {'**beacond**' if name == 'ours' else name} | {pair(place.published[name])} "
                   f"| {pair(errors)} | {what} |")
    yield ""
    yield "| beacond's error over that of | as it is: m, log2 | both left out: m, log2 |"
    yield "| --- | --- | --- |"
    for name in peers.DISTANCE:
        as_it_is = [geometric_mean(place.published["ours"][i] / place.published[name][i] for place in places)
                    for i in (0, 1)]
        both = [geometric_mean(out["ours"][place.name][0][i] / out[name][place.name][0][i] for place in places)
                for i in (0, 1)]
        yield f"| {name} | {pair(as_it_is, 3)} | {pair(both, 3)} |"


def pair(values, digits=2):
    return " ".join(f"{value:.{digits}f}" for value in values)
