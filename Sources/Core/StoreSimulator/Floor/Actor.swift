/// An advertising device on the shop floor.
struct Actor: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        /// A visitor's phone acting as an iBeacon, carried close to a body; its address rotates.
        case phone
        /// A beacon that never moves.
        case shelf
        /// A beacon on a trolley that people push; its address stays.
        case cart
        /// A device that is no iBeacon: headphones, watches, tags, and the telemetry that a beacon sends beside its
        /// iBeacon frame.
        case other
    }

    var kind: Kind
    /// The identity; `nil` exactly for `Kind.other`.
    var identity: BeaconIdentity?
    /// RSSI at 1 m, dBm. An iBeacon also sends it.
    var measuredPower_dbm: Int8
    /// The advertising interval. Every event adds a random delay of 0 to 10 ms.
    var interval: TimeSpan
    var path: ActorPath
    /// The addresses without a gap, from the path's start to its end. Never empty.
    var addresses: [AddressSpan]
    /// The times in which the phone is in a pocket, in order.
    var pocketed: [Range<Instant>] = []
    /// True if advertising pauses at a rotation, because the host changes the address. A controller that changes it by
    /// itself does not pause.
    var restartsAtRotation = false
    /// The advertising data: AD structures, at most 31 octets.
    var data: [UInt8]
    /// The battery whose telemetry it sends in the place of `data`; `nil` for constant data.
    var battery: BeaconBattery?

    /// Makes a transmitter of the iBeacon `identity`.
    init(
        beacon identity: BeaconIdentity, kind: Kind, measuredPower_dbm: Int8 = -59, interval: TimeSpan, path: ActorPath,
        addresses: [AddressSpan]
    ) {
        self.kind = kind
        self.identity = identity
        self.measuredPower_dbm = measuredPower_dbm
        self.interval = interval
        self.path = path
        self.addresses = addresses
        self.data = AdvertisingPayload.iBeacon(identity, measuredPower_dbm: measuredPower_dbm)
    }

    /// Makes a device that sends `data`, which is no iBeacon.
    init(other data: [UInt8], power_dbm: Int8, interval: TimeSpan, path: ActorPath, addresses: [AddressSpan]) {
        self.kind = .other
        self.identity = nil
        self.measuredPower_dbm = power_dbm
        self.interval = interval
        self.path = path
        self.addresses = addresses
        self.data = data
    }

    /// Makes the telemetry of the beacon `beacon`: packets of their own, from the beacon's address and place.
    init(telemetryOf beacon: Actor, battery: BeaconBattery, interval: TimeSpan) {
        self.init(
            other: [], power_dbm: beacon.measuredPower_dbm, interval: interval, path: beacon.path,
            addresses: beacon.addresses)
        self.battery = battery
    }

    func data(at instant: Instant) -> [UInt8] {
        guard let battery else { return data }
        return AdvertisingPayload.telemetry(battery.values(at: instant), uptime: instant - path.start)
    }

    /// Returns the address in use at `instant`; after the end, the last one.
    func address(at instant: Instant) -> DeviceAddress? {
        (addresses.first { $0.until > instant } ?? addresses.last)?.address
    }
}

/// The advertising data of simulated devices.
enum AdvertisingPayload {
    /// Flags as phones set them (LE General Discoverable, both kinds of simultaneous LE and BR/EDR).
    private static let flags: [UInt8] = [0x02, 0x01, 0x1A]

    /// Returns flags and the iBeacon frame, 30 octets.
    static func iBeacon(_ identity: BeaconIdentity, measuredPower_dbm: Int8) -> [UInt8] {
        flags + IBeaconFrame(identity: identity, measuredPower_dbm: measuredPower_dbm).encodedStructure
    }

    /// Returns the data of a kind of device that fills a shop. Kinds are nearby messages of phones (Apple's company
    /// identifier without an iBeacon), service data of a fitness band, and a bare name.
    static func other(random: inout RandomStream) -> [UInt8] {
        let noise = (0..<6).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        switch random.below(3) {
        case 0: return flags + [0x0A, 0xFF, 0x4C, 0x00, 0x10, 0x05] + noise.prefix(5)
        case 1: return flags + [0x09, 0x16, 0x9F, 0xFE] + noise
        default: return [0x05, 0x09] + Array("Band".utf8)
        }
    }
}

/// A device address and the time for which a transmitter uses it.
struct AddressSpan: Hashable, Sendable {
    var address: DeviceAddress
    /// The first instant of use.
    var from: Instant
    /// The first instant after its use: the rotation, or the end of the visit.
    var until: Instant
}

extension AddressSpan {
    /// Returns one address for all of `path`, with the two top bits 11: static random, which never rotates.
    static func fixed(for path: ActorPath, random: inout RandomStream) -> [AddressSpan] {
        let address = DeviceAddress(bits: random.next() | 0xC000_0000_0000, type: .random)
        return [AddressSpan(address: address, from: path.start, until: path.end)]
    }

    /// Returns a new random private address for each of `rotations` (ascending) that falls inside `path`.
    ///
    /// The top bits are 01, as a phone's. The hash part is random: no resolving key resolves these addresses.
    static func rotating(for path: ActorPath, at rotations: [Instant], random: inout RandomStream) -> [AddressSpan] {
        var spans: [AddressSpan] = []
        var from = path.start
        for until in rotations.filter({ $0 > path.start && $0 < path.end }) + [path.end] {
            let bits = random.next() & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000
            spans.append(AddressSpan(address: DeviceAddress(bits: bits, type: .random), from: from, until: until))
            from = until
        }
        return spans
    }

    /// Returns addresses that rotate every 15 minutes ± half a minute, beginning anywhere in the first 15.
    static func rotatingEveryQuarterHour(for path: ActorPath, random: inout RandomStream) -> [AddressSpan] {
        var rotations: [Instant] = []
        var at = path.start + .seconds(random.uniform(0..<900))
        while at < path.end {
            rotations.append(at)
            at += .seconds(random.uniform(870..<930))
        }
        return rotating(for: path, at: rotations, random: &random)
    }
}
