/// The engine of a store of several gateways: from their messages and time to the store's transitions and rangings.
///
/// The engine works like `GatewayEngine`, and its outputs are published like a gateway's. It reads no clock: `now` is
/// the arrival of a message, and the timebase relates it to the times in it.
///
/// Presence and placing are two parts with a state each. Messages and time go to the part that they concern, and
/// findings of the presence go on to the placing.
package struct SiteEngine: Sendable {
    /// The counts since it was made.
    package struct Figures: Hashable, Sendable {
        /// Messages that came too late to change anything.
        package var late: UInt64
        /// Messages that could not be parsed.
        package var malformed: UInt64
    }

    /// The configured regions and zones of a store.
    package struct Scope: Sendable {
        private let regions: Set<String>
        /// The zones of the listed gateways, and those that were walked. Without any listed, each new gateway brings a zone.
        private let zones: Set<String>

        /// - Parameter walked: the zones of the last zone map.
        package init(_ settings: SiteSettings, walked: Set<String> = []) {
            regions = settings.regions
            zones = settings.gateways.isEmpty ? [] : walked.union(settings.gateways.map(\.zone))
        }

        /// Returns whether a stored instance is restored: a zone only while a gateway may hear for it.
        package func holds(_ instance: RegionInstanceID) -> Bool {
            (regions.isEmpty || regions.contains(instance.region))
                && (instance.zone.map { zones.isEmpty || zones.contains($0) } ?? true)
        }
    }

    /// The least limit of beacons: a store has more than one gateway hears.
    private static let leastBeacons = 16_384
    /// The least absence after which a gateway is given up; `late_after_s` where that is longer.
    private static let leastGivenUpAfter = TimeSpan.seconds(86_400)

    package let settings: SiteSettings
    /// The region instances, and the gateways' claims on them.
    private(set) var presence: StorePresence
    /// The places and zones of beacons.
    private(set) var placing: StorePlacing
    private var uuids = RegionUUIDs()
    /// The offsets that it learns; `nil` where the configuration does not want that.
    private var learning: LearningSchedule?
    private var malformed: UInt64 = 0
    /// Messages of gateways beyond 64.
    private var refusedGateways: UInt64 = 0

    /// - Parameters:
    ///   - records: the records of an earlier process.
    ///   - learning: what an earlier process has learned.
    package init(
        _ settings: SiteSettings, _ gateway: GatewaySettings, distinguishesDevices: Bool,
        restoring records: [RegionRecord], learning: StoreLearning? = nil,
        at now: Instant, outputs: inout [GatewayOutput]
    ) {
        self.settings = settings
        self.learning = learning.map { LearningSchedule($0, at: now) }
        let gateways = StoreGateways(settings.gateways, at: now)
        let spans = StoreRegion.Spans(
            exitAfter: settings.leaveAfter, unknownAfter: gateway.regions.rules.beacons.unknownStateAfter,
            lateAfter: settings.lateAfter, givenUpAfter: max(settings.lateAfter, Self.leastGivenUpAfter))
        presence = StorePresence(spans, gateway.regions.limits, gateways, at: now)
        placing = StorePlacing(
            gateways, maxBeacons: max(gateway.tracker.maxTransmitters, Self.leastBeacons),
            distinguishesDevices: distinguishesDevices)
        // Where not all fit: stays first, then the instances left last.
        let inOrder =
            records.filter(\.isInside) + records.filter { !$0.isInside }.sorted { $0.lastHeardAt > $1.lastHeardAt }
        for record in records.count > presence.regions.limits.maxInstances ? inOrder : records {
            restore(record.moved(notAfter: now), outputs: &outputs)
        }
        if let update = self.learning?.begin() { publish(update, at: now, outputs: &outputs) }
    }

    private mutating func restore(_ record: RegionRecord, outputs: inout [GatewayOutput]) {
        if record.instance.zone == nil {
            presence.restore(record)
            return takeFindings(outputs: &outputs)
        }
        // Its region may have had no record.
        guard let region = presence.restoredRegion(record.instance.inZone(nil)) else { return }
        placing.restore(record, of: region, &presence, outputs: &outputs)
    }

    /// Publishes the findings of the presence, and lets the placing follow. The engine calls it for each region that was
    /// touched.
    private mutating func takeFindings(outputs: inout [GatewayOutput]) {
        for finding in presence.takeFindings() {
            switch finding {
            case .heard(let slot, let event, let last, let now): placing.hear(event, in: slot, until: last, at: now)
            case .changed(let changed): placing.follow(changed, &presence, outputs: &outputs)
            case .lateVisit(let exit): outputs.append(exit)
            case .ended(let slot, let stay, let now):
                outputs += placing.endStays(in: slot, at: now, presence.gateways)
                if let stay { outputs.append(stay) }
            case .released(let released): placing.remove(released, at: now, outputs: &outputs)
            case .discarded(let slot): placing.removeBeacons(of: slot, at: now)
            }
        }
    }
}

