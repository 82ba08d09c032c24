"""Each message gets an answer: neither its contents nor a failure that it causes makes a collector repeat a batch for ever."""

import contextlib
import datetime
import json
import random
import threading

import psycopg
from beacons_collector import database
from beacons_collector.contract import CONTRACT
from beacons_collector.database import Database, Row, TooOld, element
from beacons_collector.reading import read
from beacons_collector.topics import parse

from servers import wait_until
from story import StoryTest, event

KEPT = {kind.name: kind for kind in CONTRACT.kinds.values() if kind.is_kept}
# The fields of what the database stores, which messages do not have.
STORED = {"received_at": "2026-01-01T00:00:00Z", "digest": "x", "counts": "seq", "id": 1, "kind": "gap", "i": 0, "payload": {}, "list": [], "exit_at": None}
OF_TOPICS = ("site", "gateway", "region", "major", "minor", "zone", "page")


def example(name, site):
    """The contract's example of a kind for a store, with its topic."""
    kind = KEPT[name]
    message = kind.schema["examples"][0] | {"site": site}
    gateway = message.setdefault("gateway", "site" if name == "heat" else "gate")
    levels = [str(message[level[1:-1]]) if level[0] == "{" else level for level in kind.topic]
    return message, "/".join(["beacons", site, "site" if name == "heat" else gateway, *levels])


def foreign_fields():
    """Fields of all kinds with a value of each."""
    return [(field, value) for kind in KEPT.values() for one in kind.schema["examples"] for field, value in one.items()] + list(STORED.items())


def crossed(name, site):
    """Messages of a kind that have fields of all others: each one added, all at once, and exchanged."""
    message, topic = example(name, site)
    own = KEPT[name].schema["properties"]
    # A field that contradicts the topic is refused before the database sees it.
    foreign = {field: value for field, value in foreign_fields() if field not in own and field not in OF_TOPICS}
    yield from ((topic, {**message, field: value}) for field, value in foreign.items())
    yield topic, {**message, **foreign}
    dice = random.Random(f"crossed {name}")
    for _ in range(10):
        chosen = dict(dice.sample(sorted(foreign.items()), 8))
        yield topic, {**message, **chosen, **{dice.choice(sorted(chosen)): dice.choice([None, "x", 1, 1.5, [], {}, [{}], True])}}


class CrossedTests(StoryTest):
    def test_each_message_has_one_answer_and_another_store_s_event_behind_it_is_stored(self):
        for name in KEPT:
            with self.subTest(name):
                site = f"{self.site[:60]}-{name}"
                rows = [Row(topic, address := parse(topic, "beacons"), read(json.dumps(message).encode(), address), datetime.datetime.now(datetime.UTC))
                        for topic, message in crossed(name, site)]
                self.assertGreater(len(rows), 60)
                behind = event({"seq": 1, "at": "9:00", "type": "enter"})["payload"]
                topic = f"beacons/{site}-2/g1/region/carts/event"
                rows.append(Row(topic, parse(topic, "beacons"), json.dumps(behind), rows[0].received_at))
                answers = self.connection.execute(
                    "SELECT i FROM beacons.take(%s::jsonb) ORDER BY 1", ("[" + ",".join(element(index, row) for index, row in enumerate(rows)) + "]",)).fetchall()
                self.assertEqual(answers, [(index,) for index in range(len(rows))])
                self.assertEqual(self.query("SELECT count(*) FROM beacons.event WHERE site = %(other)s", other=site + "-2"), [(1,)])
                for table in {"status": ["status"], "health": ["health"], "surge": ["surge"], "coverage": ["coverage_span"]}.get(name, ()):
                    ((payload,), *_) = self.query(f"SELECT payload FROM beacons.{table} WHERE site = %(its)s", its=site)
                    self.assertTrue(set(payload) - set(KEPT[name].schema["properties"]), "the field of another kind is kept")

    def test_a_kind_that_the_schema_does_not_know_is_answered(self):
        self.assertEqual(self.take([{"kind": "pulse", "gateway": "door", "payload": {"beat": 1}}, event({"seq": 1, "at": "9:00", "type": "enter"})]),
                         ["rejected", "new"])


