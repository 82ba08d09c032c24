public import HCI

/// Why this machine can't advertise.
public enum AdvertisingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No adapter can be used.
    case unavailable(RadioAvailability)
    /// A system call failed.
    case failed(RadioError)
    /// The controller knows no advertising, or another process advertises with it.
    case refused(Opcode, HCIStatus)
    /// No answer within 2 s.
    case unanswered(Opcode)

    public var description: String {
        switch self {
        case .unavailable(let availability): "\(availability.rawValue): \(availability.remedy)"
        case .failed(let error): "\(error)"
        case .refused(let opcode, .commandDisallowed):
            "the controller refused command \(opcode): another process is advertising; stop it first"
        case .refused(let opcode, let status): "the controller refused command \(opcode): \(status)"
        case .unanswered(let opcode):
            "the controller did not answer command \(opcode): \(RadioAvailability.stalled.remedy)"
        }
    }
}
