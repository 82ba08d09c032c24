import Core

/// The commands from wherever the controller is to scanning, one at a time.
///
///     start    features ─► parameters ─► enable
///     probe    features ─► disable ─► parameters ─► enable
///     refilter enable, which changes the duplicate filter of a scan that another process began
///
/// Where parameters are disallowed, scanning is on already, by another process: enabling it once more turns the duplicate
/// filter off, and its reports serve as well. Where a family of commands is refused, the other one is tried once.
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

    /// - Parameter family: the one that worked before; `nil` to ask the controller.
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

    /// The answer to `step`.
    mutating func answered(_ status: HCIStatus, features: LEFeatures?) -> Progress {
        switch step {
        case .readFeatures:
            if !knowsFamily, let features {
                family = features.contains(.extendedAdvertising) ? .extended : .legacy
            }
            return advance(to: purpose == .probe ? .disable(family) : .setParameters(family))
        case .disable:
            // Whatever it says: what matters is whether scanning can be switched on again.
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
        // Both families disallowed: some controllers refuse to enable what another process has enabled. After we switched
        // scanning off ourselves, there is no such excuse.
        if allDisallowed && purpose != .probe { return .scanning(family, isOurs: false) }
        return .refused(step.opcode, status)
    }
}

/// One command on the way to scanning.
enum ScanStep: Hashable, Sendable {
    /// Tells the family to begin with, and is the question that only a working controller answers.
    case readFeatures
    case disable(CommandFamily)
    case setParameters(CommandFamily)
    case enable(CommandFamily)

    var opcode: Opcode {
        switch self {
        case .readFeatures: LEReadLocalSupportedFeatures.opcode
        case .disable(.legacy), .enable(.legacy): LESetScanEnable.opcode
        case .disable(.extended), .enable(.extended): LESetExtendedScanEnable.opcode
        case .setParameters(.legacy): LESetScanParameters.opcode
        case .setParameters(.extended): LESetExtendedScanParameters.opcode
        }
    }

    /// The command packet. Duplicates are never filtered, because every report's RSSI counts.
    package func packet(type: ScanType, timing: ScanTiming) -> [UInt8] {
        switch self {
        case .readFeatures: LEReadLocalSupportedFeatures().packet
        case .disable(.legacy): LESetScanEnable(isEnabled: false).packet
        case .disable(.extended): LESetExtendedScanEnable(isEnabled: false).packet
        case .setParameters(.legacy): LESetScanParameters(type: type, timing: timing).packet
        case .setParameters(.extended):
            LESetExtendedScanParameters(le1M: .init(type: type, timing: timing)).packet
        case .enable(.legacy): LESetScanEnable(isEnabled: true).packet
        case .enable(.extended): LESetExtendedScanEnable(isEnabled: true).packet
        }
    }
}

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
