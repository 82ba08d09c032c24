/// The slots of a beacon and of a region's zone in a store.
struct StoreBeaconSlot: SlotNumber, Comparable {
    let number: UInt32

    static func < (left: StoreBeaconSlot, right: StoreBeaconSlot) -> Bool { left.number < right.number }
}
struct StoreZoneSlot: SlotNumber {
    let number: UInt32
}

/// The identity of a beacon in a store. Across gateways, one beacon is one identity. Where several devices share an
/// identity, and the gateways name devices alike, it is the device.
struct BeaconKey: Hashable, Sendable {
    var identity: BeaconIdentity
    var device: String?
}

/// One beacon of the store: its levels at the gateways, and its zone.
struct StoreBeacon: Sendable {
    /// A gateway's last entry of the beacon, without track and place, which the store adds.
    struct Listing: Sendable {
        fileprivate(set) var device: String?
        fileprivate(set) var at: Instant
        fileprivate(set) var age_ms: Int64
        fileprivate(set) var observation: BeaconObservation
        /// True if the gateway heard the beacon as it published the list.
        fileprivate let isPresent: Bool
        private var measuredPower_dbm: Int8
        private var isResolving: Bool
        private var isDuplicate: Bool
        fileprivate(set) var gateway: GatewayIndex

        init(_ beacon: ListedBeacon, by gateway: GatewayIndex, at now: Instant) {
            (device, age_ms, observation) = (beacon.device, beacon.age_ms, beacon.observation)
            isPresent = beacon.presentLevel_dbm != nil
            measuredPower_dbm = beacon.measuredPower_dbm
            (isResolving, isDuplicate) = (beacon.isResolving, beacon.isDuplicate)
            (self.gateway, at) = (gateway, now)
        }

        /// Returns the entry as the store lists it.
        func beacon(_ identity: BeaconIdentity, track: TrackID) -> ListedBeacon {
            ListedBeacon(
                track: track, identity: identity, observation: observation, measuredPower_dbm: measuredPower_dbm,
                age_ms: age_ms, device: device, isResolving: isResolving, isDuplicate: isDuplicate)
        }
    }

    /// A region of the store in which the beacon is heard.
    private struct Membership: Sendable {
        var region: StoreRegionSlot
        /// The published zone in that region. Where subscribers don't know that a region is inside, nothing is
        /// published of its zones, so that this may lag behind.
        var publishedZone: StorePlan.Zone?
    }

    /// A zone that the beacon may have moved to, and the time since which it has been the likeliest.
    struct Candidate: Sendable {
        var since: Instant
        var zone: StorePlan.Zone
        /// True if lists name it already: it has been sure enough for that.
        fileprivate(set) var isListed = false

        init(zone: StorePlan.Zone, since: Instant) { (self.zone, self.since) = (zone, since) }
    }

    /// The shortest stay that counts; a shorter one is passing by.
    static let passingBy = TimeSpan.seconds(3)
    /// The time after which a beacon has left if others are listed without it.
    static let unlistedFor = TimeSpan.seconds(15)
    /// The probability that a move needs. Lists name the zone at once; a visit is published once the beacon is not just
    /// passing by.
    static let sureEnough = 0.9
    /// The probability of the zone whose gateways have a region inside, where no gateway lists the beacon: not enough
    /// for a move.
    static let presumed = 0.8
    /// The least probability of a displayed zone.
    static let leastShown = 1.0 / 3
    /// The time after a change of zone in which it counts as moving, and the age of levels that are of one time.
    private static let movingFor = TimeSpan.seconds(600), atOnce = TimeSpan.seconds(3)

    // The order of members avoids padding: a store has 10,000 of these.

    var key: BeaconKey
    /// The store's own number of the beacon. Gateways number beacons independently.
    let track: TrackID
    var levels = HeardLevels()
    private(set) var listings: [Listing] = []
    private var memberships: [Membership] = []
    /// The time since which gateways name it differently; `distantFuture` while they don't.
    private var differsSince = Instant.distantFuture
    /// The time at which it left the last of its regions.
    var leftAt = Instant.origin
    private(set) var zoneSince = Instant.origin
    /// The last list of any gateway that names the beacon.
    private(set) var listedAt = Instant.origin
    /// The last reports by gateways of its zone, and by those of the zone before while it was there.
    private var zoneHeardAt = Instant.origin
    private var formerZoneHeardAt = Instant.origin
    private(set) var confidence = 0.0
    var belief = ZoneBelief()
    private(set) var zone: StorePlan.Zone?
    /// The likeliest zone before the beacon has been in any for long enough.
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

    /// The longest time for which gateways name a device that rotates its address differently.
    static let rotation = TimeSpan.seconds(15)

    /// Returns whether gateways name it differently for longer than a rotation takes. Then several devices share one
    /// identity.
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

    /// Keeps only the entries of that device.
    mutating func keepListings(of device: String?) {
        for listing in listings where listing.device != device { unlist(listing.gateway) }
    }

    /// The store's regions that it is heard in, in the order of its entries.
    var regions: [StoreRegionSlot] { memberships.map(\.region) }

    /// - Parameter region: a region that it is not in.
    mutating func enter(_ region: StoreRegionSlot) { memberships.append(Membership(region: region)) }

