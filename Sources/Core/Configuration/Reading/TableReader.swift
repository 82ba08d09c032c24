/// Reads one table of the file key by key. After an error it goes on with the default, so that one run finds all
/// errors.
struct TableReader {
    /// The table's path: `radio`, `region[2]`.
    let path: String
    private let table: ReferenceTable
    private var entries: [String: DocumentValue]
    private(set) var errors = ErrorList()
    /// The values in effect, in the order of reading; empty unless the reader records them.
    private(set) var effective: [EffectiveConfiguration.Value] = []
    private let isRecording: Bool
    /// The keys that have an error already. A second error that follows from the first would mislead.
    private var unsound: Set<String> = []

    /// Makes a reader. `table` lists the known keys; any other key is an error.
    init(
        path: String, table: ReferenceTable, entries: [String: DocumentValue], isRecording: Bool = false
    ) {
        self.path = path
        self.isRecording = isRecording
        self.table = table
        self.entries = entries
        let known = table.keys.map(\.name)
        for name in self.entries.keys.sorted() where !known.contains(name) {
            record(
                name, value: Suggestion.mayBeSecret(name) || table.hasSecrets ? nil : entries[name]?.text,
                Suggestion.forKey(name, in: table))
        }
    }

    /// Returns whether the file sets the key.
    func sets<Value>(_ key: Key<Value>) -> Bool { entries[key.name] != nil }

    /// Returns the key's value, or its default where the file sets none or a wrong one.
    ///
    /// - Parameter other: a default from elsewhere in the file, which replaces the key's own.
    mutating func value<Value>(_ key: Key<Value>, default other: Value? = nil) -> Value {
        let value = read(key, default: other ?? key.defaultValue)
        if isRecording { record(key, value) }
        return value
    }

    private mutating func read<Value>(_ key: Key<Value>, default defaultValue: Value) -> Value {
        guard let node = entries[key.name] else { return defaultValue }
        if case .value(let value) = key.rule.read(node) { return value }
        if let complaint = key.rule.complaint(about: node) {
            record(key.name, value: key.rule.show(node), complaint)
        }
        return defaultValue
    }

    /// Leaves a key that the file does not set out of the recorded values: beside the others it means nothing, or the
    /// rules refuse it.
    mutating func leaveOut<Value>(_ key: Key<Value>) {
        if !sets(key) { effective.removeAll { $0.key == key.name } }
    }

    /// Records the value in effect. A key without a value, such as a region's `major`, is in no file.
    private mutating func record<Value>(_ key: Key<Value>, _ value: Value) {
        let text = key.rule.write(value)
        guard !text.isEmpty, !effective.contains(where: { $0.key == key.name }) else { return }
        let isSecret = entries[key.name].map { key.rule.show($0) == nil } ?? false
        effective.append(.init(key: key.name, text: text, secret: isSecret ? "\(value)" : nil))
    }

    /// Returns the value of a key without a default; `nil` where it is missing or wrong, which is recorded.
    mutating func required<Value>(_ key: Key<Value?>) -> Value? {
        if !sets(key) { record(key.name, value: nil, "is missing; must be \(key.rule.allowed)") }
        return value(key)
    }

    /// Records an error of a value. Where the file does not set it, the error says that it is the default.
    ///
    /// - Parameter other: the key with whose value it conflicts; `nil` for an error of this value alone.
    mutating func refuse<Value>(_ key: Key<Value>, _ value: Value, beside other: String? = nil, _ requirement: String) {
        if unsound.contains(key.name) || other.map(unsound.contains) == true { return }
        if let node = entries[key.name] {
            record(key.name, value: key.rule.show(node), requirement)
        } else {
            record(key.name, value: key.rule.write(value) + " (default)", requirement)
        }
    }

    private mutating func record(_ name: String, value: String?, _ requirement: @autoclosure () -> String) {
        unsound.insert(name)
        let written = ConfigurationReference.path(name)
        errors.record(ConfigurationError(key: "\(path).\(written)", value: value, requirement: requirement()))
    }
}
