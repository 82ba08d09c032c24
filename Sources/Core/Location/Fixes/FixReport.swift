/// What a receiver said, before anything of it is believed.
package struct FixReport: Hashable, Sendable {
    /// gpsd's mode: 0 and 1 are no fix, 2 is one without and 3 one with an altitude.
    var mode: Int
    package var at: WallTime?
    /// Degrees.
    var latitude: Double?
    /// Degrees.
    var longitude: Double?
    /// The radius that holds the truth two times out of three (`ReportedAccuracy`). Metres.
    var horizontalAccuracy_m: Double
    var altitude_m: Double?
    var speed_m_s: Double?
    /// Over ground, from true north. Degrees.
    var course_deg: Double?
    /// From true north. Degrees.
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

    /// The fix that was told.
    ///
    /// - Throws: `noFix`, `malformed` where time or place is missing, `outOfRange`.
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

/// From what one receiver says to the fixes that are used; what is not used is counted by reason.
struct FixIntake: Sendable {
    /// Fixes with a larger radius are not used. Metres.
    var desiredAccuracy_m: Double
    /// Fixes that are older when they come are not used.
    var maxAge: TimeSpan
    /// What was used and what was not, since the start.
    private(set) var counts = FixCounts()
    private var order = FixOrder()

    init(desiredAccuracy_m: Double, maxAge: TimeSpan) {
        self.desiredAccuracy_m = desiredAccuracy_m
        self.maxAge = maxAge
    }

    /// Judges a report. A fix has one reason at most: the first that holds in the order of the throws.
    ///
    /// - Parameters:
    ///   - now: when it came.
    ///   - clock: the gateway's time of day at that moment; `nil` while nobody has set its clock. Then no age can be told,
    ///     and no fix is stale.
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

    /// Counts what could not even be read as a report.
    mutating func countMalformed() { counts[.malformed] += 1 }
}

/// Which of a receiver's times are believed.
///
/// A time follows the one before when it is no earlier, and ahead of it by no more than has really passed and 10 s. A time
/// that does not is doubted: it went back, or is one wild time ahead. When doubted times have followed each other for 10 s,
/// the receiver has really been set to another time, and they are believed. One that follows the believed times again
/// ends the doubt.
struct FixOrder: Sendable {
    /// For how long times in a new order have to come, and how far ahead of what has passed a time may be.
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

        /// Adds a time; `false` when it does not follow.
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

    /// Whether a fix's time is believed.
    ///
    /// - Parameter now: when it came. Where that is known by nothing but the fix's own time, as in a replay, no time can
    ///   be ahead of what has passed: a wild one is believed then, and those after it go back.
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