/// The passing of time.
extension SiteEngine {
    package var nextDeadline: Instant {
        min(presence.nextDeadline, placing.nextDeadline, learning?.nextDeadline ?? .distantFuture)
    }

    /// Does the first work that is due before `limit`. Returns its time; `nil` where there is none.
    package mutating func advance(before limit: Instant, outputs: inout [GatewayOutput]) -> Instant? {
        let now = nextDeadline
        guard now < limit else { return nil }
        presence.pass(to: now)
        if let due = learning?.nextDeadline, due <= now {
            learn(at: now, outputs: &outputs)
        } else if presence.nextDeadline > now {
            placing.advance(to: now, &presence, outputs: &outputs)
        } else if presence.isRestatementDue(at: now) {
            endEarlierEpochs(at: now, outputs: &outputs)
        } else {
            if presence.hasSurges(at: now) { publishSurges(at: now, outputs: &outputs) }
            presence.advance(to: now)
        }
        takeFindings(outputs: &outputs)
        return now
    }

    /// Learns from the beacons that are heard now, and from the quarter of the day that is over.
    private mutating func learn(at now: Instant, outputs: inout [GatewayOutput]) {
        let ids = presence.gateways.all.map(\.settings.id)
        learning?.take(placing.levelsOfMoving(presence.gateways.hearing, at: now), ids)
        if let update = learning?.advance(to: now) { publish(update, at: now, outputs: &outputs) }
    }

    private mutating func publish(_ update: LearnedUpdate, at now: Instant, outputs: inout [GatewayOutput]) {
        placing.use(learning?.offsets_db ?? [:], presence.gateways)
        outputs.append(.message(update, at: now))
    }

    /// Does all work that is due up to an instant.
    package mutating func advance(through now: Instant, outputs: inout [GatewayOutput]) {
        while advance(before: now + TimeSpan(microseconds: 1), outputs: &outputs) != nil {}
    }

    /// Ends gateways' stays of an earlier epoch that were not repeated in time.
    private mutating func endEarlierEpochs(at now: Instant, outputs: inout [GatewayOutput]) {
        while let gateway = presence.takeRestated(at: now) {
            for slot in presence.regions.slots {
                presence.endEarlierEpochs(of: gateway, in: slot, at: now)
                takeFindings(outputs: &outputs)
            }
        }
    }

    /// Publishes every exit that waits for gateways, because all have reported their events.
    package mutating func publishWaiting(at now: Instant, outputs: inout [GatewayOutput]) {
        for slot in presence.regions.slots {
            presence.publishWaiting(slot, at: now)
            takeFindings(outputs: &outputs)
        }
    }

    /// Publishes the surges, even of a minute that has not ended.
    package mutating func publishSurges(at now: Instant, outputs: inout [GatewayOutput]) {
        for surge in presence.takeSurges() { outputs.append(.message(surge, at: now)) }
    }
}

/// The queries of a store.
extension SiteEngine {
    /// Returns what is wrong with the state of the engine; for tests, because it goes through everything.
    package func checkInvariants() -> [String] { presence.checkInvariants() + placing.checkInvariants(presence) }

