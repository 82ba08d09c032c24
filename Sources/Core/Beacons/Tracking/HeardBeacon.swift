/// A beacon of a gateway's list: when and how the gateway heard it, and its battery.
package struct HeardBeacon: Hashable, Sendable {
    /// The time of a report.
    package enum Time: Hashable, Sendable {
        case at(Instant)
        /// The time of an earlier process. It stays as it was published: the clocks of two processes have no common origin.
        case wall(WallTime)

        /// Returns whether the time is later than an instant. A time of an earlier process is not.
        func isAfter(_ instant: Instant) -> Bool {
            if case .at(let own) = self { own > instant } else { false }
        }
    }

    /// The last telemetry of a beacon.
    package struct Battery: Hashable, Sendable {
        /// Each value is the last one that was good. The format is that of the last frame.
        package var values: Telemetry
        package var at: Time
    }

    package var identity: BeaconIdentity
    /// The first report since the beacon is on the list.
    var firstHeard: Time
    package var lastHeard: Time
    /// The learned interval, milliseconds; `nil` while it is unknown.
    package var interval_ms: Int64?
    /// The median signal strength of the last report interval in which the beacon was heard, dBm; `nil` while it is
    /// unknown.
    var rssi_dbm: Int?
    /// `nil` before the first telemetry.
    package var battery: Battery?
}

/// `[beacons]`: the lists of beacons.
package struct BeaconListSettings: Hashable, Sendable {
    /// `telemetry`: the gateway reads telemetry frames.
    var readsTelemetry: Bool
    /// The time from one list to the next.
    var reportInterval: TimeSpan

    /// The silence after which a beacon leaves the list: ten report intervals.
    package var patience: TimeSpan { reportInterval * 10 }
}

struct BeaconListFigures: Hashable, Sendable {
    var listed = 0
    /// Beacons that left the list early because it was full.
    var displaced: UInt64 = 0
    /// Telemetry frames in the air.
    var frames: UInt64 = 0
    /// Those of them that were encrypted.
    var encrypted: UInt64 = 0
    /// Those of them with a value that cannot be true.
    var contradictory: UInt64 = 0

    init() {}
}

/// A median of signal strengths, of the last readings.
struct LevelSamples: Sendable {
    /// The readings of one report interval.
    static let capacity = 15

    private var levels = InlineArray<15, Int8>(repeating: 0)
    private var count: UInt8 = 0
    private var next: UInt8 = 0

    /// Adds a reading in the place of the oldest.
    mutating func add(_ rssi_dbm: Double) {
        levels[Int(next)] = Int8(clamping: Int(min(max(rssi_dbm.rounded(), -127), 20)))
        next = next + 1 == UInt8(Self.capacity) ? 0 : next + 1
        count = min(count + 1, UInt8(Self.capacity))
    }

    var isEmpty: Bool { count == 0 }

    /// The lower median; `nil` without a reading.
    var median: Int? {
        guard count > 0 else { return nil }
        let sorted = (0..<Int(count)).map { levels[$0] }.sorted()
        return Int(sorted[(sorted.count - 1) / 2])
    }
}
