import Testing

@testable import Core
@testable import beacond

@Suite("The times of a replay's lines")
struct LineTimesTests {
    @Test("A line about an earlier time has the time of the line above it")
    func late() {
        var lines = LineTimes()
        let start = Instant.origin + .seconds(1_000)
        let times = [0, 22, 5, 22, 30, 29.999_999, -3, 31].map { lines.next(start + .seconds($0), since: start) }
        #expect(times == [0, 22, 22, 22, 30, 30, 30, 31].map { .seconds($0) })
    }

    @Test("No line comes before the first record")
    func early() {
        var lines = LineTimes()
        #expect(lines.next(.origin, since: .origin + .seconds(5)) == .zero)
    }
}
