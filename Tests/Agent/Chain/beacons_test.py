"""Lists of beacons: what becomes of them in the database, whatever comes twice, late, or from a wrong clock."""

import datetime
import json

import psycopg
from beacons_collector.contract import CONTRACT
from beacons_collector.database import Database, Row
from beacons_collector.reading import read
from beacons_collector.topics import Unreadable, parse

from lists import ListTest, entry, page
from servers import SCHEMA, run
from story import UUID, at_once, clock, span, stamp


class TakeTests(ListTest):
    def test_a_beacon_is_one_row_over_all_gateways_of_its_store(self):
        self.take([page("door", "9:00", entry("1/1", "8:50", first="6:00", interval_ms=1020, rssi_dbm=-80)),
                   page("till", "9:05", entry("1/1", "9:04", first="7:00", interval_ms=1000, rssi_dbm=-60))])
        self.assertEqual(self.beacons("first_heard_at, last_heard_at, interval_ms, rssi_dbm, gateways"), [("1/1", "6:00", "9:04", 1000, -60, 2)])

    def test_gateways_that_heard_it_more_than_a_day_before_it_was_last_heard_are_not_counted(self):
        self.take([page("door", "9:00", entry("1/1", "8:50", rssi_dbm=-50)), page("till", "40:00", entry("1/1", "39:00"))])
        self.assertEqual(self.beacons("rssi_dbm, gateways"), [("1/1", -70, 1)])

    def test_the_battery_is_that_of_the_newest_reading_whichever_gateway_read_it(self):
        telemetry = {"battery_mv": 2950, "battery_percent": 80, "temperature_c": 21.5, "format": "minew"}
        self.take([page("door", "9:00", entry("1/1", "9:00", telemetry_at=stamp("8:30"), **telemetry)),
                   page("till", "9:10", entry("1/1", "9:05", telemetry_at=stamp("8:00"), battery_mv=3000, format="eddystone_tlm"))])
        self.assertEqual(self.beacons("battery_mv, battery_percent, temperature_c, telemetry_at, format"), [("1/1", 2950, 80, 21.5, "8:30", "minew")])
        # A later list without a reading leaves it.
        self.take([page("door", "10:00", entry("1/1", "10:00"))])
        self.assertEqual(self.beacons("battery_mv, last_heard_at"), [("1/1", 2950, "10:00")])

    def test_a_newer_frame_without_a_value_hides_no_older_one(self):
        self.take([page("door", "9:00", entry("1/1", "9:00", battery_percent=80, battery_mv=2900, telemetry_at=stamp("9:00"), format="minew"))])
        self.take([page("till", "10:00", entry("1/1", "10:00", temperature_c=21, telemetry_at=stamp("10:00"), format="kontakt"))])
        columns = "battery_percent, battery_mv, temperature_c, telemetry_at, format"
        self.assertEqual(self.beacons(columns), [("1/1", 80, 2900, 21, "10:00", "kontakt")])
        # One gateway alone, after a restart that forgot its list.
        self.take([page("door", "11:00", entry("1/1", "11:00", battery_mv=2890, telemetry_at=stamp("11:00"), format="minew"))])
        self.assertEqual(self.beacons(columns), [("1/1", 80, 2890, 21, "11:00", "minew")])

    def test_a_page_that_a_shorter_list_does_not_need_makes_no_later_list_complete(self):
        self.take([page("door", "9:00", entry("1/1", "9:00"), pages=2), page("door", "9:00", entry("1/2", "9:00"), number=1, pages=2)])
        self.take([page("door", "10:00", entry("1/1", "10:00"))])
        self.take([page("door", "11:00", entry("1/1", "11:00"), pages=2)])
        self.assertEqual(self.query("SELECT FROM beacons.beacon_list WHERE site = %(site)s"), [])
        self.take([page("door", "11:00", entry("1/2", "11:00"), number=1, pages=2)])
        self.assertEqual([clock(until) for until, in self.query("SELECT complete_until FROM beacons.beacon_list WHERE site = %(site)s")], ["11:00"])

    def test_a_backlog_of_lists_counts_as_if_each_list_had_come_by_itself(self):
        night = [page("door", f"{hour}:00", entry("1/1", f"{hour}:00", battery_mv=3000 - hour, telemetry_at=stamp(f"{hour}:00")),
                      *([entry("1/2", f"{hour}:00", battery_percent=50, telemetry_at=stamp("0:30"))] if hour <= 3 else [])) for hour in range(1, 8)]
        alone = [one | {"site": self.site + "-2"} for one in night]
        self.assertEqual(self.take(night), ["new"] * 7)
        self.assertEqual([self.take([one]) for one in alone], [["new"]] * 7)
        for table in ("battery_daily", "beacon_heard", "beacon_page"):
            columns = self.query("SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = %(name)s::regclass AND attnum > 1 "
                                 "AND attname <> 'received_at'", name=f"beacons.{table}")[0][0]
            rows = [self.query(f"SELECT {columns} FROM beacons.{table} WHERE site = %(its)s ORDER BY 1, 2, 3", its=self.site + end) for end in ("", "-2")]
            self.assertEqual(*rows)
        self.assertEqual(self.query("SELECT minor, readings, battery_mv, battery_mv_min, battery_percent FROM beacons.battery_daily WHERE site = %(site)s ORDER BY 1"),
                         [(1, 7, 2996, 2993, None), (2, 1, None, None, 50)])
        self.assertEqual(self.take(night), ["repeated"] * 7)

    def test_made_up_pages_have_a_limit_for_a_list_and_for_a_store(self):
        self.assertEqual(self.take([page("door", "9:00", number=5, pages=5), page("door", "9:00", number=0, pages=101), page("door", "9:00", number=99, pages=100)]),
                         ["rejected", "rejected", "new"])
        with self.connection.transaction(force_rollback=True):
            self.connection.execute("UPDATE beacons.budget SET rows_in_all = 2 WHERE kind = 'pages'")
            self.assertEqual(self.take([page("a", "9:00")]), ["new"])
            self.assertEqual(self.take([page("b", "9:00")]), ["over_budget"])
            # A page that is there already has its room.
            self.assertEqual(self.take([page("a", "10:00")]), ["new"])

    def test_what_comes_again_or_late_changes_nothing(self):
        first = page("door", "9:00", entry("1/1", "8:50", battery_mv=3000, telemetry_at=stamp("8:00")), entry("1/2", "8:00"))
        second = page("door", "10:00", entry("1/1", "9:50", battery_mv=2990, telemetry_at=stamp("9:00")))
        self.assertEqual(self.take([second, second, first]), ["new", "repeated", "repeated"])
        before = self.whole()
        self.assertEqual(self.take([first]) + self.take([second]), ["repeated", "repeated"])
        self.assertEqual(self.whole(), before)
        self.assertEqual(self.beacons("battery_mv"), [("1/1", 2990)])

    def whole(self):
        return [self.query(f"SELECT t::text FROM beacons.{table} t WHERE site = %(site)s ORDER BY 1") for table in ("beacon_page", "beacon_heard", "battery_daily")]

    def test_the_same_page_and_moment_with_other_contents_is_a_conflict(self):
        pages = [page("door", "9:00", entry("1/1", "8:50")), page("door", "9:00", entry("1/2", "8:50"))]
        self.assertEqual(self.take(pages[:1]) + self.take(pages[1:]), ["new", "conflict"])
        self.assertEqual([one for one, *_ in self.beacons()], ["1/1"])

    def test_a_page_that_comes_late_does_not_undo_what_a_later_one_of_another_number_had(self):
        self.take([page("door", "10:00", entry("1/1", "9:50", rssi_dbm=-50), pages=2)])
        self.assertEqual(self.take([page("door", "9:00", entry("1/1", "8:50", rssi_dbm=-90), number=1, pages=2)]), ["new"])
        self.assertEqual(self.beacons("last_heard_at, rssi_dbm"), [("1/1", "9:50", -50)])

    def test_a_clock_that_began_in_1970_is_not_when_a_beacon_was_first_heard(self):
        self.take([page("door", "9:00", entry("1/1", "8:50", first=datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)))])
        self.assertEqual(self.beacons("first_heard_at"), [("1/1", "8:50")])

    def test_a_clock_that_is_ahead_stops_no_later_list_and_makes_no_beacon_heard_in_the_future(self):
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        ahead, later = now + datetime.timedelta(hours=20), now + datetime.timedelta(minutes=5)
        self.take([page("door", ahead, entry("1/1", ahead)) | {"received_at": stamp(now)}])
        self.assertEqual(self.beacons("last_heard_at"), [("1/1", clock(now))])
        # Published again after the next start of the collector.
        again = page("door", ahead, entry("1/1", ahead)) | {"received_at": stamp(later)}
        self.assertEqual(self.take([again]), ["repeated"])
        self.assertEqual(self.take([page("door", later, entry("1/1", later)) | {"received_at": stamp(later)}]), ["new"])

    def test_a_list_of_a_clock_that_cannot_be_true_is_rejected(self):
        now = datetime.datetime.now(datetime.UTC)
        for moment in (now + datetime.timedelta(days=2), datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC)):
            self.assertEqual(self.take([page("door", moment, entry("1/1", moment))]), ["rejected"])
        self.assertEqual(self.beacons(), [])

    def test_each_store_writes_its_own_rows_whatever_it_lists(self):
        self.take([page("door", "9:00", entry("1/1", "8:50"))])
        self.take([page("door", "10:00", entry("1/1", "9:50")) | {"site": self.site + "-2"}])
        self.assertEqual((self.beacons("last_heard_at"), self.beacons("last_heard_at", self.site + "-2")), ([("1/1", "8:50")], [("1/1", "9:50")]))

    def test_a_list_is_complete_up_to_its_oldest_page_and_without_one_of_them_it_is_not(self):
        def until():
            return [(gateway, clock(first), clock(last)) for gateway, first, last in self.query(
                "SELECT gateway, first_at, complete_until FROM beacons.beacon_list WHERE site = %(site)s ORDER BY 1")]

        self.take([page("door", "9:00", pages=2)])
        self.assertEqual(until(), [])
        self.take([page("door", "9:01", number=1, pages=2)])
        self.assertEqual(until(), [("door", "9:00", "9:00")])
        self.take([page("door", "10:01", number=1, pages=2)])
        self.assertEqual(until(), [("door", "9:00", "9:00")])
        # One page is enough again: the other one was cleared.
        self.take([page("door", "11:00", pages=1)])
        self.assertEqual(until(), [("door", "9:00", "11:00")])

    def test_collectors_that_take_lists_of_one_store_at_once_lose_nothing_and_do_not_wait_for_ever(self):
        def collect(turn):
            with psycopg.connect(self.database.url, autocommit=True) as connection:
                for hour in range(8):
                    pages = [page(f"g{gateway}", f"{hour}:{turn:02}", *[entry(f"1/{minor}", f"{hour}:00", battery_mv=3000) for minor in range(30)])
                             for gateway in range(4)]
                    self.take(pages[::-1] if turn % 2 else pages, connection)

        at_once(4, collect)
        self.assertEqual(self.query("SELECT count(*), min(gateways), max(gateways) FROM beacons.beacon WHERE site = %(site)s"), [(30, 4, 4)])


