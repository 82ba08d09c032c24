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
