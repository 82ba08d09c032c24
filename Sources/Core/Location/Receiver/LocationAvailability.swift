/// The availability of the gateway's place. The raw value is the word in `status.location`.
package enum LocationAvailability: String, CaseIterable, Sendable {
    /// No source is configured.
    case off
    /// No gpsd answers.
    case absent
    /// gpsd has no receiver.
    case noDevice = "no_device"
    /// There is a receiver, but no fix.
    case searching
    /// There is a fix, or was one when the receiver was last on.
    case located
}

/// Follows the way from gpsd to a fix.
///
/// The availability stays as it was while the receiver rests. Only a receiver that is on, and silent for longer than
/// the largest age of a fix, is searching. With a fixed place, or with location off, no watch is needed.
struct AvailabilityWatch: Sendable {
    private enum State {
        case absent
        case noDevice
        /// `since`: the last used fix, or a later start of the receiver; `nil` while it rests.
        case receiver(isLocated: Bool, silentSince: Instant?)
    }

    private let maxAge: TimeSpan
    private var state = State.absent

    /// - Parameter maxAge: the largest age of a fix (`max_age_s`).
    init(maxAge: TimeSpan) { self.maxAge = maxAge }

    var availability: LocationAvailability {
        switch state {
        case .absent: .absent
        case .noDevice: .noDevice
        case .receiver(let isLocated, _): isLocated ? .located : .searching
        }
    }

    var deadline: Instant {
        guard case .receiver(isLocated: true, let silentSince?) = state else { return .distantFuture }
        return silentSince + maxAge
    }

    mutating func lostConnection() { state = .absent }

    /// Takes the number of gpsd's receivers.
    ///
    /// - Parameter isListening: whether the receiver is on.
    mutating func found(devices: Int, isListening: Bool, at now: Instant) {
        guard devices > 0 else {
            state = .noDevice
            return
        }
        if case .receiver = state { return }
        state = .receiver(isLocated: false, silentSince: isListening ? now : nil)
    }

    /// Learns that the receiver was turned on or off.
    mutating func listen(_ isListening: Bool, at now: Instant) {
        guard case .receiver(let isLocated, let silentSince) = state else { return }
        guard isListening != (silentSince != nil) else { return }
        state = .receiver(isLocated: isLocated, silentSince: isListening ? now : nil)
    }

    /// Takes a used fix.
    mutating func use(at now: Instant) {
        guard case .receiver(_, let silentSince) = state else {
            // A source of fixes has a receiver, whatever its list of devices says.
            state = .receiver(isLocated: true, silentSince: now)
            return
        }
        state = .receiver(isLocated: true, silentSince: silentSince == nil ? nil : now)
    }

    mutating func advance(to now: Instant) {
        guard now >= deadline else { return }
        state = .receiver(isLocated: false, silentSince: now)
    }
}
