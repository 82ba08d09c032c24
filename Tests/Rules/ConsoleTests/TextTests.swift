import TestAir
import Testing

@testable import Core

@Suite("Text in columns")
struct TextTests {
    @Test("Text is padded or cut to exactly the width", arguments: [0, 1, 2, 3, 5, 6, 9])
    func fit(width: Int) {
        for text in ["", "carts", "Kühlregal", "冷蔵庫売り場", "e\u{301}a", "🛒🛒🛒"] {
            let fitted = TerminalText.fit(text, to: width)
            #expect(TerminalText.width(fitted) == width)
        }
    }

    @Test("A cut text ends with an ellipsis")
    func cut() {
        #expect(TerminalText.cut("carts", to: 5) == "carts")
        #expect(TerminalText.cut("carts", to: 4) == "car…")
        #expect(TerminalText.cut("冷蔵庫", to: 4) == "冷…")
    }

    @Test("Combining letters take no place, wide ones take two")
    func width() {
        #expect(TerminalText.width("e\u{301}") == 1)
        #expect(TerminalText.width("冷") == 2)
        #expect(TerminalText.width("🛒") == 2)
        #expect(TerminalText.width("ü") == 1)
    }

    @Test("Lines are broken between words, and a word that is too long is cut")
    func wrap() {
        #expect(TerminalText.wrap("plug one in now", to: 8) == ["plug one", "in now"])
        #expect(TerminalText.wrap("unauthorized", to: 5) == ["unau…"])
        #expect(TerminalText.wrap("", to: 5) == [])
        #expect(TerminalText.wrap("a", to: 0) == [])
    }

    @Test("Figures have about three digits")
    func short() {
        #expect(
            [0.004, 0.424, 9.99, 9.996, 12.34, 99.96, 1000].map(Figures.short) == [
                "0.00", "0.42", "9.99", "10.0", "12.3", "100", "1000",
            ])
        #expect(Figures.short(.nan) == "-")
        #expect(Figures.fixed(-63.45, decimals: 1) == "-63.5")
        #expect(Figures.fixed(-0.04, decimals: 1) == "0.0")
    }

    @Test("A UUID is shortened to the digits that tell the table's UUIDs apart")
    func shortUUID() throws {
        let one = try #require(ProximityUUID("39ED98FF-2900-441A-802F-9C398FC199D2"))
        let family = try #require(ProximityUUID("39ED98FF-2900-441A-802F-9C398FC199D3"))
        let middle = try #require(ProximityUUID("39ED98FF-2900-441A-802F-9C398FC299D2"))
        let other = try #require(ProximityUUID("11111111-2900-441A-802F-9C398FC199D2"))
        #expect(ShortUUID.form(for: [one]).text(one) == "39ED98FF…")
        #expect(ShortUUID.form(for: [one, other]).text(one) == "39ED98FF…")
        #expect(ShortUUID.form(for: [one, family]).text(one) == "39ED…99D2")
        #expect(ShortUUID.form(for: [one, middle]).text(one) == "…8FC199D2")
        #expect(ShortUUID.form(for: []) == .beginning)
    }
}
