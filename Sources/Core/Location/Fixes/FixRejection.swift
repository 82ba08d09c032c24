/// Why what a receiver said is not used. The raw value is the word in `health`.
package enum FixRejection: String, Error, CaseIterable, Sendable {
    /// The receiver says itself that it has none (mode below 2).
    case noFix = "no_fix"
    /// Worse than `desired_accuracy_m`.
    case inaccurate
    /// Older than `max_age_s`.
    case stale
    /// Its time is not one that follows those before.
    case timeWentBack = "time_went_back"
    /// Its place is outside the Earth, or not a number.
    case outOfRange = "out_of_range"
    /// Not what a receiver says: damaged, or without a time or a place.
    case malformed
}

/// How many fixes were used, and how many were not for which reason.
package struct FixCounts: Hashable, Sendable {
    package var used = 0
    private var rejected: [FixRejection: Int] = [:]

    package init() {}

    /// How many were not used for a reason.
    subscript(reason: FixRejection) -> Int {
        get { rejected[reason, default: 0] }
        set { rejected[reason] = newValue == 0 ? nil : newValue }
    }

    /// How many were not used.
    package var allRejected: Int { rejected.values.reduce(0, +) }
}
