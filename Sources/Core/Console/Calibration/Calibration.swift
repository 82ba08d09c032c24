import RealModule

/// Collects the RSSI of one beacon that stands at a known distance.
package struct Calibration: Sendable {
    /// Fewer readings say nothing: with a spread of 4 dB, the median of 20 is still uncertain by 1.1 dB.
    static let minReadings = 20
    /// More are not kept; the median has long come to rest.
    static let maxReadings = 20_000
    static let maxIdentities = 64

    /// Where it leaves out the major or the minor, there may be only one beacon that fits.
    private let target: BeaconIdentityConstraint
    private var intake = Intake(rssiOffsets_db: [0], capacity: 0)
    private var readings: [Double] = []
    private var identities: Set<BeaconIdentity> = []
    /// Addresses that do not rotate: each is a device of its own.
    private var fixedAddresses: Set<DeviceAddress> = []
    private var statedPower_dbm: Int8 = 0

    package init(_ target: BeaconIdentityConstraint) {
        self.target = target
    }

    /// Takes an HCI event in, from its event code on. Any bytes.
    package mutating func receive(_ event: Span<UInt8>) {
        // What counts is who was heard and how strongly, not when.
        intake.receive(event, from: 0, at: .origin)
        for reception in intake.receptions where target.matches(reception.sighting.identity) { take(reception) }
    }

    /// The readings so far; `nil` before the first.
    package var statistics: SampleStatistics? { SampleStatistics(readings) }

    /// - Parameters:
    ///   - offset_db: the gateway's present `rssi_offset_db`.
    ///   - distance_m: between beacon and gateway; more than 0.
    ///   - exponent: the path-loss exponent.
    package func result(
        offset_db: Double, distance_m: Double, exponent: Double
    ) throws(CalibrationError) -> CalibrationResult {
        let (identity, statistics) = try sample(ofAtLeast: Self.minReadings)
        return CalibrationResult(
            identity, readings: statistics, statedPower_dbm: statedPower_dbm, offset_db: offset_db,
            distance_m: distance_m, exponent: exponent)
    }

    /// What was heard at one place of a walk.
    ///
    /// - Parameters:
    ///   - offset_db: the gateway's present `rssi_offset_db`.
    ///   - distance_m: between beacon and gateway; more than 0.
    package func stop(offset_db: Double, distance_m: Double) throws(CalibrationError) -> WalkStop {
        let (_, statistics) = try sample(ofAtLeast: WalkStop.minReadings)
        return WalkStop(distance_m: distance_m, loss_db: Double(statedPower_dbm) - statistics.median - offset_db)
    }

    /// The one beacon that was heard, and its readings.
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

/// The middle and the spread of readings, neither of which a few outliers can move.
///
/// - median: half of the readings lie on either side;
/// - σ: 1.4826 times the median of the distances from the median (MAD), which for a normal distribution is the standard
///   deviation. Readings are whole dBm, so σ is never taken for less than the 1/√12 dB of rounding to one.
package struct SampleStatistics: Hashable, Sendable {
    package let count: Int
    let median: Double
    let sigma: Double

    /// From the median absolute deviation to a standard deviation.
    static let normalScale = 1.4826
    /// The standard deviation of what rounding to a whole number takes away.
    static let rounding = 1 / Double.sqrt(12)

    /// `nil` where there are no readings.
    init?(_ readings: some Sequence<Double>) {
        let sorted = readings.sorted()
        guard let median = Self.median(sorted) else { return nil }
        let deviations = sorted.map { abs($0 - median) }.sorted()
        self.count = sorted.count
        self.median = median
        self.sigma = max(Self.rounding, Self.normalScale * (Self.median(deviations) ?? 0))
    }

    /// How uncertain the median is: 1.2533 σ / √n, if the readings were independent. Reflections that last make it more.
    var standardError: Double { 1.2533 * sigma / .sqrt(Double(count)) }

    private static func median(_ sorted: [Double]) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
