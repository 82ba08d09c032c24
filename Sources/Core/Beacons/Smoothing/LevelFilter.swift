/// The RSSI filters that can be chosen in `[smoothing]`. The raw value is the word in `config.toml`.
enum FilterKind: String, CaseIterable, Sendable {
    case none
    case ewma
    case kalman
}

/// One filter and its speed.
struct FilterSettings: Hashable, Sendable {
    var kind: FilterKind
    /// Seconds that the filter looks back: the time constant. Never a count
    /// of samples, because beacons advertise at different rates and packets get lost.
    var timeConstant_s: Double

    /// A time constant that can be counted with: at least a millisecond, which also stands for what is not a number, and
    /// at most a day.
    static func held(_ timeConstant_s: Double) -> Double {
        timeConstant_s.isNaN ? 0.001 : min(max(timeConstant_s, 0.001), 86_400)
    }
}

/// What is remembered of a transmitter's level: plain numbers, so that a transmitter is copied and thrown away without
/// counting references. What does not differ from one transmitter to the next stands in `LevelFilter`.
enum SmoothedLevel: Sendable {
    /// Before the first reading.
    case unknown
    /// The last reading itself.
    case latest(Double)
    case ewma(ExponentialFilter)
    case kalman(KalmanFilter)

    /// The level of a Kalman filter over decibels, which alone follows steps and knows of shade; `nil` for the other kinds, which are
    /// what their names say.
    var calm_dbm: Double? {
        if case .kalman(let filter) = self { filter.level } else { nil }
    }
}

/// How RSSI are smoothed: the settings of one filter, for all transmitters.
///
/// Every kind works on irregular sampling: it looks back a number of seconds, never a number of packets. For all of
/// them
/// - the value stays within the range of the readings,
/// - silence does not move it: it is the level as of the last reading, whatever time it is now,
/// - readings of one instant may come in any order (except with `none`, where the last one counts),
/// - a reading that comes late, by the time constant at most, counts as one of its own or of the newest instant; one
///   that is later still means that the clock was set back: what is known is kept and goes on from there.
///
/// Each takes 40 bytes of a transmitter and never allocates.
struct LevelFilter: Sendable {
    let kind: FilterKind
    let timeConstant_s: Double
    let scale: SignalScale

    /// - Parameters:
    ///   - settings: A time constant that is not a number, or below a millisecond, counts as a millisecond; one beyond a
    ///     day as a day.
    ///   - scale: What is averaged: `decibels` for distances, `fieldStrength` for regions.
    init(_ settings: FilterSettings, scale: SignalScale) {
        kind = settings.kind
        timeConstant_s = FilterSettings.held(settings.timeConstant_s)
        self.scale = scale
    }

    /// The smoothed level as of the last reading; `nil` before the first.
    package func level(_ memory: SmoothedLevel) -> SignalLevel? {
        switch memory {
        case .unknown: nil
        case .latest(let reading): SignalLevel(reading, scale)
        case .ewma(let filter): SignalLevel(filter.mean, scale)
        case .kalman(let filter): SignalLevel(filter.level, scale)
        }
    }

    /// Takes in one reading, within `SignalLevel.range_dbm`.
    ///
    /// - Parameters:
    ///   - place: of the reading in `times`, which have it already.
    func add(_ rssi_dbm: Double, at place: ReadingTimes.Place, of times: ReadingTimes, to memory: inout SmoothedLevel) {
        let reading = scale.reading(rssi_dbm)
        switch memory {
        case .unknown:
            memory = first(reading)
        case .latest:
            memory = .latest(reading)
        case .ewma(var filter):
            filter.add(reading, at: place, of: times, timeConstant_s: timeConstant_s)
            memory = .ewma(filter)
        case .kalman(var filter):
            filter.add(reading, after_s: place.elapsed_s, timeConstant_s: timeConstant_s)
            memory = .kalman(filter)
        }
    }

    /// Goes on from the quick level where the level has stepped.
    func follow(_ quick: QuickLevel, by memory: inout SmoothedLevel) {
        guard case .kalman(let calm) = memory, quick.hasStepped(from: calm, timeConstant_s: timeConstant_s) else {
            return
        }
        memory = .kalman(quick.afterStep)
    }

    /// What one reading weighs in the level, which is the variance of the level in units of a reading's. The kinds that
    /// don't keep it are taken for as uncertain as the quick level.
    func share(ofOneReading memory: SmoothedLevel, quick: QuickLevel) -> Double {
        if case .kalman(let calm) = memory { calm.variance } else { quick.filter.variance }
    }

    private func first(_ reading: Double) -> SmoothedLevel {
        switch kind {
        case .ewma: .ewma(ExponentialFilter(reading, timeConstant_s: timeConstant_s))
        case .kalman: .kalman(KalmanFilter(reading))
        case .none: .latest(reading)
        }
    }

    /// Continues `former`, which is of the same beacon under its former address, as if the address had never changed:
    /// the result is what one filter would say that had heard the former's readings and then this one's.
    ///
    /// It is meant to be called once in a newcomer's life, and before its times take over.
    func takeOver(
        _ former: SmoothedLevel, of formerTimes: ReadingTimes, into memory: inout SmoothedLevel, of times: ReadingTimes
    ) {
        switch (memory, former) {
        case (.unknown, _):
            memory = former
        case (.ewma(var filter), .ewma(let former)):
            filter.takeOver(former, of: formerTimes, own: times, timeConstant_s: timeConstant_s)
            memory = .ewma(filter)
        case (.kalman(var filter), .kalman(let former)):
            let gap_s = (times.first - formerTimes.latest).seconds
            filter.takeOver(former, gap_s: gap_s, timeConstant_s: timeConstant_s)
            memory = .kalman(filter)
        default:
            break
        }
    }
}
