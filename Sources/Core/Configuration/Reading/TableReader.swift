/// Reads one table of the file key by key. It never stops at an error: it notes it and goes on with the default, so
/// that all errors are found in one go.
struct TableReader {
    /// The table's path: `radio`, `region[2]`.
    let path: String
    private let table: ReferenceTable
    private var entries: [String: TOMLNode]
    private(set) var errors = ErrorList()
    /// The keys that the file sets under their former names.
    private(set) var renamedKeys: [RenamedKey] = []
    /// Those names, by the names of today. An error names a key as it is written.
    private var formerNames: [String: String] = [:]
    /// The keys that have an error already. A second one that follows from the first would only mislead.
    private var unsound: Set<String> = []

    /// `table` says which keys are known; any other is an error.
    package init(path: String, table: ReferenceTable, entries: [String: TOMLNode]) {
        self.path = path
        self.table = table
        self.entries = entries
        for key in table.keys { takeFormer(key) }
        let known = table.keys.map(\.name)
        for name in self.entries.keys.sorted() where !known.contains(name) {
            note(
                name, value: Suggestion.mayBeSecret(name) ? nil : entries[name]?.text,
                Suggestion.forKey(name, in: table))
        }
    }

    /// Goes on with what the file sets under a key's former name as if it stood under the name of today.
    private mutating func takeFormer(_ key: KeyDescription) {
        guard let former = key.formerName, let node = entries.removeValue(forKey: former) else { return }
        if entries[key.name] == nil {
            entries[key.name] = node
            formerNames[key.name] = former
            renamedKeys.append(RenamedKey(written: "\(path).\(former)", name: key.name))
        } else {
            note(former, value: node.text, "is the former name of \(key.name), which is set as well: delete it")
        }
    }

    /// Whether the file sets the key.
    func sets<Value>(_ key: Key<Value>) -> Bool { entries[key.name] != nil }

    /// The key's value, or its default where the file does not set it or sets it wrong.
    ///
    /// - Parameter other: a default from elsewhere in the file, which holds in place of the key's own.
    mutating func value<Value>(_ key: Key<Value>, default other: Value? = nil) -> Value {
        let defaultValue = other ?? key.defaultValue
        guard let node = entries[key.name] else { return defaultValue }
        if case .value(let value) = key.rule.read(node) { return value }
        if let complaint = key.rule.complaint(about: node) {
            note(key.name, value: key.rule.show(node), complaint)
        }
        return defaultValue
    }

    /// The value of a key that has no default; `nil` where it is missing or wrong, which is noted.
    mutating func required<Value>(_ key: Key<Value?>) -> Value? {
        if !sets(key) { note(key.name, value: nil, "is missing; must be \(key.rule.allowed)") }
        return value(key)
    }

    /// Notes that a value which is allowed by itself does not go with that of another key, `beside` it. Where the file
    /// does not set it, the error says that it is the default.
    mutating func refuse<Value>(_ key: Key<Value>, _ value: Value, beside other: String, _ requirement: String) {
        guard unsound.isDisjoint(with: [key.name, other]) else { return }
        if let node = entries[key.name] {
            note(key.name, value: key.rule.show(node), requirement)
        } else {
            note(key.name, value: key.rule.write(value) + " (default)", requirement)
        }
    }

    private mutating func note(_ name: String, value: String?, _ requirement: @autoclosure () -> String) {
        unsound.insert(name)
        let written = ConfigurationReference.path(formerNames[name] ?? name)
        errors.note(ConfigurationError(key: "\(path).\(written)", value: value, requirement: requirement()))
    }
}
