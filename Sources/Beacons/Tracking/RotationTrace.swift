import HCI

/// What is remembered of a transmitter for the day that its address changes.
struct RotationTrace: Sendable {
    /// What its first advertisement looked like apart from the frame.
    let traits: AdvertisingTraits
    /// How strong it was in the last seconds.
    var recentLevel = RecentLevel()
}

/// The traces of those transmitters whose address may change. Most of a shop's own beacons keep theirs, and a trace is as
/// long as a sixth of a transmitter.
struct RotationTraces: Sendable {
    private var traces: [RotationTrace] = []
    private var free: [Int] = []

    subscript(place: Int) -> RotationTrace { traces[place] }

    /// Takes a reading of the transmitter in, as `RecentLevel.add` does.
    mutating func add(_ rssi_dbm: Double, at now: Instant, previous: Instant?, to place: Int) {
        traces[place].recentLevel.add(rssi_dbm, at: now, previous: previous)
    }

    /// - Returns: its place, which is given to another once it is removed.
    mutating func insert(_ trace: RotationTrace) -> Int {
        if let place = free.popLast() {
            traces[place] = trace
            return place
        }
        traces.append(trace)
        return traces.count - 1
    }

    mutating func remove(_ place: Int) { free.append(place) }
}
