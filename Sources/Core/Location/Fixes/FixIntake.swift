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
