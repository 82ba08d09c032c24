import Core

/// A scanning command that another process, or the kernel, sent to the agent's controller.
enum ForeignCommand: Hashable, Sendable {
    case scanParameters
    case scanEnable(Bool, filtersDuplicates: Bool, CommandFamily)
    case reset

    /// `nil` where the command does not concern scanning.
    init?(opcode: Opcode, parameters: Span<UInt8>) {
        switch opcode {
        case .reset:
            self = .reset
        case .scanParameters(.legacy), .scanParameters(.extended):
            self = .scanParameters
        case .scanEnable(.legacy), .scanEnable(.extended):
            let family: CommandFamily = opcode == .scanEnable(.legacy) ? .legacy : .extended
            guard let enable = ScanEnable(family, parameters: parameters) else { return nil }
            self = .scanEnable(enable.isEnabled, filtersDuplicates: enable.filtersDuplicates, family)
        default:
            return nil
        }
    }
}

/// The effect of other processes' commands on scanning, once they have ended.
///
/// bluetoothd switches scanning off, sets its parameters and switches it on within milliseconds. Its commands would
/// fail if the agent interfered, so the agent waits until they have ended.
struct ForeignActivity: Hashable, Sendable {
    enum Remains: Hashable, Sendable {
        case unchanged
        case stopped
        case scanning(filtersDuplicates: Bool, CommandFamily)
    }

    /// The time without other processes' commands after which they count as ended.
    static let rest = TimeSpan.milliseconds(200)

    private(set) var remains: Remains = .unchanged
    private(set) var restsAt: Instant

    init(_ command: ForeignCommand, at instant: Instant) {
        restsAt = instant
        record(command, at: instant)
    }

    mutating func record(_ command: ForeignCommand, at instant: Instant) {
        restsAt = instant + Self.rest
        switch command {
        case .scanParameters: break
        case .reset, .scanEnable(false, _, _): remains = .stopped
        case .scanEnable(true, let filtersDuplicates, let family):
            remains = .scanning(filtersDuplicates: filtersDuplicates, family)
        }
    }
}

/// The kernel's event that an adapter came, went, or was powered up or down.
///
/// HCI stack-internal event (0xFD) of the type device (0x01), in host byte order as the kernel writes it:
///
///     octet 0      0x04, event packet
///     octet 1      0xFD
///     octet 2      length
///     octets 3, 4  type, 0x0001
///     octets 5, 6  event: 1 registered, 2 unregistered, 3 up, 4 down
///     octets 7, 8  index of the adapter
struct DeviceEvent: Hashable, Sendable {
    enum Change: UInt16, Sendable {
        case registered = 1
        case unregistered = 2
        case up = 3
        case down = 4
    }

    var change: Change
    var index: UInt16
}

extension DeviceEvent {
    /// `nil` for every other packet.
    init?(packet: Span<UInt8>) {
        func hostOrder(_ index: Int) -> UInt16 {
            let low = UInt16(packet[index])
            let high = UInt16(packet[index + 1])
            return UInt16(littleEndian: 1) == 1 ? low | high << 8 : low << 8 | high
        }
        guard packet.count >= 9, packet[0] == 0x04, packet[1] == 0xFD, hostOrder(3) == 0x0001,
            let change = Change(rawValue: hostOrder(5))
        else { return nil }
        self.init(change: change, index: hostOrder(7))
    }
}
