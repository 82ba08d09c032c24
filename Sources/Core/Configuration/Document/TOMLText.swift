extension DocumentValue {
    /// The type in an error about `config.toml`.
    var tomlKind: String { if case .object = self { "a table" } else { kind } }

    /// The value as in the file: one line, at most about 60 characters, control characters escaped.
    var text: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        // A float stays a float, because some keys take only integers: 1e3 is none.
        case .number(let value): value.description
        case .string(let value): value.quoted
        case .time: "(a date or time)"
        case .array(let values):
            values.count > 4
                ? "[… \(values.count) values]" : "[" + values.map(\.text).joined(separator: ", ").cut + "]"
        case .object: "{…}"
        }
    }
}

extension Double {
    /// The number without a zero fraction: `60`, `0.15`, `nan`.
    var plain: String {
        guard let whole = Int64(exactly: self) else { return description }
        return String(whole)
    }
}

extension String {
    /// The text in quotation marks, fit for one line of an error.
    var quoted: String { "\"" + shortened + "\"" }

    /// The whole text as a TOML string on one line.
    var tomlString: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            default:
                if scalar.endsLineOrHides { text += scalar.escape } else { text.unicodeScalars.append(scalar) }
            }
        }
        return text + "\""
    }

    /// The text with at most 60 characters: the end is cut.
    fileprivate var cut: String { count > 60 ? prefix(60) + "…" : self }

    /// The text on one line, with at most about 60 characters. The end is cut. Quotation marks, backslashes and control
    /// characters are escaped as in TOML.
    var shortened: String {
        var line = ""
        for (position, scalar) in unicodeScalars.enumerated() {
            if position == 60 { return line + "…" }
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\t": line += "\\t"
            default:
                if scalar.endsLineOrHides {
                    line += scalar.escape
                } else {
                    line.unicodeScalars.append(scalar)
                }
            }
        }
        return line
    }
}

extension Unicode.Scalar {
    /// True if this is a C0 or C1 control character, Unicode's category Cc.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    /// The escape in a TOML string: `\\u0007`.
    fileprivate var escape: String {
        let digits = String(value, radix: 16, uppercase: true)
        let (letter, length) = digits.count > 4 ? ("U", 8) : ("u", 4)
        return "\\" + letter + String(repeating: "0", count: max(0, length - digits.count)) + digits
    }

    /// True if this must not reach a terminal or a log line: controls, line separators, text direction marks, and
    /// noncharacters.
    fileprivate var endsLineOrHides: Bool {
        isControl || properties.isNoncharacterCodePoint || (0x2028...0x202E).contains(value)
            || (0x2066...0x2069).contains(value)
    }
}
