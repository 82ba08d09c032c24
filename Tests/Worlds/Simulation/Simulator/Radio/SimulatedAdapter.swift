import HCI

@testable import Radio

/// The Bluetooth adapter of the machine, which outlives the process.
final class SimulatedAdapter {
    enum Trouble: CaseIterable {
        case absent, off, blocked
        /// The controller neither answers nor reports.
        case dead
        /// It answers, and says that it scans, but reports nothing for a while. Nobody can tell that from quiet air.
        case deaf
    }

    private static let adapter = Adapter(
        index: 0, address: DeviceAddress(bits: 0x001A_7DDA_7113, type: .public), isUp: true, isBlocked: false)

    private(set) var trouble: Trouble?
    /// Scanning was switched on, by whomever, and not off again.
    private(set) var isScanning = false

    /// What its radio picks up is reported.
    var hears: Bool { trouble == nil && isScanning }
    /// It reports what it picks up, or says that it does.
    var claimsToHear: Bool { answers && isScanning }
    var answers: Bool { trouble == nil || trouble == .deaf }
    /// There is something to open.
    var isUp: Bool { trouble == nil || trouble == .dead || trouble == .deaf }

    /// What the kernel says of it.
    var choice: AdapterSurvey.Choice {
        var adapter = Self.adapter
        switch trouble {
        case .absent: return .obstacle(.absent, nil)
        case .off:
            adapter.isUp = false
            return .obstacle(.off, adapter)
        case .blocked:
            adapter.isBlocked = true
            return .obstacle(.blocked, adapter)
        case .dead, .deaf, nil: return .usable(adapter)
        }
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
    func repair(_ step: RecoveryStep) {
        isScanning = false
        if step == .powerOn, trouble == .off { trouble = nil }
    }

    /// Power-cycled by the machine's own boot.
    func boot() { isScanning = false }

    func carryOut(_ step: ScanStep) -> RadioAnswer {
        var status = HCIStatus.success
        switch step {
        case .readFeatures: break
        case .disable: isScanning = false
        case .setParameters: if isScanning { status = .commandDisallowed }
        case .enable: isScanning = true
        }
        return .outcome(CommandOutcome(commandCredits: 1, opcode: step.opcode, status: status))
    }
}

/// What comes back of what the radio loop has asked for.
enum RadioAnswer {
    case outcome(CommandOutcome)
    case repaired(RecoveryStep)
}
