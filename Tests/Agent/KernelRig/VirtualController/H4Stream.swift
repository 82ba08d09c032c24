@testable import Core

/// Splits the octets of a UART into a host's packets, whatever the pieces.
///
///     0      packet type: 01 command, 02 ACL data, 03 synchronous data, 05 isochronous data
///     1      opcode or connection handle, two octets
///     3      length of what follows: one octet (01, 03), or two with the low one first (02; of 05 the lower 14 bits)
///     4 or 5 parameters or data
///
/// Core 5.4, Vol 4, Part A, 2 (packet types), and Part E, 5.4 (the packets).
struct H4Stream {
    /// The start of the next packet is lost. On a real line only a reset helps.
    struct OutOfStep: Error, Equatable, CustomStringConvertible {
        /// The octet that should have been a packet type.
        var octet: UInt8

        var description: String { "0x\([octet].hexadecimal) begins no packet of a host: octets were lost on the line" }
    }

    /// Octets not handed on yet: less than one packet, except between `append` and `next`.
    private var pending: [UInt8] = []

    mutating func append(_ octets: ArraySlice<UInt8>) { pending += octets }

    /// The next complete packet and its type, without the type octet; `nil` where octets are missing.
    mutating func next() throws(OutOfStep) -> (type: PacketType, packet: [UInt8])? {
        guard let first = pending.first else { return nil }
        guard let type = PacketType(rawValue: first) else { throw OutOfStep(octet: first) }
        guard let length = try length(of: type), pending.count > length else { return nil }
        let packet = Array(pending[1...length])
        pending.removeFirst(length + 1)
        return (type, packet)
    }

    /// The packet's length without its type octet; `nil` where its header is incomplete.
    private func length(of type: PacketType) throws(OutOfStep) -> Int? {
        switch type {
        case .command, .synchronousData:
            return pending.count > 3 ? 3 + Int(pending[3]) : nil
        case .aclData:
            return pending.count > 4 ? 4 + (Int(pending[3]) | Int(pending[4]) << 8) : nil
        case .isochronousData:
            return pending.count > 4 ? 4 + (Int(pending[3]) | Int(pending[4] & 0x3F) << 8) : nil
        case .event:
            throw OutOfStep(octet: type.rawValue)
        }
    }
}
