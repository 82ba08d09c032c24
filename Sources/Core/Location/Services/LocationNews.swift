/// A fix that was used, when it came and from where.
package struct PlacedFix: Hashable, Sendable {
    /// Who said it.
    package enum Origin: Hashable, Sendable {
        /// The configuration: it holds at any time, and has none of its own.
        case configuration
        /// A receiver, by the name of its device where that is known, and how old the fix was as it came.
        case receiver(device: String?, age: TimeSpan)
    }

    let fix: Fix
    /// When it came.
    let came: Instant
    package let origin: Origin

    package init(_ fix: Fix, came: Instant, origin: Origin) {
        self.fix = fix
        self.came = came
        self.origin = origin
    }

    /// gpsd's name of the receiver, such as `/dev/ttyUSB0`, where it is one.
    package var device: String? {
        if case .receiver(let device, _) = origin { device } else { nil }
    }

    /// How old it is. What the configuration says is never old.
    package func age(at now: Instant) -> TimeSpan {
        switch origin {
        case .configuration: .zero
        case .receiver(_, let age): age + max(now - came, .zero)
        }
    }
}

/// What `status.location` says.
package struct LocationStatus: Hashable, Sendable {
    package var availability: LocationAvailability
    var isPaused: Bool
}

/// What the services have to tell, in the order in which it happened.
package enum LocationNews: Hashable, Sendable {
    /// A fix is used: circular regions are judged by it, and events say it.
    case used(PlacedFix)
    /// The place to publish.
    case update(PlacedFix)
    /// A fix is kept for the batch under way: it has to outlive the process.
    case kept(Fix)
    /// The batch that the kept fixes make.
    case track(TrackBatch)
    case status(LocationStatus)
}

/// What `health.location` says.
package struct LocationFigures: Hashable, Sendable {
    package var fixes: FixCounts
    var receiverOn: TimeSpan
}

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
