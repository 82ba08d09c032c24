public import HCI

/// A fix that was used, when it came and from where.
public struct PlacedFix: Hashable, Sendable {
    /// Who said it.
    public enum Origin: Hashable, Sendable {
        /// The configuration: it holds at any time, and has none of its own.
        case configuration
        /// A receiver, by the name of its device where that is known, and how old the fix was as it came.
        case receiver(device: String?, age: TimeSpan)
    }

    public let fix: Fix
    /// When it came.
    public let came: Instant
    public let origin: Origin

    public init(_ fix: Fix, came: Instant, origin: Origin) {
        self.fix = fix
        self.came = came
        self.origin = origin
    }

    /// gpsd's name of the receiver, such as `/dev/ttyUSB0`, where it is one.
    public var device: String? {
        if case .receiver(let device, _) = origin { device } else { nil }
    }

    /// How old it is. What the configuration says is never old.
    public func age(at now: Instant) -> TimeSpan {
        switch origin {
        case .configuration: .zero
        case .receiver(_, let age): age + max(now - came, .zero)
        }
    }
}

/// What `status.location` says.
public struct LocationStatus: Hashable, Sendable {
    public var availability: LocationAvailability
    public var isPaused: Bool

    public init(availability: LocationAvailability, isPaused: Bool) {
        self.availability = availability
        self.isPaused = isPaused
    }
}

/// What the services have to tell, in the order in which it happened.
public enum LocationNews: Hashable, Sendable {
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
public struct LocationFigures: Hashable, Sendable {
    public var fixes: FixCounts
    public var receiverOn: TimeSpan

    public init(fixes: FixCounts, receiverOn: TimeSpan) {
        self.fixes = fixes
        self.receiverOn = receiverOn
    }
}
