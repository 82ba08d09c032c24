/// Something on the shop floor that advertises.
package struct Actor: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// A visitor's phone acting as an iBeacon, carried close to a body; its address rotates.
        case phone
        /// A beacon that never moves.
        case shelf
        /// A beacon on a trolley that is pushed about; its address stays.
        case cart
        /// Something that is no iBeacon: headphones, watches, tags.
        case other
    }

    var kind: Kind
    /// `nil` exactly for `Kind.other`.
    var identity: BeaconIdentity?
    /// RSSI at 1 m, dBm. An iBeacon also sends it.
    var measuredPower_dbm: Int8
    /// The advertising interval, to which every event adds a random delay of 0 to 10 ms.
    package var interval: TimeSpan
    var path: ActorPath
    /// One after the other without a gap, from the path's start to its end. Never empty.
    var addresses: [AddressSpan]
    /// When the phone is in a pocket, in the order of time.
    var pocketed: [Range<Instant>] = []
    /// Whether advertising stops for a moment at a rotation and begins anew, because the host changes the address. With
    /// a controller that does it by itself, the events just go on.
    var restartsAtRotation = false
    /// The advertising data: AD structures, at most 31 octets.
    package var data: [UInt8]

    /// A transmitter of the iBeacon `identity`.
    package init(
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

    /// Something that sends `data`, which is no iBeacon.
    package init(other data: [UInt8], power_dbm: Int8, interval: TimeSpan, path: ActorPath, addresses: [AddressSpan]) {
        self.kind = .other
        self.identity = nil
        self.measuredPower_dbm = power_dbm
        self.interval = interval
        self.path = path
        self.addresses = addresses
        self.data = data
    }

    /// The address in use at `instant`; the last one afterwards.
    package func address(at instant: Instant) -> DeviceAddress? {
        (addresses.first { $0.until > instant } ?? addresses.last)?.address
    }
}
