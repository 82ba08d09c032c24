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
    /// Legacy PDUs, non-connectable and non-scannable, which every scanner understands.
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
        // Several statements: one sum is too complex for the type checker of Swift 6.2.
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

/// HCI_LE_Set_Extended_Advertising_Data.
///
/// Core 5.4, Vol 4, Part E, 7.8.54:
///
///     octet 0      Advertising_Handle, 0x00 to 0xEF
///     octet 1      Operation: 0x03 the data is complete
///     octet 2      Fragment_Preference: 0x00 the controller may fragment, 0x01 it should not
///     octet 3      Advertising_Data_Length, 0 to 251
///     octets 4...  Advertising_Data
package struct LESetExtendedAdvertisingData: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2037)
    /// The most octets of advertising data in one command.
    static let capacity = 251

    package enum Operation: UInt8, Sendable {
        case intermediateFragment = 0x00
        case firstFragment = 0x01
        case lastFragment = 0x02
        case complete = 0x03
        case unchangedData = 0x04
    }

    package let handle: UInt8
    let operation: Operation
    let prefersNoFragmentation: Bool
    /// At most 251 octets.
    package let data: [UInt8]

    /// Returns `nil` where `data` has more than 251 octets.
    package init?(handle: UInt8, operation: Operation = .complete, prefersNoFragmentation: Bool = true, data: [UInt8]) {
        guard data.count <= Self.capacity else { return nil }
        self.handle = handle
        self.operation = operation
        self.prefersNoFragmentation = prefersNoFragmentation
        self.data = data
    }

    package var encodedParameters: [UInt8] {
        [handle, operation.rawValue, prefersNoFragmentation.parameterOctet, UInt8(truncatingIfNeeded: data.count)]
            + data
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count >= 4, parameters[0] <= 0xEF,
            let operation = Operation(rawValue: parameters[1]),
            let prefersNoFragmentation = parameters.parameterFlag(at: 2),
            parameters.count == 4 + Int(parameters[3])
        else { return nil }
        self.init(
            handle: parameters[0], operation: operation, prefersNoFragmentation: prefersNoFragmentation,
            data: parameters.parameterOctets(from: 4))
    }
}

/// HCI_LE_Set_Extended_Advertising_Enable.
///
/// Core 5.4, Vol 4, Part E, 7.8.56:
///
///     octet 0      Enable: 0x00 off, 0x01 on
///     octet 1      Num_Sets, 0 to 63; 0 with off means every set
///     then, for each set:
///     octet 0      Advertising_Handle, 0x00 to 0xEF
///     octets 1, 2  Duration, units of 10 ms; 0x0000 until switched off
///     octet 3      Max_Extended_Advertising_Events; 0x00 no limit
package struct LESetExtendedAdvertisingEnable: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x2039)

    package struct AdvertisingSet: Hashable, Sendable {
        package var handle: UInt8
        /// Units of 10 ms; 0 advertises until it is switched off.
        var duration: UInt16
        /// The most advertising events; 0 is no limit.
        var maxEvents: UInt8

        package init(handle: UInt8, duration: UInt16 = 0, maxEvents: UInt8 = 0) {
            self.handle = handle
            self.duration = duration
            self.maxEvents = maxEvents
        }
    }

    package let isEnabled: Bool
    /// At most 63 sets. Switching on needs at least one.
    package let sets: [AdvertisingSet]

    /// Returns `nil` for more than 63 sets, and where `isEnabled` comes without a set.
    package init?(isEnabled: Bool, sets: [AdvertisingSet]) {
        guard sets.count <= 63, !isEnabled || !sets.isEmpty else { return nil }
        self.isEnabled = isEnabled
        self.sets = sets
    }

    package var encodedParameters: [UInt8] {
        [isEnabled.parameterOctet, UInt8(truncatingIfNeeded: sets.count)]
            + sets.flatMap { [$0.handle] + $0.duration.littleEndianOctets + [$0.maxEvents] }
    }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count >= 2, let isEnabled = parameters.parameterFlag(at: 0),
            parameters.count == 2 + 4 * Int(parameters[1])
        else { return nil }
        var sets: [AdvertisingSet] = []
        for start in stride(from: 2, to: parameters.count, by: 4) {
            guard parameters[start] <= 0xEF else { return nil }
            sets.append(
                AdvertisingSet(
                    handle: parameters[start], duration: parameters.parameter16(at: start + 1),
                    maxEvents: parameters[start + 3]))
        }
        self.init(isEnabled: isEnabled, sets: sets)
    }
}

/// HCI_LE_Remove_Advertising_Set. Refused (`commandDisallowed`) while the set advertises.
///
/// Core 5.4, Vol 4, Part E, 7.8.59:
///
///     octet 0  Advertising_Handle, 0x00 to 0xEF
package struct LERemoveAdvertisingSet: HCICommand, Hashable {
    package static let opcode = Opcode(rawValue: 0x203C)

    package var handle: UInt8

    package init(handle: UInt8) {
        self.handle = handle
    }

    package var encodedParameters: [UInt8] { [handle] }

    package init?(parameters: Span<UInt8>) {
        guard parameters.count == 1, parameters[0] <= 0xEF else { return nil }
        self.init(handle: parameters[0])
    }
}
