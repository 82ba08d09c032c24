"""Figures by the store's own day, against truths that were worked out by hand: time zones, clock changes, opening hours, late events."""

import datetime
import pathlib
import tempfile
from zoneinfo import ZoneInfo

from beacons_schema.csv_file import WrongFile
from beacons_schema.stores import load_holidays, load_stores

from servers import SCHEMA
from story import DAY, StoryTest, at, clock, event, job, span, state

STORES = SCHEMA.with_name("stores")
HEADER = "site,name,time_zone,opening_hours,latitude,longitude"


class DayTest(StoryTest):
    def place(self, time_zone="UTC", opening_hours="", site=None):
        """Gives the store a row, through the command's own code."""
        self.load(f"{site or self.site},Store,{time_zone},{opening_hours},,")

    def load(self, *lines, replaces=False, holidays=False, header=HEADER):
        """The command's exit status and words, without a process for each file."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "stores.csv"
            file.write_text("\n".join([header, *lines]) + "\n")
            try:
                return 0, (load_holidays if holidays else load_stores)(self.connection, file, replaces)
            except WrongFile as error:
                return 65, str(error).replace(str(file), "stores.csv")

    def count(self):
        """As collectors do it; and then the figures are those of a fresh count."""
        self.roll_up()
        due = "SELECT day FROM beacons.open_day WHERE site = %(site)s AND day < (now() AT TIME ZONE 'UTC')::date - 3"
        # A call counts for ten seconds at most, and leaves the other days to the next one.
        for _ in range(100):
            self.connection.execute("SELECT beacons.roll_up_days()")
            if not self.query(due):
                break
        self.assertEqual(self.query(due), [])

    def days(self, columns="visits", region="carts"):
        """Each day as the number of days since the story's, with these columns."""
        return [(day - DAY.date()).days if len(rest) == 0 else ((day - DAY.date()).days, *[self.plain(value) for value in rest])
                for day, *rest in self.query(
                    f"SELECT day, {columns} FROM beacons.occupancy_daily WHERE site = %(site)s AND region = %(region)s "
                    "AND day < (now() AT TIME ZONE 'UTC')::date - 3 AND visits + covered_share > 0 ORDER BY day", region=region)]

    def plain(self, value):
        if isinstance(value, datetime.datetime):
            return clock(value)
        return round(value, 4) if isinstance(value, float) else value

    def assert_days(self, expected, columns="visits"):
        """Right at once, and after the days are counted."""
        self.assertEqual(self.days(columns), expected)
        self.count()
        self.assertEqual(self.days(columns), expected, "after the days were counted")