    mutating func leave(_ region: StoreRegionSlot) { memberships.removeAll { $0.region == region } }

    func publishedZone(in region: StoreRegionSlot) -> StorePlan.Zone? {
        memberships.first { $0.region == region }?.publishedZone
    }

    mutating func published(_ zone: StorePlan.Zone?, in region: StoreRegionSlot) {
        guard let index = memberships.firstIndex(where: { $0.region == region }) else { return }
        memberships[index].publishedZone = zone
    }

    /// Returns whether it has been in no region since that time.
    func hasLeft(at instant: Instant) -> Bool { memberships.isEmpty && leftAt == instant }

    /// Removes the entry of a gateway that lists others, but not this beacon.
    mutating func unlist(_ gateway: GatewayIndex) {
        listings.removeAll { $0.gateway == gateway }
        levels.remove(gateway)
    }

    /// Returns the entry of the gateway that hears it best; `nil` where none lists it.
    func best(_ hearing: GatewaySet, at now: Instant) -> Listing? {
        listings.filter { now - $0.at <= HeardLevels.memory && hearing.contains($0.gateway) }
            .min { left, right in
                if left.isPresent != right.isPresent { return left.isPresent }
                let (near_dbm, far_dbm) = (left.observation.rssi_dbm ?? -128, right.observation.rssi_dbm ?? -128)
                return (-near_dbm, left.gateway) < (-far_dbm, right.gateway)
            }
    }

    /// Returns its levels at the gateways that hear it, the best first; none where it does not move, or fewer than two hear
    /// it now. A beacon that has been in its zone for long may stand beside one of them.
    func levelsWhileMoving(_ hearing: GatewaySet, at now: Instant) -> [HeardLevels.Level] {
        guard zone != nil, now - zoneSince <= Self.movingFor else { return [] }
        let fresh = levels.levels.filter { hearing.contains($0.gateway) && now - $0.at <= Self.atOnce }
            .sorted { ($0.level_dbm, $1.gateway) > ($1.level_dbm, $0.gateway) }
        return fresh.count >= 2 ? fresh : []
    }

    /// Returns its likely zones beside the one in its list.
    ///
    /// - Parameter names: of the zones, by their numbers.
    func others(than zone: StorePlan.Zone, _ names: [String]) -> [BeaconPlace.Likelihood] {
        // Most beacons are surely in their zone.
        guard confidence < 1 - BeaconPlace.leastOther else { return [] }
        let likely = belief.shares.enumerated().filter { number, share in
            number != zone.number && share >= BeaconPlace.leastOther
        }
        return likely.sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }.prefix(BeaconPlace.maxOthers).map {
            BeaconPlace.Likelihood(zone: names[$0.offset], confidence: $0.element)
        }
    }

    /// Returns whether lists have come without it for so long that it has left. Missing lists do not count.
    ///
    /// - Parameter lastList: the last list of its regions.
    func isUnlisted(whereOthersAre lastList: Instant?) -> Bool {
        guard listedAt > .origin, let lastList else { return false }
        return lastList - listedAt > Self.unlistedFor
    }

    /// Decides the zone by the levels: the zone stays unless another one is sure.
    ///
    /// - Parameters:
    /// - share: the probability of the present zone.
    /// - heardAt: the last list of the likeliest zone's gateways. A move needs one of the last seconds: the older levels
    ///   of its own zone may count less only because lists are lost, or because the beacon is gone.
    /// - Returns: the zone that it has moved to, and the time of the move, once it is not just passing by.
    mutating func decide(
        _ likeliest: (zone: StorePlan.Zone, share: Double), share: Double, heardAt: Instant = .distantFuture,
        at now: Instant
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
            zone == nil || (likeliest.share >= Self.sureEnough && heardAt > now - Self.passingBy)
        else { return nil }
        confidence = likeliest.share
        return began
    }

    /// The zone in lists. A visit to it is published once the beacon is not just passing by.
    var listedZone: StorePlan.Zone? {
        if let candidate, candidate.isListed { return candidate.zone }
        return zone ?? likeliest
    }

    /// Takes a report by a gateway, which counts for its zone where the gateway is one of the zone's own.
    mutating func heard(by gateway: GatewayIndex, _ plan: StorePlan, at instant: Instant) {
        if let zone, plan.isOwn(gateway, of: zone) { zoneHeardAt = max(zoneHeardAt, instant) }
    }

    /// Returns its highest level at a gateway of the zone's own.
    func strongest(in zone: StorePlan.Zone, _ plan: StorePlan) -> HeardLevels.Level? {
        levels.levels.filter { plan.isOwn($0.gateway, of: zone) }.max { $0.level_dbm < $1.level_dbm }
    }

    /// Returns the last report by gateways of a zone while the beacon was there; `nil` where there was none.
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

extension ListedBeacon {
    /// Orders the nearest first and unknown ones last. Equal ones are ordered by track, so that the order is
    /// repeatable.
    static func isNearer(_ left: ListedBeacon, _ right: ListedBeacon) -> Bool {
        let (leftUnknown, rightUnknown) = (
            left.observation.proximity == .unknown, right.observation.proximity == .unknown
        )
        if leftUnknown != rightUnknown { return rightUnknown }
        return (left.observation.accuracy_m, left.track) < (right.observation.accuracy_m, right.track)
    }
}
