import Foundation
import Testing

@testable import Core
@testable import beacond

@Suite("The report of check as an installer reads it")
struct CheckReportTests {
    private func secretLines(mode: Int, _ table: String, key: String) throws -> [String] {
        let path = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)").path
        try Data("secret\n".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        var report = CheckReport()
        report.addSecrets(try Settings.parse("[\(table)]\n\(key) = \"\(path)\"\n"))
        return report.lines.map { $0.replacing(path, with: "FILE") }
    }

    @Test(
        "A password that each user of the machine can read is a problem, with the command that mends it",
        arguments: [0o644, 0o604, 0o666, 0o602])
    func openToAll(mode: Int) throws {
        let lines = try secretLines(mode: mode, "mqtt", key: "password_file")
        #expect(lines.first?.hasPrefix("problem password: FILE is open to each user of this machine") == true)
        #expect(lines.last?.contains("chmod 640 FILE") == true)
        #expect(lines.last?.contains("chmod 600 FILE") == true)
    }

    @Test("A password that its owner or a group can read has no line", arguments: [0o600, 0o640, 0o440])
    func closed(mode: Int) throws {
        #expect(try secretLines(mode: mode, "mqtt", key: "password_file").isEmpty)
    }

    @Test("The store's secret has the same rule")
    func siteKey() throws {
        let lines = try secretLines(mode: 0o644, "privacy", key: "site_key_file")
        #expect(lines.first?.hasPrefix("problem secret: FILE is open to each user") == true)
    }

    @Test("After an error of the configuration the state folder and the broker are named as not tried")
    func notTried() {
        var report = CheckReport()
        report.addNotTried(["state", "broker"])
        #expect(
            report.lines == [
                "skipped state: not tried; correct the configuration first",
                "skipped broker: not tried; correct the configuration first",
            ])
        #expect(!report.hasProblem)
    }

    @Test("On a terminal, lines break between words, below the text of their first line")
    func wrapped() {
        let lines = CheckReport.laidOut(
            ["problem state: one two three four", "        five six seven eight nine ten"], width: 24, isColoured: false
        )
        #expect(
            lines == [
                "problem state: one two", "        three four", "        five six seven", "        eight nine ten",
            ])
    }

    @Test("A word that is longer than the terminal is broken by the terminal alone")
    func longWord() {
        let word = String(repeating: "x", count: 50)
        #expect(
            CheckReport.laidOut(["ok      state: \(word) end"], width: 24, isColoured: false) == [
                "ok      state:", "        \(word)", "        end",
            ])
    }

    @Test("Only the word of a problem has a colour, and only where colours are wanted")
    func colours() {
        let lines = ["ok      state: problem", "problem state: x"]
        #expect(CheckReport.laidOut(lines, width: 80, isColoured: false) == lines)
        #expect(
            CheckReport.laidOut(lines, width: 80, isColoured: true) == [
                "ok      state: problem", "\u{1B}[31mproblem\u{1B}[0m state: x",
            ])
    }
}
