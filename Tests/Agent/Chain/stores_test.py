"""Several simulated stores with gateways that overlap, of which one is away for a while and another's line is down for hours: what the
views say against what really happened.

A store's gateways hear the same crowd, each what is in its reach; some places are in reach of both. The truth is the simulation's: where
each phone was in each second. Agents and chain are real.
"""

import os
import pathlib
import statistics
import tempfile
import unittest

from simulated import BEACOND, MOST_CUT, MOST_SPLIT, TYPICAL_S, WORST_S, Published, Shop, published
from story import DAY

WATCHED_S = 4500
HOURS = {0: (0, 3600), 3600: (3600, WATCHED_S)}
NEAR, FAR, ALL = (0, 11), (8, 99), (0, 99)
AWAY = (1500, 2400)
ON, ON_BUT_AWAY = [(0, WATCHED_S)], [(0, AWAY[0]), (AWAY[1], WATCHED_S)]
# Store → the shop's seed, and of each gateway its reach in metres and when it was on.
STORES = {
    "berlin-17": (5, {"door": (NEAR, ON), "back": (FAR, ON)}),
    "hamburg-3": (6, {"door": (NEAR, ON), "back": (FAR, ON_BUT_AWAY)}),
    "wien-8": (5, {"door": (ALL, ON_BUT_AWAY)}),
}
# Its line was down all the time: what it has to publish comes when all else is counted.
LATE = ("berlin-17", "back")
# Numbers that are lost on their way: some come late, some are given up by the agent, and some never come.
COME_LATE, GIVEN_UP, LOST = {5, 6, 7}, {20, 21}, {40, 44, 45}
LOSER = ("hamburg-3", "door")
# A place at the edge of a reach is in it or not by half a second of walking; a phone is heard five times a second.
EDGE_S = 4.0


def runs(seconds, patience_s):
    """Seconds, in their order → spans without a pause of more than patience_s."""
    spans = []
    for second in seconds:
        if spans and second - spans[-1][1] <= patience_s + 1:
            spans[-1][1] = second
        else:
            spans.append([second, second])
    return [tuple(span) for span in spans]


def overlap(one, other):
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0]))


class Truth:
    """A store as it really was."""

    def __init__(self, site, shop):
        self.shop, self.gateways = shop, STORES[site][1]
        self.ways = {minor: shop.distances(minor) for minor in shop.phones}

    def in_reach(self, minor, gateway):
        """The seconds in which a gateway that is on has a phone in its reach."""
        (nearest, farthest), on = self.gateways[gateway]
        return [second for second, metres in self.ways[minor] if nearest <= metres <= farthest and any(a <= second < b for a, b in on)]

    def heard_by(self, minor):
        """Those that must have heard it, and those that may have."""
        longest = {gateway: max([end - begin for begin, end in runs(self.in_reach(minor, gateway), 1)], default=-1) for gateway in self.gateways}
        return {name for name, time in longest.items() if time >= EDGE_S}, {name for name, time in longest.items() if time >= 0}

    def undisturbed(self):
        """Phones that came and left while every gateway was on, and some time before the end."""
        on = [span for _, spans in self.gateways.values() for span in spans]
        quiet = [(a, min(b, WATCHED_S - 60)) for a, b in on] if len(on) == len(self.gateways) else [(0, AWAY[0]), (AWAY[1] + 60, WATCHED_S - 60)]
        return {minor: span for minor, span in self.shop.phones.items() if any(a < span[0] and span[1] < b for a, b in quiet)}

    def covered(self):
        """When any gateway could hear."""
        spans = sorted(span for _, on in self.gateways.values() for span in on)
        joined = [spans[0]]
        for begin, end in spans[1:]:
            if begin <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((begin, end))
        return joined


