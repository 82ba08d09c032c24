import Testing

@testable import Core

@Suite("A key that has another name since this version")
struct RenamedKeyTests {
    @Test("The former name is read for one more version, and reported with the present name")
    func formerName() throws {
        let settings = try Settings.parse("[site]\nexit_after_s = 7")
        #expect(settings.site?.leaveAfter == .seconds(7))
        #expect(
            settings.renamedKeys.map(\.description) == [
                "site.exit_after_s is called leave_after_s now: rename it, the next version refuses the old name"
            ])
    }

    @Test("The present name is read, and nothing is reported")
    func name() throws {
        let settings = try Settings.parse("[site]\nleave_after_s = 7\n[regions]\nexit_after_s = 30")
        #expect(settings.site?.leaveAfter == .seconds(7))
        #expect(settings.renamedKeys.isEmpty)
        #expect(Settings.defaults.renamedKeys.isEmpty)
    }

    @Test("Both names at once are an error, with any values")
    func both() {
        #expect(
            complaints("[site]\nleave_after_s = 7\nexit_after_s = 7") == [
                "site.exit_after_s = 7: is the former name of leave_after_s, which is set as well: delete it"
            ])
    }

    @Test("An error names the key as in the file, with its line")
    func wrongValue() throws {
        let errors = try #require(throws: ConfigurationErrors.self) {
            try Settings.parse("[site]\n\nexit_after_s = 3601")
        }
        #expect(
            errors.lines(file: "config.toml") == [
                "config.toml: line 3: site.exit_after_s = 3601: must be from 0 to 3600"
            ])
    }
}
