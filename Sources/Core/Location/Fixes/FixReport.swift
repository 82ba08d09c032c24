/// A receiver's report before validation.
package struct FixReport: Hashable, Sendable {
    /// gpsd's mode: 0 and 1 are no fix, 2 is a fix without altitude, 3 a fix with one.
    var mode: Int
    package var at: WallTime?
    /// Degrees.
    var latitude: Double?
    /// Degrees.
    var longitude: Double?
    /// The radius that contains the true place two times out of three (`ReportedAccuracy`). Metres.
    var horizontalAccuracy_m: Double
    var altitude_m: Double?
    var speed_m_s: Double?
    /// The course over ground, from true north. Degrees.
    var course_deg: Double?
    /// The heading, from true north. Degrees.
    package var heading_deg: Double?

    package init(
        mode: Int, at: WallTime?, latitude: Double?, longitude: Double?,
        horizontalAccuracy_m: Double = ReportedAccuracy.unknown_m, altitude_m: Double? = nil, speed_m_s: Double? = nil,
        course_deg: Double? = nil, heading_deg: Double? = nil
    ) {
        self.mode = mode
        self.at = at
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy_m = horizontalAccuracy_m
        self.altitude_m = altitude_m
        self.speed_m_s = speed_m_s
        self.course_deg = course_deg
        self.heading_deg = heading_deg
    }

    package func fix() throws(FixRejection) -> Fix {
        guard mode >= 2 else { throw .noFix }
        guard let at, let latitude, let longitude else { throw .malformed }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .outOfRange }
        return Fix(
            at: at, coordinate: coordinate, horizontalAccuracy_m: horizontalAccuracy_m,
            altitude_m: mode >= 3 ? altitude_m : nil, speed_m_s: speed_m_s, course_deg: course_deg,
            heading_deg: heading_deg)
    }
}

/// Chooses the fixes that are used from one receiver's reports, and counts the others by reason.
struct FixIntake: Sendable {
    /// The largest radius of a used fix. Metres.
    var desiredAccuracy_m: Double
    var maxAge: TimeSpan
    /// The counts of used and rejected fixes since the start.
    private(set) var counts = FixCounts()
    private var order = FixOrder()

    init(desiredAccuracy_m: Double, maxAge: TimeSpan) {
        self.desiredAccuracy_m = desiredAccuracy_m
        self.maxAge = maxAge
    }

    /// Validates a report. A fix has at most one reason: the first in the order of the throws.
    ///
    /// - Parameters:
    /// - now: the time at which it came.
    /// - clock: the gateway's time of day then; `nil` while its clock is not set. Then the age is unknown, and no fix
    ///   is stale.
    /// - Throws: `noFix`, `malformed`, `outOfRange`, `timeWentBack`, `stale`, `inaccurate`.
    @discardableResult
    mutating func take(_ report: FixReport, at now: Instant, clock: WallTime?) throws(FixRejection) -> Fix {
        do throws(FixRejection) {
            let fix = try report.fix()
            guard order.believes(fix.at, now: now) else { throw .timeWentBack }
            if let clock, clock - fix.at > maxAge { throw .stale }
            guard fix.horizontalAccuracy_m <= desiredAccuracy_m else { throw .inaccurate }
            counts.used += 1
            return fix
        } catch {
            counts[error] += 1
            throw error
        }
    }

    mutating func countMalformed() { counts[.malformed] += 1 }
}

/// Decides which of a receiver's times are believed.
///
/// A time follows the one before if it is no earlier, and ahead by no more than the elapsed time and 10 s. Another time
/// is doubted: it went back, or is a single wild time ahead. When doubted times have followed each other for 10 s, the
/// receiver was really set to another time, and they are believed. A time that follows the believed times ends the
/// doubt.
struct FixOrder: Sendable {
    /// The time for which times of a new order have to come, and the most that a time may be ahead of the elapsed time.
    static let trial = TimeSpan.seconds(10)

    /// Times that follow each other.
    private struct Run {
        var first: WallTime
        var last: WallTime
        var lastCame: Instant

        init(_ at: WallTime, now: Instant) {
            first = at
            last = at
            lastCame = now
        }

        /// Adds a time. Returns `false` where it does not follow.
        mutating func extend(_ at: WallTime, now: Instant) -> Bool {
            let passed = max(now - lastCame, .zero)
            guard at >= last, at - last <= passed + FixOrder.trial else { return false }
            last = at
            lastCame = now
            return true
        }
    }

    private var believed: Run?
    private var doubted: Run?

    /// Returns whether a fix's time is believed.
    ///
    /// - Parameter now: the time at which the fix came. A replay knows it only from the fix's own time, so no time can
    ///   be ahead. There, a wild time is believed, and those after it count as going back.
    mutating func believes(_ at: WallTime, now: Instant) -> Bool {
        if believed == nil { believed = Run(at, now: now) }
        if believed?.extend(at, now: now) == true {
            doubted = nil
            return true
        }
        guard var run = doubted, run.extend(at, now: now) else {
            doubted = Run(at, now: now)
            return false
        }
        guard run.last - run.first >= Self.trial else {
            doubted = run
            return false
        }
        believed = run
        doubted = nil
        return true
    }
}
