/// Several gateways as one store: their news and time go in, transitions and rangings of the store come out.
///
/// It is made like `GatewayEngine`, and tells in the same words: what a store says is published as a gateway's messages are.
/// It reads no clock; `now` is when news arrives, and the timebase relates that to the times in them.
package struct SiteEngine: Sendable {
    /// What it has counted since it was made.
    package struct Figures: Hashable, Sendable {
        /// Messages that came too late to change anything.
        package var late: UInt64 = 0
        /// Messages that could not be read.
        package var malformed: UInt64 = 0
        /// Messages of gateways beyond 64.
        var refusedGateways: UInt64 = 0
        /// Beacons that are not placed because there are `maxBeacons`, each time that they are listed.
        var refusedBeacons: UInt64 = 0
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

    package let settings: SiteSettings
    let spans: StoreRegion.Spans
    /// Which region instances exist.
    var admission: StoreAdmission
    /// Beacons that are placed at a time, at most. A store has more than one gateway hears.
    let maxBeacons: Int
    static let leastBeacons = 16_384
    /// A gateway that is away for so long is given up, or for `late_after_s` where that is more.
    static let leastGivenUpAfter = TimeSpan.seconds(86_400)
    /// Whether devices that share an identity are told apart by their names, which the gateways give alike.
    let tellsDevices: Bool
    package internal(set) var figures = Figures()
    package internal(set) var gateways: StoreGateways
    var plan: StorePlan
    /// The region instances that gateways have told of; see `StoreAdmission` for the places that are free.
    var regions: [StoreRegion] = []
    var regionNumbers: [RegionInstanceID: Int] = [:]
    /// The UUID of each region, by its id.
    var owners = RegionOwners()
    /// When the stays ended of instances that no gateway monitors any more, while older news of them may come.
    var endings = StoreEndings()
    /// When regions have something to do; stale where `StoreRegion.due` says otherwise.
    var timers = TimerQueue<Int>()
    var zones: [StoreZone] = []
    var zoneNumbers: [RegionInstanceID: Int] = [:]
    var beacons: [StoreBeacon] = []
    var beaconNumbers: [BeaconKey: Int] = [:]
    /// Numbers of beacons that are in no region, by when they left; stale where one is in a region again, or left once more.
    var leftBeacons = TimerQueue<Int>()
    /// Identities that several devices have been seen with.
    var sharedIdentities: Set<BeaconIdentity> = []
    /// The store's own number of the beacon that came last.
    var lastTrack: TrackID = 0
    /// States that name an event which has not come yet.
    var early = EarlyStates()
    /// When beacons are placed and listed next; `distantFuture` while none is heard.
    var rangingDue = Instant.distantFuture
    /// Whether the stays of all instances that are not told yet are too many, and when they were counted.
    var hasManyStays = false
    var staysCountedAt = Instant.origin
    /// The latest time that it was told.
    package internal(set) var now: Instant
    /// When zones that an earlier process has stored are empty unless somebody is found in them.
    var zonesResumedUntil = Instant.distantFuture

    /// - Parameter records: what an earlier process stored.
    package init(
        _ settings: SiteSettings, _ gateway: GatewaySettings, tellsDevices: Bool, restoring records: [RegionRecord],
        at now: Instant, outputs: inout [GatewayOutput]
    ) {
        self.settings = settings
        self.tellsDevices = tellsDevices
        let rules = gateway.regions.rules
        spans = StoreRegion.Spans(
            exitAfter: settings.leaveAfter, unknownAfter: rules.unknownStateAfter, lateAfter: settings.lateAfter,
            givenUpAfter: max(settings.lateAfter, Self.leastGivenUpAfter))
        admission = StoreAdmission(gateway.regions.limits)
        self.now = now
        maxBeacons = max(gateway.tracker.maxTransmitters, Self.leastBeacons)
        gateways = StoreGateways(settings.gateways, at: now)
        plan = StorePlan(gateways)
        // Where not all have a place: stays first, then what was left last.
        let inOrder =
            records.filter(\.isInside) + records.filter { !$0.isInside }.sorted { $0.lastHeardAt > $1.lastHeardAt }
        for record in records.count > admission.maxInstances ? inOrder : records {
            restore(record, at: now, outputs: &outputs)
        }
    }

    private mutating func restore(_ record: RegionRecord, at now: Instant, outputs: inout [GatewayOutput]) {
        let record = record.moved(notAfter: now)
        if record.instance.zone == nil {
            guard let number = restoredRegion(record.instance, at: now) else { return }
            let change = regions[number].restore(record, at: now, unknownAt: now + spans.unknownAfter)
            if case .inside(let stay) = record.occupancy { regions[number].cause = cause(stay, record) }
            emit(number, StoreRegion.Change(change: change, at: now), outputs: &outputs)
            schedule(number)
        } else {
            // Its region may have had nothing to store.
            guard restoredRegion(record.instance.inZone(nil), at: now) != nil,
                let number = zone(record.instance, at: now, outputs: &outputs)
            else { return }
            let change: RegionStanding.Change
            switch record.occupancy {
            case .outside(let since): change = zones[number].standing.restore(outsideSince: since)
            case .inside(let stay):
                change = zones[number].standing.restore(stay, until: .distantFuture)
                zones[number].cause = cause(stay, record)
                zonesResumedUntil = now + spans.unknownAfter
            }
            emit(zone: number, change, at: now, outputs: &outputs)
        }
    }

    /// Who an earlier process had inside. Which gateway said so is not stored.
    private func cause(_ stay: RegionRecord.OpenStay, _ record: RegionRecord) -> StoreRegion.Cause? {
        guard case .beacon(let keeper) = stay.keeper, case .beacon(of: let constraint?) = record.kind else {
            return nil
        }
        return StoreRegion.Cause(
            gateway: nil, identity: BeaconIdentity(uuid: constraint.uuid, major: keeper.major, minor: keeper.minor),
            observation: .undetermined(rssi_dbm: keeper.rssi_dbm))
    }

    /// The number of a region that an earlier process has stored: it exists at once.
    private mutating func restoredRegion(_ id: RegionInstanceID, at now: Instant) -> Int? {
        if let known = regionNumbers[id] { return known }
        guard id.discriminator == .whole || admission.instanceCount < admission.maxInstances,
            let number = region(id, isPresent: true, at: now)
        else { return nil }
        if regions[number].pending != nil {
            regions[number].pending = nil
            admission.pending.removeAll { $0 == number }
            admission.instanceCount += 1
        }
        return number
    }

    /// The number of a zone of a region that exists. There may be as many zones as instances.
    mutating func zone(_ id: RegionInstanceID, at now: Instant, outputs: inout [GatewayOutput]) -> Int? {
        if let known = zoneNumbers[id] { return known }
        guard let region = regionNumbers[id.inZone(nil)] else { return nil }
        if zones.count - admission.freeZones.count >= admission.maxInstances, admission.freeZones.isEmpty {
            guard makeRoom(outputs: &outputs), !admission.freeZones.isEmpty else {
                admission.refused.maxInstances &+= 1
                return nil
            }
        }
        let number = admission.freeZones.popLast() ?? zones.count
        if number == zones.count {
            zones.append(StoreZone(id, at: now))
        } else {
            zones[number] = StoreZone(id, at: now)
        }
        zoneNumbers[id] = number
        regions[region].zones.append(number)
        return number
    }

    /// To be called wherever a region's claims were weighed.
    mutating func schedule(_ number: Int) {
        let due = regions[number].due
        if due < .distantFuture { timers.set(number, at: due) }
        timers.throwOutStale(of: regions.count) { [regions] in regions[$0.subject].due == $0.due }
    }
}

extension SiteEngine {
    /// Whether any gateway that has spoken can hear.
    package var isHearing: Bool { gateways.all.contains { $0.hearing == .hears } }

    /// Everything counted so far, and what is heard of whom.
    package func figures(at now: Instant) -> GatewayFigures {
        let gateways = gateways.all.map { gateway in
            StoreFigures.Gateway(
                id: gateway.settings.id, hearing: gateway.hearing,
                clockAhead_s: gateway.isClockSynced ? gateway.clockOffset?.seconds : nil)
        }
        let listed = beacons.count { now - $0.listedAt <= HeardLevels.memory }
        return GatewayFigures(
            store: StoreFigures(late: figures.late, malformed: figures.malformed, gateways: gateways), tracks: listed,
            instances: instanceCount, refusedTransmitters: figures.refusedBeacons,
            refusedEntries: admission.refused, refusedGateways: figures.refusedGateways)
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
