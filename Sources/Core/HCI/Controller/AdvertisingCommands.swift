extension Opcode {
    /// Returns the opcode of the command for an advertisement's parameters.
    package static func advertisingParameters(_ family: CommandFamily) -> Opcode {
        Opcode(rawValue: family == .legacy ? 0x2006 : 0x2036)
    }

    /// Returns the opcode of the command for an advertisement's data.
    package static func advertisingData(_ family: CommandFamily) -> Opcode {
        Opcode(rawValue: family == .legacy ? 0x2008 : 0x2037)
    }

    /// Returns the opcode of the command that switches advertising.
    package static func advertisingEnable(_ family: CommandFamily) -> Opcode {
        Opcode(rawValue: family == .legacy ? 0x200A : 0x2039)
    }

    package static let removeAdvertisingSet = Opcode(rawValue: 0x203C)
}

/// The commands of an advertisement. The legacy ones know one advertisement, the extended ones a set with a handle, 0x00 to 0xEF.
extension HCICommand {
    /// The time between two advertising events, units of 0.625 ms: 20 ms to 10.24 s.
    package static let advertisingIntervals: ClosedRange<UInt16> = 0x0020...0x4000

    /// The peer's address, which only directed advertising needs.
    private static let noPeer = [UInt8](repeating: 0, count: 6)

    /// HCI_LE_Set_Advertising_Parameters, or HCI_LE_Set_Extended_Advertising_Parameters [v1]. Refused (`commandDisallowed`)
    /// while advertising is on.
    ///
    /// Core 5.4, Vol 4, Part E, 7.8.5:
    ///
    ///     octets 0, 1   Advertising_Interval_Min, units of 0.625 ms, 0x0020 to 0x4000
    ///     octets 2, 3   Advertising_Interval_Max, likewise
    ///     octet 4       Advertising_Type: 0x03 ADV_NONCONN_IND, as a beacon advertises
    ///     octet 5       Own_Address_Type: 0x00 public
    ///     octet 6       Peer_Address_Type, without meaning here
    ///     octets 7...12 Peer_Address, likewise
    ///     octet 13      Advertising_Channel_Map: bits 0 to 2 for channels 37 to 39
    ///     octet 14      Advertising_Filter_Policy: 0x00 anyone
    ///
    /// 7.8.53:
    ///
    ///     octet 0       Advertising_Handle
    ///     octets 1, 2   Advertising_Event_Properties: bit 4 legacy PDUs, which with bits 3...0 clear are ADV_NONCONN_IND
    ///     octets 3...5  Primary_Advertising_Interval_Min, units of 0.625 ms, from 0x000020
    ///     octets 6...8  Primary_Advertising_Interval_Max, likewise
    ///     octet 9       Primary_Advertising_Channel_Map: bits 0 to 2 for channels 37 to 39
    ///     octet 10      Own_Address_Type: 0x00 public
    ///     octet 11      Peer_Address_Type, without meaning here
    ///     octets 12...17 Peer_Address, likewise
    ///     octet 18      Advertising_Filter_Policy: 0x00 anyone
    ///     octet 19      Advertising_TX_Power, signed dBm; 0x7F no preference
    ///     octet 20      Primary_Advertising_PHY: 0x01 LE 1M
    ///     octet 21      Secondary_Advertising_Max_Skip
    ///     octet 22      Secondary_Advertising_PHY: 0x01 LE 1M
    ///     octet 23      Advertising_SID, 0x00 to 0x0F
    ///     octet 24      Scan_Request_Notification_Enable
    ///
    /// - Parameter interval: one of `advertisingIntervals`.
    package static func advertisingParameters(
        _ family: CommandFamily, handle: UInt8, interval: UInt16
    ) -> HCICommand {
        // Several statements: one sum is too complex for the type checker of Swift 6.2.
        let interval = interval.littleEndianOctets
        var octets: [UInt8]
        switch family {
        case .legacy: octets = interval + interval + [0x03, 0x00, 0x00] + noPeer + [0b111, 0x00]
        case .extended:
            octets = [handle, 0b1_0000, 0x00]
            for _ in 0..<2 { octets += interval + [0x00] }
            octets += [0b111, 0x00, 0x00]
            octets += noPeer
            octets += [0x00, 0x7F, 0x01, 0x00, 0x01, 0x00, 0x00]
        }
        return HCICommand(.advertisingParameters(family), octets)
    }

