"""The command `register`: a file is loaded as a whole, twice without a change, or not at all."""

import datetime
import os
import pathlib
import tempfile
import unittest

import psycopg
from beacons_schema.csv_file import WrongFile
from beacons_schema.register import Beacon, beacons_of
from beacons_schema.stores import stores_of

from lists import ListTest
from servers import SCHEMA
from story import UUID, job

REGISTER = SCHEMA.with_name("register")
HEADER = "site,uuid,major,minor,asset,since"
FIELD = pathlib.Path(os.environ.get("BEACOND_RECORDINGS") or "/nonexistent") / "field-cases"


class RegisterTest(ListTest):
    def setUp(self):
        super().setUp()
        self.connection.execute("TRUNCATE beacons.register")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "fleet.csv"

    def load(self, *lines, options=(), header=HEADER):
        """The exit status of the command, and what it says of a file of these lines."""
        self.file.write_text("\n".join([header, *lines]) + "\n")
        return self.load_file(*options)

    def load_file(self, *options):
        return job(REGISTER, self.database.url, *options, str(self.file))

    def registered(self):
        return self.query("SELECT site, uuid, major, minor, asset, since::text FROM beacons.register ORDER BY major, minor")

    def line(self, minor, site="berlin-17", asset="cart", since="2026-11-01", uuid=UUID, major="1"):
        return f"{site},{uuid},{major},{minor},{asset},{since}"


class LoadTests(RegisterTest):
    def test_a_file_is_loaded_and_a_second_time_it_changes_nothing(self):
        lines = [self.line(1, asset='"Cart 1, blue"'), self.line(2, site="münchen-4", uuid=UUID.lower())]
        self.assertEqual(self.load(*lines), (0, "2 beacons: 2 new, 0 changed, 0 removed"))
        rows = [("berlin-17", UUID, 1, 1, "Cart 1, blue", "2026-11-01"), ("münchen-4", UUID, 1, 2, "cart", "2026-11-01")]
        self.assertEqual(self.registered(), rows)
        before = self.query("SELECT xmin::text FROM beacons.register ORDER BY minor")
        self.assertEqual(self.load_file(), (0, "2 beacons: 0 new, 0 changed, 0 removed"))
        self.assertEqual(self.query("SELECT xmin::text FROM beacons.register ORDER BY minor"), before)

    def test_a_later_file_changes_and_leaves_others_and_with_replace_it_removes_them(self):
        self.load(self.line(1), self.line(2), self.line(3))
        self.assertEqual(self.load(self.line(2), self.line(3, asset="shelf"), self.line(4)), (0, "3 beacons: 1 new, 1 changed, 0 removed"))
        self.assertEqual([(minor, asset) for _, _, _, minor, asset, _ in self.registered()], [(1, "cart"), (2, "cart"), (3, "shelf"), (4, "cart")])
        self.assertEqual(self.load(self.line(4), options=["--replace"]), (0, "1 beacons: 0 new, 0 changed, 3 removed"))
        self.assertEqual([minor for _, _, _, minor, *_ in self.registered()], [4])

    def test_stores_may_number_their_beacons_alike(self):
        self.load(self.line(1), self.line(1, site="bonn-2"))
        self.assertEqual({site for site, *_ in self.registered()}, {"berlin-17", "bonn-2"})
        self.assertEqual(self.load(self.line(1, site="bonn-2"), options=["--replace"]), (0, "1 beacons: 0 new, 0 changed, 1 removed"))

    def test_what_a_spreadsheet_with_german_settings_saves_is_taken(self):
        header, line = HEADER.replace(",", ";"), f"berlin-17;{UUID.replace('-', '')};17;1;trolley 1, blue;01.11.2026"
        self.file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([header, line, ";;;;;", " ; ;;;;", ""]).encode())
        self.assertEqual(self.load_file(), (0, "1 beacons: 1 new, 0 changed, 0 removed"))
        self.assertEqual(self.registered(), [("berlin-17", UUID, 17, 1, "trolley 1, blue", "2026-11-01")])

    def test_what_excel_saves_is_taken(self):
        self.file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([HEADER, self.line(1, asset='"Regal ""A"""'), "", ""]).encode())
        self.assertEqual(self.load_file(), (0, "1 beacons: 1 new, 0 changed, 0 removed"))
        self.assertEqual(self.registered()[0][4], 'Regal "A"')


@unittest.skipUnless(FIELD.is_dir(), "BEACOND_RECORDINGS names no folder with field-cases")
class FieldTests(unittest.TestCase):
    """Files as people saved them."""

    def test_a_register_and_a_list_of_stores_of_a_german_spreadsheet_are_read(self):
        self.assertEqual(beacons_of(FIELD / "register-semicolon.csv"), [Beacon("berlin-17", UUID, 17, 1, "trolley 1", datetime.date(2026, 11, 1))])
        [store] = stores_of(FIELD / "stores-semicolon.csv", {"Europe/Berlin"})
        self.assertEqual((store.site, store.hours, store.latitude, store.longitude), ("berlin-17", "Mo-Sa 08:00-20:00", 52.52, 13.41))


