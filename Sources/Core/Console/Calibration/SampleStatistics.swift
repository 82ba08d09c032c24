import RealModule

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
