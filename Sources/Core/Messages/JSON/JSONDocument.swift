/// A parsed JSON text (RFC 8259). Its values are in one list. No text is copied out before it is needed: a site reads
/// thousands of messages a second and reads every field once.
struct JSONDocument: Sendable {
    /// A value. The elements of a list or an object follow it directly.
    enum Node: Sendable {
        case null
        case boolean(Bool)
        /// Written without fraction and exponent, and within 64 bits.
        case integer(Int64)
        /// Any other number; always finite.
        case number(Double)
        /// A string without escapes: the range of its octets in the text.
        case string(Range<Int>)
        /// A string with escapes: its index in `texts`.
        case escaped(Int)
        /// A list: the index behind its last value.
        case array(end: Int)
        /// An object, with alternating keys and values: the index behind its last value.
        case object(end: Int)
    }

    let octets: [UInt8]
    /// The nodes. The value of the whole text is the first.
    var nodes: [Node] = []
    var texts: [String] = []

    /// Returns the index behind a value and its elements.
    func end(of index: Int) -> Int {
        switch nodes[index] {
        case .array(let end), .object(let end): end
        default: index + 1
        }
    }

    /// Returns the text of a string; `nil` for any other value.
    func text(at index: Int) -> String? {
        switch nodes[index] {
        case .string(let range): String(decoding: octets[range], as: UTF8.self)
        case .escaped(let number): texts[number]
        default: nil
        }
    }

    /// Returns whether a value is the string `word`.
    func isText(_ word: StaticString, at index: Int) -> Bool {
        switch nodes[index] {
        case .string(let range):
            guard range.count == word.utf8CodeUnitCount else { return false }
            return word.withUTF8Buffer { word in octets[range].elementsEqual(word) }
        case .escaped(let number): return texts[number] == "\(word)"
        default: return false
        }
    }

    /// Returns whether two values are equal strings, with or without escapes.
    func isSameText(_ first: Int, _ second: Int) -> Bool {
        if case .string(let left) = nodes[first], case .string(let right) = nodes[second] {
            return left.count == right.count && octets[left].elementsEqual(octets[right])
        }
        guard let left = text(at: first), let right = text(at: second) else { return false }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// Returns the type of a value with an article, for the end of "must be text, not …".
    func kind(at index: Int) -> String { value(at: index).kind }

    /// Returns a value with its elements.
    func value(at index: Int = 0) -> DocumentValue {
        switch nodes[index] {
        case .null: return .null
        case .boolean(let boolean): return .boolean(boolean)
        case .integer(let integer): return .integer(integer)
        // To JSON Schema, `1.0` and `1e0` are integers as `1` is.
        case .number(let number): return Int64(exactly: number).map { .integer($0) } ?? .number(number)
        case .string, .escaped: return .string(text(at: index) ?? "")
        case .array(let end):
            var values: [DocumentValue] = []
            var next = index + 1
            while next < end {
                values.append(value(at: next))
                next = self.end(of: next)
            }
            return .array(values)
        case .object(let end):
            var entries: [String: DocumentValue] = [:]
            var next = index + 1
            while next + 1 < end {
                entries[text(at: next) ?? ""] = value(at: next + 1)
                next = self.end(of: next + 1)
            }
            return .object(entries)
        }
    }
}

/// The reason for which octets are no accepted JSON.
struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place, in octets from the start.
    var offset: Int
    var problem: String

    var description: String { "at byte \(offset): \(problem)" }
}