class Figures(DayTest):
    def test_several_gateways_visits_of_one_beacon_are_one_and_each_figure_is_that_of_the_day(self):
        self.take([span(1, "door", "8:00", "20:00"), span(1, "till", "8:00", "20:00")])
        self.publish("""
            seq gateway type beacon at       entered  heard
            1   door    exit 1/1    10:00:20 9:00     10:00
            1   till    exit 1/1    10:30:20 9:50     10:30
            2   door    exit 1/2    10:10:20 10:00    10:10
            3   door    exit 1/1    12:30:20 12:00    12:30
        """)
        # 90, 10 and 30 minutes; two at once from 10:00 to 10:10; 130 minutes of presence in 12 covered hours.
        self.assert_days([(0, 3, 2, round(130 / 720, 4), 2, "10:00", 1200.0, 1800.0, 3600.0, 0.5, 0.5)],
                         "visits, beacons, mean_present, peak_present, peak_at, dwell_p25_s, dwell_p50_s, dwell_p75_s, covered_share, open_share")

    def test_a_visit_counts_on_each_day_that_it_touches_and_its_dwell_on_the_day_on_which_it_ends(self):
        self.take([span(1, "door", "0:00", "48:00")])
        self.publish("seq type beacon at entered heard; 1 exit 1/1 25:00:20 22:00 25:00; 2 exit 1/2 27:00:20 26:00 27:00")
        self.assert_days([(0, 1, 1, None), (1, 2, 1, 7200.0)], "visits, peak_present, dwell_p50_s")

    def test_one_that_leaves_as_another_comes_makes_no_peak_of_two(self):
        self.take([span(1, "door", "8:00", "20:00")])
        self.publish("seq type beacon at entered heard; 1 exit 1/1 10:00:20 9:00 10:00; 2 exit 1/2 11:00:20 10:00 11:00")
        self.assert_days([(0, 1, "9:00")], "peak_present, peak_at")

    def test_a_covered_day_without_a_visit_has_zeros_and_a_day_without_a_report_no_row(self):
        self.publish("seq type beacon at entered heard; 1 exit 1/1 10:00:20 9:00 10:00")
        self.take([span(1, "door", "24:00", "48:00")])
        self.assert_days([(0, 1, None, 0.0), (1, 0, 0.0, 1.0)], "visits, mean_present, covered_share")

    def test_a_presence_counts_for_the_time_in_which_its_region_was_heard(self):
        # Heard in the first twenty minutes of each half hour: six hours and forty minutes of ten.
        self.take([span(number, "door", f"{8 + number // 2}:{number % 2 * 30:02}", f"{8 + number // 2}:{number % 2 * 30 + 20:02}") for number in range(20)])
        # 40 minutes of the first beacon, 5 of the second, none of the third, 5 of the fourth, 10 of the fifth, and all 400 of the last.
        self.publish("""
            seq type beacon at       entered heard
            1   exit 1/1    10:00:20 9:00    10:00
            2   exit 1/2    10:25:20 10:15   10:25
            3   exit 1/3    10:29:20 10:21   10:29
            4   exit 1/4    10:35:20 10:20   10:35
            5   exit 1/5    11:15:20 11:05   11:15
            6   exit 1/6    19:00:20 7:00    19:00
        """)
        self.assert_days([(0, round((40 + 5 + 5 + 10 + 400) / 400, 4))], "mean_present")

    def test_late_events_change_a_day_that_was_counted(self):
        self.take([span(1, "door", "0:00", "24:00")])
        late = [row for row in """
            seq type beacon at       entered heard
            1   exit 1/1    10:00:20 9:00    10:00
            2   exit 1/2    12:00:20 11:00   12:00
        """.strip().splitlines()]
        self.publish("\n".join(late[:2]))
        self.assert_days([(0, 1)])
        self.publish("\n".join([late[0], late[2]]))
        self.assert_days([(0, 2)])


class OwnDays(DayTest):
    def test_a_day_begins_at_midnight_in_the_store(self):
        # 20:00 to 21:00 UTC is 1:45 to 2:45 of the next day in Kathmandu, and 9:45 of the next day on Chatham in summer.
        self.place("Asia/Kathmandu")
        self.take([span(1, "door", "0:00", "48:00")])
        self.publish("seq type beacon at entered heard; 1 exit 1/1 21:00:20 20:00 21:00; 2 exit 1/2 18:14:20 18:00 18:14")
        self.assert_days([(0, 1, 0.7604), (1, 1, 1.0), (2, 0, 0.2396)], "visits, covered_share")

    def test_a_store_that_gets_another_zone_is_counted_anew(self):
        self.take([span(1, "door", "0:00", "24:00")])
        self.publish("seq type beacon at entered heard; 1 exit 1/1 21:00:20 20:00 21:00")
        self.assert_days([(0, 1)])
        self.place("Pacific/Chatham")
        self.assert_days([(0, 0), (1, 1)])

    def test_days_on_which_clocks_change_have_23_or_25_hours(self):
        for zone, day, hours in (("Europe/Berlin", "2026-03-29", 23), ("Europe/Berlin", "2026-10-25", 25), ("Europe/Berlin", "2026-10-26", 24),
                                 ("Pacific/Chatham", "2026-09-27", 23), ("Pacific/Chatham", "2026-04-05", 25), ("Asia/Kathmandu", "2026-03-29", 24),
                                 ("Australia/Lord_Howe", "2026-10-04", 23.5), ("America/Havana", "2026-03-08", 23)):
            with self.subTest(zone=zone, day=day):
                self.place(zone)
                ((begin, end),) = self.query(
                    "SELECT lower(during), upper(during) FROM beacons.days_of(%(site)s, %(day)s::date, %(day)s::date + 1)", day=day)
                self.assertEqual((end - begin).total_seconds() / 3600, hours)
                first = datetime.datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone))
                if zone != "America/Havana":
                    self.assertEqual(begin, first)

    def test_both_nights_of_a_clock_change_are_covered_and_counted_whole(self):
        self.place("Europe/Berlin", "Mo-Su 01:00-05:00")
        berlin = ZoneInfo("Europe/Berlin")
        for number, (day, covered_hours, open_hours) in enumerate((("2026-03-29", 23, 3), ("2026-10-25", 25, 5)), 1):
            begin = datetime.datetime.fromisoformat(day).replace(tzinfo=berlin)
            end = begin + datetime.timedelta(days=1)
            self.take([span(number, "door", begin.astimezone(datetime.UTC), end.astimezone(datetime.UTC))])
            # Half an hour before midnight, so that it stays in the day.
            left = end.astimezone(datetime.UTC) - datetime.timedelta(minutes=30)
            self.take([event({"seq": number, "type": "exit", "beacon": "1/1", "at": left, "entered": begin.astimezone(datetime.UTC), "heard": left})])
            ((visits, dwell, covered, opened),) = self.query(
                "SELECT visits, dwell_p50_s / 3600, covered_share, open_share FROM beacons.occupancy_daily WHERE site = %(site)s AND day = %(day)s", day=day)
            self.assertEqual((visits, dwell, covered, opened), (1, covered_hours - 0.5, 1, 1))
            ((opening,),) = self.query(
                "SELECT beacons.seconds(during) / 3600 FROM beacons.opening_of(%(site)s, %(day)s::date, %(day)s::date + 1)", day=day)
            self.assertEqual(opening, open_hours)


