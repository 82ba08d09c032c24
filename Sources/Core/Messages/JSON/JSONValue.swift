/// A value of a JSON text (RFC 8259).
enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// Written without fraction and exponent, and within 64 bits.
    case integer(Int64)
    /// Any other number; always finite.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Whether it is a number without a fraction, however it is written: to JSON Schema `1.0` and `1e0` are integers as `1` is.
    var isInteger: Bool {
        switch self {
        case .integer: true
        case .number(let number): number.rounded() == number
        default: false
        }
    }

    /// The integer that it is; `nil` also for one beyond 64 bits.
    var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// What it is, with an article, for the end of "must be text, not …".
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: isInteger ? "an integer" : "a number with a fraction"
        case .string: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