@unittest.skipUnless(os.access(BEACOND, os.X_OK), "there is no beacond to replay what was simulated")
class Stores(Published):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shops = {seed: Shop(seed, WATCHED_S, folder) for seed in {seed for seed, _ in STORES.values()}}
            cls.truth = {site: Truth(site, shops[seed]) for site, (seed, _) in STORES.items()}
            messages = [message for site in STORES for message in cls.agents(site, folder)]
        in_time, late, held, never = [], [], [], []
        for message in sorted(messages, key=lambda message: message[0]):
            _, topic, payload = message
            is_losers = tuple(topic.split("/")[1:3]) == LOSER and topic.endswith("/event")
            seq = payload.get("seq") if is_losers else None
            way = late if tuple(topic.split("/")[1:3]) == LATE else held if seq in COME_LATE else never if seq in GIVEN_UP | LOST else in_time
            way.append(message)
        cls.publish_and_collect(in_time)
        cls.rows("SELECT beacons.roll_up()")
        cls.missing_before, cls.coverage_before = cls.missing(), cls.coverage()
        (gap_topic, gap_payload) = cls.gap(never)
        cls.publish_and_collect(late + held + [(0, gap_topic, gap_payload)])
        # An exit that never comes leaves its visit open: these phones stay, as far as anybody knows.
        cls.forgotten = {payload["minor"] for _, _, payload in never}
        cls.before = cls.look()
        cls.rows("SELECT beacons.roll_up()")
        cls.answer = cls.look()

    @classmethod
    def agents(cls, site, folder):
        messages = []
        for gateway, (reach_m, on) in STORES[site][1].items():
            captures = cls.truth[site].shop.heard(f"{site}-{gateway}", reach_m, on)
            messages += published(site, gateway, captures, folder)
            for capture in captures:
                capture.unlink()
        return messages

    @classmethod
    def gap(cls, never):
        """The agent's gaps for the numbers that it gave up."""
        site, gateway = LOSER
        common = {key: never[0][2][key] for key in ("schema", "at", "clock", "site", "gateway", "epoch")}
        return f"beacons/{site}/{gateway}/gap", common | {"from_seq": min(GIVEN_UP), "to_seq": max(GIVEN_UP), "cause": "disk"}

    @classmethod
    def look(cls):
        return {
            "stay": {site: cls.spans("stay", site, WATCHED_S) for site in STORES},
            "gateways": {site: cls.rows("SELECT minor, gateways, extract(epoch FROM entered_at - "
                                        f"'{DAY:%Y-%m-%d} 00:00Z') FROM beacons.stay WHERE site = '{site}' ORDER BY 1, 3")
                         for site in STORES},
            "visit": {(site, gateway): cls.spans("visit", site, WATCHED_S, f"gateway = '{gateway}'")
                      for site, (_, gateways) in STORES.items() for gateway in gateways},
            "hours": cls.rows("SELECT site, extract(epoch FROM hour - '{0:%Y-%m-%d} 00:00Z')::int, visits, beacons, mean_present, covered_share "
                              "FROM beacons.occupancy_hourly WHERE region = 'phones' AND hour < '{0:%Y-%m-%d} 02:00Z' ORDER BY 1, 2".format(DAY)),
            "coverage": cls.coverage(), "missing": cls.missing()}

    @classmethod
    def coverage(cls):
        return [(site, gateway, float(begin), float(end)) for site, gateway, begin, end in cls.rows(
            "SELECT site, gateway, extract(epoch FROM from_at - '{0:%Y-%m-%d} 00:00Z'), extract(epoch FROM to_at - '{0:%Y-%m-%d} 00:00Z') "
            "FROM beacons.coverage ORDER BY 1, 2, 3".format(DAY))]

    @classmethod
    def missing(cls):
        return {(site, gateway, number) for site, gateway, first, last in cls.rows("SELECT site, gateway, from_seq, to_seq FROM beacons.missing")
                for number in range(int(first), int(last) + 1)}

    def undisturbed(self, site):
        return {minor: span for minor, span in self.truth[site].undisturbed().items() if site != LOSER[0] or minor not in self.forgotten}

    def test_the_figures_are_the_same_before_and_after_the_roll_up(self):
        self.assertEqual(self.before, self.answer)

    def test_a_stay_is_one_phone_s_time_in_the_store_whichever_gateways_heard_it(self):
        stays = self.answer["stay"]
        for site, truth in self.truth.items():
            came = self.undisturbed(site)
            self.assertGreater(len(came), 15, site)
            self.assertLessEqual(set(came), set(stays[site]), site)
            split = [minor for minor in came if len(stays[site][minor]) > 1]
            self.assertLessEqual(len(split), MOST_SPLIT * len(came), (site, split))
            errors = [abs(stays[site][minor][side][side] - true[side]) for minor, true in came.items() for side in (0, -1)]
            self.assertLess(statistics.median(errors), TYPICAL_S, site)
            self.assertLess(max(errors), WORST_S, site)
            dwell_s, true_s = (sum(span[-1] - span[0] for span in spans)
                               for spans in zip(*((stays[site][minor][0], came[minor]) for minor in came if minor not in split), strict=True))
            self.assertLess(abs(dwell_s - true_s), 0.01 * true_s, site)

    def test_nobody_is_there_who_was_not(self):
        stays = self.answer["stay"]
        for site, truth in self.truth.items():
            self.assertLessEqual(set(stays[site]), set(truth.shop.phones), site)
            # In the end an agent cannot know yet who has left.
            beyond = [(minor, span) for minor, spans in stays[site].items() for span in spans
                      if span[0] < truth.shop.phones[minor][0] - 1 or truth.shop.phones[minor][1] + 1 < span[1] < WATCHED_S]
            self.assertEqual(beyond, [], site)

    def test_a_stay_names_the_gateways_that_heard_it(self):
        gateways = self.answer["gateways"]
        for site, truth in self.truth.items():
            names = {}
            for minor, listed, _ in gateways[site]:
                names.setdefault(int(minor), set()).update(listed.strip("{}").split(","))
            for minor in self.undisturbed(site):
                must, may = truth.heard_by(minor)
                self.assertTrue(must <= names[minor] <= may, (site, minor, must, names[minor], may))

    def test_a_visit_is_a_time_in_one_gateway_s_reach(self):
        exits_after_s = 20
        visits = self.answer["visit"]
        for (site, gateway), of_phones in visits.items():
            truth, counts = self.truth[site], [0, 0, 0]
            for minor in self.undisturbed(site):
                seconds = truth.in_reach(minor, gateway)
                least, most = (len([span for span in runs(seconds, exits_after_s + error) if span[1] - span[0] >= shortest])
                               for error, shortest in ((EDGE_S, EDGE_S), (-EDGE_S, 0)))
                for index, count in enumerate((least, len(of_phones.get(minor, ())), most)):
                    counts[index] += count
            least, counted, most = counts
            self.assertTrue(least <= counted <= (1 + MOST_CUT) * most, (site, gateway, counts))

    def test_coverage_is_when_each_gateway_was_on(self):
        true = [(site, gateway, *span) for site, (_, gateways) in STORES.items() for gateway, (_, on) in gateways.items() for span in on]
        coverage = self.answer["coverage"]
        self.assertEqual([row[:2] for row in coverage], sorted(row[:2] for row in true))
        for (*_, begin, end), (*_, true_begin, true_end) in zip(coverage, sorted(true), strict=True):
            self.assertLess(max(abs(begin - true_begin), abs(end - true_end)), 1, (coverage, true))

    def test_an_hour_has_those_who_were_there_over_the_time_that_was_heard(self):
        rows = self.answer["hours"]
        hours = {(site, int(hour)): tuple(map(float, figures)) for site, hour, *figures in rows}
        self.assertEqual(set(hours), {(site, hour) for site in STORES for hour in HOURS})
        for (site, hour), (visits, beacons, present, share) in hours.items():
            truth = self.truth[site]
            heard = [span for span in ((max(a, hour), min(b, hour + 3600)) for a, b in truth.covered()) if span[0] < span[1]]
            heard_s = sum(end - begin for begin, end in heard)
            self.assertAlmostEqual(share, heard_s / 3600, delta=0.001, msg=f"{site} {hour}")
            # Who was there in the beginning is inside without an entry, and is counted once it was away and came back.
            least, most = ([span for span in spans if any(overlap(span, one) > EDGE_S for one in heard)]
                           for spans in ([span for span in truth.shop.phones.values() if span[0] > 0], truth.shop.phones.values()))
            most += [(hour, WATCHED_S)] * (len(self.forgotten) if site == LOSER[0] else 0)
            self.assertTrue(len(least) <= beacons <= len(most), (site, hour, len(least), beacons, len(most)))
            self.assertGreaterEqual(visits, beacons)
            lowest, highest = (sum(overlap(span, one) for span in spans for one in heard) / heard_s for spans in (least, most))
            self.assertTrue(0.97 * lowest <= present <= 1.001 * highest, (site, hour, lowest, present, highest))

    def test_missing_is_what_never_came_and_nobody_gave_up(self):
        lost = {(*LOSER, number) for number in COME_LATE | GIVEN_UP | LOST}
        self.assertLessEqual(lost, self.missing_before)
        self.assertEqual(self.missing_before, lost)
        missing = self.answer["missing"]
        self.assertEqual(missing, {(*LOSER, number) for number in LOST})

    def test_what_has_not_come_is_not_claimed_to_be_covered(self):
        self.assertNotIn(LATE, {row[:2] for row in self.coverage_before})

    def test_nothing_was_rejected(self):
        self.assertEqual(self.rows("SELECT topic, reason FROM beacons.rejected"), [])
