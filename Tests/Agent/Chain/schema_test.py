"""The schema: its days, its roles, its plans, and `take` under competition."""

import collections
import datetime
import json
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import psycopg

from count_test import count
from heat_test import sheet
from servers import PostgreSQL, wait_until
from story import DAY, EPOCH, StoryTest, at, at_once, count_freely, event, gap, health, span, stamp, state, status, surge


class SchemaTest(StoryTest):
    def partition_of(self, seq):
        return self.query("SELECT tableoid::regclass::text FROM beacons.event WHERE site = %(site)s AND seq = %(seq)s", seq=seq)[0][0]


class DayTests(SchemaTest):
    def test_a_day_s_events_stand_in_its_partition_however_late_they_come(self):
        late, latest = (datetime.datetime.now(datetime.UTC).replace(microsecond=0) - datetime.timedelta(days=days) for days in (310, 399))
        self.take([event({"seq": 1, "at": "9:00", "type": "enter"}), event({"seq": 2, "at": late, "type": "enter", "beacon": "1/2"}),
                   event({"seq": 3, "at": latest, "type": "enter", "beacon": "1/3"})])
        for seq, day in enumerate((DAY, late, latest), 1):
            self.assertEqual(self.partition_of(seq), f"beacons.event_{day:%Y%m%d}")
        self.assertEqual(self.query("SELECT bool_or(marked) FROM beacons.event WHERE site = %(site)s"), [(False,)])

    def test_what_cannot_be_true_stands_in_the_default_partition_and_is_marked(self):
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        wild = {1: now - datetime.timedelta(days=402), 2: now + datetime.timedelta(days=2, hours=1), 3: at("9:00"),
                4: datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC), 5: datetime.datetime(9999, 12, 31, tzinfo=datetime.UTC)}
        self.take([event({"seq": seq, "at": moment, "type": "enter", "beacon": f"1/{seq}"}) for seq, moment in wild.items()])
        self.assertEqual(
            self.query("SELECT seq, marked, tableoid = 'beacons.event_default'::regclass FROM beacons.event WHERE site = %(site)s ORDER BY seq"),
            [(1, True, True), (2, True, True), (3, False, False), (4, True, True), (5, True, True)])
        self.assertEqual([clock for clock, in self.query("SELECT at FROM beacons.event WHERE site = %(site)s ORDER BY seq")], list(wild.values()))
        self.assertEqual(len(self.visits()), 5)
        # Hours that can't be true are not counted: a clock at 1970 would make half a million of them.
        self.assertLess(len(self.query("SELECT FROM beacons.occupancy_hourly WHERE site = %(site)s")), 401 * 24)

    def test_rows_that_were_there_before_their_day_s_partition_move_into_it(self):
        old = DAY - datetime.timedelta(days=200)
        self.connection.execute(
            "INSERT INTO beacons.event (site, gateway, epoch, seq, at, type, region) VALUES (%s, 'door', 'e', 1, %s, 'enter', 'carts')",
            (self.site, old))
        self.assertEqual(self.partition_of(1), "beacons.event_default")
        self.connection.execute("SELECT beacons.make_partitions()")
        self.assertEqual(self.partition_of(1), f"beacons.event_{old:%Y%m%d}")
        self.assertEqual(len(self.visits()), 1)

    def test_a_row_from_before_a_limit_does_not_keep_its_day_from_being_made_and_the_limit_holds_there(self):
        old = DAY - datetime.timedelta(days=210)
        long = {"seq": 1, "at": old, "type": "enter", "region": "r" * 129}
        # A table without the limit for as long as it takes to add the row.
        (limit,), = self.query("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'event_names' AND conrelid = 'beacons.event'::regclass")
        gateway_limit = self.query("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'region_gateway_names'")[0][0]
        self.connection.execute("ALTER TABLE beacons.event DROP CONSTRAINT event_names")
        self.connection.execute("ALTER TABLE beacons.region_gateway DROP CONSTRAINT region_gateway_names")
        try:
            self.connection.execute(
                "INSERT INTO beacons.event (site, gateway, epoch, seq, at, type, region) VALUES (%s, 'door', 'e', 1, %s, 'enter', %s)",
                (self.site, old, long["region"]))
        finally:
            self.connection.execute(f"ALTER TABLE beacons.event ADD CONSTRAINT event_names {limit} NOT VALID")
            self.connection.execute(f"ALTER TABLE beacons.region_gateway ADD CONSTRAINT region_gateway_names {gateway_limit} NOT VALID")
        self.assertEqual(self.partition_of(1), "beacons.event_default")
        self.connection.execute("SELECT beacons.make_days_ahead()")
        self.assertEqual(self.partition_of(1), f"beacons.event_{old:%Y%m%d}")
        with self.assertRaises(psycopg.errors.CheckViolation):
            self.take([event(long | {"seq": 2})])

    def test_tomorrow_is_made_ahead(self):
        tomorrow = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)
        for table in ("event", "visit_day", "stay_day", "health", "location"):
            self.assertEqual(self.query("SELECT to_regclass(%(name)s) IS NOT NULL", name=f"beacons.{table}_{tomorrow:%Y%m%d}"), [(True,)])

    def test_one_batch_makes_a_few_days_the_nearest_first_and_the_others_are_made_in_turn(self):
        url = self.url_of("few")
        today = datetime.datetime.now(datetime.UTC).replace(hour=9)
        events = [event({"seq": back + 1, "at": today - datetime.timedelta(days=back), "type": "enter", "beacon": f"9/{back}"}) for back in range(60)]
        with psycopg.connect(url, autocommit=True) as connection:
            def days():
                return {day for day, in connection.execute("SELECT to_date(right(relname, 8), 'YYYYMMDD') FROM pg_class WHERE relname ~ '^event_[0-9]{8}$'")}

            before = days()
            self.assertEqual(self.take(events, connection), ["new"] * 60)
            self.assertEqual(days() - before, {(today - datetime.timedelta(days=back)).date() for back in range(32, 36)})
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.visit").fetchone(), (60,))
            turns = 0
            while not days() >= {(today - datetime.timedelta(days=back)).date() for back in range(60)} and turns < 20:
                connection.execute("SELECT beacons.make_days_ahead()")
                turns += 1
            # Four days in each turn.
            self.assertEqual(turns, 6)
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.event_default").fetchone(), (0,))
            self.assertEqual(connection.execute("SELECT count(*) FROM beacons.event").fetchone(), (60,))

    def test_a_day_that_a_long_query_keeps_from_being_made_does_not_stop_the_collector(self):
        old = DAY - datetime.timedelta(days=100)
        with psycopg.connect(self.database.url) as analyst:
            analyst.execute("SELECT count(*) FROM beacons.event")
            self.assertEqual(self.take([event({"seq": 1, "at": old, "type": "enter"})]), ["new"])
            self.assertEqual(self.partition_of(1), "beacons.event_default")
        self.roll_up()
        self.assertEqual(self.partition_of(1), f"beacons.event_{old:%Y%m%d}")


    def test_a_collector_that_makes_a_day_does_not_wait_for_one_that_waits_for_it(self):
        late, absurd = DAY - datetime.timedelta(days=150), DAY - datetime.timedelta(days=500)
        with psycopg.connect(self.database.url) as first, psycopg.connect(self.database.url) as second:
            self.take([event({"seq": 1, "at": "9:00", "type": "enter"})], first)
            waits = threading.Thread(target=self.take, args=([event({"seq": 2, "at": late, "type": "enter"})], second))
            waits.start()
            wait_until(lambda: self.query("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = %(pid)s", pid=second.info.backend_pid) == [(1,)],
                       "the second waits for the first")
            # What has no day stands in the table that is locked while a day is made.
            self.assertEqual(self.take([event({"seq": 3, "at": absurd, "type": "enter"})], first), ["new"])
            first.commit()
            waits.join()
            second.commit()
        self.assertEqual(self.query("SELECT count(*) FROM beacons.event WHERE site = %(site)s"), [(3,)])

    def test_collectors_that_learn_regions_of_events_and_states_crosswise_both_commit(self):
        def states(entered, *inside):
            gateway, region = entered
            return [event({"seq": 1, "at": "9:00", "gateway": gateway, "type": "enter", "region": region}), *[state(*one) for one in inside]]

        with psycopg.connect(self.database.url) as other, psycopg.connect(self.database.url) as first, psycopg.connect(self.database.url) as second:
            self.take([health("door", "9:00"), health("till", "9:00")])
            other.execute("INSERT INTO beacons.region_gateway (site, region, gateway) VALUES (%s, 'r0', 'till')", (self.site,))
            with ThreadPoolExecutor(2) as pool:
                def waits(connection):
                    return self.query("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = %(pid)s", pid=connection.info.backend_pid) == [(1,)]

                def taken(connection, messages):
                    with connection.transaction():
                        return self.take(messages, connection)

                one = pool.submit(taken, first, states(("door", "r2"), ("till", "r0"), ("till", "r1")))
                wait_until(lambda: waits(first), "the first waits for the other")
                two = pool.submit(taken, second, states(("till", "r1"), ("door", "r2")))
                wait_until(lambda: two.done() or waits(second), "the second is done, or waits for the first")
                other.rollback()
                self.assertEqual((one.result(), two.result()), (["new", "unkept", "unkept"], ["new", "unkept"]))
        self.assertEqual(self.query("SELECT gateway, region FROM beacons.region_gateway WHERE site = %(site)s ORDER BY region"), [
            ("till", "r0"), ("till", "r1"), ("door", "r2")])


