import HCI

/// What the scan controller wants done. Its owner does it in order, and tells what came of it.
enum ScanAction: Hashable, Sendable {
    /// Survey the adapters, then call `surveyed(_:at:)`.
    case look
    /// Open a socket on the adapter, then call `opened(at:)` or `socketFailed(_:at:)`.
    case open(Adapter)
    /// Send the command; an answer goes to `commandCompleted(_:features:at:)`.
    case send(ScanStep)
    case close
    case announce(RadioAvailability)
    case announceLiveness(RadioLiveness)
    /// The controller has just scanned at our word: whoever waits to know whether it hears, knows.
    case announceProof
    case report(ScanTrouble)
    /// Take the step and count it. Where it needs CAP_NET_ADMIN, call `repaired(at:)` once it is done.
    case recover(RecoveryStep, Adapter)
}

/// What went wrong with scanning, or was done to it by others. Each is dealt with by itself.
enum ScanTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    case refused(Opcode, HCIStatus)
    /// No answer within 2 s.
    case unanswered(Opcode)
    /// Another process switched scanning off, or reset the controller.
    case stoppedByOther
    /// The controller's own error code, which only its manufacturer can read.
    case hardwareError(code: UInt8)

    var description: String {
        switch self {
        case .refused(let opcode, let status): "the controller refused command \(opcode): \(status)"
        case .unanswered(let opcode): "the controller did not answer command \(opcode)"
        case .stoppedByOther: "another process stopped scanning; starting it again"
        case .hardwareError(let code): "the controller reports hardware error \(code)"
        }
    }
}
