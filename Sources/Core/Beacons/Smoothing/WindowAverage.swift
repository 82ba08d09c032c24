/// How the readings of a window become one level. All of them take the readings in ascending order.
enum WindowAverage: Sendable {
    /// AltBeacon's `RunningAverageRssiFilter`: from three readings on, a tenth of them and one more are dropped at each
    /// end, and the mean is taken of the rest.
    case trimmedMean
    /// ESPresense's: the mean of the readings that lie no further than one and a half interquartile ranges outside the
    /// quartiles (Tukey's fences).
    case interquartileMean
    /// The middle reading, or the mean of the middle two.
    case median

    /// `nil` for no readings.
    func callAsFunction(of readings: some RandomAccessCollection<Double>) -> Double? {
        guard let lowest = readings.first, let highest = readings.last else { return nil }
        switch self {
        case .trimmedMean:
            let dropped = readings.count > 2 ? readings.count / 10 + 1 : 0
            return mean(of: readings.dropFirst(dropped).dropLast(dropped))
        case .interquartileMean:
            let (lower, upper) = (quantile(0.25, of: readings), quantile(0.75, of: readings))
            let reach = 1.5 * (upper - lower)
            let fence = (lower - reach)...(upper + reach)
            // A quartile always lies between two readings, and rounding alone could put both outside.
            return mean(of: readings.lazy.filter(fence.contains)) ?? min(max(lower, lowest), highest)
        case .median:
            return quantile(0.5, of: readings)
        }
    }

    private func mean(of readings: some Sequence<Double>) -> Double? {
        var (sum, count) = (0.0, 0.0)
        for reading in readings {
            sum += reading
            count += 1
        }
        return count == 0 ? nil : sum / count
    }

    /// The quantile with linear interpolation between the two nearest readings.
    private func quantile(_ share: Double, of readings: some RandomAccessCollection<Double>) -> Double {
        let place = share * Double(readings.count - 1)
        let below = Int(place)
        let lower = readings.dropFirst(below).first ?? 0
        let upper = readings.dropFirst(below + 1).first ?? lower
        return lower + (place - Double(below)) * (upper - lower)
    }
}
