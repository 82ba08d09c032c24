/// A value of a JSON text (RFC 8259), or of a TOML document.
package enum DocumentValue: Hashable, Sendable {
    /// Of JSON alone. No key of the configuration takes it.
    case null
    case boolean(Bool)
    /// Within 64 bits. TOML writes it without a point.
    case integer(Int64)
    /// Any other number; in JSON always finite.
    case number(Double)
    case string(String)
    /// A date or time of TOML. No key takes one, so its value is not kept.
    case time
    case array([DocumentValue])
    /// An object of JSON, or a table of TOML.
    case object([String: DocumentValue])

    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }

    /// True for a number without a fraction, also for one beyond 64 bits.
    var isInteger: Bool {
        switch self {
        case .integer: true
        case .number(let number): number.isFinite && number.magnitude >= 0x1p63
        default: false
        }
    }

    /// The type with an article, for the end of "must be text, not …".
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: isInteger ? "an integer" : "a number with a fraction"
        case .string: "text"
        case .time: "a date or time"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
