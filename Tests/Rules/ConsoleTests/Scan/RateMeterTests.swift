import Testing

@testable import Core

@Suite("Reports a second")
struct RateMeterTests {
    @Test("A steady rate is constant at any point of a second", arguments: [0.0, 0.25, 0.5, 0.99])
    func steady(offset_s: Double) {
        var meter = RateMeter(at: .at(0))
        for step in 0..<2_000 where Double(step) / 100 < 15 + offset_s { meter.count(at: .at(Double(step) / 100)) }
        #expect(abs(meter.rate_hz(at: .at(15 + offset_s)) - 100) < 1)
    }

    @Test("A young meter counts over its own age, at least a second")
    func young() {
        var meter = RateMeter(at: .at(0))
        meter.count(at: .at(0))
        #expect(meter.rate_hz(at: .at(0.1)) == 1)
        for step in 1..<20 { meter.count(at: .at(Double(step) / 10)) }
        #expect(abs(meter.rate_hz(at: .at(2)) - 10) < 0.01)
    }

    @Test("After five seconds of silence the rate is zero and stays so")
    func silence() {
        var meter = RateMeter(at: .at(0))
        for _ in 0..<1_000 { meter.count(at: .at(0.5)) }
        #expect(meter.rate_hz(at: .at(6)) == 0)
        #expect(meter.rate_hz(at: .distantFuture) == 0)
    }
}
