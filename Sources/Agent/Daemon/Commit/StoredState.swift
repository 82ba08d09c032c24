import Core

/// The content of the outbox when a process starts.
package struct StoredState {
    /// All records, including those of regions.
    let records: [OutboxRecord]
    /// The span of coverage that had not ended.
    let coverage: StoredCoverage?
    /// The region states that this version can read.
    private(set) var regions: [StoredRegion]
    /// Records of regions that only another version can read.
    let kept: KeptRecords
    /// Unfinished stays in regions that this process does not monitor.
    private var ended: [RegionRecord] = []
    /// Instances that this process does not monitor.
    private(set) var abandoned: [RegionInstanceID] = []
    /// Topics other than regions' states that an earlier process has retained: its own, and those of this machine's
    /// previous site and gateway id.
    var otherTopics: [String] { clearances.map(\.topic) }
    /// The records of `otherTopics`. That of a page of beacons has the page.
    private let clearances: [(topic: String, value: [UInt8])]
    /// Regions that requests have registered.
    let definitions: [RegionDefinition]
    /// Expanded regions that have settled.
    let settled: StoredSettling
    /// Fixes that an earlier process kept and had no time to publish, oldest first.
    let fixes: [Fix]
    /// The secret from which pseudonyms are made.
    var pseudonymKey: [UInt8]

    static let pseudonymKeyName = "pseudonym_key"

    /// - Parameters:
    ///   - bootID: identifies the boot of the monotonic clock; `nil` where there is only the wall clock, as in a
    /// replay.
    ///   - newKey: the first secret for pseudonyms; the delivery loop soon replaces it by the day's.
    init(
        _ outbox: Outbox, _ timebase: Timebase, bootID: String?,
        newKey: @autoclosure () -> [UInt8] = PseudonymKey.random()
    ) {
        records = outbox.records()
        var regions: [StoredRegion] = []
        var unknown: [String: StoredTag] = [:]
        for record in records {
            switch StoredRegion.read(record.value, key: record.key, timebase, bootID: bootID) {
            case .region(let region): regions.append(region)
            case .unknown(let tag): unknown[record.key] = tag
            case .nothing: break
            }
        }
        self.regions = regions
        kept = KeptRecords(unknown)
        coverage = Self.coverage(records, regions, timebase, bootID: bootID)
        clearances = records.compactMap { record in StoredClearance.topic(ofKey: record.key).map { ($0, record.value) }
        }
        definitions = records.compactMap { StoredDefinition.read($0.value, key: $0.key) }
        var settled = StoredSettling()
        for record in records { _ = settled.take(record.value, key: record.key) }
        self.settled = settled
        fixes = records.filter { StoredFix.isKey($0.key) }.sorted { $0.key < $1.key }
            .compactMap { StoredFix.read($0.value) }
        if let key = outbox.value(forKey: Self.pseudonymKeyName), !key.isEmpty {
            pseudonymKey = key
        } else {
            pseudonymKey = newKey()
            outbox.setValue(pseudonymKey, forKey: Self.pseudonymKeyName)
        }
    }

    /// The span that had not ended. Stored region states also prove that the process was running.
    private static func coverage(
        _ records: [OutboxRecord], _ regions: [StoredRegion], _ timebase: Timebase, bootID: String?
    ) -> StoredCoverage? {
        let stored = records.first { $0.key == StoredCoverage.key }
        guard let stored,
            var coverage = StoredCoverage(stored.value, key: stored.key, timebase, bootID: bootID)
        else { return nil }
        coverage.seen = regions.reduce(coverage.seen) { max($0, $1.record.lastHeardAt) }
        return coverage
    }

    /// Returns the beacons that a gateway has listed last, without those that have been silent for too long since.
    func heardBeacons(_ settings: Settings, at now: Instant, _ timebase: Timebase) -> [HeardBeacon] {
        guard let lists = settings.gateway.beacons else { return [] }
        let gateway = settings.identity.topics
        return BeaconsPayload.beacons(
            ofStored: clearances.filter { gateway.isPage($0.topic, of: .beacons) }.map(\.value),
            heardSince: timebase.isSynced ? timebase.wall(now) - lists.patience : nil)
    }

    /// Separates the instances that this process continues from those that it does not. An instance ends where an
    /// operator has removed it from the configuration or expands it in another way. It also ends where its id now names
    /// other beacons, or where a limit refuses it.
    ///
    /// - Parameters:
    ///   - holdsInstance: whether the instance is monitored.
    ///   - holdsRecord: whether the record's state continues.
    mutating func abandon(
        unless holdsInstance: (RegionInstanceID) -> Bool, goingOn holdsRecord: (RegionRecord) -> Bool
    ) {
        // A region that a request registered has a state before it has a record.
        let requested = definitions.compactMap(\.id).map { RegionInstanceID(region: $0) }
        let stored = Set(records.compactMap { StoredRegion.instance(ofKey: $0.key) } + requested)
        abandoned = stored.filter { !holdsInstance($0) && !kept.has(StoredRegion.key($0)) }.sorted {
            StoredRegion.key($0) < StoredRegion.key($1)
        }
        ended = regions.map(\.record).filter { !holdsRecord($0) }
        regions.removeAll { !holdsRecord($0.record) }
    }

    /// Instances with a record that this process continues.
    var heldInstances: [RegionInstanceID] {
        let abandoned = Set(abandoned)
        return records.compactMap { StoredRegion.instance(ofKey: $0.key) }.filter { !abandoned.contains($0) }
    }

    /// Fixes that an earlier process kept; they are published with the state at its end.
    func leftTrack(at now: Instant) -> [GatewayOutput] {
        fixes.isEmpty ? [] : [.message(TrackBatch(fixes: fixes, finished: .stopped), at: now)]
    }

    /// Exits of the stays in regions that are not monitored any more. They come before the engine's outputs, because
    /// another region may have the id now.
    func endings(at now: Instant) -> [GatewayOutput] {
        ended.compactMap { record in record.unmonitoredExit(at: now).map { .exit(record.instance, $0, at: now) } }
    }
}