class TakeTests(SchemaTest):
    def test_a_number_published_again_with_other_contents_is_a_conflict_and_changes_nothing(self):
        first = event({"seq": 1, "at": "9:00", "type": "enter"})
        again = {**first, "payload": {**first["payload"], "site": self.site, "gateway": "door"}}
        other = {**first, "payload": {**first["payload"], "rssi_dbm": -3}}
        moved = {**first, "payload": {**first["payload"], "at": stamp("10:00")}}
        self.assertEqual(self.take([first, again, other, moved]), ["new", "repeated", "conflict", "conflict"])
        self.assertEqual(self.take([again, other, moved, first]), ["repeated", "conflict", "conflict", "repeated"])
        self.assertEqual(self.query("SELECT rssi_dbm FROM beacons.event WHERE site = %(site)s"), [(-70.5,)])

    def test_of_each_kind_what_comes_again_is_repeated_and_with_other_contents_a_conflict_and_changes_nothing(self):
        fixes = [{"at": stamp("9:00"), "latitude": 52, "longitude": 13, "horizontal_accuracy_m": 8}]
        track = {"kind": "track", "gateway": "door", "payload": {"epoch": EPOCH, "batch": 1, "at": stamp("9:01"), "finished": "timeout", "fixes": fixes}}
        report = {"kind": "health", "gateway": "door", "payload": {"at": stamp("9:00"), "tracks": 3}}
        for message, change, table, column, kept in (
                (span(1, "door", "9:00", "10:00"), {"to_at": stamp("11:00")}, "coverage_span", "to_at", at("10:00")),
                (track, {"finished": "stopped"}, "track", "finished", "timeout"),
                (surge(1, "door", "9:00", "9:01"), {"refused": 3}, "surge", "refused", 700),
                (sheet(1, "9:00", "10:00", [(0, 1, 1, 500, 7)]), {"omitted_cells": 1}, "heat", "seconds", 500),
                (count(1, "9:00", "9:15", 12, 7), {"entered": 13}, "count", "entered", 12),
                (report, {"tracks": 4}, "health", "payload->'tracks'", 3)):
            with self.subTest(message["kind"]):
                other, named = ({**message, "payload": message["payload"] | more} for more in (change, {"site": self.site, "gateway": message["gateway"]}))
                self.assertEqual(self.take([message, message, other, named]), ["new", "repeated", "conflict", "repeated"])
                self.assertEqual(self.take([other, named, message]), ["conflict", "repeated", "repeated"])
                self.assertEqual(self.query(f"SELECT {column} FROM beacons.{table} WHERE site = %(site)s"), [(kept,)])
                if "epoch" in message["payload"]:
                    # A store that lost its outbox begins an epoch, and numbers from 1.
                    self.assertEqual(self.take([{**message, "payload": message["payload"] | {"epoch": EPOCH[:-1] + "1"}}]), ["new"])
        # The location of a moment has no number, and neither has a status.
        location = {"kind": "location", "gateway": "van", "payload": {"at": stamp("9:01"), "fix": fixes[0] | {"at": stamp("9:01")}}}
        for message in (location, status("door", "9:00", "online")):
            self.assertEqual(self.take([message]) + self.take([message]), ["new", "repeated"])

    def test_a_surge_and_its_gateway_have_a_row_with_what_was_held_back(self):
        self.assertEqual(self.take([surge(1, "door", "9:00", "9:01"), surge(1, "site", "9:00", "9:02")]), ["new", "new"])
        self.assertEqual(self.query("SELECT gateway, surge, to_at - from_at, region, refused, identities FROM beacons.surge WHERE site = %(site)s ORDER BY gateway"),
                         [(gateway, 1, datetime.timedelta(minutes=length), "carts", 700, 690) for gateway, length in (("door", 1), ("site", 2))])

    def test_numbers_of_each_series_that_are_lost_stand_in_a_gap_of_their_own(self):
        series = ["batch", "count", "seq", "sheet", "span", "surge"]
        for number, word in enumerate(series):
            lost = gap("door", 1, 1)
            lost["payload"] = {key: value for key, value in lost["payload"].items() if "seq" not in key} | {f"from_{word}": number + 1, f"to_{word}": number + 2}
            self.assertEqual(self.take([lost]) + self.take([lost]), ["new", "repeated"], word)
        self.assertEqual(self.query("SELECT counts, from_seq, to_seq FROM beacons.gap WHERE site = %(site)s ORDER BY 1"),
                         [(word, number + 1, number + 2) for number, word in enumerate(series)])

    def test_whose_news_decided_an_event_of_the_store_is_part_of_its_contents(self):
        def numbered(seq, gateway):
            message = event({"seq": seq, "at": "9:00", "type": "enter", "gateway": "site", "zone": "shelf"})
            return {**message, "payload": {**message["payload"], "gateway": gateway}}
        self.assertEqual(self.take([numbered(1, "door")]) + self.take([numbered(1, "door"), numbered(1, "till")]), ["new", "repeated", "conflict"])
        self.assertEqual(self.take([numbered(2, "door"), numbered(2, "till")]), ["new", "conflict"])

    def test_a_time_that_clients_cannot_read_is_refused_whichever_table_it_is_for(self):
        late = "9999-12-31T23:59:59.9999999Z"
        fix = {"at": stamp("9:00"), "latitude": 52, "longitude": 13, "horizontal_accuracy_m": 8}
        track = {"kind": "track", "gateway": "door", "payload": {
            "epoch": EPOCH, "batch": 1, "at": stamp("9:01"), "finished": "timeout", "fixes": [fix]}}
        for message, *fields in (
                (event({"seq": 1, "at": "9:00", "type": "exit", "entered": "8:00", "heard": "9:00"}), "at", "entered_at", "last_heard_at"),
                (span(1, "door", "9:00", "10:00"), "to_at"), (surge(1, "door", "9:00", "10:00"), "to_at"), (gap("door", 1, 1), "at"), (status("door", "9:00", "online"), "at"),
                (health("door", "9:00"), "at"), (track, "at"), (track, "fixes"),
                ({"kind": "location", "gateway": "door", "payload": {"at": stamp("9:00"), "fix": fix}}, "fix")):
            for field in fields:
                wild = {"fix": fix | {"at": late}, "fixes": [fix | {"at": late}]}.get(field, late)
                with self.subTest(message["kind"], field=field), self.assertRaises(psycopg.errors.CheckViolation):
                    self.take([{**message, "payload": {**message["payload"], field: wild}}])
        # The last moment that there is a year for.
        self.assertEqual(self.take([status("door", "9:00", "online") | {"payload": {
            **status("door", "9:00", "online")["payload"], "at": "9999-12-31T23:59:59.999999Z"}}]), ["new"])

    def test_collectors_that_give_overlapping_batches_at_once_store_each_number_once(self):
        messages = [event({"seq": seq, "at": "9:00", "type": "enter", "gateway": f"g{gateway}", "beacon": f"{gateway}/{seq}"})
                    for gateway in range(20) for seq in range(1, 11)]
        outcomes = []

        def collect(turn):
            with psycopg.connect(self.database.url, autocommit=True) as connection:
                for start in range(0, 200, 40):
                    # Each in an order of its own.
                    batch = (messages[start:] + messages[:start])[:60]
                    outcomes.extend(self.take(batch[::-1] if turn % 2 else batch, connection))

        at_once(6, collect)
        self.assertEqual((outcomes.count("new"), outcomes.count("conflict")), (200, 0))
        self.assertEqual(self.query("SELECT count(*) FROM beacons.event WHERE site = %(site)s"), [(200,)])
        self.assertEqual(self.query("SELECT count(*) FROM beacons.visit WHERE site = %(site)s"), [(200,)])
        self.assertEqual(self.missing(), [])

    def test_a_value_that_is_none_fails_the_batch_as_a_whole_with_a_data_error(self):
        bad = event({"seq": 2, "at": "9:00", "type": "enter"})
        bad["payload"]["rssi_dbm"] = "loud"
        with self.assertRaises(psycopg.DataError):
            self.take([event({"seq": 1, "at": "9:00", "type": "enter"}), bad])
        self.assertEqual(self.visits(), [])


