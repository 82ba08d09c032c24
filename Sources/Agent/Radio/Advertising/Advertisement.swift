import Core

/// An iBeacon on the air: non-connectable and non-scannable, in legacy PDUs that every scanner hears, from the adapter's
/// public address.
package struct Advertisement: Hashable, Sendable {
    /// Away from the kernel's own sets, which count up from 0.
    static let handle: UInt8 = 0xEF
    /// The AD structure Flags: LE General Discoverable Mode, BR/EDR Not Supported.
    private static let flags: [UInt8] = [0x02, 0x01, 0x06]

    /// AD structures, 30 octets.
    let data: [UInt8]
    /// Units of 0.625 ms.
    private let interval: UInt16

    /// - Parameter interval_ms: from one advertising event to the next, clamped to 20 ms to 10.24 s; Apple asks for 100.
    package init(_ frame: IBeaconFrame, interval_ms: Double = 100) {
        data = Self.flags + frame.encodedStructure
        let range = LESetAdvertisingParameters.intervalRange
        let units = (interval_ms / 0.625).rounded()
        interval = units > Double(range.lowerBound) ? UInt16(min(units, Double(range.upperBound))) : range.lowerBound
    }

    /// The command packet of a step; `nil` where the data does not fit the command.
    package func packet(for step: AdvertisingStep) -> [UInt8]? {
        switch step {
        case .readFeatures:
            LEReadLocalSupportedFeatures().packet
        case .setParameters(.legacy):
            LESetAdvertisingParameters(intervalMin: interval, intervalMax: interval, type: .nonConnectable).packet
        case .setParameters(.extended):
            LESetExtendedAdvertisingParameters(
                handle: Self.handle, eventProperties: LESetExtendedAdvertisingParameters.legacyNonConnectable,
                intervalMin: UInt32(interval), intervalMax: UInt32(interval)
            ).packet
        case .setData(.legacy):
            LESetAdvertisingData(data: data)?.packet
        case .setData(.extended):
            LESetExtendedAdvertisingData(handle: Self.handle, data: data)?.packet
        case .enable(.legacy):
            LESetAdvertisingEnable(isEnabled: true).packet
        case .enable(.extended):
            LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: Self.handle)])?.packet
        case .disable(.legacy):
            LESetAdvertisingEnable(isEnabled: false).packet
        case .disable(.extended):
            LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(handle: Self.handle)])?.packet
        case .removeSet:
            LERemoveAdvertisingSet(handle: Self.handle).packet
        }
    }
}
