import Testing

@testable import Core

@Suite("The fixes that are used")
struct FixIntakeTests {
    private var intake = FixIntake(desiredAccuracy_m: 100, maxAge: .seconds(15))

    private func report(_ seconds: Double, mode: Int = 3, accuracy_m: Double = 5, latitude: Double = 52.5) -> FixReport
    {
        FixReport(
            mode: mode, at: time(seconds), latitude: latitude, longitude: 13.4, horizontalAccuracy_m: accuracy_m)
    }

    /// Returns the reason for which a report is not used; `nil` when it is. It arrives at the receiver's time by
    /// default.
    private mutating func verdict(_ report: FixReport, at now: Double, clock: Double? = nil) -> FixRejection? {
        do throws(FixRejection) {
            try intake.take(report, at: at(now), clock: time(clock ?? now))
            return nil
        } catch {
            return error
        }
    }

    @Test("A good fix is used and counted")
    mutating func used() throws {
        let fix = try intake.take(report(1), at: at(1), clock: time(1))
        #expect(fix.at == time(1))
        #expect(intake.counts.used == 1)
        #expect(intake.counts.allRejected == 0)
    }

    @Test("Rejected fixes are counted by reason, once each")
    mutating func countedByReason() {
        #expect(verdict(report(1, mode: 1), at: 1) == .noFix)
        #expect(verdict(report(2, latitude: 91), at: 2) == .outOfRange)
        #expect(verdict(report(3, accuracy_m: 100.1), at: 3) == .inaccurate)
        #expect(verdict(report(4), at: 4, clock: 19.1) == .stale)
        #expect(verdict(report(3.9), at: 5) == .timeWentBack)
        intake.countMalformed()
        #expect(FixRejection.allCases.map { intake.counts[$0] } == [1, 1, 1, 1, 1, 1])
        #expect(intake.counts.allRejected == 6)
        #expect(intake.counts.used == 0)
    }

    @Test("A fix of exactly the desired accuracy is used")
    mutating func accurate() {
        #expect(verdict(report(1, accuracy_m: 100), at: 1) == nil)
    }

    @Test("A fix of max_age_s is used, an older one is stale")
    mutating func stale() {
        #expect(verdict(report(1), at: 16, clock: 16) == nil)
        #expect(verdict(report(1.5), at: 17, clock: 16.6) == .stale)
    }

    @Test("While the gateway's clock is not set, no fix is stale")
    mutating func clockNotSet() throws {
        #expect(throws: Never.self) { try intake.take(report(1), at: at(1_000), clock: nil) }
    }

    @Test("A fix from the future is not stale: the gateway's clock is late")
    mutating func clockIsLate() {
        #expect(verdict(report(1_000), at: 1, clock: 1) == nil)
    }

    @Test("A repeated time does not go back")
    mutating func sameTime() {
        #expect(verdict(report(1), at: 1) == nil)
        #expect(verdict(report(1), at: 1.1) == nil)
    }

    @Test("A single time that goes back is rejected, and later fixes are used")
    mutating func oneBack() {
        #expect(verdict(report(100), at: 100) == nil)
        #expect(verdict(report(50), at: 101, clock: 50) == .timeWentBack)
        #expect(verdict(report(102), at: 102) == nil)
    }

    @Test("Times in a new order are believed once they have come for 10 s")
    mutating func newOrder() {
        #expect(verdict(report(1_000), at: 0, clock: 1_000) == nil)
        for second in 0..<10 {
            #expect(verdict(report(Double(second)), at: 1 + Double(second), clock: 0) == .timeWentBack)
        }
        #expect(verdict(report(10), at: 11, clock: 10) == nil)
        #expect(verdict(report(11), at: 12, clock: 11) == nil)
        #expect(intake.counts[.timeWentBack] == 10)
    }

    @Test("A new order that breaks off, or goes back itself, begins again")
    mutating func brokenOff() {
        #expect(verdict(report(1_000), at: 0, clock: 1_000) == nil)
        #expect(verdict(report(0), at: 1, clock: 0) == .timeWentBack)
        #expect(verdict(report(1_002), at: 2, clock: 1_002) == nil)
        #expect(verdict(report(11), at: 12, clock: 11) == .timeWentBack)
        #expect(verdict(report(5), at: 13, clock: 5) == .timeWentBack)
        #expect(verdict(report(14), at: 22, clock: 14) == .timeWentBack)
        #expect(verdict(report(15), at: 23, clock: 15) == nil)
    }

    @Test("One wild time ahead is rejected, and later fixes are used")
    mutating func oneAhead() {
        #expect(verdict(report(1), at: 1) == nil)
        #expect(verdict(report(1_000_000), at: 2) == .timeWentBack)
        #expect(verdict(report(3), at: 3) == nil)
    }

    @Test("A receiver that has been set ahead is believed after 10 s")
    mutating func setAhead() {
        #expect(verdict(report(1), at: 1) == nil)
        for second in 2..<12 { #expect(verdict(report(5_000 + Double(second)), at: Double(second)) == .timeWentBack) }
        #expect(verdict(report(5_012), at: 12) == nil)
    }

    @Test("After a tunnel the time is ahead by the length of the tunnel, and is believed at once")
    mutating func tunnel() {
        #expect(verdict(report(1), at: 1) == nil)
        #expect(verdict(report(13_000), at: 13_000) == nil)
    }

    @Test("A wild first time is overcome within 10 s too")
    mutating func wildFirst() {
        #expect(verdict(report(1_000_000), at: 1) == nil)
        for second in 2..<12 { #expect(verdict(report(Double(second)), at: Double(second)) == .timeWentBack) }
        #expect(verdict(report(12), at: 12) == nil)
    }

    @Test("The ends of time trap nothing")
    mutating func endsOfTime() {
        for microseconds in [Int64.max, .min, 0, .min, .max] {
            let report = FixReport(mode: 3, at: WallTime(microseconds: microseconds), latitude: 0, longitude: 0)
            _ = try? intake.take(report, at: Instant(microseconds: microseconds), clock: time(0))
        }
        #expect(intake.counts.used + intake.counts.allRejected == 5)
    }
}

@Suite("The time with fixes")
struct FixTimeTests {
    @Test("A gap between two fixes counts fully up to its limit, and a longer one not at all")
    func gaps() {
        var time = FixTime(from: at(0), longestGap: .seconds(60))
        time.use(at: at(60))
        #expect(time.elapsed == .seconds(60))
        time.use(at: at(121))
        #expect(time.elapsed == .seconds(60))
        time.use(at: at(131))
        #expect(time.elapsed == .seconds(70))
    }
}