class RollUpTests(SchemaTest):
    def roll_up_when_due(self):
        return self.query("SELECT beacons.roll_up_when_due()")[0][0]

    def test_collectors_count_a_fifth_of_the_time_at_most_and_the_views_are_right_meanwhile(self):
        self.connection.execute("UPDATE beacons.progress SET due_at = '-infinity'")
        self.take([event({"seq": 1, "at": "9:00", "type": "enter"})])
        self.assertGreater(self.roll_up_when_due(), 0)
        self.assertEqual(self.query("SELECT due_at > now() + interval '45 s' FROM beacons.progress"), [(True,)])
        self.take([event({"seq": 2, "at": "9:20:20", "type": "exit", "entered": "9:00", "heard": "9:20"})])
        self.assertEqual(self.roll_up_when_due(), 0)
        self.assertEqual(self.stays(), [("1/1", "9:00", "9:20", "door")])
        self.connection.execute("UPDATE beacons.progress SET due_at = now()")
        self.assertGreater(self.roll_up_when_due(), 0)

    def test_who_asks_by_hand_waits_for_no_rest(self):
        self.connection.execute("UPDATE beacons.progress SET due_at = now() + interval '1 hour'")
        self.take([event({"seq": 1, "at": "9:00", "type": "enter"})])
        self.assertGreater(self.query("SELECT beacons.roll_up()")[0][0], 0)