class FailureTests(StoryTest):
    """Messages with the colour red make the database fail in one way or another."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        pause, database.FIRST_PAUSE_S = database.FIRST_PAUSE_S, 0.02
        cls.addClassCleanup(setattr, database, "FIRST_PAUSE_S", pause)

    def failing(self, name, body):
        """A database in which `body` runs before a batch with a red message is taken."""
        url = self.url_of(name)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER FUNCTION beacons.take(jsonb) RENAME TO take_all")
            connection.execute(
                "CREATE FUNCTION beacons.take(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text) LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN "
                f"IF batch @? '$[*].payload.colour ? (@ == \"red\")' THEN {body} END IF; RETURN QUERY SELECT * FROM beacons.take_all(batch); END $$")
        collector = Database(url, lambda: False)
        self.addCleanup(collector.close)
        return url, collector

    def rows(self, numbers, red=()):
        topic = f"b/{self.site}/door/region/carts/event"
        return [Row(topic, parse(topic, "b"), json.dumps(event({"seq": number, "at": "9:00", "type": "enter", "beacon": f"1/{number}"})["payload"] | (
            {"colour": "red"} if number in red else {})), datetime.datetime.now(datetime.UTC)) for number in numbers]

    def stored(self, url):
        with psycopg.connect(url) as connection:
            return ([seq for seq, in connection.execute("SELECT seq FROM beacons.event ORDER BY 1")],
                    [(json.loads(bytes(payload))["seq"], reason) for payload, reason in connection.execute("SELECT payload, reason FROM beacons.rejected ORDER BY 1")])

    def test_a_message_that_fails_each_time_is_found_and_rejected_whatever_the_failure_is(self):
        for name, body, why in (
                ("timeout", "SET LOCAL statement_timeout = 0; RAISE EXCEPTION 'too slow' USING ERRCODE = '57014';", "database: 57014: too slow"),
                ("deadlock", "RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01';", "database: 40P01: deadlock"),
                ("memory", "RAISE EXCEPTION 'memory' USING ERRCODE = '53200';", "database: 53200: memory"),
                ("check", "RAISE EXCEPTION 'whim' USING ERRCODE = '23514';", "database: 23514: whim"),
                ("stack", "RAISE EXCEPTION 'stack' USING ERRCODE = '54001';", "database: 54001: stack"),
                ("internal", "RAISE EXCEPTION 'bug' USING ERRCODE = 'XX000';", "database: XX000: bug"),
                ("crash", "PERFORM pg_terminate_backend(pg_backend_pid());", "database: 57P01: terminating connection due to administrator command"),
                ("silence", "RETURN QUERY SELECT a.* FROM beacons.take_all((SELECT jsonb_agg(m) FROM jsonb_array_elements(batch) m "
                            "WHERE m->'payload'->>'colour' IS NULL)) a; RETURN;", "unanswered")):
            with self.subTest(name):
                url, collector = self.failing(name, body)
                collector.store(self.rows(range(1, 21), red={7}), [])
                self.assertEqual(self.stored(url), ([*range(1, 7), *range(8, 21)], [(7, why)]))

    def test_a_failure_that_other_messages_of_the_kind_have_too_rejects_none(self):
        url, collector = self.failing("environment", "NULL;")
        with psycopg.connect(url) as operator:
            operator.execute("SET lock_timeout = 0")
            operator.execute("LOCK TABLE beacons.event IN ACCESS EXCLUSIVE MODE")
            with psycopg.connect(url, autocommit=True) as owner:
                owner.execute("ALTER ROLE postgres SET statement_timeout = '100ms'")
            said = []
            with contextlib.redirect_stderr(None):
                collector.log.trouble = said.append
                storing = threading.Thread(target=collector.store, args=(self.rows(range(1, 6)), []))
                storing.start()
                wait_until(lambda: len(said) >= 2 * database.ATTEMPTS, "it goes on trying")
            operator.rollback()
            with psycopg.connect(url, autocommit=True, options="-c statement_timeout=0") as owner:
                owner.execute("ALTER ROLE postgres RESET statement_timeout")
            collector.close()
            storing.join()
        self.assertEqual(self.stored(url), ([1, 2, 3, 4, 5], []))


class VersionTests(StoryTest):
    def refused(self, name, change):
        url = self.url_of(name)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(change)
        collector = Database(url, lambda: False)
        self.addCleanup(collector.close)
        return collector

    def test_a_collector_waits_for_a_schema_that_is_too_old_and_says_what_it_lacks(self):
        def offers(version, kinds):
            return ("CREATE OR REPLACE FUNCTION beacons.offered(OUT version integer, OUT kinds text[]) LANGUAGE sql AS "
                    f"$$ SELECT {version}, (SELECT array_agg(kind) FROM beacons.kind WHERE {kinds}) $$")

        for name, change, why in (("version", offers(0, "true"), "the schema is older than this collector; make or upgrade the schema"),
                                  ("kinds", offers(1, "kind <> 'surge'"), "does not know messages of the kind surge; make or upgrade the schema"),
                                  ("none", "DROP FUNCTION beacons.offered()", "does not exist")):
            with self.subTest(name):
                collector = self.refused(f"old-{name}", change)
                with self.assertRaisesRegex(psycopg.errors.UndefinedFunction if name == "none" else TooOld, why):
                    collector.commit([], [])
