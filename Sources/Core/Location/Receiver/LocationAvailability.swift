/// What the gateway can say of its place. The raw value is the word in `status.location`.
package enum LocationAvailability: String, CaseIterable, Sendable {
    /// No source is configured.
    case off
    /// Nobody answers where gpsd should.
    case absent
    /// gpsd has no receiver.
    case noDevice = "no_device"
    /// There is a receiver, and no fix.
    case searching
    /// There is a fix, or was one when the receiver was last asked.
    case located
}

/// Follows the way from gpsd to a fix.
///
/// What is known while the receiver is on stays known while it rests: only a receiver that is on, and silent for longer
/// than a fix may be old, is one that searches. Where there is nothing to follow, because the place is fixed or location is
/// off, no watch is needed.
struct AvailabilityWatch: Sendable {
    private enum State {
        case absent
        case noDevice
        /// `since`: the last used fix, or when the receiver was turned on after it; `nil` while it rests.
        case receiver(isLocated: Bool, silentSince: Instant?)
    }

    private let maxAge: TimeSpan
    private var state = State.absent

    /// - Parameter maxAge: how old a fix may be (`max_age_s`).
    init(maxAge: TimeSpan) {
        self.maxAge = maxAge
    }

    var availability: LocationAvailability {
        switch state {
        case .absent: .absent
        case .noDevice: .noDevice
        case .receiver(let isLocated, _): isLocated ? .located : .searching
        }
    }

    /// When `advance` has something to do.
    var deadline: Instant {
        guard case .receiver(isLocated: true, let silentSince?) = state else { return .distantFuture }
        return silentSince + maxAge
    }

    /// The connection to gpsd failed or ended.
    mutating func lostConnection() { state = .absent }

    /// gpsd has told its receivers.
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

    /// The receiver was turned on or off.
    mutating func listen(_ isListening: Bool, at now: Instant) {
        guard case .receiver(let isLocated, let silentSince) = state else { return }
        guard isListening != (silentSince != nil) else { return }
        state = .receiver(isLocated: isLocated, silentSince: isListening ? now : nil)
    }

    /// A fix was used.
    mutating func use(at now: Instant) {
        guard case .receiver(_, let silentSince) = state else {
            // What gives fixes is there, whatever it said of its devices.
            state = .receiver(isLocated: true, silentSince: now)
            return
        }
        state = .receiver(isLocated: true, silentSince: silentSince == nil ? nil : now)
    }

    /// Time went on.
    mutating func advance(to now: Instant) {
        guard now >= deadline else { return }
        state = .receiver(isLocated: false, silentSince: now)
    }
}
