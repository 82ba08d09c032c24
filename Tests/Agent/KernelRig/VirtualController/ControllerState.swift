@testable import Core

/// The controller's side of HCI: it takes commands, and returns events and lines for the log.
///
/// The answers are those of a real controller, including the refusals that a careless host meets: the other family of
/// commands, parameters while a scan is running, reserved values, commands of a missing feature.
struct ControllerState {
    /// The reaction to a command.
    enum Action: Equatable {
        /// Send this HCI event, from its event code on.
        case send([UInt8])
        /// Prints a line for the rig's operator.
        case say(String)
    }

    let identity: ControllerIdentity
    /// Whether all commands stay unanswered, as with firmware that hangs.
    private var isMuted = false
    /// Commands that stay unanswered, as with firmware that hangs while it executes one.
    private var mutedCommands: Set<Opcode> = []
    /// The scan that is running, if any.
    private(set) var scan: Scan?
    private var advertising = EnabledAdvertising()
    private var family: KnownCommand.Family?
    private var failures: [Opcode: HCIStatus] = [:]

    init(identity: ControllerIdentity) {
        self.identity = identity
    }

    /// Leaves the command, or every command, unanswered from now on.
    mutating func mute(_ opcode: Opcode?) {
        if let opcode { mutedCommands.insert(opcode) } else { isMuted = true }
    }

    /// Answers every command again.
    mutating func unmute() {
        isMuted = false
        mutedCommands = []
    }

    /// Makes the command fail with this status from now on; `success` ends that.
    mutating func fail(_ opcode: Opcode, with status: HCIStatus) {
        failures[opcode] = status == .success ? nil : status
    }

    /// Turns the power off: all settings of the host are lost.
    mutating func powerOff() {
        scan = nil
        advertising = EnabledAdvertising()
        family = nil
    }

    mutating func receive(_ packet: CommandPacket) -> [Action] {
        if isMuted || mutedCommands.contains(packet.opcode) { return [] }
        if let status = failures[packet.opcode] { return refuse(packet, status) }
        guard let command = KnownCommand(rawValue: packet.opcode.rawValue),
            identity.hasExtendedAdvertising || !command.needsExtendedAdvertising
        else {
            let refusal = CommandStatusEvent(opcode: packet.opcode, status: .unknownCommand)
            return [.say("REFUSED \(packet.opcode) \(HCIStatus.unknownCommand)"), .send(refusal.octets)]
        }
        if let needed = command.family {
            if let family, family != needed { return refuse(packet, .commandDisallowed) }
            family = needed
        }
        if advertising.disallows(command, packet.parameters.span) { return refuse(packet, .commandDisallowed) }
        advertising.record(command, packet.parameters.span)
        return perform(command, packet)
    }

    private mutating func perform(_ command: KnownCommand, _ packet: CommandPacket) -> [Action] {
        switch command {
        case .reset:
            let stopped = stopScan()
            powerOff()
            return stopped + [success(command, packet)]
        case .leSetScanParameters, .leSetExtendedScanParameters:
            if scan != nil { return refuse(packet, .commandDisallowed) }
            let isValid =
                command == .leSetScanParameters
                ? ScanParameters.isValid(legacy: packet.parameters.span)
                : ScanParameters.isValid(extended: packet.parameters.span)
            guard isValid else { return refuse(packet, .invalidParameters) }
            return [.say("PARAMETERS \(packet.parameters.hexadecimal)"), success(command, packet)]
        case .leSetScanEnable, .leSetExtendedScanEnable:
            guard let request = Scan.Request(command, packet.parameters.span) else {
                return refuse(packet, .invalidParameters)
            }
            return set(request) + [success(command, packet)]
        case .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetAdvertisingEnable,
            .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingEnable:
            return [.say("ADVERTISE \(packet.opcode) \(packet.parameters.hexadecimal)"), success(command, packet)]
        default:
            return [success(command, packet)]
        }
    }

    private mutating func set(_ request: Scan.Request) -> [Action] {
        guard case .on(let wanted) = request else { return stopScan() }
        if scan == wanted { return [] }
        scan = wanted
        return [.say("SCAN 1 \(wanted.family)\(wanted.filtersDuplicates ? " filters duplicates" : "")")]
    }

    private mutating func stopScan() -> [Action] {
        if scan == nil { return [] }
        scan = nil
        return [.say("SCAN 0")]
    }

    private func success(_ command: KnownCommand, _ packet: CommandPacket) -> Action {
        let parameters = ReturnParameters.of(command, identity)
        return .send(CommandCompleteEvent(opcode: packet.opcode, returnParameters: parameters).octets)
    }

    private func refuse(_ packet: CommandPacket, _ status: HCIStatus) -> [Action] {
        let answer = CommandCompleteEvent(opcode: packet.opcode, returnParameters: [status.rawValue])
        return [.say("REFUSED \(packet.opcode) \(status)"), .send(answer.octets)]
    }
}
