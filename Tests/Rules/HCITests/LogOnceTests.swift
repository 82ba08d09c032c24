import Testing

@testable import Core

@Suite("A lasting cause is logged once")
struct LogOnceTests {
    @Test("A cause is new again once it is over, whatever else was logged in between")
    func once() {
        var logged = LogOnce<String>()
        let news = ["a", "b", "a", "b"].map { logged.isNew($0) }
        #expect(news == [true, true, false, false])
        logged.reset()
        let again = logged.isNew("a")
        #expect(again)
    }

    @Test("With a limit of one, each cause replaces the one before")
    func replaces() {
        var logged = LogOnce<String>(limit: 1)
        let news = ["a", "a", "b", "a"].map { logged.isNew($0) }
        #expect(news == [true, false, true, true])
    }

    @Test("Causes that are always new take no more memory than the limit")
    func bounded() {
        var logged = LogOnce<Int>(limit: 64)
        for cause in 0..<65 { _ = logged.isNew(cause) }
        let news = [logged.isNew(64), logged.isNew(0)]
        #expect(news == [false, true])
    }
}
