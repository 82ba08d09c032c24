import RealModule

/// What a beacon at a known distance says about its measured power, and about the gateway's receiver.
///
/// With d metres between them and the path-loss exponent n of the configuration, the RSSI at one metre is
///
///     median + 10 · n · log10(d)
///
/// It corrects one of two numbers, never both: what the beacon says of itself, or what this gateway adds to every RSSI.
package struct CalibrationResult: Hashable, Sendable {
    let identity: BeaconIdentity
    /// RSSI as received, without the gateway's offset. dBm.
    let readings: SampleStatistics
    /// What the beacon says now. dBm.
    let statedPower_dbm: Int8
    /// What to write into the beacon, as this gateway hears it with its present offset. dBm.
    let measuredPower_dbm: Int
    /// What to write into `config.toml` for this gateway instead, where the beacon is to be believed; to 0.1 dB.
    let rssiOffset_db: Double

    /// What `radio.rssi_offset_db` may be.
    static let offsets_db = -40.0...40.0
    /// Beyond this spread something moved, or reflections dominate.
    static let quietSigma_db = 4.0

    /// Whether the offset can be written into `config.toml`.
    var isOffsetAllowed: Bool { Self.offsets_db.contains(rssiOffset_db) }
    var isQuiet: Bool { readings.sigma <= Self.quietSigma_db }

    /// - Parameters:
    ///   - offset_db: the gateway's present `rssi_offset_db`.
    ///   - distance_m: between beacon and gateway; more than 0.
    ///   - exponent: the path-loss exponent.
    init(
        _ identity: BeaconIdentity, readings: SampleStatistics, statedPower_dbm: Int8, offset_db: Double,
        distance_m: Double, exponent: Double
    ) {
        self.identity = identity
        self.readings = readings
        self.statedPower_dbm = statedPower_dbm
        let atOneMetre_dbm = readings.median + 10 * exponent * .log10(distance_m)
        let power_dbm = (atOneMetre_dbm + offset_db).rounded()
        self.measuredPower_dbm = Int(min(max(power_dbm, -127), 20))
        self.rssiOffset_db = ((Double(statedPower_dbm) - atOneMetre_dbm) * 10).rounded() / 10
    }
}

/// Why nothing can be said about a beacon's measured power.
package enum CalibrationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The radio did not scan for a moment, so nothing is known of the beacon.
    case neverScanned
    case tooFew(count: Int, needed: Int)
    /// Several identities answer to what was asked for.
    case severalBeacons([BeaconIdentity])
    /// One identity, several transmitters whose addresses do not rotate.
    case severalTransmitters(BeaconIdentity, count: Int)

    package var description: String {
        switch self {
        case .neverScanned:
            "nothing was measured, because the radio did not scan: 'beacond check' says what is missing"
        case .tooFew(0, _):
            "the beacon was not heard: see with 'beacond scan' whether it is on the air, and check --uuid"
        case .tooFew(let count, let needed):
            "only \(count) readings, and at least \(needed) are needed: give it more time with --seconds"
        case .severalBeacons(let identities):
            "several beacons answer: "
                + identities.prefix(4).map { "major \($0.major) minor \($0.minor)" }.joined(separator: ", ")
                + (identities.count > 4 ? " and \(identities.count - 4) more" : "")
                + "; choose one with --major and --minor"
        case .severalTransmitters(let identity, let count):
            "\(count) transmitters say that they are major \(identity.major) minor \(identity.minor): switch all but "
                + "one of them off"
        }
    }
}
