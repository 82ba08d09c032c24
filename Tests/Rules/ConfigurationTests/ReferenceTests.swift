import Foundation
import TestAir
import Testing

@testable import Core

/// The default file and the article agree with the code.
struct ReferenceTests {
    @Test("The default file gives the defaults and its one region")
    func defaultFile() throws {
        var settings = try Settings.parse(try DefaultFile.text())
        #expect(settings.gateway.regions.beacons.map(\.id) == ["carts"])
        #expect(
            settings.gateway.regions.beacons
                == (try Settings.parse(region("expand = \"minor\"")).gateway.regions.beacons))
        settings.gateway.regions.beacons = []
        #expect(settings == Settings.defaults)
    }

    /// `name = value` with or without a comment sign in front, by table, as in the default file.
    static func lines() throws -> [String: [(name: String, value: String, comment: String)]] {
        var lines: [String: [(name: String, value: String, comment: String)]] = [:]
        var table = ""
        for line in try DefaultFile.text().split(separator: "\n") {
            let code = line.hasPrefix("# ") ? line.dropFirst(2) : line
            if code.hasPrefix("["), let end = code.lastIndex(of: "]") {
                table = String(code[..<end].drop { $0 == "[" }.prefix { $0 != "]" })
            }
            let parts = code.split(separator: " = ", maxSplits: 1)
            guard parts.count == 2, parts[0].allSatisfy({ $0.isLowercase || $0 == "_" }) else { continue }
            let rest = parts[1].split(separator: " #", maxSplits: 1)
            lines[table, default: []].append(
                (
                    String(parts[0]), rest.first.map { String($0.prefix { $0 != " " }) } ?? "",
                    rest.count > 1 ? String(rest[1]) : ""
                ))
        }
        return lines
    }

    @Test(
        "The default file has every key, with its default and, for a number, its limits",
        arguments: ConfigurationReference.tables)
    func everyKey(table: ReferenceTable) throws {
        let lines = try #require(try Self.lines()[table.name])
        for key in table.keys where !key.isOverriding {
            let line = try #require(
                lines.first { $0.name == key.name }, "\(table.name).\(key.name) is not in config.toml")
            if case .value(let value) = key.default {
                // The one key that the example sets, so that a newcomer's first events are visits.
                let isExample = key.name == "expand" && line.value == "\"minor\"" && line.comment.contains(value)
                #expect(line.value == value || isExample)
            }
            if key.allowed.hasPrefix("from ") { #expect(line.comment.contains(key.allowed.dropFirst(5))) }
        }
    }

    @Test("A request for a region has the keys of a [[region]]")
    func request() throws {
        let file = try DefaultFile.root().appending(path: "deploy/contract/request-monitor.schema.json")
        let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any]
        let properties = try #require(json?["properties"] as? [String: Any])
        let table = try #require(ConfigurationReference.tables.first { $0.name == RegionTable.tableName })
        #expect(Set(properties.keys) == Set(table.keys.map(\.name)))
    }

    @Test("The default file has no line wider than 120 characters")
    func width() throws {
        #expect(try DefaultFile.text().split(separator: "\n").holdForAll { $0.count <= 120 })
    }

    /// Returns the article with the rows that the code has for its tables.
    static func written(_ article: String) -> String {
        var rows: [String] = []
        var lines: [String] = []
        for line in article.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("## ") {
                let table = ConfigurationReference.tables.first { line == "## \($0.heading)" }
                rows = table?.keys.map(\.row) ?? []
            }
            if line.hasPrefix("| `") { continue }
            lines.append(line)
            if line.hasPrefix("| --- ") {
                lines += rows
                rows = []
            }
        }
        return lines.joined(separator: "\n")
    }

    /// `Tests/Tools/reference` sets the variable, and the test then writes the rows instead of comparing them.
    @Test("The article has exactly the keys of the code, in their order, with default, limits and meaning")
    func articleRows() throws {
        let article = try DefaultFile.article()
        let written = Self.written(article)
        if ProcessInfo.processInfo.environment["BEACOND_WRITE_REFERENCE"] != nil {
            try written.write(to: try DefaultFile.articlePath(), atomically: true, encoding: .utf8)
        } else {
            #expect(article == written, "Tests/Tools/reference writes it anew")
        }
    }

    @Test("The article has exactly the tables of the code, in their order")
    func articleTables() throws {
        let headings = try DefaultFile.article().split(separator: "\n").filter { $0.hasPrefix("## [") }
        #expect(headings.map(String.init) == ConfigurationReference.tables.map { "## \($0.heading)" })
        let rows = try DefaultFile.article().split(separator: "\n").count { $0.hasPrefix("| `") }
        #expect(rows == ConfigurationReference.tables.reduce(0) { $0 + $1.keys.count })
    }

    @Test("A key of [regions] that a [[region]] may override is in the reference of both, with one rule")
    func overriding() throws {
        let tables = ConfigurationReference.tables
        let general = try #require(tables.first { $0.heading == "[regions]" }).keys
        let own = try #require(tables.first { $0.heading == "[[region]]" }).keys.filter(\.isOverriding)
        let ofAllTogether = general.map(\.name).filter { $0.hasPrefix("max_") || $0 == "forget_after_days" }
        #expect(own.map(\.name) == general.map(\.name).filter { !ofAllTogether.contains($0) })
        for key in own {
            #expect(general.contains { $0.name == key.name && $0.allowed == key.allowed })
        }
    }
}

extension KeyDescription {
    /// The row of the article's table: key, default, allowed values, meaning.
    fileprivate var row: String {
        let text =
            switch `default` {
            case .value(let value): "`\(value)`"
            case .none(let note): note
            }
        return "| `\(name)` | \(text) | \(allowed) | \(meaning) |"
    }

    /// A key that overrides one of another table.
    fileprivate var isOverriding: Bool { `default` == .none("as in [regions]") }
}
