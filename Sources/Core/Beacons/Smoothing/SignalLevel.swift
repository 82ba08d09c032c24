import RealModule

/// A smoothed level, as its filter holds it. It becomes dBm where somebody looks at it: the logarithm costs more than the
/// filter, and most reports are of a beacon whose level nobody asks for.
package struct SignalLevel: Equatable, Sendable {
    /// The range of the HCI: readings beyond it are taken as its end. dBm.
    static let range_dbm = -127.0...20.0

    private let reading: Double
    private let scale: SignalScale

    package init(_ reading: Double, _ scale: SignalScale) {
        self.reading = reading
        self.scale = scale
    }

    package init(rssi_dbm: Double) {
        self.init(rssi_dbm, .decibels)
    }

    var rssi_dbm: Double { scale.rssi_dbm(reading) }

    /// Whether it is as strong as that. No level is weaker than the weakest reading.
    func isAtLeast(_ threshold_dbm: Double) -> Bool {
        threshold_dbm <= Self.range_dbm.lowerBound || rssi_dbm >= threshold_dbm
    }

    /// A reading within the range; `nil` for what is not a number, which is no reading.
    static func held(_ rssi_dbm: Double) -> Double? {
        rssi_dbm.isNaN ? nil : min(max(rssi_dbm, range_dbm.lowerBound), range_dbm.upperBound)
    }
}

extension SignalLevel: Comparable {
    package static func < (left: SignalLevel, right: SignalLevel) -> Bool { left.rssi_dbm < right.rssi_dbm }
}

/// What a filter averages.
///
/// Decibels are logarithms, so it matters whether the readings are averaged before or after the logarithm is taken.
/// Fading digs deep, narrow holes into a signal and never raises it far above its mean; a mean of decibels falls into
/// each of those holes, a mean of field strengths hardly notices them.
package enum SignalScale: Hashable, Sendable {
    /// The readings as they are, in dBm. Shadowing by shelves and bodies spreads evenly in decibels and measured powers
    /// are quoted in them, so this is what distances are made from.
    case decibels
    /// The amplitude of the field, 10^(dBm / 20). This is what tells which of several places a beacon is in, so it is
    /// what regions look at.
    case fieldStrength

    /// - Parameter rssi_dbm: within `SignalLevel.range_dbm`.
    func reading(_ rssi_dbm: Double) -> Double {
        switch self {
        case .decibels: rssi_dbm
        case .fieldStrength: Self.fieldStrength(rssi_dbm)
        }
    }

    private static func fieldStrength(_ rssi_dbm: Double) -> Double {
        // Controllers measure whole decibels, so all but a gateway with a broken offset finds its powers here.
        let whole = Int(rssi_dbm)
        guard Double(whole) == rssi_dbm, wholeDecibels.indices.contains(whole + 127) else {
            return .exp10(rssi_dbm / 20)
        }
        return wholeDecibels[whole + 127]
    }

    /// The field strengths of −127 to 20 dBm.
    private static let wholeDecibels = InlineArray<148, Double> { .exp10(Double($0 - 127) / 20) }

    /// The way back. Rounded to a millionth of a decibel, because a level that went there and back must not come out a
    /// hair below the threshold it stands at.
    func rssi_dbm(_ reading: Double) -> Double {
        switch self {
        case .decibels: reading
        case .fieldStrength: (.log10(reading) * 20_000_000).rounded() / 1_000_000
        }
    }
}