extension MessageComposer {
    init(
        _ topics: TopicTree, _ privacy: PrivacySettings, _ gateway: GatewaySettings, pseudonymKey: [UInt8],
        inEffect: SettingsInEffect? = nil, advertises: IBeaconFrame? = nil
    ) {
        self.init(
            topics: topics, version: Version.current,
            pseudonym: DevicePseudonym(
                form: privacy.device, key: pseudonymKey, deviceNames: gateway.tracker.devices.map(\.name)),
            rangingExpiry_s: Expiry.ranging_s(gateway.ranging), location: privacy.location, settings: inEffect,
            advertises: advertises)
    }
}

/// Records of regions that another version of the agent stored and this one can't read: another kind of region, or an
/// unknown version of the format.
///
/// Treating them as missing would clear the region's state and lose an unfinished stay. So they stay unchanged until
/// the version that can read them is started again, or an operator removes them.
struct KeptRecords {
    private let tags: [String: StoredTag]

    /// - Parameter tags: the kind and version of each record, by key.
    init(_ tags: [String: StoredTag]) { self.tags = tags }

    func has(_ key: String) -> Bool { tags[key] != nil }

    /// Removes from a transaction whatever would change these records.
    func spare(in transaction: inout OutboxTransaction) {
        guard !tags.isEmpty else { return }
        transaction.records.removeAll { has($0.key) }
        transaction.removedRecords.removeAll { has($0) }
    }

    /// Notices for the operator, a line for each region.
    var notices: [String] {
        Dictionary(grouping: tags.keys) { $0.prefix { $0 != "/" } }.sorted { $0.key < $1.key }.map { region, keys in
            let versions = Set(keys.compactMap { tags[$0] }.map(\.description)).sorted().joined(separator: ", ")
            return
                "region \"\(region)\": what is stored of it (\(versions)) is another version's: it is kept for that one, and "
                + "nothing is stored of the region here"
        }
    }
}

/// A gateway as the owner of its outbox. The root of its topics identifies it: another `prefix`, `site` or `id` is
/// another gateway.
package struct GatewayIdentity: OutboxOwner {
    private let topics: TopicTree

    package init(_ topics: TopicTree) { self.topics = topics }

    package var name: String { topics.root }

    package func owner(ofTopic topic: String) -> String? {
        // A gateway's own topics are recognised first, whatever its regions are called.
        topic.utf8.starts(with: (name + "/region/").utf8) ? name : TopicTree.root(ofEventTopic: topic)
    }

    /// This gateway does not continue a former gateway's records. It clears what that gateway has retained at the
    /// broker.
    package func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord] {
        guard let left = TopicTree(root: former) else { return [] }
        let definitions = records.compactMap { StoredDefinition.read($0.value, key: $0.key)?.id }
        let instances =
            records.compactMap { StoredRegion.instance(ofKey: $0.key) }
            + definitions.map { RegionInstanceID(region: $0) }
        let earlier = records.compactMap { StoredClearance.topic(ofKey: $0.key) }
        let retained = Set(left.retainedOfGateway + instances.map(left.state) + earlier)
            // The gateway may get a former name back.
            .subtracting(topics.retainedOfGateway)
        return retained.sorted().map { OutboxRecord(key: StoredClearance.key($0), value: []) }
    }
}

extension OutboxLimits {
    package init(_ settings: OutboxSettings) { self.init(maxEvents: settings.maxEvents, maxMiB: settings.max_MiB) }
}