class LimitTests(ListTest):
    def test_made_up_beacons_fill_no_more_than_their_store_s_room_and_displace_no_registered_one(self):
        with self.connection.transaction(force_rollback=True):
            self.connection.execute("UPDATE beacons.budget SET rows_in_all = 5 WHERE kind = 'heard'")
            self.assertEqual(self.take([page("door", "9:00", *[entry(f"2/{minor}", "8:50") for minor in range(9)])]), ["over_budget"])
            self.assertEqual(len(self.beacons()), 5)
            self.register("3/9")
            self.assertEqual(self.take([page("door", "10:00", entry("2/0", "9:50"), entry("3/8", "9:50"), entry("3/9", "9:50"))]), ["over_budget"])
            self.assertEqual(self.beacons("last_heard_at")[0], ("2/0", "9:50"))
            self.assertEqual([one for one, *_ in self.beacons()], ["2/0", "2/1", "2/2", "2/3", "2/4", "3/9"])
            self.assertEqual(self.query("SELECT messages, given_up FROM beacons.budget_daily WHERE site = %(site)s"), [(2, 2)])
            # In one list with more beacons than there is room for, the registered one comes first.
            self.take([page("till", "9:00", *[entry(f"2/{minor}", "8:50") for minor in range(20)], entry("3/9", "8:50")) | {"site": self.site + "-3"}])
            self.connection.execute("UPDATE beacons.register SET site = %s WHERE minor = 9", (self.site + "-4",))
            self.take([page("till", "9:00", *[entry(f"2/{minor}", "8:50") for minor in range(20)], entry("3/9", "8:50")) | {"site": self.site + "-4"}])
            self.assertEqual([[one for one, *_ in self.beacons(site=self.site + end)][-1] for end in ("-3", "-4")], ["2/4", "3/9"])
            # Another store has its own room.
            self.assertEqual(self.take([page("door", "9:00", entry("2/9", "8:50")) | {"site": self.site + "-2"}]), ["new"])

    def test_lists_beyond_the_budget_of_the_day_are_counted_and_not_kept(self):
        self.connection.execute("INSERT INTO beacons.budget VALUES (%s, 'told', 1, 100000)", (self.site,))
        self.assertEqual(self.take([page("door", "9:00", entry("1/1", "8:50"))]) + self.take([page("door", "10:00", entry("1/1", "9:50"))]),
                         ["new", "over_budget"])
        self.assertEqual(self.beacons("last_heard_at"), [("1/1", "8:50")])

    def test_a_value_that_no_beacon_has_fails_the_batch_with_a_data_error(self):
        for field, value in (("major", 65536), ("minor", -1), ("battery_mv", "low"), ("last_heard_at", "soon")):
            with self.subTest(field), self.assertRaises((psycopg.errors.DataError, psycopg.errors.IntegrityError)):
                self.take([page("door", "9:00", entry("1/1", "8:50") | {field: value})])
        self.assertEqual(self.beacons(), [])


