import CBluetooth
import Core

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
