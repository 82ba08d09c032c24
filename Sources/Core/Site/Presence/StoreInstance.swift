/// What a region of a store and a zone of it have in common: they are entered and left, and told of in the words of a gateway.
protocol StoreInstance: Sendable {
    var id: RegionInstanceID { get }
    var standing: RegionStanding { get }
    /// Of the last event; `nil` while none has told one, as after a start.
    var cause: StoreRegion.Cause? { get }
}

extension StoreInstance {
    /// What a change is told and stored as.
    func told(_ change: RegionStanding.Change, at now: Instant, _ gateways: StoreGateways) -> GatewayOutput {
        // Without any gateway's event or list nobody knows which beacon it was.
        let event = change.crossing.flatMap { crossing in
            cause.map { RegionEvent(crossing, by: $0.told(at: crossing), gateway: gateways.name(of: $0.gateway)) }
        }
        let transition = RegionTransition(instance: id, state: change.state, since: change.since, at: now, event: event)
        return .transition(transition, record: record)
    }

    /// What to store; `nil` while there is nothing to go on from.
    var record: RegionRecord? {
        let constraint = cause.map {
            BeaconIdentityConstraint(uuid: $0.identity.uuid, major: id.major, minor: id.minor)
        }
        switch standing.occupancy {
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

    /// The stay under way, to be stored; `nil` where none is.
    var recordOfStay: RegionRecord? { standing.presence == nil ? nil : record }

    /// No gateway monitors it any more: the stay under way is over for subscribers. `nil` where none is.
    func endOfStay(at now: Instant, _ gateways: StoreGateways) -> GatewayOutput? {
        guard let record = recordOfStay, var event = record.unmonitoredExit(at: now) else { return nil }
        event.gateway = gateways.name(of: cause?.gateway)
        return .ended(id, event, at: now)
    }
}

extension StoreGateways {
    fileprivate func name(of gateway: GatewayIndex?) -> String? { gateway.map { self[$0].settings.id } }
}

extension StoreRegion {
    /// What is told of a crossing beside its time.
    struct Cause: Sendable {
        /// `nil` where an earlier process knew it.
        var gateway: GatewayIndex?
        var identity: BeaconIdentity
        var observation: BeaconObservation

        init(gateway: GatewayIndex?, identity: BeaconIdentity, observation: BeaconObservation) {
            (self.gateway, self.identity, self.observation) = (gateway, identity, observation)
        }

        /// Who an earlier process had inside. Which gateway said so is not stored.
        init?(of stay: RegionRecord.OpenStay, in record: RegionRecord) {
            guard let keeper = stay.keeper, case .beacon(of: let constraint?) = record.kind else {
                return nil
            }
            self.init(
                gateway: nil,
                identity: BeaconIdentity(uuid: constraint.uuid, major: keeper.major, minor: keeper.minor),
                observation: .undetermined(rssi_dbm: keeper.rssi_dbm))
        }

        /// At an exit the beacon is not there any more, so how near it is nobody knows.
        fileprivate func told(at crossing: RegionEvent.Kind) -> RegionEvent.Cause {
            switch crossing {
            case .enter: .beacon(identity, observation)
            case .exit: .beacon(identity, .undetermined(rssi_dbm: observation.rssi_dbm))
            }
        }
    }
}
