import Testing

@testable import Core

@Suite("A lasting cause is logged once")
struct SaidOnceTests {
    @Test("A cause is new again once it is over, whatever else was logged in between")
    func once() {
        var said = SaidOnce<String>()
        let news = ["a", "b", "a", "b"].map { said.isNew($0) }
        #expect(news == [true, true, false, false])
        said.forget()
        let again = said.isNew("a")
        #expect(again)
    }

    @Test("With a limit of one, each cause replaces the one before")
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
