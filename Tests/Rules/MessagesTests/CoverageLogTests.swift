import TestAir
import Testing

@testable import Core

@Suite("Spans of coverage")
struct CoverageLogTests {
    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    /// Returns the record of an earlier process, whose clock showed the seconds.
    private func stored(_ radio: CoveredRadio, from: Double, seen: Double) -> StoredCoverage {
        StoredCoverage(radio: radio, from: at(from), fromWall: clock(from), seen: at(seen))
    }

    private func clock(_ seconds: Double) -> WallTime { .unixEpoch + .seconds(seconds) }

    /// A clock that is fast by some seconds.
    private func fast(_ seconds: Double) -> Timebase { Timebase(wallAtOrigin: clock(seconds), isSynced: true) }

    /// Returns the published spans by wall time.
    private func published(_ log: inout CoverageLog, _ timebase: Timebase) -> [[Double]] {
        log.takeEnded(timebase).map { [($0.from - .unixEpoch).seconds, ($0.to - .unixEpoch).seconds] }
    }

    /// Spans as short lines: `scanning 0-3600`.
    private func lines(_ log: CoverageLog) -> [String] {
        log.ended.map { "\($0.radio.word) \(Int(($0.from - .origin).seconds))-\(Int(($0.to - .origin).seconds))" }
    }

    @Test("A span ends when the radio's condition changes, and the next begins there")
    func change() {
        var log = CoverageLog()
        log.record(.live(.scanning), at: at(10))
        log.record(.live(.scanning), at: at(20))
        log.record(.live(.stalled), at: at(100))
        log.record(.live(.scanning), at: at(130))
        #expect(lines(log) == ["scanning 10-100", "stalled 100-130"])
    }

    @Test("A lasting condition makes a span every hour")
    func hourly() {
        var log = CoverageLog()
        log.record(.replay, at: at(0))
        log.advance(to: at(3599))
        #expect(lines(log).isEmpty && log.due == at(3600))
        log.advance(to: at(3600))
        log.advance(to: at(7300))
        #expect(lines(log) == ["replay 0-3600", "replay 3600-7200"])
    }

    @Test("Hours of sleep are one span")
    func asleep() {
        var log = CoverageLog()
        log.record(.live(.off), at: at(0))
        log.advance(to: at(20_000))
        #expect(lines(log) == ["off 0-20000"])
    }

    @Test("A condition detected late begins at its own time, but never before the last published span")
    func late() {
        var log = CoverageLog()
        log.record(.live(.scanning), at: at(0))
        log.advance(to: at(3600))
        log.record(.live(.stalled), at: at(3595))
        log.record(.live(.scanning), at: at(3700))
        #expect(lines(log) == ["scanning 0-3600", "stalled 3600-3700"])
    }

    @Test("Future times, as after a clock was set back, end now")
    func future() {
        var log = CoverageLog(resuming: stored(.live(.scanning), from: 900, seen: 1000), at: at(500))
        log.record(.live(.scanning), at: at(501))
        #expect(lines(log) == ["stopped 500-501"])
    }

    @Test("The record has the current condition, and a time at which the process runs")
    func record() {
        var log = CoverageLog()
        #expect(log.record(seen: at(1), fast(0)) == nil)
        log.record(.live(.scanning), at: at(10))
        #expect(log.record(seen: at(40), fast(0)) == stored(.live(.scanning), from: 10, seen: 40))
    }

    @Test("A clock that is being corrected makes neither holes nor overlaps, and no span ends before it begins")
    func corrected() {
        var log = CoverageLog()
        log.record(.live(.scanning), at: at(0))
        log.record(.live(.off), at: at(100))
        #expect(published(&log, fast(0)) == [[0, 100]])
        log.record(.live(.scanning), at: at(101))
        log.record(.live(.off), at: at(200))
        #expect(published(&log, fast(-3)) == [[100, 100], [100, 197]])
    }

    @Test("A message has the time of its span's end, also where the corrected clock has not reached that time")
    func messageTime() throws {
        var log = CoverageLog()
        log.record(.live(.scanning), at: at(0))
        log.record(.live(.off), at: at(100))
        #expect(published(&log, fast(0)) == [[0, 100]])
        log.record(.live(.scanning), at: at(101))
        let span = try #require(log.takeEnded(fast(-3)).first)
        let number = MessageNumber(epoch: "e", series: .spans, seq: 2)
        let payload = try json(Message(MessageComposer.of("gw", site: "shop").coverage(span, number, fast(-3))))
        #expect(try #require(payload["at"] as? String) == payload["to_at"] as? String && payload["span"] as? Int == 2)
    }

    @Test("After the clock was set, both ends follow the new clock")
    func set() {
        var log = CoverageLog()
        log.record(.live(.scanning), at: at(0))
        log.record(.live(.off), at: at(100))
        #expect(published(&log, fast(0)) == [[0, 100]])
        log.record(.live(.scanning), at: at(150))
        #expect(published(&log, fast(3600)) == [[3700, 3750]])
    }

    @Test("The next process continues at the last one's published end")
    func handedOn() throws {
        var log = CoverageLog()
        log.record(.live(.scanning), at: at(0))
        log.record(.stopped, at: at(100))
        #expect(published(&log, fast(0)) == [[0, 100]])
        var next = CoverageLog(resuming: try #require(log.record(seen: at(0), fast(0))), at: at(200))
        next.record(.live(.scanning), at: at(201))
        #expect(published(&next, fast(0.5)) == [[100, 201.5]])
    }

    @Test("When too many wait, two are joined into one that claims no more than was heard")
    func capacity() {
        var log = CoverageLog()
        for second in 0...2_000 { log.record(second % 2 == 0 ? .live(.scanning) : .live(.off), at: at(Double(second))) }
        #expect(log.ended.count == 1_000)
        #expect(lines(log).first == "off 0-1001")
        #expect(zip(log.ended, log.ended.dropFirst()).holdForAll { $0.to == $1.from })
    }

    @Test(
        "The record is stored and read again, on the right clock",
        arguments: [CoveredRadio.live(.scanning), .live(.unauthorized), .replay, .stopped])
    func stored(radio: CoveredRadio) {
        let timebase = Timebase(wallAtOrigin: WallTime(microseconds: 1_000_000_000), isSynced: true)
        let coverage = StoredCoverage(radio: radio, from: at(5), fromWall: timebase.wall(at(5)), seen: at(7))
        let octets = coverage.encoded(timebase, bootID: "boot")
        let later = Timebase(wallAtOrigin: WallTime(microseconds: 1_100_000_000), isSynced: true)
        #expect(StoredCoverage(octets, key: StoredCoverage.key, later, bootID: "boot") == coverage)
        let booted = StoredCoverage(octets, key: StoredCoverage.key, later, bootID: "other")
        #expect(
            booted == StoredCoverage(radio: radio, from: at(-95), fromWall: timebase.wall(at(5)), seen: at(-93)))
        #expect(StoredCoverage(octets, key: "carts", timebase, bootID: "boot") == nil)
        #expect(StoredCoverage(Array("v=1 radio=tired".utf8), key: StoredCoverage.key, timebase, bootID: "") == nil)
    }
}
