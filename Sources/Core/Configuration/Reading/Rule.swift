/// What the value of a key may be: how it is read, and how that is said.
struct Rule<Value: Sendable>: Sendable {
    /// What became of a node.
    package enum Outcome: Sendable {
        case value(Value)
        /// Not of the TOML type that is wanted.
        case wrongType
        /// Of the right type, but not allowed; the reason where `allowed` does not say enough.
        case refused(String?)
    }

    /// The TOML type with its article: `a number`.
    package let type: String
    /// What of that type is allowed, to follow "must be": `from 2.5 to 10240`.
    let allowed: String
    var read: @Sendable (TOMLNode) -> Outcome
    /// As it stands in the file.
    let write: @Sendable (Value) -> String
    /// The part of a node that an error may show; `nil` for a secret.
    var show: @Sendable (TOMLNode) -> String? = { $0.text }

    /// What to say about a node that is not a value; `nil` for one that is.
    func complaint(about node: TOMLNode) -> String? {
        switch read(node) {
        case .value: nil
        case .wrongType: "must be \(type) (\(allowed)), not \(node.kind)"
        case .refused(let reason): reason ?? "must be \(allowed)"
        }
    }
}

extension Rule {
    /// The same rule for another Swift type, given both ways.
    package func map<Other: Sendable>(
        _ make: @escaping @Sendable (Value) -> Other, back: @escaping @Sendable (Other) -> Value
    ) -> Rule<Other> {
        Rule<Other>(
            type: type, allowed: allowed,
            read: { [read] node in
                switch read(node) {
                case .value(let value): .value(make(value))
                case .wrongType: .wrongType
                case .refused(let reason): .refused(reason)
                }
            },
            write: { [write] in write(back($0)) }, show: show)
    }

    /// The same rule for a key that need not be there.
    package var optional: Rule<Value?> {
        Rule<Value?>(
            type: type, allowed: allowed,
            read: { [read] node in
                switch read(node) {
                case .value(let value): .value(value)
                case .wrongType: .wrongType
                case .refused(let reason): .refused(reason)
                }
            },
            write: { [write] in $0.map(write) ?? "" }, show: show)
    }
}

extension Rule where Value == Double {
    /// An integer or a number with a fraction, both limits included. What is not a number lies in no range.
    static func number(_ range: ClosedRange<Double>) -> Rule {
        Rule(
            type: "a number", allowed: "from \(range.lowerBound.plain) to \(range.upperBound.plain)",
            read: { node in
                let value: Double
                switch node {
                case .integer(let integer): value = Double(integer)
                case .float(let float): value = float
                default: return .wrongType
                }
                return range.contains(value) ? .value(value) : .refused(nil)
            },
            write: { $0.plain })
    }
}

extension Rule where Value == TimeSpan {
    /// A number of seconds.
    static func seconds(_ range: ClosedRange<Double>) -> Rule {
        Rule<Double>.number(range).map({ .seconds($0) }, back: { $0.seconds })
    }
}

extension Rule where Value: FixedWidthInteger {
    /// A whole number, written as one: `30`, not `30.0`.
    static func integer(_ range: ClosedRange<Value>) -> Rule {
        Rule(
            type: "an integer", allowed: "from \(range.lowerBound) to \(range.upperBound)",
            read: { node in
                // A request may have an integer beyond 64 bits, which JSON does not tell from other numbers.
                if case .float(let float) = node, float.isFinite, float.magnitude >= 0x1p63 { return .refused(nil) }
                guard case .integer(let integer) = node else { return .wrongType }
                guard let value = Value(exactly: integer), range.contains(value) else { return .refused(nil) }
                return .value(value)
            },
            write: { String($0) })
    }
}

extension Rule where Value == Bool {
    static var flag: Rule {
        Rule(
            type: "a boolean", allowed: "true or false",
            read: { node in
                guard case .boolean(let value) = node else { return .wrongType }
                return .value(value)
            },
            write: { $0 ? "true" : "false" })
    }
}

extension Rule where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the words of an enumeration.
    static var word: Rule {
        let words = Value.allCases.map { "\"\($0.rawValue)\"" }
        let allButLast = words.dropLast().joined(separator: ", ")
        return Rule(
            type: "text", allowed: "\(allButLast) or \(words.last ?? "")",
            read: { node in
                guard case .string(let word) = node else { return .wrongType }
                guard let value = Value(rawValue: word) else { return .refused(nil) }
                return .value(value)
            },
            write: { "\"\($0.rawValue)\"" })
    }

    /// The same rule, which says more of words that an earlier version allowed.
    ///
    /// - Parameters:
    ///   - words: what is no longer allowed.
    ///   - reason: what to say of it, with the word to use now.
    func without(_ words: [String], because reason: String) -> Rule {
        var rule = self
        rule.read = { [read] node in
            if case .string(let word) = node, words.contains(word) { return .refused(reason) }
            return read(node)
        }
        return rule
    }
}

extension Rule where Value == String {
    /// Text for which `isAllowed` holds.
    static func text(_ allowed: String, where isAllowed: @escaping @Sendable (String) -> Bool) -> Rule {
        Rule(
            type: "text", allowed: allowed,
            read: { node in
                guard case .string(let text) = node else { return .wrongType }
                return isAllowed(text) ? .value(text) : .refused(nil)
            },
            write: { $0.quoted })
    }

    /// The path of a file or folder, or none.
    static var pathOrEmpty: Rule {
        text("a path of at most 1024 bytes, or empty") { $0.utf8.count <= 1024 && !$0.hasControls }
    }

    static var path: Rule {
        text("a path of 1 to 1024 bytes") { !$0.isEmpty && $0.utf8.count <= 1024 && !$0.hasControls }
    }
}

extension String {
    var hasControls: Bool { unicodeScalars.contains(where: \.isControl) }
}