class Opening(DayTest):
    def test_open_share_is_the_covered_part_of_the_opening_time_and_null_on_a_closed_day(self):
        names = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
        self.place("UTC", f"{names[DAY.weekday()]} 08:00-12:00")
        self.take([state("door"), span(1, "door", "9:00", "10:00"), span(2, "door", "20:00", "36:00")])
        self.assert_days([(0, 0.25), (1, None)], "open_share")

    def test_hours_after_midnight_are_of_the_day_on_which_they_pass(self):
        names = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
        self.place("UTC", f"{names[DAY.weekday()]} 22:00-02:00")
        self.take([state("door"), span(1, "door", "0:00", "25:00")])
        self.assert_days([(0, 1.0), (1, 0.5)], "open_share")

    def test_a_public_holiday_has_the_hours_of_its_rule_where_there_is_one(self):
        other = f"{self.site}-2"
        self.place("UTC", "Mo-Su 08:00-12:00; PH 10:00-11:00")
        self.place("UTC", "Mo-Su 08:00-12:00", site=other)
        day = DAY.date().isoformat()
        self.assertEqual(self.load(f",{day}", holidays=True, header="site,day"), (0, "1 holidays: 1 new, 0 removed"))
        hours = [self.query("SELECT beacons.seconds(during) / 3600 FROM beacons.opening_of(%(its)s, %(day)s::date, %(day)s::date + 1)", its=site, day=day)
                 for site in (self.site, other)]
        self.assertEqual(hours, [[(1,)], [(4,)]])
        self.assertEqual(self.load(f"x,{day}", holidays=True, replaces=True, header="site,day"), (0, "1 holidays: 1 new, 1 removed"))


class Compared(DayTest):
    def test_the_mean_is_of_the_same_weekday_of_the_four_weeks_before_without_days_that_were_not_heard(self):
        messages = []
        for week, (visits, hours) in enumerate(((8, 24), (4, 24), (6, 11), (5, 24), (100, 24)), 1):
            begin = DAY - datetime.timedelta(weeks=week)
            messages.append(span(week, "door", begin, begin + datetime.timedelta(hours=hours)))
            for number in range(visits):
                left = begin + datetime.timedelta(minutes=number + 1)
                messages.append(event({"seq": week * 1000 + number, "type": "exit", "beacon": f"1/{number}", "at": left, "entered": begin, "heard": left}))
        self.take([*messages, span(9, "door", "0:00", "24:00")])
        self.count()
        self.assertEqual(self.query("SELECT visits, mean_4_weeks FROM beacons.compared WHERE site = %(site)s AND day = %(day)s", day=DAY.date()),
                         [(0, (8 + 4 + 5) / 3)])


