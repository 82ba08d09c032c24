import Core

/// What becomes of an advertisement.
package enum AdvertisingNews: Hashable, Sendable, CustomStringConvertible {
    /// It is on the air.
    case advertising(Adapter)
    /// No adapter can be used; it begins by itself once that is over.
    case waiting(RadioAvailability)
    /// It is off the air, and tried again.
    case trouble(AdvertisingTrouble)

    package var description: String {
        switch self {
        case .advertising(let adapter): "\(adapter.name) (\(adapter.address)): advertising"
        case .waiting(let availability): "\(availability.rawValue): \(availability.remedy)"
        case .trouble(let trouble): "\(trouble)"
        }
    }
}

/// What went wrong with advertising, or was done to it by others.
package enum AdvertisingTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    case refused(Opcode, HCIStatus)
    /// No answer within 2 s.
    case unanswered(Opcode)
    /// Another process reset the controller, or changed what it advertises.
    case disturbed

    package var description: String {
        switch self {
        case .refused(let opcode, .commandDisallowed):
            "the controller refused advertising command \(opcode): another process is advertising; stop it first"
        case .refused(let opcode, .invalidParameters):
            "the controller refused advertising command \(opcode): before Bluetooth 5 the interval must be at least "
                + "100 ms"
        case .refused(let opcode, let status): "the controller refused advertising command \(opcode): \(status)"
        case .unanswered(let opcode):
            "the controller did not answer advertising command \(opcode): \(RadioAvailability.stalled.remedy)"
        case .disturbed: "another process stopped or changed the advertisement; starting it again"
        }
    }
}
