"""Counts of people: each counts once, and belongs to the store's own day."""

import datetime

from story import DAY, EPOCH, StoryTest, at, stamp


def count(number, from_at, to_at, entered, left, present=0, dwell=(), gateway="door", region="visitors", **more):
    """A count as a gateway publishes it. A cell of `dwell` is its bound and its visits."""
    cells = {"dwell": [{"from_s": from_s, "visits": visits} for from_s, visits in dwell]} | ({"dwell_from_at": stamp(from_at)} if dwell else {})
    return {"kind": "count", "gateway": gateway, "payload": {
        "schema": 1, "at": stamp(to_at), "clock": "synced", "gateway": gateway, "epoch": EPOCH, "count": number, "region": region, "from_at": stamp(from_at),
        "to_at": stamp(to_at), "minimum": 5, "entered": entered, "left": left, "present": present, **cells, "omitted": (entered, left).count(None),
        "partial": False, **more}}


class CountTest(StoryTest):
    def daily(self):
        return self.query("SELECT day, gateway, entered, \"left\", peak_present, left_out, partial FROM beacons.count_daily WHERE site = %(site)s ORDER BY 1, 2")

    def test_the_counts_of_a_day_add_up(self):
        counts = [count(1, "9:00", "9:15", 12, 7, 5, [(60, 7)], partial=True), count(2, "9:15", "9:45", 9, 14, 0, [(60, 6), (300, 8)]),
                  count(3, "16:00", "16:15", None, None), count(1, "9:00", "9:30", 6, 6, gateway="gate")]
        self.assertEqual(self.take(counts), ["new"] * 4)
        day = at("9:00").date()
        self.assertEqual(self.daily(), [(day, "door", 21, 21, 5, 1, 1), (day, "gate", 6, 6, 0, 0, 0)])
        self.assertEqual(self.query("SELECT from_s, visits FROM beacons.count_dwell_daily WHERE site = %(site)s ORDER BY 1"), [(60, 13), (300, 8)])

    def test_the_ways_of_a_store_are_those_of_its_own_counts(self):
        ways = [{"from": "entrance", "to": "bakery", "visits": 9}, {"from": "bakery", "to": "till", "visits": 6}]
        more = {"ways": ways, "ways_from_at": stamp("9:00")}
        counts = [count(1, "9:00", "9:15", 12, 7, gateway="site", **more), count(2, "9:15", "9:30", 12, 7, gateway="site"),
                  count(3, "9:30", "9:45", 5, 5, gateway="site", **(more | {"ways": ways[:1]})), count(1, "9:00", "9:15", 12, 7, **more)]
        self.assertEqual(self.take(counts), ["new"] * 4)
        self.assertEqual(self.query("SELECT from_zone, to_zone, visits FROM beacons.count_ways_daily WHERE site = %(site)s ORDER BY 3"),
                         [("bakery", "till", 6), ("entrance", "bakery", 18)])

    def test_a_count_that_ends_at_midnight_belongs_to_the_day_that_is_over(self):
        self.query("INSERT INTO beacons.store (site, name, time_zone, opening_hours) VALUES (%(site)s, 'Two hours east', 'Etc/GMT-2', '24/7') RETURNING site")
        midnight = DAY + datetime.timedelta(hours=22)
        self.take([count(1, midnight - datetime.timedelta(minutes=15), midnight, 6, 6), count(2, midnight, midnight + datetime.timedelta(minutes=15), 7, 7)])
        self.assertEqual([(day, entered) for day, _, entered, *_ in self.daily()], [(DAY.date(), 6), (DAY.date() + datetime.timedelta(days=1), 7)])

    def test_what_cannot_be_true_is_rejected_and_leaves_its_number_free(self):
        now = datetime.datetime.now(datetime.UTC)
        wild = [now + datetime.timedelta(days=2), now - datetime.timedelta(days=402)]
        counts = [count(number, moment - datetime.timedelta(minutes=15), moment, 6, 6) for number, moment in enumerate(wild, 1)]
        counts += [count(3, "9:15", "9:15", 6, 6), count(4, "9:00", "9:15", -6, 6), count(5, "9:00", "9:15", 6, 6, 0, [(second, 6) for second in range(11)]),
                   count(6, "9:00", "9:15", 6, 6, 0, [(0, 0)])]
        self.assertEqual(self.take(counts), ["rejected"] * 6)
        self.assertEqual(self.take([count(number, "9:00", "9:15", 6, 6) for number in range(1, 7)]), ["new"] * 6)
