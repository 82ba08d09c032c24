import Glibc

@testable import Core

/// An adapter that Linux's `hci_vhci` makes for a process that opens /dev/vhci. It exists while the descriptor is open.
///
/// Every read and every write is one packet after an H4 packet type octet. The type 0xFF is the driver's own: writing
/// `FF 00` creates a primary controller, and the answer `FF opcode index-low index-high` names it.
final class VirtualHCIDevice: Transport {
    private static let path = "/dev/vhci"
    private static let vendorPacket: UInt8 = 0xFF
    /// The kernel hands over one command at a time, 258 octets at most; ACL data is longer and ignored.
    private static let maxPacketLength = 4096

    let descriptor: CInt

    /// - Throws: `SystemFailure` where /dev/vhci is missing (`modprobe hci_vhci`) or closed to this user.
    init() throws(SystemFailure) {
        descriptor = open(Self.path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { throw SystemFailure(what: "open \(Self.path) (is hci_vhci loaded, is this root?)") }
        try send([Self.vendorPacket, 0x00])
    }

    deinit { close(descriptor) }

    func send(event: [UInt8]) throws { try send([PacketType.event.rawValue] + event) }

    /// Packets of other kinds are skipped.
    func receive() throws -> HostPacket? {
        var buffer = [UInt8](repeating: 0, count: Self.maxPacketLength)
        while let count = try readOnce(descriptor, &buffer, Self.path) {
            guard count > 0 else { throw SystemFailure(what: "read \(Self.path)") }
            let packet = buffer.span.extracting(first: count)
            if packet[0] == PacketType.command.rawValue, let command = CommandPacket(packet.extracting(1..<count)) {
                return .command(command)
            }
            if packet[0] == Self.vendorPacket, count >= 4 {
                return .created(index: UInt16(packet[2]) | UInt16(packet[3]) << 8)
            }
        }
        return nil
    }

    private func send(_ packet: [UInt8]) throws(SystemFailure) {
        while packet.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) != packet.count {
            // The host has the adapter down and takes no packets.
            if errno == ENXIO { return }
            if errno != EINTR { throw SystemFailure(what: "write \(Self.path)") }
        }
    }
}
