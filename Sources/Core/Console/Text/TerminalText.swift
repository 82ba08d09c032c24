/// Text in columns of a terminal, where a character takes one place, two, or none.
enum TerminalText {
    enum Alignment: Sendable {
        case left
        case right
    }

    /// How many places the text takes.
    static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

    /// The text in exactly `width` places: padded, or cut with an ellipsis.
    package static func fit(_ text: String, to width: Int, _ alignment: Alignment = .left) -> String {
        let cut = cut(text, to: width)
        let padding = String(repeating: " ", count: max(0, width - self.width(cut)))
        return alignment == .left ? cut + padding : padding + cut
    }

    /// The text in at most `width` places, with an ellipsis where something is missing.
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

    /// The text in lines of at most `width` places, broken between words where that can be.
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

    /// Whatever would move the cursor or change the terminal is shown as a question mark.
    static func harmless(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "?" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters turn the direction of text around, for instance.
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
