"""The report of a store with more than a page can show: bounded, and it says what it leaves out."""

import datetime

from published_weeks import warm
from reported import MONDAY, NAME, ReportTest
from story import UUID


class Large(ReportTest):
    """A store with more than a page can show."""

    def test_a_store_with_a_thousand_of_everything_has_a_file_that_says_what_it_leaves_out(self):
        self.open_store()
        self.connection.execute("""
            INSERT INTO beacons.occupancy_day (site, region, day, visits, beacons, mean_present, peak_present, covered_share, open_share)
            SELECT %(site)s, repeat('region ', 15) || r, %(first)s::date + d, 1000 - r + 1, 1, 1, 1, 1, 1 FROM generate_series(1, 1000) r, generate_series(0, 6) d;
            """.replace("%(site)s", f"'{self.site}'").replace("%(first)s", f"'{MONDAY}'"))
        self.connection.execute("INSERT INTO beacons.flow_hour SELECT %s, repeat('region ', 15) || 1, %s, 'zone ' || z, 'zone ' || z + 1, z "
                                "FROM generate_series(1, 1000) z", [self.site, datetime.datetime.combine(MONDAY, datetime.time(12), datetime.UTC)])
        self.connection.execute("INSERT INTO beacons.status (site, gateway, at, state, radio) SELECT %s, 'gateway ' || g, now(), 'offline', 'absent' "
                                "FROM generate_series(1, 1000) g", [self.site])
        self.connection.execute("INSERT INTO beacons.register SELECT %s, %s, 1, b, 'trolley ' || b, %s FROM generate_series(1, 1000) b",
                                [self.site, UUID, MONDAY - datetime.timedelta(days=99)])
        self.list_nothing()
        self.connection.execute("DELETE FROM beacons.changed WHERE site = %s", [self.site])
        self.connection.execute("DELETE FROM beacons.due_day WHERE site = %s", [self.site])
        warm(self.connection, self.site, MONDAY, floors=9, columns=100, rows=60)
        self.connection.execute("UPDATE beacons.heat SET seconds = 2 * seconds WHERE site = %s AND floor > 2", [self.site])
        self.made("--week", NAME)
        self.assertLess(self.file.stat().st_size, 3 << 20)
        self.assertLess(len(list(self.tree.iter("tr"))), 300)
        # The six busiest floors.
        self.assertEqual([words for one in self.tree.iter("h3") if (words := self.text(one)).startswith("Floor")], [f"Floor {floor}" for floor in range(3, 9)])
        words = self.text()
        for said_words in ("977 more with", "990 rarer ways are left out", "Gateways that need help: 1000",
                           "980 are left out", "Beacons that need help: 1000", "3 quieter floors are left out"):
            self.assertIn(said_words, words)
