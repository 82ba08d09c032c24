import Beacons
import HCI

/// One region instance and what is known of it.
struct RegionInstance: Sendable {
    /// Whether something is in there, as far as reports have shown; a blind radio does not change it.
    enum Occupancy: Equatable, Sendable {
        /// Monitoring has begun and it is not clear yet who was there before.
        case unsettled
        case outside
        case inside(Presence)
    }

    /// A beacon is in there.
    struct Presence: Equatable, Sendable {
        var enteredAt: Instant
        /// The last report at or above the exit threshold.
        var lastHeardAt: Instant
        /// Seen time at which it has left, unless it is heard again.
        var leavesAt: Instant
        /// The beacon that caused the entry, or was there first.
        var major: UInt16
        var minor: UInt16
        /// Whose report set `leavesAt`: a slower beacon may have set it further off.
        var holder: TransmitterSlot?
        /// The silence that is ordinary for that beacon.
        var patience: TimeSpan
        var level: SignalLevel?
        var beginning: RegionStay.Beginning
        /// Read from the store and not heard since.
        var isRestored: Bool

        var keeper: BeaconKeeper {
            BeaconKeeper(major: major, minor: minor, patience: patience, rssi_dbm: level?.rssi_dbm)
        }
    }

    let id: RegionInstanceID
    let registration: Int
    var occupancy = Occupancy.unsettled
    /// What subscribers were told last, and since when it was so.
    var state = RegionState.unknown
    var since: Instant
    /// Since when it is outside, where it is: subscribers may have been told `unknown` meanwhile.
    var outsideSince = Instant.origin
    /// Where the transition that told them stands in the caller's list, until the caller takes it.
    var announcement = 0
    /// The run of reports at or above the entry threshold; seen times. `nil` where there is none.
    var candidacy: Candidacy?
    /// Seen time of the timer that is set; others in the queue are stale.
    var due = Instant.distantFuture

    struct Candidacy: Equatable, Sendable {
        var firstHeardAt: Instant
        var firstSeen: Instant
        var lastSeen: Instant
    }
}
