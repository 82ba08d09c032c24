@testable import Core

/// Something in the shop that advertises.
struct Device {
    enum Kind {
        /// A beacon with one address for ever.
        case fixed
        /// A phone that acts as a beacon: it changes its address every so often.
        case rotating(every: TimeSpan)
        /// No iBeacon; it shows that the radio hears.
        case bystander
        /// Every advertisement comes from another address with another identity: a flood.
        case flood
    }

    var kind: Kind
    var identity: BeaconIdentity
    /// The average time between two advertisements.
    var interval: TimeSpan
    var rssi_dbm: Int8
    /// The times at which it is there, in order; the last visit may have no end.
    var visits: [Range<Instant>]
    /// The share of advertisements that are not heard.
    var loss: Double
    var address: DeviceAddress
    var rotatesAt = Instant.distantFuture

    func isThere(at instant: Instant) -> Bool { visits.contains { $0.contains(instant) } }

    /// The time of its next advertisement, if there is one.
    func nextTime(after instant: Instant, _ chance: inout Chance) -> Instant? {
        let next = instant + interval + chance.span(0, 0.01)
        return isThere(at: next) ? next : visits.first { $0.lowerBound > instant }?.lowerBound
    }

    /// A controller's report of an iBeacon.
    static func packet(of identity: BeaconIdentity, from address: DeviceAddress, rssi_dbm: Int8) -> [UInt8] {
        let frame = IBeaconFrame(identity: identity, measuredPower_dbm: -59)
        return packet(frame.encodedStructure, from: address, rssi_dbm: rssi_dbm)
    }

    /// A controller's report of an advertisement with some structure.
    static func packet(_ structure: [UInt8], from address: DeviceAddress, rssi_dbm: Int8) -> [UInt8] {
        let report = AdvertisingReport(isExtended: false, eventType: 3, address: address, rssi_dbm: rssi_dbm)
        return [0x04] + AdvertisingReportEncoder.event([(report, [2, 1, 6] + structure)])
    }

    /// A resolvable private address.
    static func privateAddress(_ chance: inout Chance) -> DeviceAddress {
        DeviceAddress(bits: chance.next() & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000, type: .random)
    }

    /// A static random address.
    static func staticAddress(_ chance: inout Chance) -> DeviceAddress {
        DeviceAddress(bits: chance.next() & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000, type: .random)
    }
}
