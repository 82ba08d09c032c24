"""The findings of layers.py in made-up sources."""
import pathlib
import tempfile
import unittest

import layers


class Layers(unittest.TestCase):
    def faults(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            sources = pathlib.Path(folder)
            for name, text in files.items():
                path = sources.joinpath(*name.split("__")).with_suffix(".swift")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return [fault.replace(folder + "/", "") for fault in layers.faults(sources)]

    def test_a_folder_may_use_its_own_types_and_those_before_it(self):
        self.assertEqual(
            self.faults(Core__Time__Instant="struct Instant {}\n", Core__HCI__Report="struct Report { var at: Instant }\n"), [])

    def test_a_use_of_a_later_folder_is_named_with_its_line(self):
        found = self.faults(
            Core__Time__Instant="struct Instant {\n    var report: Report\n}\n", Core__HCI__Report="package struct Report {}\n")
        self.assertEqual(found, ["Core/Time/Instant.swift:2: Time uses Report of HCI, which stands after it"])

    def test_comments_and_strings_use_nothing(self):
        found = self.faults(
            Core__Time__Instant='/// Unlike `Report`.\nstruct Instant { let name = "Report" }\n', Core__HCI__Report="struct Report {}\n")
        self.assertEqual(found, [])

    def test_the_pure_module_imports_no_system(self):
        found = self.faults(Core__Time__Instant="import Foundation\nimport RealModule\n")
        self.assertEqual(len(found), 1)
        self.assertIn("Foundation is not among the pure libraries", found[0])

    def test_a_name_is_declared_in_one_folder(self):
        found = self.faults(Core__Time__Instant="struct Instant {}\n", Agent__Files__Instant="struct Instant {}\n")
        self.assertEqual(len(found), 1)
        self.assertIn("one of them needs another name", found[0])

    def test_a_folder_without_a_place_is_named(self):
        self.assertIn("has no place in the order", self.faults(Core__Elsewhere__A="struct A {}\n")[0])


if __name__ == "__main__":
    unittest.main()
