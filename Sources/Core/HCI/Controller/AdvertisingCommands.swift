/// The primary advertising channels in use.
///
///     bit 0  channel 37
///     bit 1  channel 38
///     bit 2  channel 39
package struct AdvertisingChannels: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let all = AdvertisingChannels(rawValue: 0b111)

    /// Returns `nil` for no channel and for reserved bits.
    init?(parameter: UInt8) {
        guard parameter != 0, parameter & ~Self.all.rawValue == 0 else { return nil }
        self.init(rawValue: parameter)
    }
}

/// Advertising_Filter_Policy: the devices whose scan and connection requests are accepted.
package enum AdvertisingFilterPolicy: UInt8, Sendable {
    case anyone = 0x00
    case scanFromAcceptList = 0x01
    case connectFromAcceptList = 0x02
    case bothFromAcceptList = 0x03
}

/// HCI_LE_Set_Advertising_Parameters. Refused (`commandDisallowed`) while advertising is on.
///
/// Core 5.4, Vol 4, Part E, 7.8.5:
///
///     octets 0, 1   Advertising_Interval_Min, units of 0.625 ms, 0x0020 to 0x4000
///     octets 2, 3   Advertising_Interval_Max, likewise
///     octet 4       Advertising_Type
///     octet 5       Own_Address_Type
///     octet 6       Peer_Address_Type: 0x00 public, 0x01 random
///     octets 7...12 Peer_Address, least significant first
///     octet 13      Advertising_Channel_Map
///     octet 14      Advertising_Filter_Policy
package struct LESetAdvertisingParameters: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2006)
    /// 20 ms to 10.24 s.
    package static let intervalRange: ClosedRange<UInt16> = 0x0020...0x4000

    package enum AdvertisingType: UInt8, Sendable {
        case connectableScannable = 0x00
        case connectableDirectedHighDuty = 0x01
        case scannable = 0x02
        /// ADV_NONCONN_IND, as a beacon advertises.
        case nonConnectable = 0x03
        case connectableDirectedLowDuty = 0x04
    }

    /// Units of 0.625 ms.
    package var intervalMin: UInt16
    /// Units of 0.625 ms.
    package var intervalMax: UInt16
    package var type: AdvertisingType
    var ownAddressType: OwnAddressType
    /// The target of directed advertising, or the peer whose key makes the own resolvable address. Otherwise ignored.
    var peer: DeviceAddress
    var channels: AdvertisingChannels
    var filterPolicy: AdvertisingFilterPolicy

    package init(
        intervalMin: UInt16, intervalMax: UInt16, type: AdvertisingType, ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = DeviceAddress(bits: 0, type: .public), channels: AdvertisingChannels = .all,
        filterPolicy: AdvertisingFilterPolicy = .anyone
    ) {
        self.intervalMin = intervalMin
        self.intervalMax = intervalMax
        self.type = type
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.channels = channels
        self.filterPolicy = filterPolicy
    }

    package var encodedParameters: [UInt8] {
        intervalMin.littleEndianOctets + intervalMax.littleEndianOctets
            + [type.rawValue, ownAddressType.rawValue, peer.type.rawValue] + peer.octets
            + [channels.rawValue, filterPolicy.rawValue]
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 15,
            let type = AdvertisingType(rawValue: parameters[4]),
            let ownAddressType = OwnAddressType(rawValue: parameters[5]),
            let peerIsRandom = parameters.parameterFlag(at: 6),
            let channels = AdvertisingChannels(parameter: parameters[13]),
            let filterPolicy = AdvertisingFilterPolicy(rawValue: parameters[14])
        else { return nil }
        let (shortest, longest) = (parameters.parameter16(at: 0), parameters.parameter16(at: 2))
        guard Self.intervalRange.contains(shortest), Self.intervalRange.contains(longest), shortest <= longest else {
            return nil
        }
        self.init(
            intervalMin: shortest, intervalMax: longest, type: type, ownAddressType: ownAddressType,
            peer: DeviceAddress(bits: parameters.parameterAddressBits(at: 7), type: peerIsRandom ? .random : .public),
            channels: channels, filterPolicy: filterPolicy)
    }
}

/// HCI_LE_Set_Advertising_Data.
///
/// Core 5.4, Vol 4, Part E, 7.8.7:
///
///     octet 0       Advertising_Data_Length, 0 to 31
///     octets 1...31 Advertising_Data, filled up with zeros
package struct LESetAdvertisingData: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2008)
    /// The most octets of advertising data.
    static let capacity = 31

    /// At most 31 octets.
    package let data: [UInt8]

    /// Returns `nil` where `data` has more than 31 octets.
    package init?(data: [UInt8]) {
        guard data.count <= Self.capacity else { return nil }
        self.data = data
    }

    package var encodedParameters: [UInt8] {
        [UInt8(truncatingIfNeeded: data.count)] + data + Array(repeating: 0, count: max(0, Self.capacity - data.count))
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 1 + Self.capacity else { return nil }
        let length = Int(parameters[0])
        guard length <= Self.capacity else { return nil }
        self.init(data: Array(parameters.parameterOctets(from: 1).prefix(length)))
    }
}

/// HCI_LE_Set_Advertising_Enable.
///
/// Core 5.4, Vol 4, Part E, 7.8.9:
///
///     octet 0  Advertising_Enable: 0x00 off, 0x01 on
package struct LESetAdvertisingEnable: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x200A)

    package var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    package var encodedParameters: [UInt8] { [isEnabled.parameterOctet] }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 1, let isEnabled = parameters.parameterFlag(at: 0) else { return nil }
        self.init(isEnabled: isEnabled)
    }
}
