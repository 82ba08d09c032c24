extension UInt16 {
    /// Two octets, least significant first.
    var littleEndianOctets: [UInt8] {
        [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)]
    }
}

extension DeviceAddress {
    /// Six octets, least significant first, as every command and event carries an address.
    public var octets: [UInt8] {
        stride(from: UInt64(0), through: 40, by: 8).map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}

/// The parameters of a command, whose number of octets the caller has checked before it reads them.
extension Span where Element == UInt8 {
    func parameter16(at index: Int) -> UInt16 {
        UInt16(self[index]) | UInt16(self[index + 1]) << 8
    }

    func parameter24(at index: Int) -> UInt32 {
        UInt32(parameter16(at: index)) | UInt32(self[index + 2]) << 16
    }

    func parameterAddressBits(at index: Int) -> UInt64 {
        UInt64(parameter24(at: index)) | UInt64(parameter24(at: index + 3)) << 24
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
