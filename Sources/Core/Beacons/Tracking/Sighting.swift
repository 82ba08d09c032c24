/// One iBeacon frame in one advertising report: what the tracker is fed.
struct Sighting: Hashable, Sendable {
    var identity: BeaconIdentity
    package var address: DeviceAddress
    /// RSSI at one metre as the transmitter states it, dBm.
    var measuredPower_dbm: Int8
    /// As received, with the gateway's offset added; `nil` where the controller had none to give. It then proves
    /// presence and feeds no filter.
    var rssi_dbm: Double?
    /// What the advertisement looks like apart from the frame.
    var traits: AdvertisingTraits
    /// Which of the gateway's adapters heard it, from 0 on.
    package var adapter: Int

    init(
        identity: BeaconIdentity, address: DeviceAddress, measuredPower_dbm: Int8, rssi_dbm: Double?,
        traits: AdvertisingTraits = .none, adapter: Int = 0
    ) {
        self.identity = identity
        self.address = address
        self.measuredPower_dbm = measuredPower_dbm
        self.rssi_dbm = rssi_dbm
        self.traits = traits
        self.adapter = adapter
    }
}