class CollectorTests(ListTest):
    """The way of a page from its topic into the database."""

    def setUp(self):
        super().setUp()
        self.collector = Database(self.database.url, lambda: False)
        self.addCleanup(self.collector.close)

    def commit(self, payload, number=0):
        address = parse(f"b/{self.site}/door/beacons/{number}", "b")
        text = read(payload, address)
        if text is not None:
            self.collector.commit([Row("t", address, text, datetime.datetime.now(datetime.UTC))], [])
        return text

    def test_the_example_of_the_contract_becomes_rows_and_a_cleared_page_leaves_them(self):
        example = json.dumps(CONTRACT.kinds["beacons"].schema["examples"][0] | {"at": stamp("9:00")}).encode()
        self.commit(example)
        self.commit(example)
        self.assertEqual((self.collector.outcomes["new"], self.collector.outcomes["repeated"]), (1, 1))
        self.assertIsNone(self.commit(b""))
        self.assertEqual(self.beacons("interval_ms, rssi_dbm, battery_percent, battery_mv, temperature_c, format, gateways"), [
            ("1/7", 1000, -74, 87, 2950, 21.5, "eddystone_tlm", 1), ("1/8", None, -91, None, None, None, None, 1)])

    def test_a_page_that_breaks_the_contract_is_unreadable(self):
        good = page("door", "9:00", entry("1/1", "8:50"))["payload"] | {"page": 0}
        for fault, change in (("beacons.0.major: not a value", {"beacons": [entry("1/1", "8:50") | {"major": 65536}]}),
                              ("beacons.0.last_heard_at: missing", {"beacons": [{"uuid": UUID, "major": 1, "minor": 1, "first_heard_at": stamp("9:00")}]}),
                              ("beacons: not a value", {"beacons": [entry("1/1", "8:50")] * 201}), ("site: unlike the topic's", {"site": "other"}),
                              ("page: unlike the topic's", {"page": 1})):
            with self.subTest(fault), self.assertRaisesRegex(Unreadable, fault):
                self.commit(json.dumps(good | change).encode())
        self.assertEqual(self.beacons(), [])


