import Core

/// What a process finds in the outbox when it starts.
package struct StoredState {
    /// Everything there is, of which regions are a part.
    let records: [OutboxRecord]
    /// The span of coverage that lasted.
    let coverage: StoredCoverage?
    /// Region states that can be read.
    private(set) var regions: [StoredRegion]
    /// What is stored of regions and is for another version to read.
    let kept: KeptRecords
    /// Stays under way in what this process does not monitor.
    private var ended: [RegionRecord] = []
    /// Instances that this process does not monitor.
    private(set) var abandoned: [RegionInstanceID] = []
    /// Topics that an earlier process has retained, beside regions' states: its own, and those of a gateway that this one was before it was moved.
    let otherTopics: [String]
    /// Regions that requests have registered.
    let definitions: [RegionDefinition]
    /// Fixes that an earlier process kept and had no time to tell, oldest first.
    let fixes: [Fix]
    /// The secret that pseudonyms are made with.
    var pseudonymKey: [UInt8]

    static let pseudonymKeyName = "pseudonym_key"

    /// - Parameters:
    ///   - bootID: names the life of the monotonic clock; `nil` where there is none but the time of day, as in a replay.
    ///   - newKey: the secret for pseudonyms, where there is none yet; the delivery loop soon has one for the day.
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
        otherTopics = records.compactMap { StoredClearance.topic(ofKey: $0.key) }
        definitions = records.compactMap { StoredDefinition.read($0.value, key: $0.key) }
        fixes = records.filter { StoredFix.isKey($0.key) }.sorted { $0.key < $1.key }
            .compactMap { StoredFix.read($0.value) }
        if let key = outbox.value(forKey: Self.pseudonymKeyName), !key.isEmpty {
            pseudonymKey = key
        } else {
            pseudonymKey = newKey()
            outbox.setValue(pseudonymKey, forKey: Self.pseudonymKeyName)
        }
    }

    /// The span that lasted. What was stored of regions shows too that the process still ran.
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

    /// Tells apart what goes on in this process and what has no place in it: because an operator has taken it out of the
    /// configuration or expands it in another way, because under its id other beacons are meant now, or because a limit
    /// refuses it.
    ///
    /// - Parameters:
    ///   - holdsInstance: whether it is monitored.
    ///   - holdsRecord: whether its state goes on.
    mutating func abandon(
        unless holdsInstance: (RegionInstanceID) -> Bool, goingOn holdsRecord: (RegionRecord) -> Bool
    ) {
        // A region that a request registered has a state before it has a record of it.
        let requested = definitions.compactMap(\.id).map { RegionInstanceID(region: $0) }
        let stored = Set(records.compactMap { StoredRegion.instance(ofKey: $0.key) } + requested)
        abandoned = stored.filter { !holdsInstance($0) && !kept.has(StoredRegion.key($0)) }.sorted {
            StoredRegion.key($0) < StoredRegion.key($1)
        }
        ended = regions.map(\.record).filter { !holdsRecord($0) }
        regions.removeAll { !holdsRecord($0.record) }
    }

    /// Instances that a record stands for and that this process goes on with.
    var heldInstances: [RegionInstanceID] {
        let abandoned = Set(abandoned)
        return records.compactMap { StoredRegion.instance(ofKey: $0.key) }.filter { !abandoned.contains($0) }
    }

    /// What an earlier process kept is told as it was when that ended.
    func leftTrack(at now: Instant) -> [GatewayOutput] {
        fixes.isEmpty ? [] : [.track(TrackBatch(fixes: fixes, finished: .stopped), at: now)]
    }

    /// The exits of those who were inside what is monitored no more. They come before anything that the engine tells: another
    /// region may have the id now.
    func endings(at now: Instant) -> [GatewayOutput] {
        ended.compactMap { record in record.unmonitoredExit(at: now).map { .ended(record.instance, $0, at: now) } }
    }
}

