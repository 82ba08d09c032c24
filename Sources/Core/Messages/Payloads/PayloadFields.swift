/// The fields of one object in a payload. Each is read by name and type. Unread fields are ignored, because newer
/// gateways may add fields.
///
/// Fields that are read in the order of writing are found at once.
package struct PayloadFields {
    let document: JSONDocument
    /// The node of the first key, the node behind the last value, and the key to compare first.
    let first: Int
    let end: Int
    private var next: Int

    /// The most octets of a payload: about the size of a ranging message of 65,536 beacons.
    package static let maxPayload_bytes = 16 << 20
    /// The most elements of a list.
    static let maxElements = 65_536

    /// Reads a payload that is one JSON object.
    package init(_ octets: [UInt8]) throws(PayloadError) {
        guard octets.count <= Self.maxPayload_bytes else {
            throw PayloadError("", .tooLong(limit: Self.maxPayload_bytes))
        }
        do throws(JSONError) {
            document = try JSONReader.read(octets)
        } catch {
            throw PayloadError("", .malformed("no valid JSON \(error)"))
        }
        guard case .object(let end)? = document.nodes.first else {
            throw PayloadError("", .mustBe("an object", not: document.kind(at: 0)))
        }
        (first, next, self.end) = (1, 1, end)
    }

    private init?(_ document: JSONDocument, at index: Int) {
        guard case .object(let end) = document.nodes[index] else { return nil }
        self.document = document
        (first, next, self.end) = (index + 1, index + 1, end)
    }

    /// Returns whether there is a field of that name.
    mutating func has(_ key: StaticString) -> Bool { find(key) != nil }

    /// Returns whether there is a field of that name with the value `null`.
    mutating func isNull(_ key: StaticString) -> Bool {
        guard let index = find(key), case .null = document.nodes[index] else { return false }
        return true
    }

    /// Returns the node of a field's value. The search begins behind the last one found.
    private mutating func find(_ key: StaticString) -> Int? {
        find(key, from: next, to: end) ?? find(key, from: first, to: next)
    }

    private mutating func find(_ key: StaticString, from start: Int, to end: Int) -> Int? {
        var index = start
        while index + 1 < end {
            let behind = document.end(of: index + 1)
            if document.isText(key, at: index) {
                next = behind
                return index + 1
            }
            index = behind
        }
        return nil
    }

    mutating func required(_ key: StaticString) throws(PayloadError) -> Int {
        guard let index = find(key) else { throw PayloadError("\(key)", .missing) }
        return index
    }

    func wrongType(_ key: StaticString, _ wanted: String, at index: Int) -> PayloadError {
        PayloadError("\(key)", .mustBe(wanted, not: document.kind(at: index)))
    }
}

/// Text, words and Booleans.
extension PayloadFields {
    package mutating func text(_ key: StaticString) throws(PayloadError) -> String { try text(key, at: required(key)) }

    package mutating func textIfPresent(_ key: StaticString) throws(PayloadError) -> String? {
        guard let index = find(key) else { return nil }
        return try text(key, at: index)
    }

    private func text(_ key: StaticString, at index: Int) throws(PayloadError) -> String {
        guard let text = document.text(at: index) else { throw wrongType(key, "text", at: index) }
        return text
    }

    /// Reads one level of a topic.
    mutating func level(_ key: StaticString) throws(PayloadError) -> String {
        let text = try text(key)
        guard TopicName.isLevel(text) else { throw PayloadError("\(key)", .mustBeOneOf("one level of a topic")) }
        return text
    }

    /// Reads one of the words of a type.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ key: StaticString) throws(PayloadError) -> Word
    {
        guard let word = Word(rawValue: try text(key)) else {
            throw PayloadError("\(key)", .mustBeOneOf(Word.allCases.map(\.rawValue).joined(separator: ", ")))
        }
        return word
    }

    package mutating func boolean(_ key: StaticString) throws(PayloadError) -> Bool {
        try boolean(key, at: required(key))
    }

    /// Reads a Boolean that is written only where it is true.
    mutating func flag(_ key: StaticString) throws(PayloadError) -> Bool {
        guard let index = find(key) else { return false }
        return try boolean(key, at: index)
    }

    private func boolean(_ key: StaticString, at index: Int) throws(PayloadError) -> Bool {
        guard case .boolean(let boolean) = document.nodes[index] else {
            throw wrongType(key, "true or false", at: index)
        }
        return boolean
    }

    mutating func time(_ key: StaticString) throws(PayloadError) -> WallTime {
        let text = try text(key)
        guard let time = Timestamp.time(text) else {
            throw PayloadError("\(key)", .mustBeOneOf("a time such as 2026-11-21T06:00:00.123Z"))
        }
        return time
    }

    /// Reads a wall time in a foreign format (`Timestamp.anyTime`).
    package mutating func anyTimeIfPresent(_ key: StaticString) throws(PayloadError) -> WallTime? {
        guard let text = try textIfPresent(key) else { return nil }
        guard let time = Timestamp.anyTime(text) else {
            throw PayloadError("\(key)", .mustBeOneOf("a time such as 2026-11-21T06:00:00.123Z"))
        }
        return time
    }

    mutating func uuid(_ key: StaticString) throws(PayloadError) -> ProximityUUID {
        guard let uuid = ProximityUUID(try text(key)) else {
            throw PayloadError("\(key)", .mustBeOneOf("a UUID such as 39ED98FF-2900-441A-802F-9C398FC199D2"))
        }
        return uuid
    }
}

/// Numbers.
extension PayloadFields {
    package mutating func integer<Integer: FixedWidthInteger>(
        _ key: StaticString, _ range: ClosedRange<Integer> = 0...Integer.max
    ) throws(PayloadError) -> Integer {
        try integer(key, range, at: required(key))
    }

