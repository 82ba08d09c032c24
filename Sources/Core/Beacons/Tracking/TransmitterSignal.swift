/// How strong a transmitter is: what is remembered of its readings. The settings, which are the same for all, stand in
/// `SignalSmoothing`.
struct TransmitterSignal: Sendable {
    fileprivate(set) var times = ReadingTimes()
    /// Its level just now, which tells a step.
    fileprivate(set) var quick = QuickLevel()
    /// What distance and proximity are made from.
    fileprivate(set) var distance = SmoothedLevel.unknown
    /// What the distance's level has lost of late.
    fileprivate(set) var shade = Shade()
    /// What the RSSI thresholds of regions look at.
    fileprivate(set) var region = SmoothedLevel.unknown
}

/// How the readings of all transmitters are smoothed.
struct SignalSmoothing: Sendable {
    let distance: LevelFilter
    let region: LevelFilter

    init(_ settings: TrackerSettings) {
        distance = LevelFilter(settings.distanceFilter, scale: .decibels)
        region = LevelFilter(settings.regionFilter, scale: .fieldStrength)
    }

    /// Takes in one reading, within `SignalLevel.range_dbm`.
    func add(_ rssi_dbm: Double, at now: Instant, to signal: inout TransmitterSignal) {
        let place = signal.times.add(at: now, lookBack_s: distance.timeConstant_s)
        signal.quick.add(rssi_dbm, at: place)
        let before_dbm = signal.distance.calm_dbm
        distance.add(rssi_dbm, at: place, of: signal.times, to: &signal.distance)
        distance.follow(signal.quick, by: &signal.distance)
        if let before_dbm, let now_dbm = signal.distance.calm_dbm {
            signal.shade.move(by_db: now_dbm - before_dbm, after_s: place.elapsed_s)
        }
        region.add(rssi_dbm, at: place, of: signal.times, to: &signal.region)
    }

    /// Goes on from the same beacon under its former address.
    func takeOver(_ former: TransmitterSignal, into signal: inout TransmitterSignal) {
        guard !former.times.isEmpty else { return }
        guard !signal.times.isEmpty else {
            signal = former
            return
        }
        let gap_s = (signal.times.first - former.times.latest).seconds
        let own_dbm = signal.distance.calm_dbm
        signal.quick.takeOver(former.quick, gap_s: gap_s)
        distance.takeOver(former.distance, of: former.times, into: &signal.distance, of: signal.times)
        if let own_dbm, let former_dbm = former.distance.calm_dbm, let level_dbm = signal.distance.calm_dbm {
            signal.shade.takeOver(former.shade, gap_s: gap_s, from: former_dbm, own_dbm, to: level_dbm)
        }
        region.takeOver(former.region, of: former.times, into: &signal.region, of: signal.times)
    }

    /// The level that the distance is made from; `nil` before the first reading.
    func distanceLevel(of signal: TransmitterSignal) -> SignalLevel? {
        guard let calm_dbm = signal.distance.calm_dbm else { return distance.level(signal.distance) }
        return SignalLevel(rssi_dbm: calm_dbm + signal.shade.lift_db)
    }

    /// How uncertain the level is that the distance is made from, by the number and scatter of its readings. dB².
    func distanceVariance(of signal: TransmitterSignal) -> Double {
        signal.quick.scatter * distance.share(ofOneReading: signal.distance, quick: signal.quick)
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