extension MessageComposer {
    init(
        _ topics: TopicTree, _ privacy: PrivacySettings, _ gateway: GatewaySettings, pseudonymKey: [UInt8]
    ) {
        self.init(
            topics: topics, version: Version.current,
            pseudonym: DevicePseudonym(
                form: privacy.device, key: pseudonymKey, deviceNames: gateway.tracker.devices.map(\.name)),
            rangingExpiry_s: Expiry.ranging_s(gateway.ranging), location: privacy.location)
    }
}

/// Records of regions that another version of the agent has stored and this one can't read: another kind of region, or a
/// version of the line that is not known here.
///
/// To read them as no record would clear the region's state and lose a stay under way. So they stay as they are, for the version
/// that can read them, until that is started again or an operator removes them.
struct KeptRecords {
    private let tags: [String: StoredTag]

    /// - Parameter tags: what each says it is, by key.
    init(_ tags: [String: StoredTag]) { self.tags = tags }

    package func has(_ key: String) -> Bool { tags[key] != nil }

    /// Takes out of a transaction what would change them.
    func spare(in transaction: inout OutboxTransaction) {
        guard !tags.isEmpty else { return }
        transaction.records.removeAll { has($0.key) }
        transaction.removedRecords.removeAll { has($0) }
    }

    /// The operator's notices, a line for each region.
    var notices: [String] {
        Dictionary(grouping: tags.keys) { $0.prefix { $0 != "/" } }.sorted { $0.key < $1.key }.map { region, keys in
            let said = Set(keys.compactMap { tags[$0] }.map(\.description)).sorted().joined(separator: ", ")
            return
                "region \"\(region)\": what is stored of it (\(said)) is another version's: it is kept for that one, and "
                + "nothing is stored of the region here"
        }
    }
}

/// A gateway as the owner of its outbox. What begins all of its topics names it: another `prefix`, `site` or `id` is another
/// gateway.
package struct GatewayIdentity: OutboxOwner {
    private let topics: TopicTree

    package init(_ topics: TopicTree) { self.topics = topics }

    package var name: String { topics.root }

    package func owner(ofTopic topic: String) -> String? {
        // One's own is known without a doubt, whatever its regions are called.
        topic.utf8.starts(with: (name + "/region/").utf8) ? name : TopicTree.root(ofEventTopic: topic)
    }

    /// Of what a former gateway has stored nothing is gone on from. What it has retained at the broker is to be cleared.
    package func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord] {
        guard let left = TopicTree(root: former) else { return [] }
        let definitions = records.compactMap { StoredDefinition.read($0.value, key: $0.key)?.id }
        let instances =
            records.compactMap { StoredRegion.instance(ofKey: $0.key) }
            + definitions.map { RegionInstanceID(region: $0) }
        let earlier = records.compactMap { StoredClearance.topic(ofKey: $0.key) }
        let retained = Set(left.retainedOfGateway + instances.map(left.state) + earlier)
            // A gateway may become again what it was once.
            .subtracting(topics.retainedOfGateway)
        return retained.sorted().map { OutboxRecord(key: StoredClearance.key($0), value: []) }
    }
}

extension OutboxLimits {
    package init(_ settings: OutboxSettings) {
        self.init(maxEvents: settings.maxEvents, maxMiB: settings.max_MiB)
    }
}

/// The gateway's place as it was told, and the stored fixes that wait to be told.
struct ToldPlace {
    /// The part of a status; `nil` where the configuration has no table of the place.
    var status: LocationStatus?
    /// The records of fixes that wait to be told together, oldest first.
    private var fixKeys: [String] = []

    init(_ records: [OutboxRecord], status: LocationStatus?) {
        self.status = status
        fixKeys = records.map(\.key).filter(StoredFix.isKey).sorted()
    }

    /// The key for one more fix.
    mutating func keep(_ fix: Fix) -> String {
        let key = StoredFix.key(fix, fixKeys.count)
        fixKeys.append(key)
        return key
    }

    /// They are told: their records can go.
    mutating func takeFixKeys() -> [String] {
        defer { fixKeys = [] }
        return fixKeys
    }
}
