/// Who a beacon is to a store. One beacon across gateways is an identity; where several devices share one, and the gateways name
/// devices alike, it is the device.
struct BeaconKey: Hashable, Sendable {
    var identity: BeaconIdentity
    var device: String?
}

/// One beacon of the store: who hears it how well, and the zone that it is in.
struct StoreBeacon: Sendable {
    /// What a gateway listed last, without what the store knows better: who it is, and where.
    struct Listing: Sendable {
        fileprivate(set) var device: String?
        fileprivate(set) var at: Instant
        fileprivate(set) var age_ms: Int64
        fileprivate(set) var observation: BeaconObservation
        private var measuredPower_dbm: Int8
        private var isResolving: Bool
        private var isDuplicate: Bool
        fileprivate(set) var gateway: GatewayIndex

        init(_ beacon: ListedBeacon, by gateway: GatewayIndex, at now: Instant) {
            (device, age_ms, observation) = (beacon.device, beacon.age_ms, beacon.observation)
            measuredPower_dbm = beacon.measuredPower_dbm
            (isResolving, isDuplicate) = (beacon.isResolving, beacon.isDuplicate)
            (self.gateway, at) = (gateway, now)
        }

        /// As the store lists it.
        func beacon(_ identity: BeaconIdentity, track: TrackID) -> ListedBeacon {
            ListedBeacon(
                track: track, identity: identity, observation: observation, measuredPower_dbm: measuredPower_dbm,
                age_ms: age_ms, device: device, isResolving: isResolving, isDuplicate: isDuplicate)
        }
    }

    /// One of the store's regions that it is heard in.
    private struct Membership: Sendable {
        var region: StoreRegionSlot
        /// The zone that the region was told it is in. Where subscribers don't know that a region is inside, nothing is told of its
        /// zones, so that this may lag behind.
        var toldZone: StorePlan.Zone?
    }

    /// A zone that it may have moved to, and since when it has been likelier than any other.
    struct Candidate: Sendable {
        var since: Instant
        var zone: StorePlan.Zone
        /// Lists name it already: it has been sure enough for that.
        fileprivate(set) var isListed = false

        init(zone: StorePlan.Zone, since: Instant) { (self.zone, self.since) = (zone, since) }
    }

    /// A shorter stay is passing by.
    static let passingBy = TimeSpan.seconds(3)
    /// A beacon that others are listed without for so long is not there any more.
    static let unlistedFor = TimeSpan.seconds(15)
    /// How sure a move has to be. Lists name the zone at once, and a visit is told once it is no passing by.
    static let sureEnough = 0.9
    /// How sure the zone of the gateways is that have a region inside, where no gateway lists the beacon: not enough for a move.
    static let presumed = 0.8
    /// A zone that is less sure than that is not shown.
    static let leastShown = 1.0 / 3

    // In the order in which they leave no room between them: there are 10,000 in a store.

    var key: BeaconKey
    /// The store's own number for it: gateways number by themselves.
    let track: TrackID
    var levels = HeardLevels()
    private(set) var listings: [Listing] = []
    private var memberships: [Membership] = []
    /// Since when gateways name it differently; `distantFuture` while they don't.
    private var differsSince = Instant.distantFuture
    /// When it left the last of its regions.
    var leftAt = Instant.origin
    /// Since when it is in its zone.
    private(set) var zoneSince = Instant.origin
    /// When any gateway listed it last.
    private(set) var listedAt = Instant.origin
    /// When gateways of its zone heard it last, and those of the zone before while it was there.
    private var zoneHeardAt = Instant.origin
    private var formerZoneHeardAt = Instant.origin
    private(set) var confidence = 0.0
    var belief = ZoneBelief()
    /// The zone that it is in.
    private(set) var zone: StorePlan.Zone?
    /// The zone that it is most likely in, before it has been in any for long enough.
    private(set) var likeliest: StorePlan.Zone?
    private(set) var candidate: Candidate?

    init(_ key: BeaconKey, track: TrackID) {
        self.key = key
        self.track = track
    }

    mutating func list(_ listing: Listing) {
        listedAt = max(listedAt, listing.at)
        listings.removeAll { $0.gateway == listing.gateway || listing.at - $0.at > HeardLevels.memory }
        listings.append(listing)
        if listings.count > HeardLevels.mostGateways { listings.removeFirst() }
    }

    /// Gateways name a device that rotates its address differently for so long, at most.
    static let rotation = TimeSpan.seconds(15)

    /// Whether gateways name it differently for longer than a rotation takes: then it is several devices with one identity.
    mutating func isShared(at now: Instant) -> Bool {
        guard key.device == nil else { return false }
        let current = listings.filter { now - $0.at <= .seconds(3) && $0.age_ms <= 2_000 }
        guard Set(current.compactMap(\.device)).count > 1 else {
            differsSince = .distantFuture
            return false
        }
        differsSince = min(differsSince, now)
        return now - differsSince > Self.rotation
    }

