import Testing

@testable import Agent
@testable import Core

@Suite("Several adapters as one radio")
struct RadioSummaryTests {
    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    @Test("The availability is that of the adapter nearest to scanning")
    func availability() {
        #expect(RadioSummary.availability(of: [.absent, .scanning, .off]) == .scanning)
        #expect(RadioSummary.availability(of: [.unauthorized, .blocked]) == .blocked)
        #expect(RadioSummary.availability(of: []) == nil)
    }

    @Test("One live adapter makes the radio live")
    func live() {
        #expect(RadioSummary.liveness(of: [.blind(since: at(1)), .live, .suspect(since: at(2))]) == .live)
    }

    @Test("The radio has been deaf since the last adapter went deaf")
    func deaf() {
        #expect(RadioSummary.liveness(of: [.blind(since: at(3)), .blind(since: at(1))]) == .blind(since: at(3)))
        #expect(RadioSummary.liveness(of: [.blind(since: at(3)), .suspect(since: at(1))]) == .suspect(since: at(3)))
        #expect(RadioSummary.liveness(of: []) == nil)
    }
}
