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

    /// - Parameter index: the adapter; `nil` for the kernel's own events about all of them.
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

    /// The filter as the kernel has it, which may be less than what was set.
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
/// The kernel looks at the event code's low six bits only, so the receiver has to check it again. The filter's opcode
/// stays 0: it would hide the answers to other processes' commands.
package struct HCIFilter {
    /// The kernel's own: an adapter came, went, was powered up or down.
    static let stackInternalEvent: UInt8 = 0xFD

    package var value = hci_filter()

    /// Reports, answers to commands, hardware errors, and the commands of other processes: a socket does not get its own
    /// commands back, so whatever command it sees is another's.
    static var scanning: HCIFilter {
        HCIFilter(packets: [.command, .event], events: [EventCode.leMeta] + answersAndErrors)
    }

    /// As `scanning`, without the reports of somebody else's scan.
    static var advertising: HCIFilter {
        HCIFilter(packets: [.command, .event], events: answersAndErrors)
    }

    static var deviceEvents: HCIFilter { HCIFilter(packets: [.event], events: [stackInternalEvent]) }

    init(value: hci_filter) {
        self.value = value
    }

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
    /// What the failure says about the adapter. `stalled` stands for everything that names no other cause.
    var availability: RadioAvailability { Self.availability(code: code) }

    /// What the kernel means by an `errno` of an HCI socket.
    static func availability(code: Int32) -> RadioAvailability {
        switch code {
        case EPERM, EACCES: .unauthorized
        case ENETDOWN: .off
        case ERFKILL: .blocked
        // The adapter was unplugged, is not there, or the kernel has no Bluetooth.
        case EPIPE, ENODEV, ENOTCONN, EBADFD, EAFNOSUPPORT, EPROTONOSUPPORT: .absent
        default: .stalled
        }
    }
}
