import Testing

@testable import Agent
@testable import Core

@Suite("The pace of reading the sockets")
struct ReadingPaceTests {
    /// Reads `packets` each time, `perSecond` times a second, for a span. Returns how long after the last reading the
    /// sockets are left alone.
    private func rest(after seconds: Int64, of packets: UInt64, perSecond: Int64, _ pace: inout ReadingPace) -> TimeSpan
    {
        var now = Instant.origin
        for number in 0..<seconds * perSecond {
            now = .origin + .seconds(10) + .milliseconds(number * 1_000 / perSecond)
            pace.read(packets: packets, at: now)
        }
        return max(pace.restsUntil, now) - now
    }

    @Test("On a quiet radio each packet is read as it arrives")
    func quiet() {
        var pace = ReadingPace()
        #expect(rest(after: 5, of: 1, perSecond: 50, &pace) == .zero)
    }

    @Test("On a busy radio packets wait for 20 ms and are read together")
    func busy() {
        var pace = ReadingPace()
        #expect(rest(after: 5, of: 1, perSecond: 500, &pace) == .milliseconds(20))
    }

    @Test("A radio stays busy where its packets are read together")
    func together() {
        var pace = ReadingPace()
        #expect(rest(after: 5, of: 10, perSecond: 50, &pace) == .milliseconds(20))
    }

    @Test("After a silence the first packet is read as it arrives, and the next ones too")
    func afterSilence() {
        var pace = ReadingPace()
        _ = rest(after: 5, of: 1, perSecond: 500, &pace)
        let later = Instant.origin + .seconds(100)
        pace.read(packets: 1, at: later)
        #expect(pace.restsUntil < later)
        pace.read(packets: 1, at: later + .milliseconds(50))
        #expect(pace.restsUntil < later)
    }

    @Test("A reading without a packet, as after a timer, is followed by no pause")
    func nothing() {
        var pace = ReadingPace()
        _ = rest(after: 5, of: 1, perSecond: 500, &pace)
        let rested = pace.restsUntil
        pace.read(packets: 0, at: rested)
        #expect(pace.restsUntil == rested)
    }
}
