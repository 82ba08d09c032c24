/// One key of `config.toml`: its name, its default, what it may be, and what it is for.
///
/// The reader, the text of errors, the reference table and the tests all go by this one description.
struct Key<Value: Sendable>: Sendable {
    let name: String
    let defaultValue: Value
    let rule: Rule<Value>
    /// One sentence for the reference table, with the unit.
    let meaning: String
    /// What the reference table says where the default is not a value of its own.
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

    /// Without the type of its value, for lists of keys.
    var row: KeyDescription {
        KeyDescription(
            name: name, defaultText: defaultNote ?? rule.write(defaultValue), allowed: rule.allowed, meaning: meaning)
    }
}
