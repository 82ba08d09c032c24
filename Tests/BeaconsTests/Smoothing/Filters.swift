import HCI

@testable import Beacons

/// One filter of one transmitter by itself, put together as the tracker does for all.
struct SignalFilter {
    private let filter: LevelFilter
    private var times = ReadingTimes()
    private var memory = SmoothedLevel.unknown
    private var windows: SlidingWindows

    init(_ settings: FilterSettings, scale: SignalScale = .decibels) {
        filter = LevelFilter(settings, scale: scale)
        windows = SlidingWindows(filter)
        windows.begin(0)
    }

    var value_dbm: Double? { filter.level(memory)?.rssi_dbm }

    mutating func add(_ rssi_dbm: Double, at now: Instant) {
        guard let held_dbm = SignalLevel.held(rssi_dbm) else { return }
        let place = times.add(at: now, lookBack_s: filter.timeConstant_s)
        filter.add(held_dbm, at: place, of: times, to: &memory)
        windows.add(held_dbm, at: now, to: 0, level: &memory)
    }

    mutating func takeOver(_ former: SignalFilter) {
        guard !former.times.isEmpty else { return }
        filter.takeOver(former.memory, of: former.times, into: &memory, of: times)
        windows.takeOver(0, of: former.windows, into: 0, level: &memory)
        if times.isEmpty { times = former.times }
    }
}

/// A movement meter by itself.
struct Meter {
    private let timeConstant_s: Double
    private var times = ReadingTimes()
    private var meter = MovementMeter()

    init(timeConstant_s: Double) {
        self.timeConstant_s = FilterSettings.held(timeConstant_s)
    }

    var movement: Double { meter.movement }

    mutating func add(_ rssi_dbm: Double, at now: Instant) {
        guard let held_dbm = SignalLevel.held(rssi_dbm) else { return }
        meter.add(held_dbm, at: times.add(at: now, lookBack_s: timeConstant_s), timeConstant_s: timeConstant_s)
    }

    mutating func takeOver(_ former: Meter) {
        guard !former.times.isEmpty else { return }
        guard !times.isEmpty else {
            self = former
            return
        }
        meter.takeOver(former.meter, of: former.times, own: times, timeConstant_s: timeConstant_s)
    }
}
