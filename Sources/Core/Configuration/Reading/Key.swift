/// One key of `config.toml`: its name with the unit at its end, its default, its allowed values and its meaning.
///
/// A key is declared once, as a stored property of its table. Reading, errors, suggestions for typing errors, the
/// reference table and the checks of the default file all use this declaration.
struct Key<Value: Sendable>: Sendable {
    package let name: String
    let defaultValue: Value
    let rule: Rule<Value>
    /// One sentence for the reference table, with the unit.
    let meaning: String
    /// The text in the reference table where the default is not a value of its own.
    let defaultNote: String?

    init(
        _ name: String, default defaultValue: Value, _ rule: Rule<Value>, _ meaning: String, defaultNote: String? = nil
    ) {
        self.name = name
        self.defaultValue = defaultValue
        self.rule = rule
        self.meaning = meaning
        self.defaultNote = defaultNote
    }
}

extension Key {
    /// Makes a key without a default.
    ///
    /// - Parameter note: the text in the reference table in place of a default.
    init<Wrapped>(
        _ name: String, unset note: String, _ rule: Rule<Wrapped>, _ meaning: String
    ) where Value == Wrapped? {
        self.init(name, default: nil, rule.optional, meaning, defaultNote: note)
    }
}

/// A key with any type of value.
private protocol AnyKey {
    var description: KeyDescription { get }
}

extension Key: AnyKey {
    fileprivate var description: KeyDescription {
        KeyDescription(
            name: name, default: defaultNote.map { .none($0) } ?? .value(rule.write(defaultValue)),
            allowed: rule.allowed, meaning: meaning)
    }
}

/// Keys that are declared together: a table, or keys that several tables share.
protocol KeyGroup: Sendable {
    /// The keys, in the order of the reference.
    var descriptions: [KeyDescription] { get }
}

extension KeyGroup {
    /// The stored properties that are keys or groups of keys, in order. Reflection finds them, because a second list
    /// could lack one.
    var descriptions: [KeyDescription] {
        Mirror(reflecting: self).children.flatMap { property -> [KeyDescription] in
            switch property.value {
            case let key as any AnyKey: [key.description]
            case let group as any KeyGroup: group.descriptions
            default: []
            }
        }
    }
}

/// Keys of another table that this table may also set, in place of the other's values.
struct Overriding<Keys: KeyGroup>: KeyGroup {
    let keys: Keys
    /// The table whose values hold where this one sets none.
    let heading: String
    /// The things for which they hold here.
    let scope: String

    var descriptions: [KeyDescription] {
        keys.descriptions.map {
            KeyDescription(
                name: $0.name, default: .none("as in \(heading)"), allowed: $0.allowed, meaning: "For \(scope) only.")
        }
    }
}

/// A table of `config.toml`. Its keys are its stored properties; `read` returns its settings.
protocol SettingsTable: KeyGroup {
    /// The name in the brackets.
    static var tableName: String { get }
    /// True if it may be repeated, in double brackets.
    static var isRepeated: Bool { get }
}

extension SettingsTable {
    static var isRepeated: Bool { false }
}
