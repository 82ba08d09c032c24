import RealModule

/// Collects the RSSI of one beacon that stands at a known distance.
package struct Calibration: Sendable {
    /// The least readings for a result: with a spread of 4 dB, the median of 20 is uncertain by 1.1 dB.
    static let minReadings = 20
    /// The most readings kept; the median is stable long before.
    static let maxReadings = 20_000
    static let maxIdentities = 64

    /// The beacon to measure. Without major or minor, only one beacon may match.
    private let target: BeaconIdentityConstraint
    private var intake = Intake(rssiOffsets_db: [0], capacity: 0)
    private var readings: [Double] = []
    private var identities: Set<BeaconIdentity> = []
    /// Addresses that do not rotate: each belongs to a different device.
    private var fixedAddresses: Set<DeviceAddress> = []
    private var statedPower_dbm: Int8 = 0

    package init(_ target: BeaconIdentityConstraint) {
        self.target = target
    }

    /// Takes an HCI event, from its event code on. Any bytes.
    package mutating func receive(_ event: Span<UInt8>) {
        // Only identity and strength matter, not the time.
        intake.receive(event, from: 0, isAdvertising: AdvertisingEvent.isAdvertising(event), at: .origin)
        for reception in intake.receptions where target.matches(reception.sighting.identity) { take(reception) }
    }

    /// The readings so far; `nil` before the first.
    package var statistics: SampleStatistics? { SampleStatistics(readings) }

    /// - Parameter distance_m: the distance between beacon and gateway; more than 0.
    package func result(
        offset_db: Double, distance_m: Double, exponent: Double
    ) throws(CalibrationError) -> CalibrationResult {
        let (identity, statistics) = try sample(ofAtLeast: Self.minReadings)
        return CalibrationResult(
            identity, readings: statistics, statedPower_dbm: statedPower_dbm, offset_db: offset_db,
            distance_m: distance_m, exponent: exponent)
    }

    /// Returns the result at one place of a walk, `distance_m` from the gateway; more than 0.
    package func stop(offset_db: Double, distance_m: Double) throws(CalibrationError) -> WalkStop {
        let (identity, statistics) = try sample(ofAtLeast: WalkStop.minReadings)
        guard IBeaconFrame.isPlausible(power_dbm: statedPower_dbm) else {
            throw .implausiblePower(identity, statedPower_dbm)
        }
        return WalkStop(distance_m: distance_m, loss_db: Double(statedPower_dbm) - statistics.median - offset_db)
    }

    /// Returns the only beacon heard, and its readings.
    private func sample(ofAtLeast count: Int) throws(CalibrationError) -> (BeaconIdentity, SampleStatistics) {
        guard identities.count <= 1 else { throw .severalBeacons(identities.sorted()) }
        guard let identity = identities.first, let statistics, statistics.count >= count else {
            throw .tooFew(count: readings.count, needed: count)
        }
        guard fixedAddresses.count <= 1 else { throw .severalTransmitters(identity, count: fixedAddresses.count) }
        return (identity, statistics)
    }

    private mutating func take(_ reception: Intake.Reception) {
        let sighting = reception.sighting
        if identities.count < Self.maxIdentities { identities.insert(sighting.identity) }
        if !sighting.address.rotates, fixedAddresses.count < Self.maxIdentities {
            fixedAddresses.insert(sighting.address)
        }
        statedPower_dbm = sighting.measuredPower_dbm
        if let rssi_dbm = reception.rssi_dbm, readings.count < Self.maxReadings { readings.append(Double(rssi_dbm)) }
    }
}

/// The median and the spread of readings, both robust against a few outliers.
///
/// - median: half of the readings lie on either side.
/// - σ: 1.4826 times the median of the distances from the median (MAD), which for a normal distribution is the standard
///   deviation. Readings are whole dBm, so σ is at least the 1/√12 dB of rounding to one.
package struct SampleStatistics: Hashable, Sendable {
    package let count: Int
    let median: Double
    let sigma: Double

    /// The factor from the median absolute deviation to a standard deviation.
    static let normalScale = 1.4826
    /// The standard deviation caused by rounding to a whole number.
    static let rounding = 1 / Double.sqrt(12)

    /// Returns `nil` without readings.
    init?(_ readings: some Sequence<Double>) {
        let readings = Array(readings)
        guard let median = readings.median else { return nil }
        self.count = readings.count
        self.median = median
        self.sigma = max(Self.rounding, Self.normalScale * (readings.map { abs($0 - median) }.median ?? 0))
    }

    /// The uncertainty of the median: 1.2533 σ / √n for independent readings. Lasting reflections increase it.
    var standardError: Double { 1.2533 * sigma / .sqrt(Double(count)) }
}