class RetainTests(ListTest):
    def test_days_of_batteries_and_coverage_go_and_so_do_beacons_unless_their_store_registered_them(self):
        url = self.url_of("beacons-retained")
        today = datetime.datetime.now(datetime.UTC).replace(hour=0, minute=30)
        old, kept = today - datetime.timedelta(days=390), today - datetime.timedelta(days=20)
        original = self.connection
        with psycopg.connect(url, autocommit=True) as self.connection:
            self.addCleanup(setattr, self, "connection", original)
            self.register("1/2", since=old)
            self.take([page("door", old, *[entry(f"1/{minor}", old, battery_mv=3000) for minor in (1, 2)]) | {"received_at": stamp(old)},
                       page("till", kept, entry("1/3", kept, battery_mv=3000), entry("1/4", kept - datetime.timedelta(days=20))),
                       *[span(number, "door", moment, moment + datetime.timedelta(hours=1)) for number, moment in ((1, old), (2, kept))]])
            run(SCHEMA.with_name("retain"), "--database", url, "--days", "30")
            self.assertEqual([one for one, *_ in self.beacons()], ["1/2", "1/3"])
            self.assertEqual(self.query("SELECT minor FROM beacons.battery_daily"), [(3,)])
            self.assertEqual(self.query("SELECT day FROM beacons.covered_day"), [(kept.date(),)])
            self.assertEqual(self.query("SELECT gateway FROM beacons.beacon_page"), [("till",)])