    /// HCI_LE_Set_Advertising_Data, or HCI_LE_Set_Extended_Advertising_Data.
    ///
    /// Core 5.4, Vol 4, Part E, 7.8.7:
    ///
    ///     octet 0       Advertising_Data_Length, 0 to 31
    ///     octets 1...31 Advertising_Data, filled up with zeros
    ///
    /// 7.8.54:
    ///
    ///     octet 0      Advertising_Handle
    ///     octet 1      Operation: 0x03 the data is complete
    ///     octet 2      Fragment_Preference: 0x00 the controller may fragment, 0x01 it should not
    ///     octet 3      Advertising_Data_Length, 0 to 251
    ///     octets 4...  Advertising_Data
    ///
    /// - Returns: `nil` where the data is too long.
    package static func advertisingData(_ family: CommandFamily, handle: UInt8, _ data: [UInt8]) -> HCICommand? {
        let capacity = family == .legacy ? 31 : 251
        guard data.count <= capacity else { return nil }
        let counted = [UInt8(truncatingIfNeeded: data.count)] + data
        return HCICommand(
            .advertisingData(family),
            family == .legacy
                ? counted + Array(repeating: 0, count: capacity - data.count) : [handle, 0x03, 0x01] + counted)
    }

    /// HCI_LE_Set_Advertising_Enable, or HCI_LE_Set_Extended_Advertising_Enable of one set.
    ///
    /// Core 5.4, Vol 4, Part E, 7.8.9:
    ///
    ///     octet 0  Advertising_Enable: 0x00 off, 0x01 on
    ///
    /// 7.8.56: `AdvertisingSets`.
    package static func advertisingEnable(_ family: CommandFamily, handle: UInt8, _ isEnabled: Bool) -> HCICommand {
        let octet = isEnabled.parameterOctet
        return HCICommand(
            .advertisingEnable(family), family == .legacy ? [octet] : [octet, 1, handle, 0x00, 0x00, 0x00])
    }

    /// HCI_LE_Remove_Advertising_Set. Refused (`commandDisallowed`) while the set advertises.
    ///
    /// Core 5.4, Vol 4, Part E, 7.8.59:
    ///
    ///     octet 0  Advertising_Handle
    package static func removeAdvertisingSet(handle: UInt8) -> HCICommand {
        HCICommand(.removeAdvertisingSet, [handle])
    }
}

/// The sets of another process's HCI_LE_Set_Extended_Advertising_Enable.
///
/// Core 5.4, Vol 4, Part E, 7.8.56:
///
///     octet 0      Enable: 0x00 off, 0x01 on
///     octet 1      Num_Sets, 0 to 63; 0 with off means every set
///     then, for each set:
///     octet 0      Advertising_Handle, 0x00 to 0xEF
///     octets 1, 2  Duration, units of 10 ms; 0x0000 until switched off
///     octet 3      Max_Extended_Advertising_Events; 0x00 no limit
package struct AdvertisingSets: Hashable, Sendable {
    let isEnabled: Bool
    /// The handles of at most 63 sets. None with off means every set.
    package let handles: [UInt8]

    /// Returns `nil` where the length is wrong or a value is reserved.
    package init?(parameters: Span<UInt8>) {
        guard parameters.count >= 2, let isEnabled = parameters.parameterFlag(at: 0), parameters[1] <= 63,
            parameters.count == 2 + 4 * Int(parameters[1]), !isEnabled || parameters[1] > 0
        else { return nil }
        self.isEnabled = isEnabled
        handles = stride(from: 2, to: parameters.count, by: 4).map { parameters[$0] }
        guard handles.allSatisfy({ $0 <= 0xEF }) else { return nil }
    }
}
