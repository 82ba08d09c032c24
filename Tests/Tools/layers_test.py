"""The findings of layers.py and access.py in made-up sources."""
import pathlib
import tempfile
import unittest

import access
import layers


class MadeUp(unittest.TestCase):
    tool = layers

    def faults(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            sources = pathlib.Path(folder)
            for name, text in files.items():
                path = sources.joinpath(*name.split("__")).with_suffix(".swift")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return [fault.replace(folder + "/", "") for fault in self.tool.faults(sources)]


class Layers(MadeUp):
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


class Access(MadeUp):
    tool = access

    def test_package_is_for_what_another_module_uses(self):
        core = "package struct Instant {\n    package var day: Int\n    package var hour: Int\n}\n"
        found = self.faults(Core__Time__Instant=core, Agent__Loops__Clock="import Core\n\nlet day = Instant.origin.day\n")
        self.assertEqual(found, ["Core/Time/Instant.swift:3: Instant.hour is package, and no other module uses it"])

    def test_the_module_itself_and_comments_use_nothing(self):
        found = self.faults(Core__Time__Instant="package enum Pace {}\nlet pace = Pace.self\n", Agent__Loops__Clock="// Like Pace.\n")
        self.assertEqual(found, ["Core/Time/Instant.swift:1: Pace is package, and no other module uses it"])

    def test_a_signature_uses_its_types_also_an_enum_by_its_cases(self):
        core = "package enum Pace {}\npackage enum Step {\n    case at(Pace)\n}\n"
        self.assertEqual(self.faults(Core__Time__Instant=core, Agent__Loops__Clock="let step: Step\n"), [])

    def test_a_protocol_uses_its_requirements(self):
        core = "package protocol Clock {\n    var now: Int { get }\n}\npackage struct Wall: Clock {\n    package var now: Int\n}\n"
        self.assertEqual(self.faults(Core__Time__Instant=core, Agent__Loops__Clock="let clock: any Clock = Wall.self\n"), [])

    def test_nothing_is_package_in_a_type_that_is_not(self):
        found = self.faults(Core__Time__Instant="struct Instant {\n    package var day: Int\n}\n", Agent__Loops__Clock="let day = 1\n")
        self.assertEqual(found, ["Core/Time/Instant.swift:2: Instant.day is package in a type that is not"])


if __name__ == "__main__":
    unittest.main()
