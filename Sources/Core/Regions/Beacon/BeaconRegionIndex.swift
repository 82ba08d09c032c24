/// Finds the regions that a beacon belongs to by hash look-up, so that a report costs the same with one region as with
/// a thousand: three look-ups, for UUID, UUID and major, and UUID, major and minor.
struct BeaconRegionIndex: Sendable {
    private struct Key: Hashable, Sendable {
        var uuid: ProximityUUID
        var major: UInt16?
        var minor: UInt16?
    }

    private var registrations: [Key: [RegistrationSlot]] = [:]

    mutating func insert(_ region: BeaconRegion, as registration: RegistrationSlot) {
        let key = Key(uuid: region.uuid, major: region.major, minor: region.minor)
        registrations[key, default: []].append(registration)
    }

    mutating func remove(_ region: BeaconRegion, of registration: RegistrationSlot) {
        let key = Key(uuid: region.uuid, major: region.major, minor: region.minor)
        registrations[key]?.removeAll { $0 == registration }
        if registrations[key]?.isEmpty == true { registrations[key] = nil }
    }

    /// The registrations that the identity belongs to, in the order in which they were made.
    func registrations(of identity: BeaconIdentity) -> [RegistrationSlot] {
        let keys = [
            Key(uuid: identity.uuid),
            Key(uuid: identity.uuid, major: identity.major),
            Key(uuid: identity.uuid, major: identity.major, minor: identity.minor),
        ]
        return keys.flatMap { registrations[$0] ?? [] }.sorted()
    }
}
