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
    static let version: UInt32 = 1
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

/// Reads a capture piece by piece. The caller passes octets, and the reader returns records.
package struct BTSnoopReader: Sendable {
    /// A record. Its packet is a range of the span passed to `next`.
    package struct Record: Hashable, Sendable {
        /// The time of capture, by the capturing machine's clock.
        package var time: WallTime
        /// The range of the HCI event packet, from its event code on; `nil` where the record holds another packet.
        package var event: Range<Int>?
    }

    private enum State {
        case header
        case records(BTSnoop.Datalink)
        /// Damage ends a capture, because the start of the next record is unknown.
        case damaged(BTSnoopError)
    }

    private var state = State.header
    /// The number of octets consumed so far, for error messages.
    private(set) var offset: UInt64 = 0

    package init() {}

    /// Reads the record at `position`, and moves `position` behind it.
    ///
    /// - Returns: `nil` where more octets are needed. The caller then calls again with more octets, or calls `finish`.
    /// - Throws: `BTSnoopError`. Every later call throws the error again.
    package mutating func next(_ bytes: Span<UInt8>, from position: inout Int) throws(BTSnoopError) -> Record? {
        switch state {
        case .damaged(let error):
            throw error
        case .header:
            try checkMagic(bytes, at: position)
            guard bytes.count - position >= BTSnoop.headerLength else { return nil }
            state = .records(try readHeader(bytes, at: position))
            advance(&position, by: BTSnoop.headerLength)
            return try next(bytes, from: &position)
        case .records(let datalink):
            return try readRecord(bytes, from: &position, datalink)
        }
    }

    /// Ends the capture. `remaining` octets are left that form no whole record.
    package mutating func finish(remaining: Int) throws(BTSnoopError) {
        switch state {
        case .damaged(let error):
            throw error
        case .header:
            throw damage(remaining == 0 ? .notBTSnoop : .truncated(offset: offset, missing: missing(16, remaining)))
        case .records:
            if remaining > 0 { throw damage(.truncated(offset: offset, missing: missing(neededLength, remaining))) }
        }
    }

    private var neededLength = BTSnoop.recordHeaderLength

    private func missing(_ needed: Int, _ there: Int) -> UInt64 { UInt64(max(0, needed - there)) }

    private mutating func damage(_ error: BTSnoopError) -> BTSnoopError {
        state = .damaged(error)
        return error
    }

    private mutating func advance(_ position: inout Int, by length: Int) {
        position += length
        offset += UInt64(length)
    }

    /// Compares only the octets that are there, so that a short text is not taken for the beginning of a capture.
    private mutating func checkMagic(_ bytes: Span<UInt8>, at position: Int) throws(BTSnoopError) {
        for (index, octet) in BTSnoop.magic.prefix(max(0, bytes.count - position)).enumerated()
        where bytes[position + index] != octet {
            throw damage(.notBTSnoop)
        }
    }

    private mutating func readHeader(
        _ bytes: Span<UInt8>, at position: Int
    ) throws(BTSnoopError) -> BTSnoop.Datalink {
        let version = bigEndian32(bytes, at: position + 8)
        guard version == BTSnoop.version else { throw damage(.unsupportedVersion(version)) }
        let number = bigEndian32(bytes, at: position + 12)
        guard let datalink = BTSnoop.Datalink(rawValue: number) else { throw damage(.unsupportedDatalink(number)) }
        return datalink
    }

    private mutating func readRecord(
        _ bytes: Span<UInt8>, from position: inout Int, _ datalink: BTSnoop.Datalink
    ) throws(BTSnoopError) -> Record? {
        neededLength = BTSnoop.recordHeaderLength
        guard bytes.count - position >= BTSnoop.recordHeaderLength else { return nil }
        let original = bigEndian32(bytes, at: position)
        let included = bigEndian32(bytes, at: position + 4)
        guard included <= original, included <= BTSnoop.maxPacketLength else {
            throw damage(.impossibleLength(offset: offset, original: original, included: included))
        }
        neededLength = BTSnoop.recordHeaderLength + Int(included)
        guard bytes.count - position >= neededLength else { return nil }
        let flags = bigEndian32(bytes, at: position + 8)
        let time_us = Int64(bitPattern: bigEndian64(bytes, at: position + 16))
        let start = position + BTSnoop.recordHeaderLength
        let record = Record(
            time: WallTime(microseconds: time_us.subtractingSaturating(BTSnoop.unixEpoch_us)),
            event: eventRange(bytes, start..<position + neededLength, flags, datalink))
        advance(&position, by: neededLength)
        return record
    }

    private func eventRange(
        _ bytes: Span<UInt8>, _ packet: Range<Int>, _ flags: UInt32, _ datalink: BTSnoop.Datalink
    ) -> Range<Int>? {
        let h4Event: UInt8 = 0x04
        let monitorEvent: UInt32 = 3
        switch datalink {
        case .uart:
            guard let first = packet.first, bytes[first] == h4Event else { return nil }
            return first + 1..<packet.upperBound
        case .unencapsulated:
            return flags & 0b11 == 0b11 ? packet : nil
        case .monitor:
            return flags & 0xFFFF == monitorEvent ? packet : nil
        }
    }
}
