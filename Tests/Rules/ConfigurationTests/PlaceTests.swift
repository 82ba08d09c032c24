import Testing

@testable import Core

/// The place of an error in the file.
struct PlaceTests {
    private func lines(_ text: String) -> [String: Int] {
        do throws(ConfigurationErrors) {
            _ = try Settings.parse(text)
            return [:]
        } catch {
            return Dictionary(uniqueKeysWithValues: error.errors.map { ($0.key, $0.line ?? 0) })
        }
    }

    @Test("A wrong value has its line, counted from 1")
    func value() {
        #expect(lines("# first\n\n[radio]\nscan = \"passive\"\nwindow_ms = 90") == ["radio.window_ms": 5])
    }

    @Test("Lines may end with a carriage return")
    func carriageReturns() {
        #expect(lines("[radio]\r\n\r\nwindow_ms = 90\r\n") == ["radio.window_ms": 3])
    }

    @Test("Each region's errors have their own lines")
    func regions() {
        let text = """
            [[region]]
            id = "a/b"
            uuid = "no"
            [regions]
            settle_s = -1
            [[region]]
            id = "c/d"
            uuid = "no"
            """
        #expect(
            lines(text) == [
                "region[1].id": 2, "region[1].uuid": 3, "regions.settle_s": 5, "region[2].id": 7, "region[2].uuid": 8,
            ])
    }

    @Test("A missing key has the line of its table")
    func missing() {
        #expect(lines(region() + "[[region]]\nid = \"b\"") == ["region[2].uuid": 5])
        #expect(lines("\n[advertise]\nenabled = true") == ["advertise.uuid": 2])
    }

    @Test("A default that conflicts with a value has the line of its table")
    func defaults() {
        #expect(lines("[mqtt]\nurl = \"mqtts://b\"\n\ncert_file = \"c\"") == ["mqtt.key_file": 1])
    }

    @Test("Unknown keys and tables have their lines, quoted ones too")
    func unknown() {
        #expect(
            lines("[radio]\nscna = 1\n\"a b\" = 2\n[logging]\nlevel = 1") == [
                "radio.scna": 2, "radio.\"a b\"": 3, "logging": 4,
            ])
    }

    @Test("Dotted keys are found, in a table and before the first")
    func dotted() {
        #expect(lines("\nradio.window_ms = 90") == ["radio.window_ms": 2])
    }

    @Test("An error within an inline value has the line of that value's key")
    func inline() {
        #expect(lines("\nradio = { window_ms = 90 }") == ["radio.window_ms": 2])
        #expect(lines("\nregion = [{ id = \"a\", uuid = \"no\" }]") == ["region[1].uuid": 2])
    }

    @Test("A value over several lines has the line of its key")
    func severalLines() {
        #expect(lines("[radio]\nadapters = [\n  \"hci0\",\n  \"hci0\",\n]") == ["radio.adapters": 2])
    }

    @Test("A list is shown as in a file")
    func list() {
        #expect(
            complaints("[radio]\nadapters = [\"hci0\", \"hci0\"]").first?.hasPrefix(
                #"radio.adapters = ["hci0", "hci0"]: must be"#) == true)
    }

    @Test("A number with an exponent is not shown as an integer")
    func exponent() {
        #expect(
            complaints("[regions]\nmax_instances = 1e3").first?.hasPrefix(
                "regions.max_instances = 1000.0: must be an integer") == true)
    }
}