    package var gateways: StoreGateways { presence.gateways }

    /// The latest time that it was given.
    package var now: Instant { presence.now }

    package var figures: Figures { Figures(late: presence.lateCount, malformed: malformed) }

    /// The number of region instances, zones included.
    var instanceCount: Int { presence.regions.plainCount + presence.regions.instanceCount + placing.zones.count }

    package var recordsOfStays: [RegionRecord] {
        presence.regions.slots.compactMap { presence.regions[$0].recordOfStay }
            + placing.zones.slots.compactMap { placing.zones[$0].recordOfStay }
    }

    /// True if any gateway that has spoken can hear.
    package var isHearing: Bool { gateways.all.contains { $0.hearing == .hears } }

    /// Returns whether a gateway reports what it heard while it was away, as far as is known.
    package func isCatchingUp(at now: Instant) -> Bool { gateways.all.contains { $0.progress.catchesUpUntil >= now } }

    /// Returns all counts, and the hearing of the gateways.
    package func figures(at now: Instant) -> GatewayFigures {
        let gateways = gateways.all.map { gateway in
            StoreFigures.Gateway(
                id: gateway.settings.id, hearing: gateway.hearing,
                clockAhead_s: gateway.isClockSynced ? gateway.clockOffset?.seconds : nil)
        }
        let listed = placing.beacons.slots.count { now - placing.beacons[$0].listedAt <= HeardLevels.memory }
        var figures = GatewayFigures()
        figures.store = StoreFigures(late: presence.lateCount, malformed: malformed, gateways: gateways)
        figures.store?.suspects = learning?.suspectCount
        (figures.tracks, figures.listedTracks, figures.instances) = (UInt64(clamping: listed), listed, instanceCount)
        (figures.refusedTransmitters, figures.refusedEntries) = (placing.refusedBeacons, presence.regions.refused)
        figures.refusedGateways = refusedGateways
        return figures
    }
}

extension StoreGateways.Gateway {
    /// The word of `health`. A gateway that speaks without a status counts as one that hears.
    fileprivate var hearing: StoreFigures.Hearing {
        guard let status else { return lastArrival == nil ? .silent : .hears }
        if !status.isOnline { return .offline }
        return status.hears ? .hears : .blind
    }
}

