/// The octet that stands before a packet on a UART, in /dev/vhci and in captures with datalink 1002.
///
/// Core 5.4, Vol 4, Part A, 2: one octet, the HCI packet indicator, tells what follows.
package enum PacketType: UInt8, Sendable {
    case command = 0x01
    case aclData = 0x02
    case synchronousData = 0x03
    case event = 0x04
    case isochronousData = 0x05
}
