import HCI

/// How strong a transmitter is and whether it moves: what is remembered of its readings. The settings, which are the same for
/// all, stand in `SignalSmoothing`.
struct TransmitterSignal: Sendable {
    fileprivate(set) var times = ReadingTimes()
    /// Whether it moves, by the same readings.
    fileprivate(set) var movement = MovementMeter()
    /// What distance and proximity are made from.
    var distance = SmoothedLevel.unknown
    /// What the RSSI thresholds of regions look at.
    var region = SmoothedLevel.unknown
}

/// How the readings of all transmitters are smoothed.
struct SignalSmoothing: Sendable {
    let distance: LevelFilter
    let region: LevelFilter
    private let movementTimeConstant_s: Double

    init(_ settings: TrackerSettings) {
        distance = LevelFilter(settings.distanceFilter, scale: .decibels)
        region = LevelFilter(settings.regionFilter, scale: .fieldStrength)
        // It takes longer to know how much a level varies than to know the level.
        movementTimeConstant_s = FilterSettings.held(2 * settings.distanceFilter.timeConstant_s)
    }

    /// Takes in one reading, within `SignalLevel.range_dbm`.
    func add(_ rssi_dbm: Double, at now: Instant, to signal: inout TransmitterSignal) {
        let place = signal.times.add(at: now, lookBack_s: distance.timeConstant_s)
        signal.movement.add(rssi_dbm, at: place, timeConstant_s: movementTimeConstant_s)
        distance.add(rssi_dbm, at: place, of: signal.times, to: &signal.distance)
        region.add(rssi_dbm, at: place, of: signal.times, to: &signal.region)
    }

    /// Goes on from the same beacon under its former address.
    func takeOver(_ former: TransmitterSignal, into signal: inout TransmitterSignal) {
        guard !former.times.isEmpty else { return }
        guard !signal.times.isEmpty else {
            signal = former
            return
        }
        signal.movement.takeOver(
            former.movement, of: former.times, own: signal.times, timeConstant_s: movementTimeConstant_s)
        distance.takeOver(former.distance, of: former.times, into: &signal.distance, of: signal.times)
        region.takeOver(former.region, of: former.times, into: &signal.region, of: signal.times)
    }

    /// What the region filter would say had its readings gone on from those of another transmitter; `nil` for a filter that
    /// can't tell by its memory alone.
    func regionLevel(of signal: TransmitterSignal, after former: TransmitterSignal) -> SignalLevel? {
        switch signal.region {
        case .unknown, .latest: return nil
        case .ewma, .kalman: break
        }
        var level = signal.region
        region.takeOver(former.region, of: former.times, into: &level, of: signal.times)
        return region.level(level)
    }
}
