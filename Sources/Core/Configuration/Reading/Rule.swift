/// The rule of a key's value: it reads the value, and describes the allowed ones.
struct Rule<Value: Sendable>: Sendable {
    /// The result of reading a node.
    enum Outcome: Sendable {
        case value(Value)
        /// The node has the wrong TOML type.
        case wrongType
        /// The value is not allowed, although its type is right. The reason is given where `allowed` is not enough.
        case refused(String?)

        /// - Parameter value: `nil` where it is not allowed.
        init(_ value: Value?) { self = value.map { .value($0) } ?? .refused(nil) }

        func map<Other: Sendable>(_ make: (Value) -> Other) -> Rule<Other>.Outcome {
            switch self {
            case .value(let value): .value(make(value))
            case .wrongType: .wrongType
            case .refused(let reason): .refused(reason)
            }
        }
    }

    /// The TOML type with its article: `a number`.
    let type: String
    /// The allowed values of that type, to follow "must be": `from 2.5 to 10240`.
    var allowed: String
    var read: @Sendable (DocumentValue) -> Outcome
    /// Returns a value as in the file.
    let write: @Sendable (Value) -> String
    /// Returns the part of a node that an error may show; `nil` for a secret.
    var show: @Sendable (DocumentValue) -> String? = { $0.text }

    /// Returns the error for a node that is not a valid value; `nil` for a valid one.
    func complaint(about node: DocumentValue) -> String? {
        switch read(node) {
        case .value: nil
        case .wrongType: "must be \(type) (\(allowed)), not \(node.tomlKind)"
        case .refused(let reason): reason ?? "must be \(allowed)"
        }
    }
}

extension Rule {
    /// Returns this rule for another Swift type, converted both ways.
    func map<Other: Sendable>(
        _ make: @escaping @Sendable (Value) -> Other, back: @escaping @Sendable (Other) -> Value
    ) -> Rule<Other> {
        Rule<Other>(
            type: type, allowed: allowed, read: { [read] in read($0).map(make) }, write: { [write] in write(back($0)) },
            show: show)
    }

    /// This rule for a key that need not be set.
    var optional: Rule<Value?> {
        Rule<Value?>(
            type: type, allowed: allowed, read: { [read] in read($0).map(Optional.some) },
            write: { [write] in $0.map(write) ?? "" }, show: show)
    }

    /// This rule, with an empty text for none.
    var orEmpty: Rule<Value?> {
        Rule<Value?>(
            type: type, allowed: allowed + ", or empty",
            read: { [read] in $0 == .string("") ? .value(nil) : read($0).map(Optional.some) },
            write: { [write] in $0.map(write) ?? "".tomlString }, show: show)
    }

    /// Returns a rule for text.
    static func text(
        _ allowed: String, read: @escaping @Sendable (String) -> Outcome,
        write: @escaping @Sendable (Value) -> String
    ) -> Rule {
        Rule(
            type: "text", allowed: allowed,
            read: { node in
                guard case .string(let text) = node else { return .wrongType }
                return read(text)
            },
            write: write)
    }

    /// Returns a rule for a list.
    ///
    /// - Parameters:
    ///   - element: the rule of each element.
    ///   - isCount: whether a number of elements is allowed.
    static func list<Element>(
        _ allowed: String, of element: Rule<Element>, where isCount: @escaping @Sendable (Int) -> Bool
    ) -> Rule where Value == [Element] {
        Rule(
            type: "a list", allowed: allowed,
            read: { node in
                guard case .array(let nodes) = node else { return .wrongType }
                guard isCount(nodes.count) else { return .refused(nil) }
                var values: [Element] = []
                for node in nodes {
                    guard case .value(let value) = element.read(node) else { return .refused(nil) }
                    values.append(value)
                }
                return .value(values)
            },
            write: { "[" + $0.map(element.write).joined(separator: ", ") + "]" })
    }
}

extension Rule where Value == Double {
    /// Returns a rule for an integer or a number with a fraction, limits included. NaN is in no range.
    static func number(_ range: ClosedRange<Double>) -> Rule {
        Rule(
            type: "a number", allowed: "from \(range.lowerBound.plain) to \(range.upperBound.plain)",
            read: { node in
                let value: Double
                switch node {
                case .integer(let integer): value = Double(integer)
                case .number(let float): value = float
                default: return .wrongType
                }
                return range.contains(value) ? .value(value) : .refused(nil)
            },
            write: { $0.plain })
    }
}

extension Rule where Value == TimeSpan {
    /// Returns a rule for a number of seconds.
    static func seconds(_ range: ClosedRange<Double>) -> Rule {
        Rule<Double>.number(range).map({ .seconds($0) }, back: { $0.seconds })
    }
}

extension Rule where Value: FixedWidthInteger {
    /// Returns a rule for a whole number, written as one: `30`, not `30.0`.
    static func integer(_ range: ClosedRange<Value>) -> Rule {
        Rule(
            type: "an integer", allowed: "from \(range.lowerBound) to \(range.upperBound)",
            read: { node in
                // A request may contain an integer beyond 64 bits, which JSON does not distinguish from other numbers.
                if case .number(let float) = node, float.isFinite, float.magnitude >= 0x1p63 { return .refused(nil) }
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
            read: { if case .boolean(let value) = $0 { .value(value) } else { .wrongType } },
            write: { $0 ? "true" : "false" })
    }
}

extension Rule where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// A rule for the words of an enumeration.
    static var word: Rule {
        let words = Value.allCases.map { "\"\($0.rawValue)\"" }
        let allButLast = words.dropLast().joined(separator: ", ")
        return text(
            "\(allButLast) or \(words.last ?? "")", read: { Outcome(Value(rawValue: $0)) },
            write: { "\"\($0.rawValue)\"" })
    }
}

extension Rule where Value == String {
    /// Returns a rule for text for which `isAllowed` holds.
    static func text(_ allowed: String, where isAllowed: @escaping @Sendable (String) -> Bool) -> Rule {
        text(allowed, read: { isAllowed($0) ? .value($0) : .refused(nil) }, write: { $0.tomlString })
    }

    /// A rule for the path of a file or folder, or none.
    static var pathOrEmpty: Rule {
        text("a path of at most 1024 bytes, or empty") { $0.utf8.count <= 1024 && !$0.hasControls }
    }

    static var path: Rule {
        text("a path of 1 to 1024 bytes") { !$0.isEmpty && $0.utf8.count <= 1024 && !$0.hasControls }
    }
}

extension Rule where Value == ProximityUUID {
    static var uuid: Rule {
        text(
            "32 hexadecimal digits, with dashes as in a UUID or without", read: { Outcome(ProximityUUID($0)) },
            write: { $0.description.quoted })
    }
}

extension String {
    var hasControls: Bool { unicodeScalars.contains(where: \.isControl) }
}
