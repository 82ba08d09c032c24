import Core

/// The commands from any state of the controller to scanning, one at a time.
///
///     start    features ─► parameters ─► enable
///     probe    features ─► disable ─► parameters ─► enable
///     refilter enable, which changes the duplicate filter of a scan that another process began
///
/// Where the controller disallows the parameters, another process has scanning on already. Enabling it once more turns
/// the duplicate filter off, and that scan's reports serve as well. Where a family of commands is refused, the other
/// one is tried once.
struct ScanProcedure: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
        case start, probe, refilter
    }

    enum Progress: Hashable, Sendable {
        case next(ScanStep)
        /// Scanning is on. `isOurs` is false where another process had begun it.
        case scanning(CommandFamily, isOurs: Bool)
        case refused(Opcode, HCIStatus)
    }

    let purpose: Purpose
    private(set) var step: ScanStep
    private var family: CommandFamily
    private var knowsFamily: Bool
    private var triedOther = false
    private var isOurs = true
    private var allDisallowed = true

    /// - Parameter family: the family that worked before; `nil` to ask the controller.
    init(_ purpose: Purpose, family: CommandFamily?) {
        self.purpose = purpose
        self.family = family ?? .legacy
        knowsFamily = family != nil
        if purpose == .refilter {
            step = .enable(self.family)
            isOurs = false
        } else {
            step = .readFeatures
        }
    }

    /// Handles the answer to `step`.
    mutating func answered(_ status: HCIStatus, features: LEFeatures?) -> Progress {
        switch step {
        case .readFeatures:
            if !knowsFamily, let features {
                family = features.contains(.extendedAdvertising) ? .extended : .legacy
            }
            return advance(to: purpose == .probe ? .disable(family) : .setParameters(family))
        case .disable:
            // This answer does not matter: the answer to enabling does.
            return advance(to: .setParameters(family))
        case .setParameters:
            switch status {
            case .success:
                return advance(to: .enable(family))
            case .commandDisallowed:
                isOurs = false
                return advance(to: .enable(family))
            default:
                return fallBack(status)
            }
        case .enable:
            return status == .success ? .scanning(family, isOurs: isOurs) : fallBack(status)
        }
    }

    private mutating func advance(to step: ScanStep) -> Progress {
        self.step = step
        return .next(step)
    }

    private mutating func fallBack(_ status: HCIStatus) -> Progress {
        if status != .commandDisallowed { allDisallowed = false }
        guard triedOther else {
            triedOther = true
            isOurs = true
            family = family.other
            return advance(to: .setParameters(family))
        }
        // Both families are disallowed: some controllers refuse to enable a scan that another process has enabled.
        // After the agent itself switched scanning off, that explains nothing.
        if allDisallowed && purpose != .probe { return .scanning(family, isOurs: false) }
        return .refused(step.opcode, status)
    }
}

/// A command on the way to scanning.
enum ScanStep: Hashable, Sendable {
    /// Asks for the features. They tell which family to begin with, and only a working controller answers.
    case readFeatures
    case disable(CommandFamily)
    case setParameters(CommandFamily)
    case enable(CommandFamily)

    var opcode: Opcode {
        switch self {
        case .readFeatures: .readFeatures
        case .disable(let family), .enable(let family): .scanEnable(family)
        case .setParameters(let family): .scanParameters(family)
        }
    }

    /// The command packet. Duplicates are never filtered, because the RSSI of every report counts.
    package func packet(type: ScanType, timing: ScanTiming) -> [UInt8] {
        switch self {
        case .readFeatures: HCICommand.readFeatures.packet
        case .disable(let family): ScanEnable(false).command(family).packet
        case .setParameters(let family): HCICommand.scanParameters(family, type, timing).packet
        case .enable(let family): ScanEnable(true).command(family).packet
        }
    }
}

/// Update of the scan controller for its station.
enum ScanUpdate: Hashable, Sendable {
    case availability(RadioAvailability)
    case liveness(RadioLiveness)
    /// The controller has just carried out the agent's scan command, which proves that it hears.
    case proof
    case trouble(ScanTrouble)
    /// A step to take and count. Where it needs CAP_NET_ADMIN, `repaired(at:)` is called once it is done.
    case recovery(RecoveryStep, Adapter)
}

/// A fault of scanning, or a disturbance by another process. The controller handles each by itself.
enum ScanTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    case refused(Opcode, HCIStatus)
    /// No answer within 2 s.
    case unanswered(Opcode)
    /// Another process switched scanning off, or reset the controller.
    case stoppedByOther
    /// The controller's own error code, whose meaning only its manufacturer knows.
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