    /// It is that device: what gateways list of others is none of it.
    mutating func keepListings(of device: String?) {
        for listing in listings where listing.device != device { unlist(listing.gateway) }
    }

    /// The store's regions that it is heard in, in the order in which it came into them.
    var regions: [StoreRegionSlot] { memberships.map(\.region) }

    /// - Parameter region: one that it is not in.
    mutating func enter(_ region: StoreRegionSlot) { memberships.append(Membership(region: region)) }

    mutating func leave(_ region: StoreRegionSlot) { memberships.removeAll { $0.region == region } }

    /// The zone that a region was told it is in.
    func toldZone(in region: StoreRegionSlot) -> StorePlan.Zone? { memberships.first { $0.region == region }?.toldZone }

    mutating func noteTold(_ zone: StorePlan.Zone?, in region: StoreRegionSlot) {
        guard let index = memberships.firstIndex(where: { $0.region == region }) else { return }
        memberships[index].toldZone = zone
    }

    /// Whether it has been in no region since that time.
    func hasLeft(at instant: Instant) -> Bool { memberships.isEmpty && leftAt == instant }

    /// The gateway lists others, and not this one.
    mutating func unlist(_ gateway: GatewayIndex) {
        listings.removeAll { $0.gateway == gateway }
        levels.forget(gateway)
    }

    /// What the gateway that hears it best lists of it now; `nil` where none lists it.
    func best(_ hearing: GatewaySet, at now: Instant) -> Listing? {
        listings.filter { now - $0.at <= HeardLevels.memory && hearing.contains($0.gateway) }
            .min { left, right in
                let (near, far) = (left.observation, right.observation)
                if (near.proximity == .unknown) != (far.proximity == .unknown) { return far.proximity == .unknown }
                return (-(near.rssi_dbm ?? -128), left.gateway) < (-(far.rssi_dbm ?? -128), right.gateway)
            }
    }

    /// Whether lists have come without it for so long that it is not there any more. Lists that are lost say nothing.
    ///
    /// - Parameter lastList: when the last one of its regions came.
    func isUnlisted(whereOthersAre lastList: Instant?) -> Bool {
        guard listedAt > .origin, let lastList else { return false }
        return lastList - listedAt > Self.unlistedFor
    }

    /// The zone that it is in by what is heard: the one where it is held to be, unless another one is sure.
    ///
    /// - Parameters:
    ///   - share: how likely the zone is that it is in.
    ///   - heardAt: when a gateway of the likeliest zone listed it last. Where those of its own zone list it no more, the others have to list it
    ///     since: their last lists may be lost, and the beacon gone.
    /// - Returns: the zone that it has moved to, and since when, once that is no passing by.
    mutating func decide(
        _ likeliest: (zone: StorePlan.Zone, share: Double), share: Double, heardAt: Instant = .distantFuture,
        isListedInZone: Bool = true, at now: Instant
    ) -> Candidate? {
        confidence = zone == nil ? likeliest.share : share
        self.likeliest = likeliest.zone
        if likeliest.zone == zone {
            candidate = nil
            return nil
        }
        if candidate?.zone != likeliest.zone { candidate = Candidate(zone: likeliest.zone, since: now) }
        if likeliest.share >= Self.sureEnough { candidate?.isListed = true }
        if candidate?.isListed == true { confidence = likeliest.share }
        guard let began = candidate, now - began.since >= Self.passingBy,
            zone == nil || (likeliest.share >= Self.sureEnough && (isListedInZone || heardAt >= began.since))
        else { return nil }
        confidence = likeliest.share
        return began
    }

    /// The zone that lists name: a visit to it is told once it is no passing by.
    var listedZone: StorePlan.Zone? {
        if let candidate, candidate.isListed { return candidate.zone }
        return zone ?? likeliest
    }

    /// A gateway of a zone heard it.
    mutating func heard(in zone: StorePlan.Zone, at instant: Instant) {
        if zone == self.zone { zoneHeardAt = max(zoneHeardAt, instant) }
    }

    /// When the gateways of a zone heard it last while it was there; `nil` where none did.
    func lastHeard(in zone: StorePlan.Zone) -> Instant? {
        let instant = zone == self.zone ? zoneHeardAt : formerZoneHeardAt
        return instant > .origin ? instant : nil
    }

    mutating func move(to zone: StorePlan.Zone?, since: Instant) {
        if zone != self.zone { (formerZoneHeardAt, zoneHeardAt) = (zoneHeardAt, zone == nil ? .origin : since) }
        self.zone = zone
        zoneSince = since
        candidate = nil
        if zone == nil { belief = ZoneBelief() }
    }
}
