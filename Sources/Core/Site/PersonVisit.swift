/// The visit of one person to a store, under a pseudonym that lasts as long as the store's key of the day.
struct PersonVisit: Sendable {
    /// The time for which a zone has to be the likeliest, and how sure that has to be.
    private static let passingBy = TimeSpan.seconds(3)
    private static let sureEnough = 0.9
    /// The most ways of one visit that are counted.
    private static let mostWays = 256

    private(set) var stay: RegionStay
    /// The gateway that had the person inside as it began to report, so that no gateway saw the entry; `nil` for any other visit.
    private var unseenBy: GatewayIndex?
    /// The gateways that have the person inside.
    private(set) var gateways: Set<GatewayIndex> = []
    /// The time since which no gateway has; `nil` while one does.
    private(set) var goneSince: Instant?
    private(set) var ways: Set<VisitCount.Way> = []
    private var levels = HeardLevels()
    private var belief = ZoneBelief()
    private var zone: StorePlan.Zone?
    private var candidate: (zone: StorePlan.Zone, since: Instant)?

    /// The beginning of a visit in the store's view.
    enum Beginning: Hashable, Sendable {
        case observed(at: Instant)
        /// The gateway did not see it.
        case unseen(by: GatewayIndex)
        /// Before the store's start, or on the day before under another name.
        case before
    }

    init(_ beginning: Beginning, at now: Instant) {
        stay = RegionStay(enteredAt: now, lastHeardAt: now, beginning: .partial)
        switch beginning {
        case .observed(let entry): enter(at: entry)
        case .unseen(let gateway): unseenBy = gateway
        case .before: break
        }
    }

    /// Returns whether another gateway may still see the entry.
    func mayEnter(at gateway: GatewayIndex) -> Bool { unseenBy.map { $0 != gateway } ?? false }

    /// Learns that a gateway saw the entry.
    mutating func enter(at entry: Instant) {
        stay = RegionStay(enteredAt: entry, lastHeardAt: entry, beginning: .observed)
        unseenBy = nil
    }

    /// Takes what a gateway says of the person.
    ///
    /// - Parameter entry: the entry by this gateway; `nil` where it did not see it.
    mutating func take(
        _ person: PeopleReport.Person, from gateway: GatewayIndex, _ plan: StorePlan, entry: Instant?, at now: Instant
    ) {
        gateways.insert(gateway)
        goneSince = nil
        if let entry { stay.enteredAt = min(stay.enteredAt, entry) }
        stay.lastHeardAt = max(stay.lastHeardAt, now - .milliseconds(person.heard_ms))
        guard let level_dbm = person.rssi_dbm else { return levels.remove(gateway) }
        levels.record(HeardLevels.Level(gateway: gateway, level_dbm: level_dbm + plan.offset_db(of: gateway), at: now))
    }

    /// Learns that a gateway does not have the person inside any more.
    mutating func leave(_ gateway: GatewayIndex, at now: Instant) {
        guard gateways.remove(gateway) != nil else { return }
        levels.remove(gateway)
        if gateways.isEmpty { goneSince = now }
    }

    /// Finds the zone, as for any beacon of the store.
    mutating func place(_ plan: StorePlan, _ hearing: GatewaySet, at now: Instant) {
        let heard = levels.current(hearing, at: now)
        guard !heard.isEmpty else { return }
        let all = (0..<plan.gatewayCount).lazy.map { GatewayIndex($0) }
        let shares = belief.weigh(heard, plan, hearing, all, at: now)
        guard let likeliest = shares.indices.max(by: { shares[$0] < shares[$1] }) else { return }
        let found = StorePlan.Zone(number: likeliest)
        guard found != zone else {
            candidate = nil
            return
        }
        if candidate?.zone != found { candidate = (found, now) }
        guard let since = candidate?.since, now - since >= Self.passingBy, shares[likeliest] >= Self.sureEnough else {
            return
        }
        if let zone, ways.count < Self.mostWays {
            ways.insert(VisitCount.Way(from: plan.name(of: zone), to: plan.name(of: found)))
        }
        (zone, candidate) = (found, nil)
    }
}
