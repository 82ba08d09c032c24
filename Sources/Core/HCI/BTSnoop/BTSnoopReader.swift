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

    private func missing(_ needed: Int, _ there: Int) -> UInt64 {
        UInt64(max(0, needed - there))
    }

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