/// The way of gateways' messages into the store.
extension SiteEngine {
    /// Takes a message.
    ///
    /// - Parameters:
    /// - now: the time of arrival. Earlier due work has been done by `advance`.
    /// - timebase: relates instants to the store's clock.
    /// - isRetained: whether the broker had kept it. Then its arrival shows nothing about the gateway's clock.
    package mutating func receive(
        _ message: GatewayMessage, at now: Instant, _ timebase: Timebase, isRetained: Bool = false,
        outputs: inout [GatewayOutput]
    ) {
        if let instance = message.instance, !settings.regions.isEmpty, !settings.regions.contains(instance.region) {
            return
        }
        guard let gateway = presence.gateway(message.gateway) else {
            refusedGateways += 1
            return
        }
        presence.pass(to: now)
        placing.update(presence.gateways)
        let arrival = Arrival(message.head, at: now, timebase, lateAfter: settings.lateAfter)
        learning?.receive(message, arrival, timebase)
        if case .beacons = message.content { return }
        let showsClock = !isRetained && showsClock(message.content, of: gateway, arrival)
        presence.receive(message, of: gateway, arrival, showsClock: showsClock)
        guard let instance = message.instance else {
            if case .status(let payload) = message.content {
                receive(payload, from: gateway, at: now, outputs: &outputs)
            }
            return
        }
        guard isJoined(message.content, of: instance, from: gateway, outputs: &outputs) else { return }
        switch message.content {
        case .status, .beacons: break
        case .cleared: presence.endClaim(of: gateway, on: instance, at: now)
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
        takeFindings(outputs: &outputs)
    }

    /// Returns whether the time of a message is that of its sending, as far as is known.
    ///
    /// The time of a will is that of its connection. States are repeated after a connection, and events come late then. A
    /// list is published at once or never.
    private func showsClock(_ content: GatewayMessage.Content, of gateway: GatewayIndex, _ arrival: Arrival) -> Bool {
        switch content {
        case .status, .cleared, .beacons: false
        case .ranging: true
        case .event, .state:
            arrival.stated > arrival.now || presence.gateways[gateway].progress.catchesUpUntil < arrival.now
        }
    }

    package mutating func receiveMalformed() { malformed += 1 }

    /// Uses a zone map from now on; `nil` for none.
    ///
    /// - Returns: what of it does not count, for the log; `nil` where all of it does.
    package mutating func use(_ map: ZoneMap?, at now: Instant, outputs: inout [GatewayOutput]) -> String? {
        presence.pass(to: now)
        placing.update(presence.gateways)
        let refused = placing.use(map)
        outputs.append(.message(WalkedZones(map?.zones.map(\.name) ?? []), at: now))
        let listed = Set(settings.gateways.map(\.id))
        let unknown = listed.isEmpty ? [] : (map?.gateways ?? []).filter { !listed.contains($0) }
        let parts = [("gateways that are not listed", unknown), ("zones for which there is no room", refused)]
        let unused = parts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
        return unused.isEmpty
            ? nil : "the zone map has \(unused.joined(separator: "; ")); beacond site walk makes a new one"
    }

    private mutating func receive(
        _ payload: StatusPayload, from gateway: GatewayIndex, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        let status = StoreGateways.Status(isOnline: payload.isOnline, radio: payload.radio)
        if presence.receive(status, from: gateway) {
            for slot in presence.regions.slots {
                presence.receive(status, of: gateway, in: slot)
                takeFindings(outputs: &outputs)
            }
        }
    }

    private mutating func receive(
        _ list: ListedBeacons, of instance: RegionInstanceID, from gateway: GatewayIndex, _ arrival: Arrival,
        outputs: inout [GatewayOutput]
    ) {
        if arrival.isLate {
            presence.countLate()
            return
        }
        guard let slot = presence.regionToList(instance, list, from: gateway, at: arrival.now) else { return }
        takeFindings(outputs: &outputs)
        let hasPlaced = placing.list(list, of: slot, from: gateway, arrival, &presence)
        presence.listed(slot, isEmpty: !hasPlaced, by: gateway, at: arrival.now)
    }

    /// Returns whether a gateway's region is the store's region of that id. If not, its earlier claims end.
    private mutating func isJoined(
        _ content: GatewayMessage.Content, of instance: RegionInstanceID, from gateway: GatewayIndex,
        outputs: inout [GatewayOutput]
    ) -> Bool {
        if case .cleared = content {
            if instance.discriminator == .whole { uuids.remove(gateway, region: instance.region) }
            return true
        }
        let decision = uuids.decide(
            gateway, region: instance.region, content.uuid, limit: presence.regions.limits.maxRegions)
        switch decision {
        case .accepted: return true
        case .refused: break
        case .newlyRefused(let agreed, let known):
            if let uuid = content.uuid {
                let cause = RegionMonitoringNotice.Cause.otherUUID(
                    uuid, gateway: gateways[gateway].settings.id, known: known,
                    knownGateway: gateways[agreed].settings.id)
                outputs.append(.notice(RegionMonitoringNotice(region: instance.region, cause: cause), at: now))
            }
            for slot in presence.regions.slots(where: { $0.region == instance.region }) {
                presence.endClaim(of: gateway, on: presence.regions[slot].id, at: now)
                takeFindings(outputs: &outputs)
            }
        }
        malformed += 1
        return false
    }
}

extension GatewayMessage.Content {
    fileprivate var uuid: ProximityUUID? {
        switch self {
        case .event(let payload):
            if case .beacon(let identity, _) = payload.cause { identity.uuid } else { nil }
        case .ranging(let payload): payload.list.beacons.first?.identity.uuid
        case .status, .state, .cleared, .beacons: nil
        }
    }
}
