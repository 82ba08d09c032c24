/// States that came before the event which they name. One of each gateway and region waits, until its gateway has told nothing old for
/// 2 s.
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
    /// Stale where the state of the place is due at another time, or gone.
    private var timers = TimerQueue<Place>()

    init() {}

    /// When the first of them has waited long enough, or earlier.
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

    /// A newer state took its place.
    mutating func forget(_ region: StoreRegionSlot, _ gateway: GatewayIndex) {
        waiting[Place(region: region, gateway: gateway)] = nil
    }

    /// The one whose event has come. What an event overtakes that came later is the past.
    mutating func take(named event: EventPayload, of region: StoreRegionSlot, _ gateway: GatewayIndex) -> State? {
        let place = Place(region: region, gateway: gateway)
        guard let state = waiting[place], state.payload.epoch != event.epoch || state.payload.eventSeq <= event.seq
        else {
            return nil
        }
        waiting[place] = nil
        return state.payload.epoch == event.epoch && state.payload.eventSeq == event.seq ? state : nil
    }

    /// The first of them, where it has waited long enough.
    ///
    /// - Parameter catchesUpUntil: when its gateway has told what is old, as far as is known.
    mutating func takeFirst(_ catchesUpUntil: (GatewayIndex) -> Instant) -> State? {
        guard let timer = timers.removeFirst(), let state = waiting[timer.subject], state.due == timer.due else {
            return nil
        }
        let due = catchesUpUntil(state.gateway)
        if due > state.due {
            waiting[timer.subject]?.due = due
            timers.set(timer.subject, at: due)
            return nil
        }
        waiting[timer.subject] = nil
        return state
    }
}

/// Which UUID each region of the store has, and which gateways' regions of the same id have another one.
///
/// Two regions with one id and two UUIDs are two kinds of beacons. Joined they would put one instance into two zones at once. So the
/// UUID of the gateway that spoke first counts, and what another gateway tells of its region is refused.
struct RegionOwners: Sendable {
    private struct Owner {
        var gateway: GatewayIndex
        var uuid: ProximityUUID
    }

    private struct Refused: Hashable {
        var gateway: GatewayIndex
        var region: String
    }

    private var owners: [String: Owner] = [:]
    private var refused: Set<Refused> = []

    /// The fate of news of a region.
    enum Decision {
        case joined
        /// The gateway's region has another UUID, as is known already.
        case refused
        /// It is known now: the gateway that spoke first, and the UUID of its region.
        case refusedFirst(GatewayIndex, ProximityUUID)
    }

    /// - Parameters:
    ///   - uuid: the one that the news names; `nil` where it names none.
    ///   - limit: regions, at most. Beyond it nothing is compared.
    mutating func decide(_ gateway: GatewayIndex, region: String, _ uuid: ProximityUUID?, limit: Int) -> Decision {
        let place = Refused(gateway: gateway, region: region)
        guard let uuid else { return !refused.isEmpty && refused.contains(place) ? .refused : .joined }
        guard let owner = owners[region] else {
            if owners.count < limit { owners[region] = Owner(gateway: gateway, uuid: uuid) }
            return .joined
        }
        if owner.uuid == uuid || owner.gateway == gateway {
            owners[region]?.uuid = uuid
            refused.remove(place)
            return .joined
        }
        return refused.insert(place).inserted ? .refusedFirst(owner.gateway, owner.uuid) : .refused
    }

    /// A gateway monitors a region no more.
    mutating func withdraw(_ gateway: GatewayIndex, region: String) {
        refused.remove(Refused(gateway: gateway, region: region))
        if owners[region]?.gateway == gateway { owners[region] = nil }
    }
}
