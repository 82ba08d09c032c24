/// Text in columns of a terminal, where a character takes one place, two, or none.
enum TerminalText {
    enum Alignment: Sendable {
        case left
        case right
    }

    /// Returns the number of places of a text.
    static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

    /// Returns the text in exactly `width` places: padded, or cut with an ellipsis.
    static func fit(_ text: String, to width: Int, _ alignment: Alignment = .left) -> String {
        let cut = cut(text, to: width)
        let padding = String(repeating: " ", count: max(0, width - self.width(cut)))
        return alignment == .left ? cut + padding : padding + cut
    }

    /// Returns the text in at most `width` places, with an ellipsis where it is cut.
    static func cut(_ text: String, to width: Int) -> String {
        guard self.width(text) > width else { return text }
        guard width > 0 else { return "" }
        var result = ""
        var used = 1
        for character in text {
            used += self.width(character)
            if used > width { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Returns the text in lines of at most `width` places, broken between words where possible.
    static func wrap(_ text: String, to width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if self.width(line) + 1 + self.width(word) <= width {
                line += " " + word
            } else {
                lines.append(cut(line, to: width))
                line = String(word)
            }
        }
        if !line.isEmpty { lines.append(cut(line, to: width)) }
        return lines
    }

    /// Replaces characters that would move the cursor or change the terminal by a question mark.
    static func harmless(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "?" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters may reverse the direction of text, for instance.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: \.properties.isEmojiPresentation) { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return isWide(scalar.value) ? 2 : 1
        }
    }

    /// The blocks of Unicode Standard Annex 11 that are wide throughout: Hangul, CJK, kana, full-width forms.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

/// Numbers for a narrow column.
package enum Figures {
    /// Returns about three digits: `0.42`, `12.3`, `214`.
    static func short(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        return switch abs(value) {
        case ..<9.995: fixed(value, decimals: 2)
        case ..<99.95: fixed(value, decimals: 1)
        default: fixed(value, decimals: 0)
        }
    }

    /// Returns a number rounded half away from zero; a dash where it is not finite.
    static func fixed(_ value: Double, decimals: Int) -> String {
        guard value.isFinite else { return "-" }
        var scale = 1.0
        for _ in 0..<min(max(decimals, 0), 6) { scale *= 10 }
        // No displayed value comes near this. A larger one would not fit the integer below.
        let scaled = Int64((min(max(value, -1e12), 1e12) * scale).rounded())
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
        let sign = scaled < 0 ? "-" : ""
        guard decimals > 0 else { return sign + String(whole) }
        let digits = String(fraction)
        return sign + "\(whole)." + String(repeating: "0", count: max(0, decimals - digits.utf8.count)) + digits
    }
}

/// A UUID in nine places, so that a row fits 80 columns.
///
/// Different makers' UUIDs differ in different digits: random ones from the first digit on, those of a family only at
/// the end. So the form is the one that keeps all UUIDs of a table apart.
enum ShortUUID: CaseIterable {
    /// `39ED98FF…`
    case beginning
    /// `39ED…99D2`
    case ends
    /// `…9C3999D2`
    case ending

    static let width = 9

    /// Returns the first form that keeps as many of them apart as possible.
    static func form(for uuids: Set<ProximityUUID>) -> ShortUUID {
        var best = (form: ShortUUID.beginning, count: 0)
        for form in allCases {
            let count = Set(uuids.map(form.text)).count
            if count > best.count { best = (form, count) }
        }
        return best.form
    }

    func text(_ uuid: ProximityUUID) -> String {
        let digits = uuid.description.filter { $0 != "-" }
        return switch self {
        case .beginning: digits.prefix(8) + "…"
        case .ends: digits.prefix(4) + "…" + digits.suffix(4)
        case .ending: "…" + digits.suffix(8)
        }
    }
}
