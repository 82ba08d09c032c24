/// One key of `config.toml`: its name with the unit at its end, its default, what it may be, and what it is for.
///
/// A key is declared once, as a stored property of its table. Reading, the text of errors, the suggestions for slips of the
/// pen, the reference table and the checks of the default file all go by this declaration.
struct Key<Value: Sendable>: Sendable {
    package let name: String
    let defaultValue: Value
    let rule: Rule<Value>
    /// One sentence for the reference table, with the unit.
    let meaning: String
    /// What the reference table says where the default is not a value of its own.
    let defaultNote: String?
    /// The name that it had in the version before, which is still read. It goes with the next version.
    let formerName: String?

    package init(
        _ name: String, formerly formerName: String? = nil, default defaultValue: Value, _ rule: Rule<Value>,
        _ meaning: String, defaultNote: String? = nil
    ) {
        self.name = name
        self.defaultValue = defaultValue
        self.rule = rule
        self.meaning = meaning
        self.defaultNote = defaultNote
        self.formerName = formerName
    }
}

/// A key whatever the type of its value.
private protocol AnyKey {
    var description: KeyDescription { get }
}

extension Key: AnyKey {
    fileprivate var description: KeyDescription {
        KeyDescription(
            name: name, default: defaultNote.map { .none($0) } ?? .value(rule.write(defaultValue)),
            allowed: rule.allowed, meaning: meaning, formerName: formerName)
    }
}

/// A key that the file sets under its former name.
package struct RenamedKey: Hashable, Sendable, CustomStringConvertible {
    /// With its table: `site.exit_after_s`.
    let written: String
    let name: String

    package var description: String {
        "\(written) is called \(name) now: rename it, the next version refuses the old name"
    }
}

/// Keys that are declared together: a table, or what several tables share.
protocol KeyGroup: Sendable {
    /// Its keys, in the order of the reference.
    var descriptions: [KeyDescription] { get }
}

extension KeyGroup {
    /// The stored properties that are keys or groups of them, in the order in which they stand: a list of them beside their
    /// declarations could lack one.
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

/// Keys of another table that may stand in this one too, where they hold in place of the other's.
struct Overriding<Keys: KeyGroup>: KeyGroup {
    let keys: Keys
    /// The table that says what holds where this one does not.
    let heading: String
    /// Whom they hold for here.
    let scope: String

    var descriptions: [KeyDescription] {
        keys.descriptions.map {
            KeyDescription(
                name: $0.name, default: .none("as in \(heading)"), allowed: $0.allowed, meaning: "For \(scope) only.")
        }
    }
}

/// A table of `config.toml`. Its keys are its stored properties; `read` makes of them what somebody needs.
protocol SettingsTable: KeyGroup {
    /// What stands in the brackets.
    static var tableName: String { get }
    /// Whether it may stand several times, in double brackets.
    static var isRepeated: Bool { get }
}

extension SettingsTable {
    static var isRepeated: Bool { false }
}
