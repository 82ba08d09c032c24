public import HCI

/// The smoothed RSSI of one transmitter.
///
/// Every kind works on irregular sampling: it looks back a number of seconds, never a number of packets. For all of
/// them
/// - the value stays within the range of the readings,
/// - silence does not move it: it is the level as of the last reading, whatever time it is now,
/// - readings of one instant may come in any order (except with `none`, where the last one counts),
/// - a reading that comes late, by the time constant at most, counts as one of its own or of the newest instant; one
///   that is later still means that the clock was set back: what is known is kept and goes on from there.
///
/// `none`, `ewma` and `kalman` are inline values of 80 bytes that never allocate. The windowed kinds keep at most 64
/// slots on the heap.
public struct SignalFilter: Sendable {
    /// The range of the HCI: readings beyond it are taken as its end. dBm.
    static let range_dbm = -127.0...20.0

    /// A reading within that range.
    static func held(_ rssi_dbm: Double) -> Double {
        min(max(rssi_dbm, range_dbm.lowerBound), range_dbm.upperBound)
    }

    private var state: State
    private let scale: SignalScale

    private enum State: Sendable {
        case none(Double?)
        case ewma(ExponentialFilter)
        case kalman(KalmanFilter)
        case window(SlidingWindow)
    }

    /// - Parameters:
    ///   - settings: A time constant that is not a number, or below a millisecond, counts as a millisecond; one beyond a
    ///     day as a day.
    ///   - scale: What is averaged: `decibels` for distances, `fieldStrength` for regions.
    public init(_ settings: FilterSettings, scale: SignalScale = .decibels) {
        self.scale = scale
        let timeConstant_s = FilterSettings.held(settings.timeConstant_s)
        state =
            switch settings.kind {
            case .none: .none(nil)
            case .ewma: .ewma(ExponentialFilter(timeConstant_s: timeConstant_s))
            case .kalman: .kalman(KalmanFilter(timeConstant_s: timeConstant_s))
            case .trimmedMean: .window(SlidingWindow(length_s: timeConstant_s, average: .trimmedMean))
            case .iqrMean: .window(SlidingWindow(length_s: timeConstant_s, average: .interquartileMean))
            case .median: .window(SlidingWindow(length_s: timeConstant_s, average: .median))
            }
    }

    /// The smoothed level as of the last reading in dBm; `nil` before the first.
    public var value_dbm: Double? {
        let reading: Double? =
            switch state {
            case .none(let latest): latest
            case .ewma(let filter): filter.value
            case .kalman(let filter): filter.value
            case .window(let window): window.value
            }
        return reading.map(scale.rssi_dbm)
    }

    /// Takes in one reading. What is not a number is ignored.
    public mutating func add(_ rssi_dbm: Double, at: Instant) {
        guard !rssi_dbm.isNaN else { return }
        let reading = scale.reading(Self.held(rssi_dbm))
        switch state {
        case .none:
            state = .none(reading)
        case .ewma(var filter):
            filter.add(reading, at: at)
            state = .ewma(filter)
        case .kalman(var filter):
            filter.add(reading, at: at)
            state = .kalman(filter)
        case .window(var window):
            state = .none(nil)  // Lets go of the slots, or they would be copied.
            window.add(reading, at: at)
            state = .window(window)
        }
    }

    /// Continues `predecessor`, which is the same beacon under its former address, as if the address had never changed:
    /// the result is what one filter would say that had heard the predecessor's readings and then this one's.
    ///
    /// It is meant to be called once in a newcomer's life. A predecessor of other settings is ignored: its memory does
    /// not fit.
    public mutating func takeOver(_ predecessor: SignalFilter) {
        guard scale == predecessor.scale else { return }
        switch (state, predecessor.state) {
        case (.none(let own), .none(let former)):
            state = .none(own ?? former)
        case (.ewma(var filter), .ewma(let former)):
            filter.takeOver(former)
            state = .ewma(filter)
        case (.kalman(var filter), .kalman(let former)):
            filter.takeOver(former)
            state = .kalman(filter)
        case (.window(var window), .window(let former)):
            window.takeOver(former)
            state = .window(window)
        default:
            break
        }
    }
}
