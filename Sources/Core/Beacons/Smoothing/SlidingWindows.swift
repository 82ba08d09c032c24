/// The windows of all transmitters, by slot, for a filter of a kind that averages a window. For the others there are none.
struct SlidingWindows: Sendable {
    private let filter: LevelFilter
    private let average: WindowAverage?
    private var windows: [SlidingWindow] = []

    init(_ filter: LevelFilter) {
        self.filter = filter
        average =
            switch filter.kind {
            case .none, .ewma, .kalman: nil
            case .trimmedMean: .trimmedMean
            case .iqrMean: .interquartileMean
            case .median: .median
            }
    }

    /// A transmitter is new in that slot.
    mutating func begin(_ slot: TransmitterSlot) {
        guard let average else { return }
        let window = SlidingWindow(length_s: filter.timeConstant_s, average: average)
        while windows.count <= slot.index { windows.append(window) }
        windows[slot.index] = window
    }

    /// Takes a reading in, within `SignalLevel.range_dbm`, and has `level` say what its window then says.
    mutating func add(_ rssi_dbm: Double, at now: Instant, to slot: TransmitterSlot, level: inout SmoothedLevel) {
        guard average != nil else { return }
        windows[slot.index].add(filter.scale.reading(rssi_dbm), at: now)
        level = windows[slot.index].value.map { .latest($0) } ?? .unknown
    }

    /// Goes on from the same beacon in another slot.
    mutating func takeOver(
        _ former: TransmitterSlot, of others: SlidingWindows, into slot: TransmitterSlot, level: inout SmoothedLevel
    ) {
        guard average != nil else { return }
        windows[slot.index].takeOver(others.windows[former.index])
        level = windows[slot.index].value.map { .latest($0) } ?? .unknown
    }
}
