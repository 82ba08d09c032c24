/// States that arrived before the event that they name: after a connection was down, a gateway's retained states come before its queued events.
///
/// The latest state of each gateway and region waits for its event. If none comes, it counts by itself, once the gateway has published no
/// queued event for 2 s. A state other than `inside` also waits while the gateway may be offline.
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

        fileprivate var key: Key { Key(region: region, gateway: gateway) }
    }

    fileprivate struct Key: Hashable {
        var region: StoreRegionSlot
        var gateway: GatewayIndex
    }

    private var waiting: [Key: State] = [:]
    /// The timers. One stays after its state is gone or due at another time, and is then ignored.
    private var timers = TimerQueue<Key>()

    init() {}

    /// Returns what is wrong between waiting states and regions; for tests.
    func checkInvariants(_ regions: StoreRegions) -> [String] {
        let due = Set(timers.all.map { Deadline(key: $0.subject, due: $0.due) })
        var broken: [String] = []
        for (key, state) in waiting {
            if !due.contains(Deadline(key: key, due: state.due)) { broken.append("a waiting state has no timer") }
            let id = regions[key.region].id
            if regions.slot(of: id) != key.region { broken.append("a waiting state is of \(id), which has ended") }
        }
        return broken
    }

    private struct Deadline: Hashable {
        var key: Key
        var due: Instant
    }

    /// The deadline of the first state; earlier where the first timer is ignored.
    var due: Instant { timers.nextDue }

    /// Lets a state wait, in place of an earlier one.
    mutating func wait(_ state: State) {
        waiting[state.key] = state
        timers.set(state.key, at: state.due)
        timers.throwOutStale(of: waiting.count) { [waiting] in waiting[$0.subject]?.due == $0.due }
    }

    /// Returns whether a state of a gateway's region waits.
    func waits(_ region: StoreRegionSlot, _ gateway: GatewayIndex) -> Bool {
        waiting[Key(region: region, gateway: gateway)] != nil
    }

    /// Drops a waiting state: a newer one is applied without waiting, or the gateway's part in the region ends.
    mutating func remove(_ region: StoreRegionSlot, _ gateway: GatewayIndex) {
        waiting[Key(region: region, gateway: gateway)] = nil
    }

    /// Takes the arrival of an event. Returns the waiting state if it names this event.
    ///
    /// A state that names an earlier event is dropped. So is one of another epoch, unless that is the gateway's present one: then the event is
    /// of an epoch before, and the state still waits.
    ///
    /// - Parameter presentEpoch: the gateway's.
    mutating func take(
        stateOf event: EventPayload, in region: StoreRegionSlot, _ gateway: GatewayIndex, presentEpoch: String?
    ) -> State? {
        let key = Key(region: region, gateway: gateway)
        guard let state = waiting[key] else { return nil }
        guard state.payload.epoch == event.epoch else {
            if state.payload.epoch != presentEpoch { waiting[key] = nil }
            return nil
        }
        guard state.payload.eventSeq <= event.seq else { return nil }
        waiting[key] = nil
        return state.payload.eventSeq == event.seq ? state : nil
    }

    /// Runs the first timer; call it at `due`. Returns the state that has waited for long enough; `nil` where the timer is ignored, or its
    /// state has to wait on. Further timers may be due then.
    ///
    /// - Parameters:
    ///   - lateAfter: the time after the arrival beyond which no state waits on.
    ///   - caughtUpAt: returns when its gateway has published its queued events. A further such event makes that later.
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