class RefusedTests(RegisterTest):
    def refused(self, expected, *lines, header=HEADER):
        """The reader's word, without a process for each line."""
        self.file.write_text("\n".join([header, *lines]) + "\n")
        with self.assertRaises(WrongFile) as fault:
            beacons_of(self.file)
        self.assertIn(expected, str(fault.exception))

    def test_after_a_wrong_line_nothing_is_loaded_and_nothing_removed(self):
        self.load(self.line(7))
        before = self.registered()
        code, words = self.load(self.line(1), self.line("x"), options=["--replace"])
        self.assertEqual((code, words), (65, f"register: {self.file}:3: minor: x is no number from 0 to 65535"))
        self.assertEqual(self.load(options=["--replace"])[0], 65)
        self.assertEqual(self.registered(), before)

    def test_a_wrong_line_is_named_with_its_field(self):
        good = self.line(1)
        for expected, bad in (
                ("fleet.csv:3: uuid: 39ED98FF is none", self.line(2, uuid="39ED98FF")),
                ("fleet.csv:3: uuid: ", self.line(2, uuid=UUID[:-1] + "G")),
                ("fleet.csv:3: major: 65536 is no number from 0 to 65535", self.line(2, major="65536")),
                ("fleet.csv:3: major: 0x1 is no number", self.line(2, major="0x1")),
                ("fleet.csv:3: minor: -1 is no number", self.line(-1)),
                ("fleet.csv:3: minor: 1.0 is no number", self.line("1.0")),
                ("fleet.csv:3: minor: ١ is no number", self.line("١")),
                ("fleet.csv:3: minor: empty", self.line("")),
                ("fleet.csv:3: site: empty", self.line(2, site="")),
                ("fleet.csv:3: asset: empty", self.line(2, asset="  ")),
                ("fleet.csv:3: since: empty", self.line(2, since="")),
                ("fleet.csv:3: since: 11/01/2026 is no day such as 2026-11-21 or 21.11.2026", self.line(2, since="11/01/2026")),
                ("fleet.csv:3: since: 30.02.2026 is no day", self.line(2, since="30.02.2026")),
                ("fleet.csv:3: uuid: ", self.line(2, uuid=UUID.replace("-", "", 1))),
                ("fleet.csv:3: since: 2026-02-30 is no day", self.line(2, since="2026-02-30")),
                ("fleet.csv:3: since: 2026-11-01T00:00:00Z is no day", self.line(2, since="2026-11-01T00:00:00Z")),
                ("fleet.csv:3: site: must be one topic level", self.line(2, site="a/b")),
                ("fleet.csv:3: site: must be one topic level", self.line(2, site="ü" * 65)),
                ("fleet.csv:3: asset: longer than 200", self.line(2, asset="a" * 201)),
                ("fleet.csv:3: asset: has a character that cannot be printed", self.line(2, asset="a\0b")),
                ("fleet.csv:3: 5 fields, not 6", "berlin-17,x,1,1,cart"),
                ("fleet.csv:3: 7 fields, not 6", self.line(2) + ",more"),
                ("fleet.csv:3: the beacon of line 2 again", good),
                ("fleet.csv:3: the beacon of line 2 again", self.line(1, uuid=UUID.lower())),
                ("fleet.csv:3: ", self.line(2, asset='"cart')),
        ):
            with self.subTest(bad):
                self.refused(expected, good, bad)

    def test_a_file_without_its_header_or_without_a_beacon_is_refused(self):
        self.refused("fleet.csv:1: the first line must be site,uuid,major,minor,asset,since", self.line(1), header="uuid,site,major,minor,asset,since")
        self.refused("fleet.csv:2: 1 fields, not 6", self.line(1), header=HEADER.replace(",", ";"))
        self.refused("fleet.csv:1: the first line must be", self.line(1), header=HEADER.replace(",", "\t"))
        self.refused("fleet.csv:1: no beacon in it")

    def test_a_file_that_cannot_be_read_is_said_in_a_line(self):
        for octets, expected in ((b"", "the first line must be"), (HEADER.encode() + b"\r\nm\xfcnchen,", "fleet.csv:2: not UTF-8")):
            self.file.write_bytes(octets)
            with self.assertRaisesRegex(WrongFile, expected):
                beacons_of(self.file)
        with self.file.open("wb") as file:
            file.truncate((128 << 20) + 1)
        with self.assertRaisesRegex(WrongFile, "longer than 128 MiB"):
            beacons_of(self.file)
        self.file.unlink()
        self.assertEqual(self.load_file(), (65, f"register: {self.file}: No such file or directory"))

    def test_without_a_file_or_a_database_it_ends_like_the_other_commands(self):
        self.assertEqual(job(REGISTER, self.database.url)[0], 64)
        self.file.write_text(HEADER + "\n" + self.line(1))
        code, words = job(REGISTER, "postgresql://postgres@127.0.0.1:1/none", str(self.file))
        self.assertEqual((code, words.count("\n")), (69, 0))

    def test_an_analyst_reads_the_register_and_changes_nothing(self):
        with psycopg.connect(self.database.url) as connection:
            connection.execute("SET ROLE beacons_analyst")
            connection.execute("SELECT * FROM beacons.register")
            with self.assertRaises(psycopg.errors.InsufficientPrivilege):
                connection.execute("DELETE FROM beacons.register")
