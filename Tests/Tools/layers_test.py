"""The findings of layers.py, access.py and state.py in made-up sources."""
import pathlib
import tempfile
import unittest

import access
import layers
import state


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
        found = self.faults(Core__Time__Instant="struct Instant {}\n", Agent__Host__Instant="struct Instant {}\n")
        self.assertEqual(len(found), 1)
        self.assertIn("one of them needs another name", found[0])

    def test_a_folder_without_a_place_is_named(self):
        self.assertIn("has no place in the order", self.faults(Core__Elsewhere__A="struct A {}\n")[0])


class Access(MadeUp):
    tool = access

    def test_package_is_for_what_another_module_uses(self):
        core = "package struct Instant {\n    package var day: Int\n    package var hour: Int\n}\n"
        found = self.faults(Core__Time__Instant=core, Agent__Host__Clock="import Core\n\nlet day = Instant.origin.day\n")
        self.assertEqual(found, ["Core/Time/Instant.swift:3: Instant.hour is package, and no other module uses it"])

    def test_the_module_itself_and_comments_use_nothing(self):
        found = self.faults(Core__Time__Instant="package enum Pace {}\nlet pace = Pace.self\n", Agent__Host__Clock="// Like Pace.\n")
        self.assertEqual(found, ["Core/Time/Instant.swift:1: Pace is package, and no other module uses it"])

    def test_a_signature_uses_its_types_also_an_enum_by_its_cases(self):
        core = "package enum Pace {}\npackage enum Step {\n    case at(Pace)\n}\n"
        self.assertEqual(self.faults(Core__Time__Instant=core, Agent__Host__Clock="let step: Step\n"), [])

    def test_a_protocol_uses_its_requirements(self):
        core = "package protocol Clock {\n    var now: Int { get }\n}\npackage struct Wall: Clock {\n    package var now: Int\n}\n"
        self.assertEqual(self.faults(Core__Time__Instant=core, Agent__Host__Clock="let clock: any Clock = Wall.self\n"), [])

    def test_nothing_is_package_in_a_type_that_is_not(self):
        found = self.faults(Core__Time__Instant="struct Instant {\n    package var day: Int\n}\n", Agent__Host__Clock="let day = 1\n")
        self.assertEqual(found, ["Core/Time/Instant.swift:2: Instant.day is package in a type that is not"])


class State(MadeUp):
    tool = state
    counter = "struct Counter {\n    var count = 0\n    private(set) var sum = 0\n    var twice: Int { count * 2 }\n}\n"

    def changed(self, extension, counter=counter):
        with tempfile.TemporaryDirectory() as folder:
            sources = pathlib.Path(folder)
            (sources / "Counter.swift").write_text(counter)
            (sources / "Counter+More.swift").write_text(f"extension Counter {{\n{extension}}}\n")
            return sorted(state.faults(sources))

    def test_an_assignment_in_another_file_is_a_change(self):
        for change in ("count = 1", "count += 1", "self.count -= 1", "(count, a) = (1, 2)", "swap(&count, &a)"):
            self.assertEqual(self.changed(f"    mutating func add() {{ {change} }}\n"), ["Counter.count"], change)

    def test_a_call_that_mutates_is_a_change_also_of_an_element(self):
        table = "struct Counter {\n    var counts: [Int] = []\n}\n"
        for change in ("counts.append(1)", "counts[0] = 1", "counts[counts.count - 1].negate()", "counts.sort { $0 < $1 }"):
            self.assertEqual(self.changed(f"    mutating func add() {{ {change} }}\n", table), ["Counter.counts"], change)

    def test_a_mutating_function_of_the_sources_is_a_change(self):
        step = "    mutating func add() { step.take() }\n}\nstruct Step {\n    mutating func take() {}\n"
        self.assertEqual(self.changed(step, "struct Counter {\n    var step = Step()\n}\n"), ["Counter.step"])

    def test_reading_changes_nothing(self):
        for use in ("print(count)", "if count == 1 {}", "let count = 2", "other.count = 1", "add(count: 1)", "a = count"):
            self.assertEqual(self.changed(f"    mutating func add() {{ {use} }}\n"), [], use)

    def test_an_initialiser_and_a_function_that_changes_nothing_are_free(self):
        self.assertEqual(self.changed("    init(of count: Int) { self.count = count }\n"), [])
        self.assertEqual(self.changed("    func added() -> Counter {\n        var count = count\n        count += 1\n        return self\n    }\n"), [])

    def test_any_function_of_a_class_changes_it(self):
        self.assertEqual(self.changed("    func add() { count += 1 }\n", self.counter.replace("struct", "final class")), ["Counter.count"])

    def test_the_file_of_the_type_may_change_its_properties(self):
        both = self.counter + "extension Counter {\n    mutating func add() { count += 1 }\n}\n"
        self.assertEqual(self.changed("", both), [])

    def test_a_folder_has_three_files_and_a_name_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            sources = pathlib.Path(folder)
            for path in ("Core/Time/A", "Core/Time/B", "Core/Time/C", "Core/Rules/D", "Core/Rules/E", "Agent/Time/F", "Agent/Time/G", "Agent/Time/H"):
                (sources / path).parent.mkdir(parents=True, exist_ok=True)
                (sources / path).with_suffix(".swift").write_text("")
            found = [line.replace(folder + "/", "") for line in state.folders(sources)]
        self.assertEqual(found, ["Core/Rules has 2 Swift files: at least three, or none", "Agent/Time and Core/Time have one name"])


if __name__ == "__main__":
    unittest.main()
