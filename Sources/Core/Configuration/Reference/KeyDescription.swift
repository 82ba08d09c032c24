/// A key of `config.toml` as the reference shows it.
struct KeyDescription: Hashable, Sendable {
    /// What holds where the file does not set a key.
    enum Default: Hashable, Sendable {
        /// As it stands in the file.
        case value(String)
        /// No value of its own, and why: `required`, `any`.
        case none(String)
    }

    package let name: String
    let `default`: Default
    /// To follow "must be".
    let allowed: String
    /// One sentence, with the unit.
    let meaning: String
    /// The name that it had before, if that is still read.
    var formerName: String?

    /// Its row in the article's table: key, default, what it must be, meaning.
    var row: String {
        let text =
            switch `default` {
            case .value(let value): "`\(value)`"
            case .none(let note): note
            }
        return "| `\(name)` | \(text) | \(allowed) | \(meaning) |"
    }
}

/// A table of `config.toml` as the reference shows it.
struct ReferenceTable: Hashable, Sendable {
    package let name: String
    /// Whether it may stand several times, in double brackets.
    let isRepeated: Bool
    let keys: [KeyDescription]

    /// `[radio]` or `[[region]]`.
    var heading: String { isRepeated ? "[[\(name)]]" : "[\(name)]" }

    init<Table: SettingsTable>(_ table: Table) {
        self.name = Table.tableName
        self.isRepeated = Table.isRepeated
        self.keys = table.descriptions
    }
}
