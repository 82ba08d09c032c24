import Glibc
import HCI

/// An adapter that Linux's `hci_vhci` makes of whoever opens /dev/vhci. It lives as long as the descriptor is open.
///
/// Every read and every write is one packet behind an H4 packet type octet. The type 0xFF is the driver's own:
/// writing `FF 00` creates a primary controller, and the answer `FF opcode index-low index-high` names it.
final class VirtualHCIDevice {
    /// What the kernel handed over.
    enum Packet {
        case command(CommandPacket)
        /// The adapter is there, as hciN.
        case created(index: UInt16)
    }

    private static let vendorPacket: UInt8 = 0xFF
    /// The kernel hands over one command at a time, 258 octets at most; ACL data is longer and ignored.
    private static let maxPacketLength = 4096

    let descriptor: CInt

    /// - Throws: `SystemFailure` where /dev/vhci is missing (`modprobe hci_vhci`) or closed to this user.
    init() throws(SystemFailure) {
        descriptor = open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { throw SystemFailure(what: "open /dev/vhci (is hci_vhci loaded, is this root?)") }
        try send([Self.vendorPacket, 0x00])
    }

    deinit { close(descriptor) }

    func send(event: [UInt8]) throws(SystemFailure) {
        try send([PacketType.event.rawValue] + event)
    }

    /// The next packet that waits; `nil` where none does. Packets of other kinds are skipped.
    func receive() throws(SystemFailure) -> Packet? {
        var buffer = [UInt8](repeating: 0, count: Self.maxPacketLength)
        while true {
            let count = readPacket(&buffer)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return nil }
            if count <= 0 { throw SystemFailure(what: "read /dev/vhci") }
            let packet = buffer.span.extracting(first: count)
            if packet[0] == PacketType.command.rawValue, let command = CommandPacket(packet.extracting(1..<count)) {
                return .command(command)
            }
            if packet[0] == Self.vendorPacket, count >= 4 {
                return .created(index: UInt16(packet[2]) | UInt16(packet[3]) << 8)
            }
        }
    }

    private func readPacket(_ buffer: inout [UInt8]) -> Int {
        buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    }

    private func send(_ packet: [UInt8]) throws(SystemFailure) {
        while packet.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) != packet.count {
            // The host has the adapter down and takes nothing.
            if errno == ENXIO { return }
            if errno != EINTR { throw SystemFailure(what: "write /dev/vhci") }
        }
    }
}

/// A system call that failed, and the `errno` it left.
struct SystemFailure: Error, CustomStringConvertible {
    var what: String
    var number: CInt = errno

    var description: String { "can't \(what): \(String(cString: strerror(number)))" }
}
