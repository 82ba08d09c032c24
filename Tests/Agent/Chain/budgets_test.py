"""The daily budget of a store, and the fate of messages beyond it."""

import unittest

import psycopg

from schema_test import SchemaTest
from story import event, health


class BudgetTests(SchemaTest):
    """A store that tells too much costs itself, and no other store."""

    def setUp(self):
        super().setUp()
        for kind, messages, octets in (("told", 5, 100_000), ("health", 3, 100_000), ("rejected", 2, 100_000)):
            self.connection.execute("INSERT INTO beacons.budget VALUES (%s, %s, %s, %s)", (self.site, kind, messages, octets))

    def entries(self, *numbers):
        return [event({"seq": number, "at": "9:00", "type": "enter", "beacon": f"1/{number}"}) for number in numbers]

    def used(self, kind):
        return self.query("SELECT messages, given_up FROM beacons.budget_daily WHERE site = %(site)s AND kind = %(kind)s", kind=kind)

    def reject(self, count, payload=b"p", site=None):
        (kept,), = self.query(
            "SELECT beacons.reject(array_fill(now(), ARRAY[%(count)s]), array_fill(%(its)s::text, ARRAY[%(count)s]), array_fill('t'::text, ARRAY[%(count)s]), "
            "array_fill(%(payload)s::bytea, ARRAY[%(count)s]), array_fill('r'::text, ARRAY[%(count)s]))", count=count, its=site or self.site, payload=payload)
        return kept

    def test_what_comes_beyond_a_store_s_budget_is_counted_and_not_kept_and_other_stores_are_not_touched(self):
        self.assertEqual(self.take(self.entries(1, 2, 3, 4, 5)), ["new"] * 5)
        other = [one | {"site": self.site + "-2"} for one in self.entries(1, 2, 3)]
        self.assertEqual(self.take(self.entries(6, 7) + other), ["over_budget"] * 2 + ["new"] * 3)
        self.assertEqual(self.used("told"), [(5, 2)])
        self.assertEqual(self.query("SELECT count(*) FROM beacons.event WHERE site = %(site)s"), [(5,)])

    def test_a_repetition_costs_nothing(self):
        self.take(self.entries(1, 2) * 2)
        self.take(self.entries(1, 2))
        self.assertEqual(self.used("told"), [(2, 0)])

    def test_length_counts_as_well(self):
        long = self.entries(1)[0]
        long["payload"]["colour"] = "r" * 100_000
        self.assertEqual(self.take([long]) + self.take(self.entries(2)), ["new", "over_budget"])

    def test_numbers_that_were_given_up_are_missing(self):
        self.take(self.entries(1, 2, 3, 4, 5))
        self.take(self.entries(6))
        self.connection.execute("UPDATE beacons.budget SET messages_a_day = 100 WHERE site = %s AND kind = 'told'", (self.site,))
        self.take(self.entries(7))
        self.assertEqual(self.missing(), [("door", 6, 6)])

    def test_health_and_events_have_a_budget_each(self):
        self.assertEqual(self.take([health("door", f"9:0{minute}") for minute in range(4)]), ["new"] * 4)
        self.assertEqual(self.take([health("door", "9:09"), *self.entries(1)]), ["over_budget", "new"])
        self.assertEqual((self.used("health"), self.used("told")), ([(4, 1)], [(1, 0)]))

    def test_what_cannot_be_read_has_one_too(self):
        self.assertEqual([self.reject(2), self.reject(3), self.reject(1, site=self.site + "-2")], [2, 0, 1])
        self.assertEqual(self.used("rejected"), [(2, 3)])

    def test_a_store_without_a_row_of_its_own_has_the_row_of_all(self):
        self.connection.execute("DELETE FROM beacons.budget WHERE site = %s", (self.site,))
        self.take(self.entries(1))
        self.assertEqual(self.query("SELECT messages_a_day, octets_a_day, used_share < 0.001 FROM beacons.budget_daily WHERE site = %(site)s"),
                         [(1_000_000, 1 << 30, True)])

    def test_several_collectors_count_together_and_none_waits_for_another(self):
        with psycopg.connect(self.database.url) as one, psycopg.connect(self.database.url) as two:
            self.assertEqual(self.take([health("door", "9:00"), health("door", "9:01")], one), ["new"] * 2)
            # The first has not committed.
            self.assertEqual(self.take([health("till", "9:00"), health("till", "9:01")], two), ["new"] * 2)
            one.commit()
            two.commit()
        self.assertEqual(self.take([health("door", "9:02")]), ["over_budget"])


if __name__ == "__main__":
    unittest.main()
