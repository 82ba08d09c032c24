/// States that arrived before the event that they name, or before events of an earlier epoch. For each gateway and
/// region, one state waits until the gateway has reported no old events for 2 s. Unless it says `inside`, it waits for the
/// gateway's line too.
struct EarlyStates: Sendable {
    struct State: Sendable {
        var region: StoreRegionSlot
        var gateway: GatewayIndex
        var payload: StatePayload
        var arrival: Arrival

        fileprivate var due: Instant

        init(region: StoreRegionSlot, gateway: GatewayIndex, payload: StatePayload, arrival: Arrival) {
            (self.region, self.gateway, self.payload, self.arrival) = (region, gateway, payload, arrival)
            due = arrival.now + Arrival.eventPatience
        }

        fileprivate var place: Place { Place(region: region, gateway: gateway) }
    }

    fileprivate struct Place: Hashable {
        var region: StoreRegionSlot
        var gateway: GatewayIndex
    }

    private var waiting: [Place: State] = [:]
    /// The timers. One is stale where the state is due at another time, or gone.
    private var timers = TimerQueue<Place>()

    init() {}

    /// Returns what is wrong between waiting states and regions; for tests.
    func checkInvariants(_ regions: StoreRegions) -> [String] {
        let due = Set(timers.all.map { Deadline(place: $0.subject, due: $0.due) })
        var broken: [String] = []
        for (place, state) in waiting {
            if !due.contains(Deadline(place: place, due: state.due)) { broken.append("a state waits for no timer") }
            let id = regions[place.region].id
            if regions.slot(of: id) != place.region { broken.append("a state waits for \(id), which has ended") }
        }
        return broken
    }

    private struct Deadline: Hashable {
        var place: Place
        var due: Instant
    }

    /// The deadline of the first state, or earlier.
    var due: Instant { timers.nextDue }

    mutating func wait(_ state: State) {
        waiting[state.place] = state
        timers.set(state.place, at: state.due)
        timers.throwOutStale(of: waiting.count) { [waiting] in waiting[$0.subject]?.due == $0.due }
    }

    /// Returns whether a state of a gateway's region waits.
    func waits(_ region: StoreRegionSlot, _ gateway: GatewayIndex) -> Bool {
        waiting[Place(region: region, gateway: gateway)] != nil
    }

    /// Removes a state that a newer one replaces.
    mutating func forget(_ region: StoreRegionSlot, _ gateway: GatewayIndex) {
        waiting[Place(region: region, gateway: gateway)] = nil
    }

    /// Removes and returns the state whose event has arrived. A newer event makes it obsolete, an event of an epoch
    /// before the gateway's present one does not.
    mutating func take(
        named event: EventPayload, of region: StoreRegionSlot, _ gateway: GatewayIndex, in epoch: String?
    ) -> State? {
        let place = Place(region: region, gateway: gateway)
        guard let state = waiting[place] else { return nil }
        guard state.payload.epoch == event.epoch else {
            if state.payload.epoch != epoch { waiting[place] = nil }
            return nil
        }
        guard state.payload.eventSeq <= event.seq else { return nil }
        waiting[place] = nil
        return state.payload.eventSeq == event.seq ? state : nil
    }

    /// Removes and returns the first state, if it has waited long enough.
    ///
    /// - Parameters:
    /// - lateAfter: the longest time that it waits.
    /// - caughtUpAt: returns when its gateway has reported its old events, as far as is known.
    mutating func takeFirst(lateAfter: TimeSpan, _ caughtUpAt: (State) -> Instant) -> State? {
        guard let timer = timers.removeFirst(), let state = waiting[timer.subject], state.due == timer.due else {
            return nil
        }
        let due = min(caughtUpAt(state), state.arrival.now + lateAfter)
        if due > state.due {
            waiting[timer.subject]?.due = due
            timers.set(timer.subject, at: due)
            return nil
        }
        waiting[timer.subject] = nil
        return state
    }
}

/// The UUID of each region of the store, the gateways that have it, and those whose region of that id has another one.
///
/// Two regions with one id and two UUIDs contain different kinds of beacons. Joined, they would put one instance into
/// two zones at once. So the UUID of the first gateway counts, and messages of another gateway about its region are
/// refused. The UUID changes once no other gateway has it.
struct RegionOwners: Sendable {
    private struct Owned {
        var uuid: ProximityUUID
        /// The gateways whose region has this UUID.
        var gateways = GatewaySet()
    }

    private struct Refused: Hashable {
        var gateway: GatewayIndex
        var region: String
    }

    private var regions: [String: Owned] = [:]
    private var refused: Set<Refused> = []

    /// The decision about a message of a region.
    enum Decision {
        case joined
        /// The gateway's region has another UUID; that is known already.
        case refused
        /// The gateway's region is found to have another UUID. A gateway with the UUID that counts, and that UUID, are
        /// attached.
        case refusedFirst(GatewayIndex, ProximityUUID)
    }

    /// - Parameters:
    /// - uuid: the UUID in the message; `nil` where there is none.
    /// - limit: the most regions. Beyond it UUIDs are not compared.
    mutating func decide(_ gateway: GatewayIndex, region: String, _ uuid: ProximityUUID?, limit: Int) -> Decision {
        let place = Refused(gateway: gateway, region: region)
        guard let uuid else { return !refused.isEmpty && refused.contains(place) ? .refused : .joined }
        let owned = regions[region]
        guard owned != nil || regions.count < limit else { return .joined }
        var known = owned ?? Owned(uuid: uuid)
        if known.uuid != uuid {
            known.gateways.remove(gateway)
            regions[region] = known
            if let other = known.gateways.first {
                return refused.insert(place).inserted ? .refusedFirst(other, known.uuid) : .refused
            }
        }
        if known.uuid == uuid, known.gateways.contains(gateway) { return .joined }
        known.gateways.insert(gateway)
        known.uuid = uuid
        regions[region] = known
        refused.remove(place)
        return .joined
    }

    /// Removes a gateway that does not monitor a region any more.
    mutating func remove(_ gateway: GatewayIndex, region: String) {
        refused.remove(Refused(gateway: gateway, region: region))
        regions[region]?.gateways.remove(gateway)
        if regions[region]?.gateways.isEmpty == true { regions[region] = nil }
    }
}
