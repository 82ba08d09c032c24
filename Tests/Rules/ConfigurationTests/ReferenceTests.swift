import Configuration
import Regions
import Testing

/// The default file and the article say what the code does.
struct ReferenceTests {
    @Test("The default file means the defaults and its one region")
    func defaultFile() throws {
        var settings = try Settings.parse(try DefaultFile.text())
        #expect(settings.gateway.regions.configured.map(\.id) == ["carts"])
        #expect(
            settings.gateway.regions.configured
                == (try Settings.parse(region("expand = \"minor\"")).gateway.regions.configured))
        settings.gateway.regions.configured = []
        #expect(settings == Settings.defaults)
    }

    /// `name = value` with or without a comment sign in front, by table, as the default file has it.
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
        for key in table.keys where key.defaultText != "as in [regions]" {
            let line = try #require(
                lines.first { $0.name == key.name }, "\(table.name).\(key.name) is not in config.toml")
            if key.name == "expand" {
                // The one key that the example sets, so that a newcomer's first events are visits.
                #expect(line.value == "\"minor\"" && line.comment.contains(key.defaultText))
            } else if !["required", "any", "none"].contains(key.defaultText) {
                #expect(line.value == key.defaultText)
            }
            if key.allowed.hasPrefix("from ") { #expect(line.comment.contains(key.allowed.dropFirst(5))) }
        }
    }

    @Test("The default file has no line wider than 120 characters")
    func width() throws {
        #expect(try DefaultFile.text().split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    /// A row of the article's tables.
    static func row(_ key: KeyDescription) -> String {
        let isValue = !["required", "any", "none", "as in [regions]"].contains(key.defaultText)
        let text = isValue ? "`\(key.defaultText)`" : key.defaultText
        return "| `\(key.name)` | \(text) | \(key.allowed) | \(key.meaning) |"
    }

    @Test("The article has exactly the tables and keys of the code, in their order")
    func article() throws {
        let expected = ConfigurationReference.tables.flatMap { ["## \($0.heading)"] + $0.keys.map(Self.row) }
        let found = try DefaultFile.article().split(separator: "\n").map(String.init).filter {
            $0.hasPrefix("## [") || $0.hasPrefix("| `")
        }
        #expect(found == expected)
    }
}