class StoreVisits(DayTest):
    def store_visits(self):
        return [(f"{major}/{minor}", (day - DAY.date()).days, clock(entered), clock(left), dwell) for major, minor, day, entered, left, dwell in self.query(
            "SELECT major, minor, day, entered_at, left_at, dwell_s FROM beacons.store_visit WHERE site = %(site)s ORDER BY entered_at, major, minor")]

    def test_what_several_gateways_and_the_site_say_of_one_stay_is_one_visit(self):
        self.publish("""
            seq gateway type beacon at       entered heard zone
            1   door    exit 1/1    10:00:20 9:00    10:00 -
            1   till    exit 1/1    10:30:20 9:50    10:30 -
            1   back    exit 1/1    10:45:20 10:30   10:45 -
            1   site    exit 1/1    10:46:20 9:00    10:45 -
            2   site    exit 1/1    10:46:20 9:00    10:45 bakery
            2   door    exit 1/1    12:00:20 11:00   12:00 -
        """)
        self.assert_always(self.store_visits, [("1/1", 0, "9:00", "10:45", 6300.0), ("1/1", 0, "11:00", "12:00", 3600.0)])

    def test_an_open_visit_has_no_end_and_takes_in_what_other_gateways_saw_since(self):
        self.publish("seq gateway type beacon at entered heard; 1 door enter 1/1 9:00 - -; 1 till exit 1/1 10:30:20 9:50 10:30")
        self.assert_always(self.store_visits, [("1/1", 0, "9:00", None, None)])

    def test_a_visit_published_late_lies_between_two_others_and_counts_in_its_own_hours(self):
        self.publish("""
            seq gateway type  beacon at       entered heard says
            1   door    exit  1/1    9:30:05  9:00    9:30  -
            1   site    exit  1/1    9:30:10  9:00    9:30  -
            2   site    enter 1/1    12:00    -       -     -
            1   till    exit  1/1    11:10:05 10:50   11:10 -
            3   site    exit  1/1    11:10:10 10:50   11:10 late
            2   door    exit  1/1    12:40:05 12:00   12:40 -
            4   site    exit  1/1    12:40:10 12:00   12:40 -
        """)
        self.assert_always(self.store_visits, [("1/1", 0, "9:00", "9:30", 1800.0), ("1/1", 0, "10:50", "11:10", 1200.0), ("1/1", 0, "12:00", "12:40", 2400.0)])
        self.assertEqual(self.query("SELECT count(*), count(left_at) FROM beacons.visit WHERE site = %(site)s AND gateway = 'site'"), [(3, 3)])
        self.assertEqual([(hour, visits) for hour, visits, *_ in self.hours("24:00") if visits], [("9:00", 1), ("10:00", 1), ("11:00", 1), ("12:00", 1)])

    def test_the_day_is_the_store_s_own(self):
        self.place("Asia/Kathmandu")
        self.publish("seq type beacon at entered heard; 1 exit 1/1 21:00:20 20:00 21:00")
        self.assertEqual(self.store_visits(), [("1/1", 1, "20:00", "21:00", 3600.0)])

    def test_the_number_of_a_day_is_that_of_occupancy_daily(self):
        self.take([span(1, "door", "0:00", "24:00")])
        self.publish("\n".join(["seq gateway type beacon at entered heard", *(
            f"{number} {gateway} exit 1/{number % 7} {9 + number // 7}:40:20 {9 + number // 7}:{number % 5 + 10} {9 + number // 7}:40"
            for number in range(1, 40) for gateway in ("door", "till"))]))
        ((counted,),) = self.query("SELECT count(*) FROM beacons.store_visit WHERE site = %(site)s AND region = 'carts' AND day = %(day)s", day=DAY.date())
        self.assertEqual((counted, self.days()), (39, [(0, 39)]))

    def test_other_regions_are_visits_of_their_own(self):
        self.publish("seq type beacon at entered heard region; 1 exit 1/1 10:00:20 9:00 10:00 carts; 2 exit 1/1 10:00:20 9:30 10:00 tills")
        self.assertEqual(len(self.store_visits()), 2)
        self.assertEqual(self.query("SELECT count(*) FROM beacons.store_visit WHERE site = %(site)s AND region = 'tills' AND entered_at = %(at)s", at=at("9:30")), [(1,)])


