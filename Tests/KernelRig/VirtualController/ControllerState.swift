import HCI

/// The controller's side of HCI: commands in, events and lines for the log out.
///
/// It answers as a real one would, down to the refusals that a careless host runs into: the other family of commands,
/// parameters while a scan is running, commands of a feature that it doesn't have.
struct ControllerState {
    /// What to do about a command.
    enum Action: Equatable {
        /// Send this HCI event, from its event code on.
        case send([UInt8])
        /// Tell the operator of the rig.
        case say(String)
    }

    private enum ErrorCode {
        static let unknownCommand: UInt8 = 0x01
        static let commandDisallowed: UInt8 = 0x0C
        static let invalidParameters: UInt8 = 0x12
    }

    let identity: ControllerIdentity
    /// Commands are swallowed unanswered, as by firmware that hangs.
    var isMuted = false
    /// The scan that is running, if one is.
    private(set) var scan: Scan?
    private var family: Opcode.Family?
    private var failures: [UInt16: UInt8] = [:]

    init(identity: ControllerIdentity) {
        self.identity = identity
    }

    /// From now on the command fails with this status; status 0 ends that.
    mutating func fail(_ opcode: UInt16, with status: UInt8) {
        failures[opcode] = status == 0 ? nil : status
    }

    /// Power is gone, and with it everything the host had set.
    mutating func powerOff() {
        scan = nil
        family = nil
    }

    mutating func receive(_ command: CommandPacket) -> [Action] {
        if isMuted { return [] }
        if let status = failures[command.opcode] { return [complete(command, [status])] }
        guard let opcode = Opcode(rawValue: command.opcode),
            identity.hasExtendedAdvertising || !opcode.needsExtendedAdvertising
        else {
            let refusal = CommandStatusEvent(opcode: command.opcode, status: ErrorCode.unknownCommand)
            return [.say("UNKNOWN \(hex(command.opcode))"), .send(refusal.octets)]
        }
        if let needed = opcode.family {
            if let family, family != needed { return [complete(command, [ErrorCode.commandDisallowed])] }
            family = needed
        }
        return perform(opcode, command)
    }

    private mutating func perform(_ opcode: Opcode, _ command: CommandPacket) -> [Action] {
        let parameters = command.parameters
        let success = complete(command, ReturnParameters.of(opcode, identity))
        switch opcode {
        case .reset:
            let stopped = stopScan()
            powerOff()
            return stopped + [success]
        case .leSetScanParameters, .leSetExtendedScanParameters:
            guard scan == nil else { return [complete(command, [ErrorCode.commandDisallowed])] }
            return [.say("PARAMETERS \(hex(parameters))"), success]
        case .leSetScanEnable, .leSetExtendedScanEnable:
            return setScan(opcode, command, success)
        case .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetAdvertisingEnable, .leSetScanResponseData,
            .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingEnable:
            return [.say("ADVERTISE \(hex(command.opcode)) \(hex(parameters))"), success]
        default:
            return [success]
        }
    }

    /// Core 5.4, Vol 4, Part E, 7.8.11 and 7.8.65: octet 0 enable, octet 1 filter duplicates.
    private mutating func setScan(_ opcode: Opcode, _ command: CommandPacket, _ success: Action) -> [Action] {
        guard let enable = command.parameters.first, enable <= 1, let filter = command.parameters.dropFirst().first
        else { return [complete(command, [ErrorCode.invalidParameters])] }
        if enable == 0 { return stopScan() + [success] }
        let family: Opcode.Family = opcode == .leSetScanEnable ? .legacy : .extended
        let wanted = Scan(family: family, filtersDuplicates: filter != 0)
        if scan == wanted { return [success] }
        scan = wanted
        return [.say("SCAN 1 \(family) filter_duplicates=\(filter)"), success]
    }

    private mutating func stopScan() -> [Action] {
        if scan == nil { return [] }
        scan = nil
        return [.say("SCAN 0")]
    }

    private func complete(_ command: CommandPacket, _ parameters: [UInt8]) -> Action {
        .send(CommandCompleteEvent(opcode: command.opcode, returnParameters: parameters).octets)
    }
}
