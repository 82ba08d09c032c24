import Testing

@testable import Core

@Suite("Pauses between attempts")
struct DoublingPauseTests {
    @Test("Each pause is twice as long as the one before, up to the longest, and a success brings the first one back")
    func doubling() {
        var pause = DoublingPause(.seconds(2)...(.seconds(10)))
        var pauses: [TimeSpan] = []
        for _ in 0..<5 { pauses.append(pause.next()) }
        #expect(pauses == [2, 4, 8, 10, 10].map { .seconds($0) })
        pause.reset()
        #expect(pause.next() == .seconds(2))
    }
}
