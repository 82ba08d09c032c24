import Testing

@testable import Agent
@testable import Core

@Suite("The time of day, where only systemd-timesyncd tells whether it is right")
struct ClockTests {
    private static let now = WallTime(microseconds: 1_800_000_000_000_000)

    @Test("A statement of the last nine hours is believed, as by the kernel; a time ahead no longer than that")
    func fresh() {
        #expect(SystemClock.isFresh(syncedAt: Self.now, at: Self.now))
        #expect(SystemClock.isFresh(syncedAt: Self.now - .seconds(32_399), at: Self.now))
        #expect(!SystemClock.isFresh(syncedAt: Self.now - .seconds(32_400), at: Self.now))
        #expect(SystemClock.isFresh(syncedAt: Self.now + .seconds(60), at: Self.now))
        #expect(!SystemClock.isFresh(syncedAt: Self.now + .seconds(32_400), at: Self.now))
    }

    @Test("A missing time, in the file or on the clock, does no harm")
    func extremes() {
        #expect(!SystemClock.isFresh(syncedAt: WallTime(microseconds: .min), at: WallTime(microseconds: .max)))
        #expect(!SystemClock.isFresh(syncedAt: WallTime(microseconds: .max), at: WallTime(microseconds: .min)))
    }
}
