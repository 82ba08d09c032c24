"""A fleet of real agents and light clients before the whole chain, while its parts go down one after the other: every number that was
published is one row, with one broker and with a cluster. What it costs and how long it takes is measured and printed, and no verdict.
"""

import os
import re
import shutil
import unittest

from agents import BEACOND
from fleet import Chain, Cluster, OneBroker


def per_window(chain):
    """From the time that an event was published at to the commit of its row, for what was published in each window."""
    for name, (begin, end) in chain.windows.items():
        ((events, *seconds),) = chain.ask(
            "SELECT count(*), percentile_cont(ARRAY[0.5, 0.99, 1]) WITHIN GROUP "
            "(ORDER BY extract(epoch FROM pg_xact_commit_timestamp(xmin) - at)) FROM beacons.event "
            f"WHERE site LIKE 'light%' AND at >= to_timestamp({begin}) AND at < to_timestamp({end})")
        median, p99, longest = seconds[0] or (0, 0, 0)
        yield (f"wrong: {name}, {end - begin:.0f} s, {events / (end - begin):.0f} events a second; published to committed "
               f"p50 {median:.2f} s, p99 {p99:.2f} s, at most {longest:.2f} s")


def costs(chain):
    """Messages that are carried and kept."""
    events, light = sum(chain.published.values()), chain.light
    behind = [name for name in chain.published if name.startswith("berlin-17/")]
    a_day = 86400 / chain.size.steady_s
    yield (f"{events} events; {light['octets'] / light['messages']:.0f} octets a message of {light['messages']} of light clients, and "
           f"{light['octets'] / (events - sum(chain.published[name] for name in chain.published if not name.startswith('light'))):.0f} an event with its state, "
           "without TLS")
    yield f"{chain.line_octets * a_day / len(behind) / 2**20:.1f} MiB a gateway and day over the store's line, with ranging"
    chain.ask("ANALYZE")
    for table, rows, octets in chain.ask(
            "SELECT regexp_replace(relname, '_(\\d{8}|default)$', '') AS parent, sum(reltuples), sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relnamespace = 'beacons'::regnamespace AND relkind = 'r' GROUP BY 1 HAVING sum(reltuples) > 1000 ORDER BY 3 DESC"):
        yield f"{table}: {rows:.0f} rows, {octets / 2**20:.1f} MiB, {rows / events:.2f} rows and {octets / events:.0f} octets an event"
    yield f"sent again after a lost connection: {light['again']}"
    repeated = [re.search(r"^beacons_collector_repeated_total (\d+)", file.read_text(), re.MULTILINE)
                for file in chain.database.folder.glob("life-*.prom")]
    yield f"came twice, by the collectors' own figures: at least {sum(int(found[1]) for found in repeated if found)}"


class Fleet:
    @classmethod
    def setUpClass(cls):
        cls.chain = Chain(cls.make_broker)
        cls.addClassCleanup(cls.chain.__exit__)
        cls.chain.run()
        cls.chain.ask("SELECT beacons.roll_up()")
        size = cls.chain.size
        print(f"figure: {cls.__name__}: {size.agents} agents, {size.gateways} light clients, {size.rate} events a second asked for")
        for line in (*cls.chain.figures, *per_window(cls.chain), *costs(cls.chain)):
            print(f"figure: {cls.__name__}: {line}", flush=True)

    def test_every_number_that_was_published_is_one_row(self):
        there = {f"{site}/{gateway}": tuple(rest) for site, gateway, *rest in self.chain.ask(
            "SELECT site, gateway, count(*), count(DISTINCT (epoch, seq)), min(seq), max(seq) FROM beacons.event GROUP BY 1, 2")}
        published = {name: (last, last, 1, last) for name, last in self.chain.published.items() if last}
        self.assertGreater(len(published), self.chain.size.agents, "no gateway published anything")
        self.assertEqual({name: (published.get(name), there.get(name)) for name in published | there if published.get(name) != there.get(name)}, {})

    def test_nothing_is_missing_and_nothing_was_rejected(self):
        self.assertEqual(self.chain.ask("SELECT * FROM beacons.missing LIMIT 5"), [])
        self.assertEqual(self.chain.ask("SELECT topic, reason FROM beacons.rejected LIMIT 5"), [])

    def test_every_visit_that_ended_is_one_visit(self):
        ((exits,),) = self.chain.ask("SELECT count(*) FROM beacons.event WHERE type = 'exit'")
        ((ended, exits_of_visits),) = self.chain.ask(
            "SELECT count(*) FILTER (WHERE NOT partial OR dwell_s > 0), count(DISTINCT (site, gateway, region, major, minor, entered_at, left_at)) "
            "FILTER (WHERE NOT partial OR dwell_s > 0) FROM beacons.visit WHERE left_at IS NOT NULL")
        self.assertEqual((ended, exits_of_visits), (exits, exits))

    def test_collectors_end_with_all_that_they_took_committed(self):
        self.assertEqual(set(self.chain.statuses), {0})


@unittest.skipUnless(os.access(BEACOND, os.X_OK), "there is no beacond")
class BeforeOneBroker(Fleet, unittest.TestCase):
    make_broker = OneBroker


# Three nodes beside a fleet take too long for every change; that a cluster loses nothing, Chain proves on every change.
if os.environ.get("FLEET") in ("cluster", "long"):
    @unittest.skipUnless(os.access(BEACOND, os.X_OK), "there is no beacond")
    @unittest.skipUnless(shutil.which("rabbitmq-server"), "missing, by its Debian name: rabbitmq-server")
    class BeforeACluster(Fleet, unittest.TestCase):
        make_broker = Cluster


if __name__ == "__main__":
    unittest.main()
