import HCI

/// How near a transmitter is now.
public struct BeaconObservation: Hashable, Sendable {
    /// Metres; −1 exactly when `proximity` is `unknown`.
    public var accuracy_m: Double
    /// One standard deviation of that in metres: the true distance is within it, either way, two times out of three. −1
    /// exactly when `proximity` is `unknown`.
    public var accuracyError_m: Double
    /// The zone that the distance is in, with hysteresis; `unknown` once it is silent.
    public var proximity: Proximity
    /// The level that the thresholds of regions look at, so that they can be set by what is published; the distance has a
    /// slower filter. `nil` where no report carried a strength.
    public var rssi_dbm: Double?

    /// Core Location's word for an unknown distance.
    public static let undetermined_m = -1.0

    public init(accuracy_m: Double, accuracyError_m: Double, proximity: Proximity, rssi_dbm: Double?) {
        self.accuracy_m = accuracy_m
        self.accuracyError_m = accuracyError_m
        self.proximity = proximity
        self.rssi_dbm = rssi_dbm
    }

    /// Nothing is known of how far it is.
    public static func undetermined(rssi_dbm: Double?) -> BeaconObservation {
        BeaconObservation(
            accuracy_m: undetermined_m, accuracyError_m: undetermined_m, proximity: .unknown, rssi_dbm: rssi_dbm)
    }
}

/// The rules of distance and proximity, for one transmitter.
extension BeaconTracker {
    /// Distance and proximity by what the transmitter's filter says now. The proximity is remembered, because to leave
    /// a zone it takes more than to enter it.
    public mutating func observe(_ slot: TransmitterSlot) -> BeaconObservation {
        let rssi_dbm = smoothing.region.level(table.transmitters[slot].signal.region)?.rssi_dbm
        let level = smoothing.distance.level(table.transmitters[slot].signal.distance)
        guard table.transmitters[slot].presence == .heard, let level else {
            return .undetermined(rssi_dbm: rssi_dbm)
        }
        let distance_m = estimator.distance_m(
            rssi_dbm: level.rssi_dbm, measuredPower_dbm: table.transmitters[slot].measuredPower_dbm)
        let zone = classifier.classify(distance_m: distance_m, previous: table.transmitters[slot].zone)
        table.transmitters[slot].zone = zone
        let variance = smoothing.distanceVariance(of: table.transmitters[slot].signal)
        return BeaconObservation(
            accuracy_m: distance_m, accuracyError_m: estimator.error_m(of: distance_m, levelVariance: variance),
            proximity: zone, rssi_dbm: rssi_dbm)
    }
}
