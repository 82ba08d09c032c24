package struct PlacedFix: Hashable, Sendable {
    package enum Origin: Hashable, Sendable {
        /// The configuration. Its place holds at any time and has no time of its own.
        case configuration
        /// A receiver, with the name of its device where known, and the age of the fix at its arrival.
        case receiver(device: String?, age: TimeSpan)
    }

    let fix: Fix
    /// The time of arrival.
    let came: Instant
    package let origin: Origin

    /// gpsd's name of the receiver, such as `/dev/ttyUSB0`; `nil` for another origin.
    package var device: String? {
        if case .receiver(let device, _) = origin { device } else { nil }
    }

    /// Returns the age of the fix. A configured place is never old.
    package func age(at now: Instant) -> TimeSpan {
        switch origin {
        case .configuration: .zero
        case .receiver(_, let age): age + max(now - came, .zero)
        }
    }
}

/// The values of `status.location`.
package struct LocationStatus: Hashable, Sendable {
    package var availability: LocationAvailability
    var isPaused: Bool
}

/// The output of the location services, in the order of their causes.
package enum LocationOutput: Hashable, Sendable {
    /// A fix is used: circular regions are compared with it, and events contain it.
    case used(PlacedFix)
    /// The place to publish.
    case update(PlacedFix)
    /// A fix is kept for the current batch, and has to outlive the process.
    case kept(KeptFix)
    case track(TrackBatch)
    case status(LocationStatus)
}

/// The values of `health.location`.
package struct LocationFigures: Hashable, Sendable {
    package var fixes: FixCounts
    var receiverOn: TimeSpan
}

/// A used fix, and its time of arrival.
struct UsedFix: Sendable {
    let fix: Fix
    let at: Instant
}
