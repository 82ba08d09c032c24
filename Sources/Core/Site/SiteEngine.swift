/// The engine of a store of several gateways: from their messages and time to the store's transitions and rangings.
///
/// The engine works like `GatewayEngine`, and its outputs are published like a gateway's. It reads no clock: `now` is
/// the arrival of news, and the timebase relates it to the times in them.
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
        /// The zones of the listed gateways. Without any listed, each new gateway brings a zone.
        private let zones: Set<String>

        package init(_ settings: SiteSettings) {
            regions = settings.regions
            zones = Set(settings.gateways.map(\.zone))
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
    var presence: StorePresence
    /// The places and zones of beacons.
    var placing: StorePlacing
    var malformed: UInt64 = 0
    /// Messages of gateways beyond 64.
    var refusedGateways: UInt64 = 0

    /// - Parameter records: the records of an earlier process.
    package init(
        _ settings: SiteSettings, _ gateway: GatewaySettings, tellsDevices: Bool, restoring records: [RegionRecord],
        at now: Instant, outputs: inout [GatewayOutput]
    ) {
        self.settings = settings
        let gateways = StoreGateways(settings.gateways, at: now)
        let spans = StoreRegion.Spans(
            exitAfter: settings.leaveAfter, unknownAfter: gateway.regions.rules.beacons.unknownStateAfter,
            lateAfter: settings.lateAfter, givenUpAfter: max(settings.lateAfter, Self.leastGivenUpAfter))
        presence = StorePresence(spans, gateway.regions.limits, gateways, at: now)
        placing = StorePlacing(
            gateways, maxBeacons: max(gateway.tracker.maxTransmitters, Self.leastBeacons), tellsDevices: tellsDevices)
        // Where not all fit: stays first, then the instances left last.
        let inOrder =
            records.filter(\.isInside) + records.filter { !$0.isInside }.sorted { $0.lastHeardAt > $1.lastHeardAt }
        for record in records.count > presence.admission.maxInstances ? inOrder : records {
            restore(record.moved(notAfter: now), outputs: &outputs)
        }
    }

    private mutating func restore(_ record: RegionRecord, outputs: inout [GatewayOutput]) {
        if record.instance.zone == nil {
            presence.restore(record)
            return tellFindings(outputs: &outputs)
        }
        // Its region may have had no record.
        guard let region = presence.restoredRegion(record.instance.inZone(nil)) else { return }
        placing.restore(record, of: region, &presence, outputs: &outputs)
    }

    /// Tells the findings of the presence, and lets the placing follow. The engine calls it for each region that was
    /// touched.
    mutating func tellFindings(outputs: inout [GatewayOutput]) {
        for finding in presence.takeFindings() {
            switch finding {
            case .heard(let slot, let event, let last, let now): placing.hear(event, in: slot, until: last, at: now)
            case .changed(let changed): placing.follow(changed, &presence, outputs: &outputs)
            case .lateVisit(let exit): outputs.append(exit)
            case .ended(let slot, let stay, let now):
                outputs += placing.endStays(in: slot, at: now, presence.gateways)
                if let stay { outputs.append(stay) }
            case .released(let released): placing.forget(released, at: now, outputs: &outputs)
            case .discarded(let slot): placing.forgetBeacons(of: slot, at: now)
            }
        }
    }
}

/// The passing of time.
extension SiteEngine {
    /// The time of the next `advance`.
    package var nextDeadline: Instant { min(presence.nextDeadline, placing.nextDeadline) }

    /// Does the first work that is due before `limit`. Returns its time; `nil` where there is none.
    package mutating func advance(before limit: Instant, outputs: inout [GatewayOutput]) -> Instant? {
        let now = nextDeadline
        guard now < limit else { return nil }
        presence.now = max(presence.now, now)
        if presence.nextDeadline > now {
            placing.advance(to: now, &presence, outputs: &outputs)
        } else if presence.admission.due == now {
            if presence.admission.budget.due <= now { tellSurges(at: now, outputs: &outputs) }
            presence.advanceAdmission(to: now)
        } else if presence.early.due == now {
            presence.applyEarliest(at: now)
        } else if presence.gateways.restatedDue == now {
            endEarlierEpochs(at: now, outputs: &outputs)
        } else {
            presence.advanceFirst(to: now)
        }
        tellFindings(outputs: &outputs)
        return now
    }

    /// Does all work that is due up to an instant.
    package mutating func advance(through now: Instant, outputs: inout [GatewayOutput]) {
        while advance(before: now + TimeSpan(microseconds: 1), outputs: &outputs) != nil {}
    }

    /// Ends gateways' stays of an earlier epoch that were not repeated in time.
    private mutating func endEarlierEpochs(at now: Instant, outputs: inout [GatewayOutput]) {
        while let gateway = presence.gateways.takeRestated(at: now) {
            for slot in presence.regions.slots {
                presence.endEarlierEpochs(of: gateway, in: slot, at: now)
                tellFindings(outputs: &outputs)
            }
        }
    }

    /// Tells every exit that waits for gateways, because all have told their events.
    package mutating func settle(at now: Instant, outputs: inout [GatewayOutput]) {
        for slot in presence.regions.slots {
            presence.settle(slot, at: now)
            tellFindings(outputs: &outputs)
        }
    }

    /// Tells the surges, even of a minute that has not ended.
    package mutating func tellSurges(at now: Instant, outputs: inout [GatewayOutput]) {
        for surge in presence.admission.budget.takeSurges() { outputs.append(.message(surge, at: now)) }
    }
}

/// The queries of a store.
extension SiteEngine {
    package var gateways: StoreGateways { presence.gateways }

    /// The latest time that it was given.
    package var now: Instant { presence.now }

    package var figures: Figures { Figures(late: presence.lateCount, malformed: malformed) }

    /// The number of region instances, zones included.
    var instanceCount: Int {
        presence.admission.plainCount + presence.admission.instanceCount + placing.zones.count
    }

    /// The records of open stays.
    package var recordsOfStays: [RegionRecord] {
        presence.regions.slots.compactMap { presence.regions[$0].recordOfStay }
            + placing.zones.slots.compactMap { placing.zones[$0].recordOfStay }
    }

    /// Whether any gateway that has spoken can hear.
    package var isHearing: Bool { gateways.all.contains { $0.hearing == .hears } }

    /// Returns whether a gateway tells what it heard while it was away, as far as is known.
    package func isCatchingUp(at now: Instant) -> Bool { gateways.all.contains { $0.progress.catchesUpUntil >= now } }

    /// Returns all counts, and the hearing of the gateways.
    package func figures(at now: Instant) -> GatewayFigures {
        let gateways = gateways.all.map { gateway in
            StoreFigures.Gateway(
                id: gateway.settings.id, hearing: gateway.hearing,
                clockAhead_s: gateway.isClockSynced ? gateway.clockOffset?.seconds : nil)
        }
        let listed = placing.beacons.slots.count { now - placing.beacons[$0].listedAt <= HeardLevels.memory }
        var told = GatewayFigures()
        told.store = StoreFigures(late: figures.late, malformed: malformed, gateways: gateways)
        (told.tracks, told.listedTracks, told.instances) = (UInt64(clamping: listed), listed, instanceCount)
        (told.refusedTransmitters, told.refusedEntries) = (placing.refusedBeacons, presence.admission.refused)
        told.refusedGateways = refusedGateways
        return told
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
