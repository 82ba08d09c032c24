import RealModule

/// The corrections for a beacon's measured power, or for a gateway's receiver, from readings at a known distance.
///
/// With d metres between them and the path-loss exponent n of the configuration, the RSSI at one metre is
///
///     median + 10 · n · log10(d)
///
/// A result corrects one of two numbers, never both: the beacon's measured power, or the offset that this gateway adds
/// to every RSSI.
package struct CalibrationResult: Hashable, Sendable {
    let identity: BeaconIdentity
    /// The received RSSI, without the gateway's offset. dBm.
    let readings: SampleStatistics
    /// The measured power that the beacon states now. dBm.
    let statedPower_dbm: Int8
    /// The measured power to write into the beacon, as this gateway hears it with its present offset. dBm.
    let measuredPower_dbm: Int
    /// The offset to write into this gateway's `config.toml` instead, if the beacon is to be believed; to 0.1 dB.
    let rssiOffset_db: Double

    /// The range of `radio.rssi_offset_db`.
    static let offsets_db = -40.0...40.0
    /// The spread beyond which something moved, or reflections dominate.
    static let quietSigma_db = 4.0

    /// True if `config.toml` allows the offset.
    var isOffsetAllowed: Bool { Self.offsets_db.contains(rssiOffset_db) }
    /// True if a beacon can have the stated measured power.
    var isStatedPlausible: Bool { IBeaconFrame.isPlausible(power_dbm: statedPower_dbm) }
    var isQuiet: Bool { readings.sigma <= Self.quietSigma_db }

    /// - Parameters:
    /// - offset_db: the gateway's present `rssi_offset_db`.
    /// - distance_m: the distance between beacon and gateway; more than 0.
    /// - exponent: the path-loss exponent.
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

/// The reason for which a beacon's measured power cannot be determined.
package enum CalibrationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The radio never scanned, so the beacon could not be heard.
    case neverScanned
    case tooFew(count: Int, needed: Int)
    /// Several identities match.
    case severalBeacons([BeaconIdentity])
    /// A walk needs a beacon whose measured power can be. dBm.
    case implausiblePower(BeaconIdentity, Int8)
    /// Several transmitters with addresses that do not rotate have one identity.
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
        case .implausiblePower(let identity, let power_dbm):
            "major \(identity.major) minor \(identity.minor) states a measured power of \(power_dbm) dBm, which cannot be: "
                + "measure it without --walk, and write the result into the beacon first"
        case .severalTransmitters(let identity, let count):
            "\(count) transmitters say that they are major \(identity.major) minor \(identity.minor): switch all but "
                + "one of them off"
        }
    }
}

/// The output of `beacond calibrate`.
package enum CalibrationReport {
    /// Returns one line while readings are taken: `12 s left: 180 readings, median -61.0 dBm, σ 1.5 dB`.
    package static func progress(_ statistics: SampleStatistics?, left_s: Double) -> String {
        let left = "\(Figures.fixed(left_s, decimals: 0)) s left: "
        guard let statistics else { return left + "no reading yet" }
        return left + summary(statistics)
    }

    /// Returns the result, and the values to write.
    package static func lines(
        _ result: CalibrationResult, distance_m: Double, presentOffset_db: Double
    ) -> [String] {
        let identity = result.identity
        var lines = [
            "\(identity.uuid) major \(identity.major) minor \(identity.minor) at \(Figures.short(distance_m)) m",
            summary(result.readings) + ", median ± \(Figures.fixed(result.readings.standardError, decimals: 1)) dB",
            "",
            "Either the beacon: set its measured power to \(result.measuredPower_dbm) dBm; it says "
                + "\(result.statedPower_dbm)",
        ]
        if !result.isStatedPlausible {
            lines.append(
                "or its region:      measured_power_dbm = \(result.measuredPower_dbm)   in its [[region]], because "
                    + "\(result.statedPower_dbm) dBm cannot be")
        } else if result.isOffsetAllowed {
            lines.append(
                "or this gateway:   rssi_offset_db = \(Figures.fixed(result.rssiOffset_db, decimals: 1))   under "
                    + "[radio] in config.toml; it is \(Figures.fixed(presentOffset_db, decimals: 1))")
        } else {
            lines.append(
                "An offset of \(Figures.fixed(result.rssiOffset_db, decimals: 1)) dB is more than rssi_offset_db may "
                    + "be: what the beacon says is wrong.")
        }
        if !result.isQuiet {
            lines.append(
                "The readings are spread widely: something moved, or reflections dominate. Measure again elsewhere.")
        }
        return lines
    }

    /// Returns the next step of a walk.
    package static func prompt(distance_m: Double) -> String {
        "Hold the beacon \(Figures.short(distance_m)) m from the antenna, and press return."
    }

    /// Returns the result of a stop of the walk: `4 m: 13.0 dB weaker than it says it is at 1 m`.
    package static func line(_ stop: WalkStop) -> String {
        "\(Figures.short(stop.distance_m)) m: \(Figures.fixed(stop.loss_db, decimals: 1)) dB weaker than it says it is at 1 m"
    }

    private static func summary(_ statistics: SampleStatistics) -> String {
        "\(statistics.count) readings, median \(Figures.fixed(statistics.median, decimals: 1)) dBm, "
            + "σ \(Figures.fixed(statistics.sigma, decimals: 1)) dB"
    }
}
