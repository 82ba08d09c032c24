@testable import Core

/// One filter of one transmitter, built as the tracker does.
struct SignalFilter {
    private let filter: LevelFilter
    private var times = ReadingTimes()
    private var memory = SmoothedLevel.unknown

    init(_ settings: FilterSettings, scale: SignalScale = .decibels) {
        filter = LevelFilter(settings, scale: scale)
    }

    var value_dbm: Double? { filter.level(memory)?.rssi_dbm }

    mutating func add(_ rssi_dbm: Double, at now: Instant) {
        guard let held_dbm = SignalLevel.held(rssi_dbm) else { return }
        let place = times.add(at: now, lookBack_s: filter.timeConstant_s)
        filter.add(held_dbm, at: place, of: times, to: &memory)
    }

    mutating func takeOver(_ former: SignalFilter) {
        guard !former.times.isEmpty else { return }
        filter.takeOver(former.memory, of: former.times, into: &memory, of: times)
        if times.isEmpty { times = former.times }
    }
}

/// The smoothing state of one transmitter, built as the tracker does.
struct Level {
    let smoothing: SignalSmoothing
    private(set) var signal = TransmitterSignal()

    /// Makes the state of the default configuration, or with another filter for the distance.
    init(_ distance: FilterSettings = FilterSettings(kind: .kalman, timeConstant_s: 40)) {
        smoothing = SignalSmoothing(
            TrackerSettings(
                maxTransmitters: 1, unknownAfter: .seconds(2), resolveAfter: .seconds(10), distanceFilter: distance,
                regionFilter: FilterSettings(kind: .ewma, timeConstant_s: 2.5), devices: []))
    }

    var distanceLevel_dbm: Double { smoothing.distanceLevel(of: signal)?.rssi_dbm ?? .nan }
    var variance: Double { smoothing.distanceVariance(of: signal) }

    mutating func add(_ rssi_dbm: Double, at_s: Double) {
        smoothing.add(rssi_dbm, at: .origin + .seconds(at_s), to: &signal)
    }

    mutating func takeOver(_ former: Level) { smoothing.takeOver(former.signal, into: &signal) }
}
