import Testing

@testable import Core

@Suite("What lasts is said once")
struct SaidOnceTests {
    @Test("A cause is news until it is over, whatever else is said in between")
    func once() {
        var said = SaidOnce<String>()
        let news = ["a", "b", "a", "b"].map { said.isNew($0) }
        #expect(news == [true, true, false, false])
        said.forget()
        let again = said.isNew("a")
        #expect(again)
    }

    @Test("Where one is remembered, each takes the place of the one before")
    func replaces() {
        var said = SaidOnce<String>(limit: 1)
        let news = ["a", "a", "b", "a"].map { said.isNew($0) }
        #expect(news == [true, false, true, true])
    }

    @Test("Causes that are always new take no more memory than the limit")
    func bounded() {
        var said = SaidOnce<Int>(limit: 64)
        for cause in 0..<65 { _ = said.isNew(cause) }
        let news = [said.isNew(64), said.isNew(0)]
        #expect(news == [false, true])
    }
}
