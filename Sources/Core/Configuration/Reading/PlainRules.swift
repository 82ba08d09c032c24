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
