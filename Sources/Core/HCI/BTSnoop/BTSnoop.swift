/// The btsnoop capture format, as `btmon -w` and Android write it.
///
/// A file header of 16 octets, then records, all numbers big-endian:
///
///     octets 0…7     "btsnoop" and a NUL
///     octets 8…11    version, 1
///     octets 12…15   datalink
///
///     octets 0…3     original length of the packet
///     octets 4…7     included length n
///     octets 8…11    flags (see `BTSnoop.Datalink`)
///     octets 12…15   packets dropped before this one
///     octets 16…23   microseconds since 0000-01-01T00:00:00, signed
///     octets 24…     n octets of the packet
///
/// Source: the snoop format of RFC 1761 and BlueZ, `doc/btsnoop-protocol`.
enum BTSnoop {
    /// The length of the file header, octets.
    static let headerLength = 16
    /// The length of a record's header, octets. The packet follows it.
    static let recordHeaderLength = 24
    /// The longest packet accepted. An HCI packet has at most 65,535 octets and a header; a longer record is damaged.
    static let maxPacketLength = 1 << 17

    static let magic: [UInt8] = Array("btsnoop".utf8) + [0]
    package static let version: UInt32 = 1
    /// Microseconds from year 0 to the Unix epoch.
    static let unixEpoch_us: Int64 = 0x00DC_DDB3_0F2F_8000

    /// The format of the records' packets.
    enum Datalink: UInt32, Sendable, CaseIterable {
        /// Un-encapsulated HCI: flags bit 0 received, bit 1 command or event.
        case unencapsulated = 1001
        /// HCI UART (H4): the first octet of the packet is its type.
        case uart = 1002
        /// Linux monitor: flags bits 31…16 adapter index, bits 15…0 opcode.
        case monitor = 2001
    }
}

/// A defect of a capture, and its place.
package enum BTSnoopError: Error, Hashable, Sendable, CustomStringConvertible {
    case notBTSnoop
    case unsupportedVersion(UInt32)
    case unsupportedDatalink(UInt32)
    /// The capture ends inside its header or a record, which begins at `offset`, in octets.
    case truncated(offset: UInt64, missing: UInt64)
    /// A record has an impossible length.
    case impossibleLength(offset: UInt64, original: UInt32, included: UInt32)

    package var description: String {
        switch self {
        case .notBTSnoop:
            "not a btsnoop capture: the first 8 octets must be \"btsnoop\" and a NUL; write one with btmon -w"
        case .unsupportedVersion(let version):
            "btsnoop version \(version) at offset 8: only version 1 is known"
        case .unsupportedDatalink(let datalink):
            "btsnoop datalink \(datalink) at offset 12: must be 1001 (HCI), 1002 (HCI UART) or 2001 (monitor)"
        case .truncated(let offset, let missing):
            "the capture ends inside the record at offset \(offset): \(missing) octets are missing"
        case .impossibleLength(let offset, let original, let included):
            "the record at offset \(offset) is damaged: \(included) octets included of \(original), "
                + "at most \(BTSnoop.maxPacketLength) are possible"
        }
    }
}

/// Writes captures that `BTSnoopReader`, `btmon -r` and Wireshark read: datalink 1002, HCI UART.
package enum BTSnoopWriter {
    /// The 16 octets of the file header.
    package static var header: [UInt8] {
        BTSnoop.magic + bigEndian(BTSnoop.version) + bigEndian(BTSnoop.Datalink.uart.rawValue)
    }

    /// Returns a record of an HCI event packet, from its event code on, received at `time`.
    package static func record(event: [UInt8], at time: WallTime) -> [UInt8] {
        let receivedEvent: UInt32 = 0b11
        let length = bigEndian(UInt32(truncatingIfNeeded: event.count + 1))
        let time_us = UInt64(bitPattern: time.microseconds.addingSaturating(BTSnoop.unixEpoch_us))
        let drops: UInt32 = 0
        let words = [
            receivedEvent, drops, UInt32(truncatingIfNeeded: time_us >> 32), UInt32(truncatingIfNeeded: time_us),
        ]
        return length + length + words.flatMap(bigEndian) + [0x04] + event
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }
}
