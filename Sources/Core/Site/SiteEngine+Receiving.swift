/// The way of gateways' messages into the store.
extension SiteEngine {
    /// Takes a message.
    ///
    /// - Parameters:
    /// - now: the time of arrival. Earlier due work has been done by `advance`.
    /// - timebase: relates instants to the store's clock.
    /// - isRetained: whether the broker had kept it. Then its arrival tells nothing about the gateway's clock.
    package mutating func receive(
        _ news: GatewayNews, at now: Instant, _ timebase: Timebase, isRetained: Bool = false,
        outputs: inout [GatewayOutput]
    ) {
        if let instance = news.instance, !settings.regions.isEmpty, !settings.regions.contains(instance.region) {
            return
        }
        guard let gateway = presence.gateways.index(of: news.gateway) else {
            refusedGateways += 1
            return
        }
        presence.now = max(presence.now, now)
        placing.plan.update(presence.gateways)
        let arrival = Arrival(news.head, at: now, timebase, lateAfter: settings.lateAfter)
        // The time of a will is that of its connection, so a status tells nothing about the clock.
        let showsClock = news.instance != nil && !isRetained
        if let head = news.head { presence.gateways.note(head, of: gateway, arrival, showsClock: showsClock) }
        guard let instance = news.instance else {
            if case .status(let payload) = news.content {
                receive(payload, from: gateway, at: now, begin: arrival.event, outputs: &outputs)
            }
            return
        }
        guard isJoined(news.content, of: instance, from: gateway, outputs: &outputs) else { return }
        switch news.content {
        case .status: break
        case .cleared: presence.withdraw(gateway, from: instance, at: now)
        case .event(let payload):
            guard case .beacon(let identity, let observation) = payload.cause else { return }
            let event = ArrivedEvent(
                payload: payload, instance: instance, identity: identity, observation: observation, gateway: gateway)
            presence.receive(event, arrival)
        case .state(let payload):
            // A circle contains the gateway itself, so there is nothing to join.
            guard payload.detail.kind.hasBeacons else { return }
            presence.receive(payload, of: instance, from: gateway, arrival)
        case .ranging(let payload): receive(payload.list, of: instance, from: gateway, arrival, outputs: &outputs)
        }
        tellFindings(outputs: &outputs)
    }

    /// Counts a message that could not be parsed.
    package mutating func receiveMalformed() { malformed += 1 }

    private mutating func receive(
        _ payload: StatusPayload, from gateway: GatewayIndex, at now: Instant, begin: Instant,
        outputs: inout [GatewayOutput]
    ) {
        if payload.isOnline { presence.gateways.note(epoch: payload.epoch, of: gateway, begin: begin) }
        let status = StoreGateways.Status(isOnline: payload.isOnline, radio: payload.radio)
        if presence.receive(status, from: gateway) {
            for slot in presence.regions.slots {
                presence.receive(status, of: gateway, in: slot)
                tellFindings(outputs: &outputs)
            }
        }
        presence.gateways.awaitRestatement(of: gateway, at: now)
    }

    private mutating func receive(
        _ list: ListedBeacons, of instance: RegionInstanceID, from gateway: GatewayIndex, _ arrival: Arrival,
        outputs: inout [GatewayOutput]
    ) {
        if arrival.isLate {
            presence.lateCount += 1
            return
        }
        guard let slot = presence.regionToList(instance, list, from: gateway, at: arrival.now) else { return }
        tellFindings(outputs: &outputs)
        let hasPlaced = placing.list(list, of: slot, from: gateway, arrival, &presence)
        presence.noteList(of: slot, isEmpty: !hasPlaced, from: gateway, at: arrival.now)
    }

    /// Returns whether a gateway's region is the store's region of that id. If not, its earlier claims are withdrawn.
    private mutating func isJoined(
        _ content: GatewayNews.Content, of instance: RegionInstanceID, from gateway: GatewayIndex,
        outputs: inout [GatewayOutput]
    ) -> Bool {
        if case .cleared = content {
            if instance.discriminator == .whole { presence.owners.withdraw(gateway, region: instance.region) }
            return true
        }
        let decision = presence.owners.decide(
            gateway, region: instance.region, content.uuid, limit: presence.admission.maxRegions)
        switch decision {
        case .joined: return true
        case .refused: break
        case .refusedFirst(let owner, let known):
            if let uuid = content.uuid {
                let cause = RegionMonitoringNotice.Cause.otherUUID(
                    uuid, gateway: gateways[gateway].settings.id, known: known,
                    knownGateway: gateways[owner].settings.id)
                outputs.append(.notice(RegionMonitoringNotice(region: instance.region, cause), at: now))
            }
            for slot in presence.regions.slots(where: { $0.region == instance.region }) {
                presence.withdraw(gateway, from: presence.regions[slot].id, at: now)
                tellFindings(outputs: &outputs)
            }
        }
        malformed += 1
        return false
    }
}

extension GatewayNews.Content {
    /// The UUID in the news, if there is one.
    fileprivate var uuid: ProximityUUID? {
        switch self {
        case .event(let payload):
            if case .beacon(let identity, _) = payload.cause { identity.uuid } else { nil }
        case .ranging(let payload): payload.list.beacons.first?.identity.uuid
        case .status, .state, .cleared: nil
        }
    }
}
