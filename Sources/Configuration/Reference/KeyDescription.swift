/// A key of `config.toml` as the reference shows it.
public struct KeyDescription: Hashable, Sendable {
    public let name: String
    /// As it stands in the file; `required` or a note where there is no default value.
    public let defaultText: String
    /// To follow "must be".
    public let allowed: String
    /// One sentence, with the unit.
    public let meaning: String
}

/// A table of `config.toml` as the reference shows it.
public struct ReferenceTable: Hashable, Sendable {
    public let name: String
    /// Whether it may stand several times, in double brackets.
    public let isRepeated: Bool
    public let keys: [KeyDescription]

    /// `[radio]` or `[[region]]`.
    public var heading: String { isRepeated ? "[[\(name)]]" : "[\(name)]" }

    init(_ name: String, isRepeated: Bool = false, _ keys: [KeyDescription]) {
        self.name = name
        self.isRepeated = isRepeated
        self.keys = keys
    }
}
