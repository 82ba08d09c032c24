/// A flood that no shop makes by itself: what `health` says under `suspected_spoofing`.
///
/// iBeacon proves nothing about its sender, so this is a suspicion. Nothing is filtered because of it.
public struct SuspectedSpoofing: Hashable, Sendable {
    /// What there is too much of.
    public enum Kind: String, CaseIterable, Sendable {
        /// Identities never heard before.
        case identities
        /// Addresses of one identity.
        case addresses
        /// Levels that no beacon beside a gateway reaches.
        case rssi
        /// Beacons that change their address at the same time.
        case rotations
    }

    public var kind: Kind
    /// How much of it there was a second, on average over a minute.
    public var rate_per_s: Double

    public init(kind: Kind, rate_per_s: Double) {
        self.kind = kind
        self.rate_per_s = rate_per_s
    }
}
