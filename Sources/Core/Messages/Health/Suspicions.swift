/// A flood that no shop makes by itself: what `health` says under `suspected_spoofing`.
///
/// iBeacon proves nothing about its sender, so this is a suspicion. Nothing is filtered because of it.
package struct SuspectedSpoofing: Hashable, Sendable {
    /// What there is too much of.
    package enum Kind: String, CaseIterable, Sendable {
        /// Identities never heard before.
        case identities
        /// Addresses of one identity.
        case addresses
        /// Levels that no beacon beside a gateway reaches.
        case rssi
        /// Beacons that change their address at the same time.
        case rotations
    }

    var kind: Kind
    /// How much of it there was a second, on average over a minute.
    var rate_per_s: Double
}

/// An adapter whose signal strengths are none: what `health` says under `suspect_readings`.
///
/// It is told from the adapter's own readings, so only what no room makes is named. Nothing is filtered because of it.
package struct SuspectReadings: Hashable, Sendable {
    /// What is wrong with them.
    package enum Kind: String, CaseIterable, Sendable {
        /// One value, of whatever transmitter.
        case stuck
        /// A report has the strength of the one before it, which was another transmitter's.
        case repeated
        /// Some readings are 15 dB below the others of the same transmitter, as where one channel's are.
        case twoLevels = "two_levels"
    }

    /// As the configuration names it.
    package var adapter: String
    var kind: Kind
}
