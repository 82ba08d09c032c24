import TestAir

@testable import Core

/// A reading and its time.
struct Reading {
    var rssi_dbm: Double
    var at: Instant

    init(_ rssi_dbm: Double, at_s: Double) {
        self.rssi_dbm = rssi_dbm
        at = .origin + .seconds(at_s)
    }

    /// Seconds since the origin.
    var at_s: Double { (at - .origin).seconds }
}

/// Returns readings with gaps from a tenth of a millisecond to ten seconds, as in the air.
func irregularReadings(_ count: Int, seed: Int, from_s: Double = 0) -> [Reading] {
    var generator = SeededGenerator(seed: seed)
    var time_s = from_s
    return (0..<count).map { _ in
        let span = [0.0001...0.01, 0.01...1, 1...10].randomElement(using: &generator) ?? 0...1
        time_s += .random(in: span, using: &generator)
        return Reading(Double(Int.random(in: -100 ... -30, using: &generator)), at_s: time_s)
    }
}

extension SignalFilter {
    init(_ kind: FilterKind, _ timeConstant_s: Double, scale: SignalScale = .decibels) {
        self.init(FilterSettings(kind: kind, timeConstant_s: timeConstant_s), scale: scale)
    }

    mutating func add(_ readings: some Sequence<Reading>) {
        for reading in readings { add(reading.rssi_dbm, at: reading.at) }
    }

    /// Returns the value after `readings`; NaN if there is none.
    func value(after readings: some Sequence<Reading>) -> Double {
        var filter = self
        filter.add(readings)
        return filter.value_dbm ?? .nan
    }
}

let scales: [SignalScale] = [.decibels, .fieldStrength]
/// The kinds that average, all but `none`.
let averagingKinds = FilterKind.allCases.filter { $0 != .none }
