/// What was new in the air during one window of time, by what it could be a flood of.
public struct NewcomerCounts: Hashable, Sendable {
    /// Identities that had no transmitter, refused ones among them.
    public internal(set) var identities: UInt64 = 0
    /// Addresses of an identity that more transmitters carry than any real one does, refused ones among them.
    public internal(set) var crowdedAddresses: UInt64 = 0
    /// Addresses that may be those of known transmitters after a rotation.
    public internal(set) var rotations: UInt64 = 0

    public init() {}

    /// The same with no identity among them.
    public var withoutIdentities: NewcomerCounts {
        var others = self
        others.identities = 0
        return others
    }
}
