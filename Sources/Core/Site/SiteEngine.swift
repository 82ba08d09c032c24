/// Several gateways as one store: their news and time go in, transitions and rangings of the store come out.
///
/// It is made like `GatewayEngine`, and tells in the same words: what a store says is published as a gateway's messages are.
/// It reads no clock; `now` is when news arrives, and the timebase relates that to the times in them.
///
/// What is present, and what is placed, are two parts with a state each. News and time go to the one that they are about, and what
/// is found to be present goes on to what is placed.
package struct SiteEngine: Sendable {
    /// What it has counted since it was made.
    package struct Figures: Hashable, Sendable {
        /// Messages that came too late to change anything.
        package var late: UInt64
        /// Messages that could not be read.
        package var malformed: UInt64
    }

    /// What a store tells of, by its configuration.
    package struct Scope: Sendable {
        private let regions: Set<String>
        /// Where gateways are listed; else each new one brings a zone.
        private let zones: Set<String>

        package init(_ settings: SiteSettings) {
            regions = settings.regions
            zones = Set(settings.gateways.map(\.zone))
        }

        /// Whether an instance of an earlier process goes on. A zone does as long as a gateway may hear for it.
        package func holds(_ instance: RegionInstanceID) -> Bool {
            (regions.isEmpty || regions.contains(instance.region))
                && (instance.zone.map { zones.isEmpty || zones.contains($0) } ?? true)
        }
    }

    /// A store has more beacons than one gateway hears.
    private static let leastBeacons = 16_384
    /// A gateway that is away for so long is given up, or for `late_after_s` where that is more.
    private static let leastGivenUpAfter = TimeSpan.seconds(86_400)

    package let settings: SiteSettings
    /// Which region instances there are, and who claims what of them.
    var presence: StorePresence
    /// Where beacons are, and which zones they are in.
    var placing: StorePlacing
    var malformed: UInt64 = 0
    /// Messages of gateways beyond 64.
    var refusedGateways: UInt64 = 0

    /// - Parameter records: what an earlier process stored.
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
        // Where not all have a place: stays first, then what was left last.
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
        // Its region may have had nothing to store.
        guard let region = presence.restoredRegion(record.instance.inZone(nil)) else { return }
        placing.restore(record, of: region, &presence, outputs: &outputs)
    }

    /// Tells what was found to be present, and has what is placed follow. To be called for each region that was touched.
    mutating func tellFindings(outputs: inout [GatewayOutput]) {
        for finding in presence.takeFindings() {
            switch finding {
            case .heard(let slot, let event, let now): placing.hear(event, in: slot, at: now)
            case .changed(let changed): placing.follow(changed, &presence, outputs: &outputs)
            case .ended(let slot, let stay, let now):
                outputs += placing.endStays(in: slot, at: now, presence.gateways)
                if let stay { outputs.append(stay) }
            case .released(let released): placing.forget(released, at: now, outputs: &outputs)
            case .discarded(let slot): placing.forgetBeacons(of: slot, at: now)
            }
        }
    }
}

/// Time passes.
extension SiteEngine {
    /// When `advance` has something to do next.
    package var nextDeadline: Instant { min(presence.nextDeadline, placing.nextDeadline) }

    /// Does what is due before `limit` and comes first, and returns when it was due; `nil` where nothing is.
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

    /// Does everything that is due up to an instant.
    package mutating func advance(through now: Instant, outputs: inout [GatewayOutput]) {
        while advance(before: now + TimeSpan(microseconds: 1), outputs: &outputs) != nil {}
    }

    /// Ends what gateways had inside in an epoch before their present one, and did not say anew in time.
    private mutating func endEarlierEpochs(at now: Instant, outputs: inout [GatewayOutput]) {
        while let gateway = presence.gateways.takeRestated(at: now) {
            for slot in presence.regions.slots {
                presence.endEarlierEpochs(of: gateway, in: slot, at: now)
                tellFindings(outputs: &outputs)
            }
        }
    }

    /// Tells every exit that waits for gateways: all have told what they had to.
    package mutating func settle(at now: Instant, outputs: inout [GatewayOutput]) {
        for slot in presence.regions.slots {
            presence.settle(slot, at: now)
            tellFindings(outputs: &outputs)
        }
    }

    /// Tells what was held back, whether or not its minute is over.
    package mutating func tellSurges(at now: Instant, outputs: inout [GatewayOutput]) {
        for surge in presence.admission.budget.takeSurges() { outputs.append(.surge(surge, at: now)) }
    }
}

/// How it is.
extension SiteEngine {
    package var gateways: StoreGateways { presence.gateways }

    /// The latest time that it was told.
    package var now: Instant { presence.now }

    package var figures: Figures { Figures(late: presence.lateCount, malformed: malformed) }

    /// How many region instances are held, zones among them.
    var instanceCount: Int {
        presence.admission.plainCount + presence.admission.instanceCount + placing.zones.count
    }

    /// The stays under way, to be stored.
    package var recordsOfStays: [RegionRecord] {
        presence.regions.slots.compactMap { presence.regions[$0].recordOfStay }
            + placing.zones.slots.compactMap { placing.zones[$0].recordOfStay }
    }

    /// Whether any gateway that has spoken can hear.
    package var isHearing: Bool { gateways.all.contains { $0.hearing == .hears } }

    /// Everything counted so far, and what is heard of whom.
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
    /// In the word of `health`. A gateway that speaks and has told no status counts as one that hears.
    fileprivate var hearing: StoreFigures.Hearing {
        guard let status else { return lastArrival == nil ? .silent : .hears }
        if !status.isOnline { return .offline }
        return status.hears ? .hears : .blind
    }
}
