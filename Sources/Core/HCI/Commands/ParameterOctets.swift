extension FixedWidthInteger {
    /// As many octets as it has, least significant first.
    var littleEndianOctets: [UInt8] {
        stride(from: 0, to: Self.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}

extension DeviceAddress {
    /// Six octets, least significant first, as every command and event carries an address.
    var octets: [UInt8] { Array(bits.littleEndianOctets.prefix(6)) }
}

/// The parameters of a command, whose number of octets the caller has checked before it reads them.
extension Span where Element == UInt8 {
    func parameter16(at index: Int) -> UInt16 { UInt16(truncatingIfNeeded: parameterBits(at: index, octets: 2)) }

    func parameter24(at index: Int) -> UInt32 { UInt32(truncatingIfNeeded: parameterBits(at: index, octets: 3)) }

    func parameterAddressBits(at index: Int) -> UInt64 { parameterBits(at: index, octets: 6) }

    /// A number of up to eight octets, least significant first.
    func parameterBits(at index: Int, octets: Int) -> UInt64 {
        (index..<index + octets).reversed().reduce(0) { $0 << 8 | UInt64(self[$1]) }
    }

    /// A Boolean octet; `nil` for anything but 0x00 and 0x01.
    func parameterFlag(at index: Int) -> Bool? {
        switch self[index] {
        case 0x00: false
        case 0x01: true
        default: nil
        }
    }

    func parameterOctets(from index: Int) -> [UInt8] {
        guard index < count else { return [] }
        return (index..<count).map { self[$0] }
    }
}

extension Bool {
    var parameterOctet: UInt8 { self ? 0x01 : 0x00 }
}
