/// The common part of a store's region and its zone: both are entered and left, and published like a gateway's region.
protocol StoreInstance: Sendable {
    var id: RegionInstanceID { get }
    var machine: RegionStateMachine { get }
    /// The cause of the last event; `nil` before the first, for example after a start.
    var cause: StoreRegion.Cause? { get }
}

extension StoreInstance {
    /// Returns the output that announces and stores a change.
    func output(of change: RegionStateMachine.Change, at now: Instant, _ gateways: StoreGateways) -> GatewayOutput {
        // Without any gateway's event or list, the beacon is unknown.
        let event = change.crossing.flatMap { crossing in
            cause.map { RegionEvent(crossing, by: $0.cause(of: crossing), gateway: gateways.name(of: $0.gateway)) }
        }
        let transition = RegionTransition(instance: id, state: change.state, since: change.since, at: now, event: event)
        return .transition(transition, record: record)
    }

    /// The record to store; `nil` while there is no state to restore.
    var record: RegionRecord? {
        let constraint = cause.map {
            BeaconIdentityConstraint(uuid: $0.identity.uuid, major: id.major, minor: id.minor)
        }
        switch machine.occupancy {
        case .unsettled: return nil
        case .outside(let since): return RegionRecord(instance: id, .beacon(of: constraint), .outside(since: since))
        case .inside(let presence):
            guard let cause else { return nil }
            let keeper = BeaconKeeper(
                major: cause.identity.major, minor: cause.identity.minor, rssi_dbm: cause.observation.rssi_dbm)
            let stay = RegionRecord.OpenStay(
                enteredAt: presence.enteredAt, lastHeardAt: presence.lastHeardAt, beginning: presence.beginning,
                keeper: keeper)
            return RegionRecord(instance: id, .beacon(of: constraint), .inside(stay))
        }
    }

    /// The record of the open stay; `nil` where there is none.
    var recordOfStay: RegionRecord? { machine.presence == nil ? nil : record }

    /// Returns the exit that ends the open stay, because no gateway monitors the instance any more; `nil` where there
    /// is none.
    func endOfStay(at now: Instant, _ gateways: StoreGateways) -> GatewayOutput? {
        guard let record = recordOfStay, var event = record.unmonitoredExit(at: now) else { return nil }
        event.gateway = gateways.name(of: cause?.gateway)
        return .exit(id, event, at: now)
    }
}

extension StoreRegion {
    /// Returns the exit of a visit that became known late; `nil` where no beacon of it is known.
    func lateVisit(_ stay: StayLog.Stay, at exit: Instant, _ gateways: StoreGateways) -> GatewayOutput? {
        guard let cause = stay.cause ?? cause else { return nil }
        let ended = RegionStay(
            enteredAt: stay.from, lastHeardAt: stay.lastHeardAt, beginning: stay.beginning, ending: stay.ending,
            isLate: true)
        let kind = RegionEvent.Kind.exit(ended)
        let event = RegionEvent(kind, by: cause.cause(of: kind), gateway: gateways.name(of: cause.gateway))
        return .exit(id, event, at: exit)
    }
}

extension StoreGateways {
    fileprivate func name(of gateway: GatewayIndex?) -> String? { gateway.map { self[$0].settings.id } }
}

extension StoreRegion {
    /// The gateway and beacon of a crossing.
    struct Cause: Sendable {
        /// The gateway; `nil` where an earlier process knew it.
        var gateway: GatewayIndex?
        var identity: BeaconIdentity
        var observation: BeaconObservation

        init(gateway: GatewayIndex?, identity: BeaconIdentity, observation: BeaconObservation) {
            (self.gateway, self.identity, self.observation) = (gateway, identity, observation)
        }

        /// Restores the beacon that an earlier process had inside. Its gateway is not stored.
        init?(of stay: RegionRecord.OpenStay, in record: RegionRecord) {
            guard let keeper = stay.keeper, case .beacon(of: let constraint?) = record.kind else {
                return nil
            }
            self.init(
                gateway: nil,
                identity: BeaconIdentity(uuid: constraint.uuid, major: keeper.major, minor: keeper.minor),
                observation: .undetermined(rssi_dbm: keeper.rssi_dbm))
        }

        /// - Parameter entry: the cause of the entry that an exit ends. Both name one beacon, so that a visit has a
        ///   beginning and an end.
        init(of event: ArrivedEvent, ending entry: StoreRegion.Cause? = nil) {
            let observation =
                event.payload.exit == nil ? event.observation : .undetermined(rssi_dbm: event.observation.rssi_dbm)
            self.init(gateway: event.gateway, identity: entry?.identity ?? event.identity, observation: observation)
        }

        /// Returns the cause for an event. At an exit the beacon has left, so its distance is unknown.
        fileprivate func cause(of crossing: RegionEvent.Kind) -> RegionEvent.Cause {
            switch crossing {
            case .enter: .beacon(identity, observation)
            case .exit: .beacon(identity, .undetermined(rssi_dbm: observation.rssi_dbm))
            }
        }
    }
}

extension StoreRegion {
    /// The visit after the last one published.
    enum NextVisit: Sendable {
        case none
        /// Known to begin at that time, after the end of the last one.
        case known(at: Instant)
        /// Held back: the visit begins at that time or earlier. `since` is the time from which an old entry waits
        /// for gateways that may report an earlier one.
        case held(at: Instant, since: Instant)

        /// The beginning of the visit, as far as is known.
        var entry: Instant? {
            switch self {
            case .none: nil
            case .known(let entry), .held(let entry, _): entry
            }
        }

        /// The time since which its entry waits.
        var heldSince: Instant? { if case .held(_, let since) = self { since } else { nil } }
    }

    /// The reason and time of another evaluation without a message.
    enum Reevaluation: Sendable {
        case never
        /// An entry or a state is dated in the past. It waits until gateways have reported what followed it.
        case deferred(isEntry: Bool, until: Instant)
        /// A gateway that is away is given up.
        case givingUp(at: Instant)

        var due: Instant {
            switch self {
            case .never: .distantFuture
            case .deferred(_, let due), .givingUp(let due): due
            }
        }

        var isOfEntry: Bool { if case .deferred(let isEntry, _) = self { isEntry } else { false } }
    }

    /// The progress of restoring a stored region.
    enum Resumption: Sendable {
        case none
        /// This process began then, and no gateway has reported anything about the region yet.
        case silent(since: Instant)
        /// A gateway first reported then that the instance is empty.
        case reportedEmpty(at: Instant)
    }
}

/// A finding of the presence, to publish or to place beacons by.
enum PresenceFinding: Sendable {
    /// A gateway has reported an event of a beacon that it heard until then.
    case heard(StoreRegionSlot, ArrivedEvent, until: Instant, at: Instant)
    case changed(PresenceChange)
    /// A visit became known late.
    case lateVisit(GatewayOutput)
    /// No gateway monitors the region any more. The output ends its open stay, if there is one.
    case ended(StoreRegionSlot, GatewayOutput?, at: Instant)
    case released(ReleasedRegion)
    /// A pending region was discarded before it was published.
    case discarded(StoreRegionSlot)
}

/// A change of a region's state.
struct PresenceChange: Sendable {
    var slot: StoreRegionSlot
    var change: StoreRegion.Change
    /// The last evidence of the inside.
    var lastHeardAt: Instant?
    var output: GatewayOutput
}

/// A published region that does not exist any more.
struct ReleasedRegion: Sendable {
    var slot: StoreRegionSlot
    var id: RegionInstanceID
}