class RightsTests(SchemaTest):
    def as_role(self, role, text, values=None):
        with psycopg.connect(self.database.url) as connection:
            connection.execute(f"SET ROLE {role}")
            return connection.execute(text, values).fetchall()

    def test_the_collector_adds_and_neither_reads_nor_changes(self):
        batch = json.dumps([event({"seq": 1, "at": "9:00", "type": "enter"}) | {"i": 0, "site": self.site, "received_at": stamp("9:01")}])
        self.assertEqual(self.as_role("beacons_collector", "SELECT outcome FROM beacons.take(%s::jsonb)", (batch,)), [("new",)])
        self.as_role("beacons_collector", "WITH added AS (INSERT INTO beacons.rejected VALUES (now(), 't', 'p', 'r')) SELECT 1")
        self.as_role("beacons_collector", "SELECT beacons.make_days_ahead(), beacons.roll_up(), beacons.roll_up_when_due()")
        for text in ("SELECT * FROM beacons.event", "DELETE FROM beacons.event RETURNING 1", "SELECT * FROM beacons.rejected",
                     "SELECT beacons.make_partitions()", "SELECT beacons.forget_before('2030-01-01')"):
            with self.assertRaises(psycopg.errors.InsufficientPrivilege, msg=text):
                self.as_role("beacons_collector", text)

    def test_a_collector_of_somebody_s_own_may_add_what_was_published_by_a_plain_insert(self):
        with psycopg.connect(self.database.url, autocommit=True) as connection:
            connection.execute("SET ROLE beacons_collector")
            connection.execute(
                "INSERT INTO beacons.event (site, gateway, epoch, seq, at, type, region, uuid, major, minor) "
                "VALUES (%s, 'door', 'e', 1, %s, 'enter', 'carts', 'U', 1, 1)", (self.site, at("9:00")))
            connection.execute("INSERT INTO beacons.health (site, gateway, at) VALUES (%s, 'door', now())", (self.site,))
            for table in ("gap", "coverage_span", "surge", "status", "location", "track", "rejected"):
                self.assertEqual(connection.execute("SELECT has_table_privilege(%s, 'INSERT'), has_table_privilege(%s, 'SELECT')",
                                                    (f"beacons.{table}",) * 2).fetchone(), (True, False), table)
        self.assertEqual(self.visits(), [("1/1", "9:00", None, None, False)])

    def test_no_function_is_open_to_public(self):
        self.assertEqual(self.query(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'beacons'::regnamespace AND has_function_privilege('public', oid, 'EXECUTE')"), [])

    def test_the_collector_rejects_within_the_budgets_and_sets_none(self):
        self.as_role("beacons_collector", "SELECT beacons.reject('{now}', '{s}', '{t}', '{p}', '{r}')")
        for text in ("UPDATE beacons.budget SET messages_a_day = 0 RETURNING 1", "SELECT beacons.record_used('s', 'told', 1, 1, 1, 1)",
                     "SELECT * FROM beacons.take_within_budget('[]')"):
            with self.assertRaises(psycopg.errors.InsufficientPrivilege, msg=text):
                self.as_role("beacons_collector", text)

    def test_the_analyst_reads_everything_and_changes_nothing(self):
        found = "FROM pg_class WHERE relnamespace = 'beacons'::regnamespace AND relkind IN ('r', 'p', 'v')"
        with psycopg.connect(self.url_of("analysed")) as connection:
            self.take([event({"seq": 1, "at": DAY - datetime.timedelta(days=50), "type": "enter"})], connection)
            names = [name for name, in connection.execute(f"SELECT relname {found} AND NOT relispartition")]
            self.assertEqual(connection.execute(f"SELECT relname {found} AND NOT has_table_privilege('beacons_analyst', oid, 'SELECT')").fetchall(), [])
            connection.execute("SET ROLE beacons_analyst")
            # A view may call what its reader may not.
            for name in names:
                connection.execute(f'SELECT count(*) FROM beacons."{name}"')
        for text in ("DELETE FROM beacons.event RETURNING 1", "SELECT * FROM beacons.take('[]')", "SELECT beacons.roll_up()",
                     "INSERT INTO beacons.rejected DEFAULT VALUES RETURNING 1"):
            with self.assertRaises(psycopg.errors.InsufficientPrivilege, msg=text):
                self.as_role("beacons_analyst", text)


class PublicationTests(unittest.TestCase):
    """The chain's publication, as PostgreSQL hands it to a reader of the protocol pgoutput."""

    def test_a_reader_gets_what_was_published_under_the_names_of_the_tables_and_not_of_their_partitions(self):
        with PostgreSQL("wal_level=logical", has_schema=True) as server, psycopg.connect(server.url, autocommit=True) as connection:
            self.site = "published"
            connection.execute("SELECT pg_create_logical_replication_slot('reader', 'pgoutput')")
            events = [event({"seq": number, "type": "enter", "beacon": f"1/{number}", "at": "9:00"}) for number in range(1, 101)]
            StoryTest.take(self, [span(1, "door", "9:00", "10:00"), *events], connection)
            changes = [octets for octets, in connection.execute(
                "SELECT data FROM pg_logical_slot_get_binary_changes('reader', NULL, NULL, 'proto_version', '1', 'publication_names', 'beacons')")]
            # A relation is an octet, its number, and two names; an inserted row names its relation by the number.
            names = {octets[1:5]: octets[5:].split(b"\0")[1].decode() for octets in changes if octets[:1] == b"R"}
            inserted = [names[octets[1:5]] for octets in changes if octets[:1] == b"I"]
            self.assertEqual(collections.Counter(inserted), {"coverage_span": 1, "event": 100})
            published = connection.execute("SELECT tablename FROM pg_publication_tables WHERE pubname = 'beacons'")
            self.assertEqual({name for name, in published}, set("coverage_span event gap location register status store surge track".split()))


class PlanTests(SchemaTest):
    def partitions_in_plan(self, text):
        plan = "\n".join(line for line, in self.query("EXPLAIN " + text, first=at("0:00"), last=at("24:00")))
        return sorted({word.split(" ")[0] for word in plan.replace("beacons.", "").split(" on ") if word[:4] in ("even", "visi", "stay")
                       and any(character.isdigit() for character in word.split(" ")[0])})

    def test_a_day_s_query_touches_that_day_s_partition_alone(self):
        day = f"{DAY:%Y%m%d}"
        for name, time, table in (("event", "at", "event"), ("visit", "entered_at", "visit_day"), ("stay", "entered_at", "stay_day")):
            text = f"SELECT * FROM beacons.{name} WHERE site = %(site)s AND {time} >= %(first)s AND {time} < %(last)s"
            found = {word.removesuffix("_idx").split("_site_")[0].split("_beacon_")[0] for word in self.partitions_in_plan(text)}
            self.assertEqual({word for word in found if word.startswith(table)}, {f"{table}_{day}"}, name)

    def test_who_is_inside_now_reads_no_day(self):
        self.assertEqual(self.partitions_in_plan("SELECT count(*) FROM beacons.visit WHERE left_at IS NULL"), [])

    def test_what_comes_and_what_is_counted_opens_the_days_that_it_is_of_and_not_all_that_are_kept(self):
        out = {"type": "exit", "beacon": "1/1", "entered": "8:00", "heard": "9:00", "zone": "bakery"}
        leaves, late = event(out | {"seq": 1, "at": "9:00:20"}), event({"seq": 2, "type": "enter", "beacon": "1/2", "at": "8:30"})
        with psycopg.connect(self.url_of("kept"), autocommit=True) as connection:
            count_freely(connection)
            self.take([span(1, "door", "0:00", "24:00"), leaves, health("door", "9:00")], connection)
            connection.execute("SELECT beacons.make_partition(name, %s::date - back) FROM beacons.daily, generate_series(1, 40) back", [DAY.date()])
            works = {"an event": [late], "an event again": [leaves], "health": [health("door", "9:01")], "health again": [health("door", "9:00")],
                     **{text: f"SELECT count(*) FROM beacons.{text}" for text in (
                        "roll_up()", "roll_up_days()", "days_with_intervals(%(site)s, %(from)s::date, %(to)s::date)", "zones_of(%(site)s, %(from)s::date)",
                        "occupancy_of(%(site)s, %(from)s, %(to)s)", "flow_of(%(site)s, %(from)s, %(to)s)")}}
            for name, work in works.items():
                with self.subTest(name), connection.transaction():
                    if isinstance(work, list):
                        self.take(work, connection)
                    else:
                        connection.execute(work, {"site": self.site, "from": DAY, "to": DAY + datetime.timedelta(days=1)})
                    opened = [part for part, in connection.execute(
                        "SELECT c.relname FROM pg_locks l JOIN pg_inherits i ON i.inhrelid = l.relation JOIN pg_class c ON c.oid = i.inhrelid "
                        "WHERE l.pid = pg_backend_pid() AND c.relkind = 'r' ORDER BY 1")]
                    self.assertIn(f"{DAY:%Y%m%d}", " ".join(opened))
                    # A visit may have begun two days before its event.
                    self.assertEqual([part for part in opened if part[-8:] < f"{DAY - datetime.timedelta(days=3):%Y%m%d}"], [])

    def test_what_comes_is_looked_up_by_index_even_where_plans_were_made_for_an_empty_database(self):
        url = self.url_of("planned")

        def tables_read_whole(connection):
            connection.execute("SELECT pg_stat_force_next_flush()")
            return dict(connection.execute(
                "SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname IN ('gateway', 'number', 'region_gateway', 'visit_long')").fetchall())

        with psycopg.connect(url, autocommit=True) as connection:
            self.take([event({"seq": 1, "at": "9:00", "type": "enter"})], connection)
            before = tables_read_whole(connection)
            for turn in range(4):
                self.take([event({"seq": turn + 2, "at": f"9:{turn + 1:02}", "type": "enter", "gateway": f"g{gateway}", "beacon": f"{turn}/{gateway}"})
                           for gateway in range(200)], connection)
            self.assertEqual(tables_read_whole(connection), before)

    def test_every_view_says_in_a_comment_what_it_is(self):
        self.assertEqual(self.query(
            "SELECT relname FROM pg_class WHERE relnamespace = 'beacons'::regnamespace AND relkind IN ('r', 'p', 'v') "
            "AND NOT relispartition AND obj_description(oid) IS NULL AND relname <> 'migration'"), [])

    def test_every_column_of_an_analyst_s_view_says_what_it_is(self):
        self.assertEqual(self.query(
            "SELECT relname, attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE relnamespace = 'beacons'::regnamespace "
            "AND relname IN ('visit', 'stay', 'occupancy_hourly', 'flow', 'coverage', 'missing', 'budget_daily', "
            "'store_visit', 'occupancy_daily', 'compared', 'gateway_now', 'not_heard', 'zone_daily', 'conversion', "
            "'beacon', 'beacon_list', 'beacon_silent', 'beacon_stranger', 'beacon_battery', 'battery_daily') "
            "AND attnum > 0 AND col_description(c.oid, attnum) IS NULL"), [])
