import CBluetooth
import Core
import Glibc

/// A raw HCI socket, non-blocking, closed with its last reference.
final class HCISocket {
    let descriptor: Int32

    init() throws(SystemError) {
        let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_BLUETOOTH, kind, BTPROTO_HCI)
        guard descriptor >= 0 else { throw .last("socket AF_BLUETOOTH") }
    }

    deinit { close(descriptor) }

    /// - Parameter index: the adapter; `nil` for the kernel's own events about all adapters.
    func bind(index: UInt16?) throws(SystemError) {
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = index ?? UInt16(HCI_DEV_NONE)
        address.hci_channel = UInt16(HCI_CHANNEL_RAW)
        let size = socklen_t(MemoryLayout<sockaddr_hci>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, size) }
        }
        guard result == 0 else { throw .last("bind") }
    }

    func setFilter(_ filter: HCIFilter) throws(SystemError) {
        var value = filter.value
        let size = socklen_t(MemoryLayout<hci_filter>.size)
        guard setsockopt(descriptor, SOL_HCI, HCI_FILTER, &value, size) == 0 else {
            throw .last("setsockopt HCI_FILTER")
        }
    }

    /// The filter in effect, which may pass less than the one that was set.
    func filter() throws(SystemError) -> HCIFilter {
        var value = hci_filter()
        var size = socklen_t(MemoryLayout<hci_filter>.size)
        guard getsockopt(descriptor, SOL_HCI, HCI_FILTER, &value, &size) == 0 else {
            throw .last("getsockopt HCI_FILTER")
        }
        return HCIFilter(value: value)
    }

    /// The error that woke `poll`; 0 where there is none.
    func pendingError() -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }
}

/// Which packets the kernel queues for a raw HCI socket.
///
/// The kernel checks only the low six bits of the event code, so the receiver has to check it again. The filter's
/// opcode stays 0: any other would hide the answers to other processes' commands.
struct HCIFilter {
    /// The kernel's own event: an adapter came, went, or was powered up or down.
    static let stackInternalEvent: UInt8 = 0xFD

    var value = hci_filter()

    /// Reports, answers to commands, hardware errors, and commands of other processes. A socket does not receive its
    /// own commands, so every command that it receives is another's.
    static var scanning: HCIFilter {
        HCIFilter(packets: [.command, .event], events: [EventCode.leMeta] + answersAndErrors)
    }

    /// The filter `scanning` without advertising reports, which another process's scan would bring.
    static var advertising: HCIFilter { HCIFilter(packets: [.command, .event], events: answersAndErrors) }

    static var deviceEvents: HCIFilter { HCIFilter(packets: [.event], events: [stackInternalEvent]) }

    init(value: hci_filter) { self.value = value }

    private static let answersAndErrors = [EventCode.commandComplete, EventCode.commandStatus, EventCode.hardwareError]

    private init(packets: [PacketType], events: [UInt8]) {
        for packet in packets { value.type_mask |= 1 << UInt32(packet.rawValue & 31) }
        for event in events {
            let bit = UInt32(1) << UInt32(event & 31)
            if event & 63 < 32 { value.event_mask.0 |= bit } else { value.event_mask.1 |= bit }
        }
    }

    func passes(event: UInt8) -> Bool {
        let mask = event & 63 < 32 ? value.event_mask.0 : value.event_mask.1
        return mask & 1 << UInt32(event & 31) != 0
    }
}

extension SystemError {
    /// The availability that the failure means for the adapter. `stalled` stands for every error that names no other
    /// cause.
    var availability: RadioAvailability { Self.availability(code: code) }

    /// The availability for an `errno` of an HCI socket.
    static func availability(code: Int32) -> RadioAvailability {
        switch code {
        case EPERM, EACCES: .unauthorized
        case ENETDOWN: .off
        case ERFKILL: .blocked
        // The adapter was unplugged or is missing, or the kernel has no Bluetooth.
        case EPIPE, ENODEV, ENOTCONN, EBADFD, EAFNOSUPPORT, EPROTONOSUPPORT: .absent
        default: .stalled
        }
    }
}
