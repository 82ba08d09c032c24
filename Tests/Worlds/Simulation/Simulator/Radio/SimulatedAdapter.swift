@testable import Agent
@testable import Core

/// The Bluetooth adapter of the machine, which outlives the process. Its controller knows only the legacy commands.
final class SimulatedAdapter {
    enum Trouble: CaseIterable {
        case absent, off, blocked
        /// The controller neither answers nor reports.
        case dead
        /// The controller answers and claims to scan, but reports nothing for a while, as in quiet air.
        case deaf
    }

    private(set) var trouble: Trouble?
    /// The time for the answer to a command. A controller on a UART that loads its firmware anew takes seconds.
    var answersAfter = usualAnswer
    static let usualAnswer = TimeSpan.milliseconds(5)
    /// Whether any process has switched scanning on.
    private(set) var isScanning = false

    /// Whether the radio's reports come.
    var hears: Bool { trouble == nil && isScanning }
    /// Whether the controller reports, or claims to.
    var claimsToHear: Bool { answers && isScanning }
    private var answers: Bool { trouble == nil || trouble == .deaf }
    /// Whether there is something to open.
    var isUp: Bool { trouble == nil || trouble == .dead || trouble == .deaf }

    /// The adapter in the kernel's list; `nil` where it is missing.
    var listed: Adapter? {
        if trouble == .absent { return nil }
        return Adapter(
            index: 0, address: DeviceAddress(bits: 0x001A_7DDA_7113, type: .public), isUp: isUp,
            isBlocked: trouble == .blocked)
    }

    /// - Returns: the kernel's event, if there is one.
    func begin(_ trouble: Trouble) -> DeviceEvent? {
        self.trouble = trouble
        switch trouble {
        case .absent, .off, .blocked:
            isScanning = false
            return DeviceEvent(change: trouble == .absent ? .unregistered : .down, index: 0)
        case .dead, .deaf: return nil
        }
    }

    func mend() -> DeviceEvent? {
        defer { trouble = nil }
        switch trouble {
        case .absent: return DeviceEvent(change: .registered, index: 0)
        case .off, .blocked: return DeviceEvent(change: .up, index: 0)
        case .dead:
            // The controller has lost its settings: it was reset, or plugged in anew, without the kernel's knowledge.
            isScanning = false
            return nil
        case .deaf, nil: return nil
        }
    }

    /// Carries out a step of the agent's.
    ///
    /// - Returns: the kernel's events.
    func repair(_ step: RecoveryStep) -> [DeviceEvent] {
        isScanning = false
        switch step {
        case .reenable, .reset:
            return []
        case .powerOn:
            guard trouble == .off else { return [] }
            trouble = nil
            return [DeviceEvent(change: .up, index: 0)]
        case .powerCycle:
            return isUp ? [DeviceEvent(change: .down, index: 0), DeviceEvent(change: .up, index: 0)] : []
        }
    }

    /// Power-cycled by the machine's own boot.
    func boot() { isScanning = false }

    /// Carries out a complete command of the agent's.
    ///
    /// - Returns: the event that answers it, from its packet type on; `nil` where the controller is dead.
    func carryOut(_ command: [UInt8]) -> [UInt8]? {
        guard answers else { return nil }
        let opcode = Opcode(rawValue: command.span.parameter16(at: 1))
        let parameters: [UInt8] =
            opcode == Opcode.readFeatures
            ? [UInt8](repeating: 0, count: 9)
            : [status(of: opcode, command.span.parameterOctets(from: 4)).rawValue]
        let event = CommandCompleteEvent(opcode: opcode, returnParameters: parameters)
        return [PacketType.event.rawValue] + event.octets
    }

    private func status(of opcode: Opcode, _ parameters: [UInt8]) -> HCIStatus {
        switch opcode {
        case Opcode.scanParameters(.legacy):
            return isScanning ? .commandDisallowed : .success
        case Opcode.scanEnable(.legacy):
            guard let enable = ScanEnable(.legacy, parameters: parameters.span) else { return .invalidParameters }
            isScanning = enable.isEnabled
            return .success
        default:
            return .unknownCommand
        }
    }
}
