import Testing

@testable import Core
@testable import VirtualController

@Suite("A capture is played at its own pace")
struct PlaybackTests {
    private let start = Instant(microseconds: 1_000_000_000)
    private let second = TimeSpan.seconds(1)

    /// Events [1], [2] and [3] at 0, 1 and 3 s; the last record, which is no event, at 5 s.
    private func capture() throws -> Capture {
        let times: [(Int64, UInt8)] = [(0, 1), (1, 2), (3, 3)]
        var octets = BTSnoopWriter.header
        for (seconds, number) in times {
            octets += BTSnoopWriter.record(event: event(number), at: WallTime(microseconds: seconds * 1_000_000))
        }
        let commandComplete: [UInt8] = [0x0E, 0x04, 0x01, 0x00, 0x00, 0x00]
        octets += BTSnoopWriter.record(event: commandComplete, at: WallTime(microseconds: 5_000_000))
        return try Capture(octets)
    }

    private func event(_ number: UInt8) -> [UInt8] { [0x3E, 0x02, 0x02, number] }

    private func playback(speed: Double = 1) throws -> Playback {
        Playback(try capture(), pace: .recorded(speed: speed))
    }

    @Test("Only LE Meta events are played, and the last record ends the capture, of any kind")
    func reading() throws {
        let capture = try capture()
        #expect(capture.entries.map(\.event) == [event(1), event(2), event(3)])
        #expect(capture.duration == .seconds(5))
    }

    @Test("A record that is older than the one before it is played with that one")
    func backwards() throws {
        let octets =
            BTSnoopWriter.header + BTSnoopWriter.record(event: event(1), at: WallTime(microseconds: 9_000_000))
            + BTSnoopWriter.record(event: event(2), at: WallTime(microseconds: 4_000_000))
        #expect(try Capture(octets).entries.map(\.time) == [.zero, .zero])
    }

    @Test("A damaged capture is refused")
    func damaged() throws {
        let octets = BTSnoopWriter.header + BTSnoopWriter.record(event: event(1), at: .unixEpoch)
        #expect(throws: BTSnoopError.self) { try Capture(Array(octets.dropLast())) }
    }

    @Test("Nothing is played before the host scans")
    func waiting() throws {
        var playback = try playback()
        #expect(playback.step(at: start) == Playback.Step())
        #expect(playback.isWaiting)
    }

    @Test("The first record is due at once, and each later one at its recorded distance")
    func pace() throws {
        var playback = try playback()
        playback.start(at: start)
        #expect(playback.step(at: start) == Playback.Step(events: [event(1)], next: start + second))
        #expect(playback.step(at: start + second - .milliseconds(1)) == Playback.Step(next: start + second))
        #expect(playback.step(at: start + second) == Playback.Step(events: [event(2)], next: start + second * 3))
    }

    @Test("A second scan does not begin the capture again")
    func startedTwice() throws {
        var playback = try playback()
        playback.start(at: start)
        playback.start(at: start + second)
        #expect(playback.step(at: start + second).events == [event(1), event(2)])
    }

    @Test("The capture ends with its last record, once, and no event follows")
    func end() throws {
        var playback = try playback()
        playback.start(at: start)
        #expect(
            playback.step(at: start + second * 4)
                == Playback.Step(events: [event(1), event(2), event(3)], next: start + second * 5))
        #expect(playback.step(at: start + second * 5) == Playback.Step(hasEnded: true))
        #expect(playback.step(at: start + second * 9) == Playback.Step())
    }

    @Test("At twice the speed everything is due in half the time")
    func speed() throws {
        var playback = try playback(speed: 2)
        playback.start(at: start)
        #expect(playback.step(at: start + .milliseconds(1500)).events == [event(1), event(2), event(3)])
        #expect(playback.step(at: start + .milliseconds(2500)).hasEnded)
    }

    @Test("At a rate, events follow each other evenly, and repeat")
    func rate() throws {
        var playback = try playback()
        playback.start(at: start)
        playback.change(to: 10, at: start)
        let step = playback.step(at: start + .milliseconds(399))
        #expect(
            step == Playback.Step(events: [event(1), event(2), event(3), event(1)], next: start + .milliseconds(400)))
    }

    @Test("At rate 0 as much as a step allows is due at once")
    func full() throws {
        var playback = try playback()
        playback.start(at: start)
        playback.change(to: 0, at: start)
        #expect(playback.step(at: start).events.count == Playback.maxStep)
        #expect(playback.step(at: start).events.count == Playback.maxStep)
    }

    @Test("An empty capture ends at once at any pace")
    func empty() throws {
        var playback = Playback(try Capture(BTSnoopWriter.header), pace: .rate(perSecond: 10))
        playback.start(at: start)
        #expect(playback.step(at: start) == Playback.Step(hasEnded: true))
    }
}
