import Core

/// What the scan controller tells its station.
enum ScanNews: Hashable, Sendable {
    case availability(RadioAvailability)
    case liveness(RadioLiveness)
    /// The controller has just scanned at our word: whoever waits to know whether it hears, knows.
    case proof
    case trouble(ScanTrouble)
    /// This step is to be taken and counted. Where it needs CAP_NET_ADMIN, `repaired(at:)` is called once it is done.
    case recovery(RecoveryStep, Adapter)
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
