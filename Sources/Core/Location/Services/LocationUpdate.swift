/// A fix that is to be published, and what made it news.
struct LocationUpdate: Hashable, Sendable {
    /// The first of these that holds.
    package enum Cause: Hashable, Sendable {
        /// Nothing had been published.
        case first
        /// It moved far enough.
        case moved
        /// The accuracy halved.
        case accuracy
        /// The heading turned, while it moved.
        case heading
        /// The longest interval is over: still here.
        case interval
    }

    let fix: Fix
    let cause: Cause

    package init(fix: Fix, cause: Cause) {
        self.fix = fix
        self.cause = cause
    }
}

/// A fix that was used, and when it came.
struct UsedFix: Sendable {
    let fix: Fix
    package let at: Instant
}