    mutating func integerIfPresent<Integer: FixedWidthInteger>(
        _ key: StaticString, _ range: ClosedRange<Integer> = 0...Integer.max
    ) throws(PayloadError) -> Integer? {
        guard let index = find(key) else { return nil }
        return try integer(key, range, at: index)
    }

    func integer<Integer: FixedWidthInteger>(
        _ key: StaticString, _ range: ClosedRange<Integer>, at index: Int
    ) throws(PayloadError) -> Integer {
        let value: Integer?
        switch document.nodes[index] {
        case .integer(let integer): value = Integer(exactly: integer)
        case .number(let number) where number.rounded() == number: value = Integer(exactly: number)
        default: throw wrongType(key, "an integer", at: index)
        }
        guard let value, range.contains(value) else {
            throw PayloadError("\(key)", .mustBeOneOf("from \(range.lowerBound) to \(range.upperBound)"))
        }
        return value
    }

    /// Reads a number in a range; JSON has only finite numbers.
    mutating func number(
        _ key: StaticString, _ range: ClosedRange<Double>
    ) throws(PayloadError) -> Double {
        try number(key, range, at: required(key))
    }

    /// Reads a number in a range, or `null` for an unknown one.
    mutating func numberOrNull(_ key: StaticString, _ range: ClosedRange<Double>) throws(PayloadError) -> Double? {
        let index = try required(key)
        if case .null = document.nodes[index] { return nil }
        return try number(key, range, at: index)
    }

    /// Reads a number in a range, if there is one; `null` counts as none.
    package mutating func numberIfPresent(
        _ key: StaticString,
        _ range: ClosedRange<Double> = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
    ) throws(PayloadError) -> Double? {
        guard let index = find(key) else { return nil }
        if case .null = document.nodes[index] { return nil }
        return try number(key, range, at: index)
    }

    private func number(
        _ key: StaticString, _ range: ClosedRange<Double>, at index: Int
    ) throws(PayloadError) -> Double {
        let value: Double
        switch document.nodes[index] {
        case .integer(let integer): value = Double(integer)
        case .number(let number): value = number
        default: throw wrongType(key, "a number", at: index)
        }
        guard range.contains(value) else {
            throw PayloadError("\(key)", .mustBeOneOf("from \(range.lowerBound) to \(range.upperBound)"))
        }
        return value
    }
}

/// Objects and lists.
extension PayloadFields {
    mutating func object<Value>(
        _ key: StaticString, _ read: (inout PayloadFields) throws(PayloadError) -> Value
    ) throws(PayloadError) -> Value {
        let index = try required(key)
        guard var fields = PayloadFields(document, at: index) else { throw wrongType(key, "an object", at: index) }
        do throws(PayloadError) {
            return try read(&fields)
        } catch {
            throw error.inside("\(key)")
        }
    }

    mutating func objectIfPresent<Value>(
        _ key: StaticString, _ read: (inout PayloadFields) throws(PayloadError) -> Value
    ) throws(PayloadError) -> Value? {
        has(key) ? try object(key, read) : nil
    }

    /// Reads an object with all that is in it.
    mutating func object(_ key: StaticString) throws(PayloadError) -> [String: DocumentValue] {
        let index = try required(key)
        guard case .object(let entries) = document.value(at: index) else {
            throw wrongType(key, "an object", at: index)
        }
        return entries
    }

    /// Reads a list of objects.
    package mutating func list<Element>(
        _ key: StaticString, _ read: (inout PayloadFields) throws(PayloadError) -> Element
    ) throws(PayloadError) -> [Element] {
        let index = try required(key)
        guard case .array(let end) = document.nodes[index] else { throw wrongType(key, "a list", at: index) }
        var elements: [Element] = []
        var next = index + 1
        while next < end {
            guard elements.count < Self.maxElements else {
                throw PayloadError("\(key)", .tooLong(limit: Self.maxElements))
            }
            guard var fields = PayloadFields(document, at: next) else {
                throw PayloadError("\(key)[\(elements.count)]", .mustBe("an object", not: document.kind(at: next)))
            }
            do throws(PayloadError) {
                elements.append(try read(&fields))
            } catch {
                throw error.inside("\(key)[\(elements.count)]")
            }
            next = document.end(of: next)
        }
        return elements
    }

    /// Reads an integer from 0; `nil` for `null`.
    mutating func integerOrNull(_ key: StaticString) throws(PayloadError) -> Int64? {
        if isNull(key) { return nil }
        return try integer(key)
    }
}

/// The reason for which a payload does not follow the contract: the field and the problem.
package struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        /// The payload is no JSON object.
        case malformed(String)
        case missing
        /// The field has another type.
        case mustBe(String, not: String)
        /// The field has the right type, but not one of the allowed values.
        case mustBeOneOf(String)
        /// The payload or list is longer than the limit.
        case tooLong(limit: Int)
    }

    /// The name of the field, with the objects around it: `beacons[3].rssi_dbm`. Empty for the whole payload.
    var field: String
    var problem: Problem

    package init(_ field: String, _ problem: Problem) {
        self.field = field
        self.problem = problem
    }

    func inside(_ field: String) -> PayloadError { PayloadError("\(field).\(self.field)", problem) }

    /// The error in one line.
    package var description: String {
        let name = field.isEmpty ? "payload" : field
        return switch problem {
        case .malformed(let what): "\(name): \(what)"
        case .missing: "\(name): is missing"
        case .mustBe(let wanted, not: let found): "\(name): must be \(wanted), not \(found)"
        case .mustBeOneOf(let wanted): "\(name): must be \(wanted)"
        case .tooLong(let limit): "\(name): has more than \(limit)"
        }
    }
}
