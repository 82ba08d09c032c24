@testable import Agent
@testable import Core

/// The Bluetooth adapter of the machine, which outlives the process. Its controller knows the legacy commands only.
final class SimulatedAdapter {
    enum Trouble: CaseIterable {
        case absent, off, blocked
        /// The controller neither answers nor reports.
        case dead
        /// It answers, and says that it scans, but reports nothing for a while. Nobody can tell that from quiet air.
        case deaf
    }

    private(set) var trouble: Trouble?
    /// How long it takes to answer a command. A controller on a UART that loads its firmware anew takes seconds.
    var answersAfter = usualAnswer
    static let usualAnswer = TimeSpan.milliseconds(5)
    /// Scanning was switched on, by whomever, and not off again.
    private(set) var isScanning = false

    /// What its radio picks up is reported.
    var hears: Bool { trouble == nil && isScanning }
    /// It reports what it picks up, or says that it does.
    var claimsToHear: Bool { answers && isScanning }
    private var answers: Bool { trouble == nil || trouble == .deaf }
    /// There is something to open.
    var isUp: Bool { trouble == nil || trouble == .dead || trouble == .deaf }

    /// As the kernel lists it; `nil` where it is not there.
    var listed: Adapter? {
        if trouble == .absent { return nil }
        return Adapter(
            index: 0, address: DeviceAddress(bits: 0x001A_7DDA_7113, type: .public), isUp: isUp,
            isBlocked: trouble == .blocked)
    }

    /// - Returns: what the kernel tells everyone, where it does.
    func begin(_ trouble: Trouble) -> DeviceEvent? {
        self.trouble = trouble
        switch trouble {
        case .absent, .off, .blocked:
            isScanning = false
            return DeviceEvent(trouble == .absent ? .unregistered : .down, index: 0)
        case .dead, .deaf: return nil
        }
    }

    func mend() -> DeviceEvent? {
        defer { trouble = nil }
        switch trouble {
        case .absent: return DeviceEvent(.registered, index: 0)
        case .off, .blocked: return DeviceEvent(.up, index: 0)
        case .dead:
            // What it had been told is forgotten: it was reset, or plugged in anew, behind the kernel's back.
            isScanning = false
            return nil
        case .deaf, nil: return nil
        }
    }

    /// What the agent may do about it where it may.
    ///
    /// - Returns: what the kernel tells everyone.
    func repair(_ step: RecoveryStep) -> [DeviceEvent] {
        isScanning = false
        switch step {
        case .reenable, .reset:
            return []
        case .powerOn:
            guard trouble == .off else { return [] }
            trouble = nil
            return [DeviceEvent(.up, index: 0)]
        case .powerCycle:
            return isUp ? [DeviceEvent(.down, index: 0), DeviceEvent(.up, index: 0)] : []
        }
    }

    /// Power-cycled by the machine's own boot.
    func boot() { isScanning = false }

    /// Carries a command out, which is whole: the agent itself has made it.
    ///
    /// - Returns: the event that answers it, from its packet type on; `nil` where the controller is dead.
    func carryOut(_ command: [UInt8]) -> [UInt8]? {
        guard answers else { return nil }
        let opcode = Opcode(rawValue: command.span.parameter16(at: 1))
        let parameters: [UInt8] =
            opcode == LEReadLocalSupportedFeatures.opcode
            ? LEReadLocalSupportedFeatures.ReturnParameters(status: .success, features: []).encoded
            : [status(of: opcode, command.span.parameterOctets(from: 4)).rawValue]
        let event = CommandCompleteEvent(opcode: opcode, returnParameters: parameters)
        return [PacketType.event.rawValue] + event.octets
    }

    private func status(of opcode: Opcode, _ parameters: [UInt8]) -> HCIStatus {
        switch opcode {
        case LESetScanParameters.opcode:
            return isScanning ? .commandDisallowed : .success
        case LESetScanEnable.opcode:
            guard let enable = LESetScanEnable(parameters: parameters.span) else { return .invalidParameters }
            isScanning = enable.isEnabled
            return .success
        default:
            return .unknownCommand
        }
    }
}
