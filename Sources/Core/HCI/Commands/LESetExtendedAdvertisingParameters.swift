/// HCI_LE_Set_Extended_Advertising_Parameters [v1]. Refused (`commandDisallowed`) while the set advertises.
///
/// Core 5.4, Vol 4, Part E, 7.8.53:
///
///     octet 0       Advertising_Handle, 0x00 to 0xEF
///     octets 1, 2   Advertising_Event_Properties: bit 4 legacy PDUs, which with bits 3...0 clear are ADV_NONCONN_IND
///     octets 3...5  Primary_Advertising_Interval_Min, units of 0.625 ms, from 0x000020
///     octets 6...8  Primary_Advertising_Interval_Max, likewise
///     octet 9       Primary_Advertising_Channel_Map
///     octet 10      Own_Address_Type
///     octet 11      Peer_Address_Type: 0x00 public, 0x01 random
///     octets 12...17 Peer_Address, least significant first
///     octet 18      Advertising_Filter_Policy
///     octet 19      Advertising_TX_Power, signed dBm; 0x7F no preference
///     octet 20      Primary_Advertising_PHY: 0x01 LE 1M, 0x03 LE Coded
///     octet 21      Secondary_Advertising_Max_Skip
///     octet 22      Secondary_Advertising_PHY: 0x01 LE 1M, 0x02 LE 2M, 0x03 LE Coded
///     octet 23      Advertising_SID, 0x00 to 0x0F
///     octet 24      Scan_Request_Notification_Enable
package struct LESetExtendedAdvertisingParameters: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2036)
    /// Legacy PDUs, non-connectable and non-scannable: what every scanner understands.
    package static let legacyNonConnectable: UInt16 = 0b1_0000

    enum PHY: UInt8, Sendable {
        case le1M = 0x01
        case le2M = 0x02
        case leCoded = 0x03
    }

    package var handle: UInt8
    package var eventProperties: UInt16
    /// Units of 0.625 ms; 24 bits.
    package var intervalMin: UInt32
    /// Units of 0.625 ms; 24 bits.
    package var intervalMax: UInt32
    var channels: AdvertisingChannels = .all
    var ownAddressType: OwnAddressType = .public
    var peer = DeviceAddress(bits: 0, type: .public)
    var filterPolicy: AdvertisingFilterPolicy = .anyone
    /// dBm; 127 leaves it to the controller.
    var txPower_dbm: Int8 = 127
    var primaryPHY: PHY = .le1M
    var secondaryMaxSkip: UInt8 = 0
    var secondaryPHY: PHY = .le1M
    var sid: UInt8 = 0
    var notifiesScanRequests = false

    package init(handle: UInt8, eventProperties: UInt16, intervalMin: UInt32, intervalMax: UInt32) {
        self.handle = handle
        self.eventProperties = eventProperties
        self.intervalMin = intervalMin
        self.intervalMax = intervalMax
    }

    package var encodedParameters: [UInt8] {
        // One step after the other: as one sum it is too much for the type checker of Swift 6.2.
        var octets = [handle] + eventProperties.littleEndianOctets
        octets += Self.octets24(intervalMin)
        octets += Self.octets24(intervalMax)
        octets += [channels.rawValue, ownAddressType.rawValue, peer.type.rawValue]
        octets += peer.octets
        octets += [filterPolicy.rawValue, UInt8(bitPattern: txPower_dbm), primaryPHY.rawValue, secondaryMaxSkip]
        octets += [secondaryPHY.rawValue, sid, notifiesScanRequests.parameterOctet]
        return octets
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 25, parameters[0] <= 0xEF, parameters[23] <= 0x0F,
            let channels = AdvertisingChannels(parameter: parameters[9]),
            let ownAddressType = OwnAddressType(rawValue: parameters[10]),
            let peerIsRandom = parameters.parameterFlag(at: 11),
            let filterPolicy = AdvertisingFilterPolicy(rawValue: parameters[18]),
            let primaryPHY = PHY(rawValue: parameters[20]), primaryPHY != .le2M,
            let secondaryPHY = PHY(rawValue: parameters[22]),
            let notifiesScanRequests = parameters.parameterFlag(at: 24)
        else { return nil }
        self.init(
            handle: parameters[0], eventProperties: parameters.parameter16(at: 1),
            intervalMin: parameters.parameter24(at: 3), intervalMax: parameters.parameter24(at: 6))
        guard intervalMin >= 0x20, intervalMin <= intervalMax else { return nil }
        self.channels = channels
        self.ownAddressType = ownAddressType
        peer = DeviceAddress(bits: parameters.parameterAddressBits(at: 12), type: peerIsRandom ? .random : .public)
        self.filterPolicy = filterPolicy
        txPower_dbm = Int8(bitPattern: parameters[19])
        self.primaryPHY = primaryPHY
        secondaryMaxSkip = parameters[21]
        self.secondaryPHY = secondaryPHY
        sid = parameters[23]
        self.notifiesScanRequests = notifiesScanRequests
    }

    private static func octets24(_ value: UInt32) -> [UInt8] {
        [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
