/// The time that counts for a timer: time with fixes.
///
/// Without fixes nothing is known, so a timer stands still in a tunnel and goes on behind it. A gap between two used fixes
/// counts whole up to a length, and a longer one not at all.
struct FixTime: Hashable, Sendable {
    /// The longest gap that counts (`unknown_state_after_s`).
    let longestGap: TimeSpan
    /// What has counted so far.
    private(set) var elapsed = TimeSpan.zero
    private var last: Instant

    /// - Parameter start: when the first fix came.
    init(from start: Instant, longestGap: TimeSpan) {
        self.longestGap = longestGap
        last = start
    }

    /// A fix was used.
    mutating func use(at now: Instant) {
        let gap = now - last
        last = max(last, now)
        if gap > .zero, gap <= longestGap { elapsed = elapsed + gap }
    }
}
