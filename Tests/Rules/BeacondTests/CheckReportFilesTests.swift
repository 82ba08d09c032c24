import Foundation
import TestAir
import Testing

@testable import Core
@testable import beacond

@Suite("The report of check on the files beside the state folder")
struct CheckReportFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path

    private func lines(_ tables: String) throws -> [String] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var report = CheckReport()
        report.addFiles(try Settings.parse("[gateway]\nstate_dir = \"\(folder)/state\"\n" + tables))
        #expect(report.hasProblem == report.lines.contains { $0.hasPrefix("problem") })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        return report.lines
    }

    @Test("Each error of a configuration is a problem line of its own")
    func configuration() throws {
        var report = CheckReport()
        let errors = try #require(throws: ConfigurationErrors.self) {
            try Settings.parse("[gateway]\nsiet = 1\nsite = 2\n")
        }
        report.add(ConfigurationFile.Problem(errors, file: "a.toml"))
        #expect(report.hasProblem && report.lines.count == 2)
        #expect(report.lines.holdForAll { $0.hasPrefix("problem configuration: a.toml: line ") })
    }

    @Test("Without either key the report is empty, also about captures in the state folder, which the agent makes")
    func nothing() throws {
        #expect(try lines("").isEmpty)
        #expect(try lines("[capture]\nenabled = true\n").isEmpty)
        #expect(try lines("[capture]\nenabled = true\ndirectory = \"\(folder)/state/\"\n").isEmpty)
        #expect(try lines("[capture]\nenabled = false\ndirectory = \"/nowhere/at/all\"\n").isEmpty)
    }

    @Test("A writable place is ok, and no file is left there")
    func writable() throws {
        let tables = "[capture]\nenabled = true\ndirectory = \"\(folder)\"\n[health]\ntextfile = \"\(folder)/a.prom\"\n"
        #expect(
            try lines(tables) == [
                "ok      capture: \(folder) can be written", "ok      textfile: \(folder)/a.prom can be written",
            ])
    }

    @Test("An unwritable place is a problem, with the reason and the remedy")
    func missing() throws {
        let tables =
            "[capture]\nenabled = true\ndirectory = \"\(folder)/none\"\n[health]\ntextfile = \"\(folder)/none/a.prom\"\n"
        #expect(
            try lines(tables) == [
                "problem capture: \(folder)/none can't be written: No such file or directory",
                "        make its folder first, or change capture.directory",
                "problem textfile: \(folder)/none/a.prom can't be written: No such file or directory",
                "        make its folder first, or change health.textfile",
            ])
    }

    @Test("A folder in place of the file is a problem, and so is a file in place of the folder")
    func wrongKind() throws {
        #expect(
            try lines("[health]\ntextfile = \"\(folder)\"\n") == [
                "problem textfile: \(folder) can't be written: it is a folder, not a regular file",
                "        name a file, not a folder, or change health.textfile",
            ])
        #expect(
            try lines("[capture]\nenabled = true\ndirectory = \"/dev/null\"\n") == [
                "problem capture: /dev/null can't be written: Not a directory", "        change capture.directory",
            ])
    }
}
