/// What `beacond calibrate` says.
package enum CalibrationReport {
    /// One line while readings are taken: `12 s left: 180 readings, median -61.0 dBm, σ 1.5 dB`.
    package static func progress(_ statistics: SampleStatistics?, left_s: Double) -> String {
        let left = "\(Figures.fixed(left_s, decimals: 0)) s left: "
        guard let statistics else { return left + "no reading yet" }
        return left + summary(statistics)
    }

    /// The result, and what to write where.
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
        if result.isOffsetAllowed {
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

    /// What to do next on a walk.
    package static func prompt(distance_m: Double) -> String {
        "Hold the beacon \(Figures.short(distance_m)) m from the antenna, and press return."
    }

    /// What a stop of the walk had to say: `4 m: 13.0 dB weaker than it says it is at 1 m`.
    package static func line(_ stop: WalkStop) -> String {
        "\(Figures.short(stop.distance_m)) m: \(Figures.fixed(stop.loss_db, decimals: 1)) dB weaker than it says it is at 1 m"
    }

    private static func summary(_ statistics: SampleStatistics) -> String {
        "\(statistics.count) readings, median \(Figures.fixed(statistics.median, decimals: 1)) dBm, "
            + "σ \(Figures.fixed(statistics.sigma, decimals: 1)) dB"
    }
}
