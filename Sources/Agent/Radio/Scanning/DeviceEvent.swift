/// The kernel's word that an adapter came, went, or was powered up or down.
///
/// HCI stack-internal event (0xFD) of the type device (0x01), in host byte order as the kernel writes it:
///
///     octet 0      0x04, event packet
///     octet 1      0xFD
///     octet 2      length
///     octets 3, 4  type, 0x0001
///     octets 5, 6  event: 1 registered, 2 unregistered, 3 up, 4 down
///     octets 7, 8  index of the adapter
package struct DeviceEvent: Hashable, Sendable {
    enum Change: UInt16, Sendable {
        case registered = 1
        case unregistered = 2
        case up = 3
        case down = 4
    }

    var change: Change
    var index: UInt16

    init(_ change: Change, index: UInt16) {
        self.change = change
        self.index = index
    }

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
        self.init(change, index: hostOrder(7))
    }
}