class Loading(DayTest):
    def test_a_file_is_loaded_as_a_whole_and_a_second_time_it_changes_nothing(self):
        lines = [f'{self.site},"Berlin, Alex",Europe/Berlin,Mo-Sa 08:00-20:00,52.52,13.41', f"{self.site}-2,Bonn,Europe/Berlin,,,"]
        self.assertEqual(self.load(*lines), (0, "2 stores: 2 new, 0 changed, 0 removed"))
        self.assertEqual(self.load(*lines), (0, "2 stores: 0 new, 0 changed, 0 removed"))
        self.assertEqual(self.query("SELECT name, time_zone, opening_hours, latitude, longitude FROM beacons.store WHERE site = %(site)s"),
                         [("Berlin, Alex", "Europe/Berlin", "Mo-Sa 08:00-20:00", 52.52, 13.41)])
        self.assertEqual(self.load(lines[1].replace("Bonn", "Köln")), (0, "1 stores: 0 new, 1 changed, 0 removed"))
        self.assertEqual(self.query("SELECT count(*) FROM beacons.store_opening WHERE site = %(site)s"), [(6,)])

    def test_a_last_column_says_what_the_beacons_are_on_and_without_it_they_are_on_carts(self):
        self.load(f"{self.site},A,UTC,,,,phones", f"{self.site}-2,B,UTC,,,,", header=f"{HEADER},carriers")
        self.load(f"{self.site}-3,C,UTC,,,")
        self.assertEqual(self.connection.execute("SELECT carriers FROM beacons.store WHERE site LIKE %s ORDER BY site", [f"{self.site}%"]).fetchall(),
                         [("phones",), ("carts",), ("carts",)])
        code, words = self.load(f"{self.site},A,UTC,,,,{'x' * 31}", header=f"{HEADER},carriers")
        self.assertEqual((code, words.partition(" longer")[0]), (65, "stores.csv:2: carriers:"))

    def test_what_a_spreadsheet_with_german_settings_saves_is_taken(self):
        line = f"{self.site};Berlin;Europe/Berlin;Mo-Sa 08:00-20:00;52,52;13,41"
        self.assertEqual(self.load(line, ";;;;;", header=HEADER.replace(",", ";")), (0, "1 stores: 1 new, 0 changed, 0 removed"))
        self.assertEqual(self.query("SELECT latitude, longitude FROM beacons.store WHERE site = %(site)s"), [(52.52, 13.41)])

    def test_the_command_says_what_it_changed_or_which_line_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "stores.csv"
            file.write_text(f"{HEADER}\n{self.site},A,UTC,,,\n")
            self.assertEqual(job(STORES, self.database.url, str(file)), (0, "1 stores: 1 new, 0 changed, 0 removed"))
            file.write_text(f"{HEADER}\n{self.site},A,Mars,,,\n")
            self.assertEqual(job(STORES, self.database.url, str(file)),
                             (65, f"stores: {file}:2: time_zone: 'Mars' is no zone that the database knows, such as Europe/Berlin"))

    def test_with_replace_the_stores_that_the_file_lacks_are_removed(self):
        self.load(f"{self.site},A,UTC,,,", f"{self.site}-2,B,UTC,08:00-09:00,,")
        code, words = self.load(f"{self.site},A,UTC,,,", replaces=True)
        self.assertEqual((code, words[:8]), (0, "1 stores"))
        self.assertEqual(self.query("SELECT site FROM beacons.store"), [(self.site,)])
        self.assertEqual(self.query("SELECT count(*) FROM beacons.store_opening"), [(0,)])

    def test_an_error_names_the_line_and_loads_nothing(self):
        good = f"{self.site},A,UTC,,,"
        for expected, bad in (
                ("3: time_zone: 'Europe/Bonn' is no zone", "b,B,Europe/Bonn,,,"), ("3: opening_hours: 'always' is no rule|no time", "b,B,UTC,always,,"),
                ("3: latitude: 91 is no number from -90 to 90", "b,B,UTC,,91,0"), ("3: latitude and longitude: give both or neither", "b,B,UTC,,1,"),
                ("3: name: must have", "b,,UTC,,,"), ("3: site: empty", ",B,UTC,,,"), ("3: site: must be one topic level", "a/b,B,UTC,,,"),
                ("3: the store of line 2 again", good), ("3: 5 fields, not 6", "b,B,UTC,,"), ("3: opening_hours: the store is never open", "b,B,UTC,Mo-Su off,,")):
            with self.subTest(bad):
                code, words = self.load(good, bad)
                self.assertEqual(code, 65)
                self.assertRegex(words, expected)
                self.assertEqual(self.query("SELECT FROM beacons.store WHERE site = %(site)s"), [])
        self.assertEqual(self.load(good, header=HEADER.replace("name", "title"))[0], 65)


class Upkeep(DayTest):

    def test_a_count_stops_after_its_time_and_the_next_one_goes_on(self):
        self.take([span(1, "door", "0:00", "72:00"), event({"seq": 1, "type": "exit", "beacon": "1/1", "at": at("9:00:20"), "entered": "8:00", "heard": "9:00"})])
        self.roll_up()
        with self.connection.transaction(force_rollback=True):
            self.connection.execute("CREATE OR REPLACE FUNCTION beacons.day_patience() RETURNS interval LANGUAGE sql IMMUTABLE AS $$ SELECT interval '-1 second' $$")
            self.assertEqual(self.query("SELECT beacons.roll_up_days()"), [(0,)])
        self.count()
        self.assertEqual(self.days(), [(0, 1), (1, 0), (2, 0)])
