import Core

/// Topics that the broker may retain for this gateway although the gateway no longer uses them: stored minus wanted.
///
/// The outbox has a record for each topic before the gateway publishes there: the region's own record for a state, a
/// `StoredClearance` for any other topic. An unwanted topic is cleared, and its record is removed once the broker has
/// cleared it. If the broker is away, a later connection clears it, perhaps of another process. A topic without a
/// record is found at the broker itself; see `LeftoverSearch`.
struct RetainedTopics {
    /// The most unwanted topics. A flood of made-up beacons while the broker is away could leave any number. The search
    /// at the broker finds those beyond the limit.
    static let limit = 16_384

    private let tree: TopicTree
    /// The key of the record to remove, by the topic that has to be cleared first.
    private var unwanted: [String: String] = [:]

    /// - Parameters:
    ///   - stored: records of earlier processes, and their instances that are not monitored any more.
    ///   - wanted: topics other than regions' states that this process continues.
    init(_ stored: StoredState, wanted: Set<String>, under tree: TopicTree) {
        self.tree = tree
        for topic in stored.otherTopics where !wanted.contains(topic) { release(topic) }
        for instance in stored.abandoned { release(instance) }
    }

    /// True if there is no room for another unwanted topic.
    var isFull: Bool { unwanted.count >= Self.limit }

    /// Marks the state of an instance that is not monitored any more.
    mutating func release(_ instance: RegionInstanceID) { unwanted[tree.state(instance)] = StoredRegion.key(instance) }

    /// Marks a topic that is no region's state and no longer in use.
    mutating func release(_ topic: String) { unwanted[topic] = StoredClearance.key(topic) }

    /// Keeps the record of an instance that is monitored, perhaps again.
    ///
    /// - Returns: the key of another record for its topic, which is removed. Such a record comes from a gateway that
    /// moved to another name and back.
    mutating func want(_ instance: RegionInstanceID) -> String? {
        guard !unwanted.isEmpty, let key = unwanted.removeValue(forKey: tree.state(instance)) else { return nil }
        return key == StoredRegion.key(instance) ? nil : key
    }

    /// Keeps a topic that is no region's state and in use again.
    mutating func want(_ topic: String) { unwanted[topic] = nil }

    /// The keys of the records to remove, now that the broker has cleared these topics.
    mutating func takeKeys(clearedTopics: [String]) -> [String] {
        clearedTopics.compactMap { unwanted.removeValue(forKey: $0) }
    }

    /// The unwanted topics of this gateway, in the order of clearing. Descriptions of an entity come before the state
    /// that they describe, so that Home Assistant never reads an empty state.
    var own: [String] {
        let root = tree.root + "/"
        let described = unwanted.keys.filter { HomeAssistantDiscovery.describes($0, tree) }.sorted()
        return described + unwanted.keys.filter { $0.utf8.starts(with: root.utf8) }.sorted()
    }

    /// The unwanted topics of this machine's previous site and gateway id. The broker may refuse to clear them.
    var former: [String] {
        let root = tree.root + "/"
        return unwanted.keys
            .filter { !$0.utf8.starts(with: root.utf8) && !HomeAssistantDiscovery.describes($0, tree) }.sorted()
    }
}

/// The coverage that the gateway has published, and the stored part of it.
struct PublishedCoverage {
    /// The interval at which a proof of running is stored, where no other record shows it.
    static let seenInterval = TimeSpan.seconds(300)

    var log = CoverageLog()
    /// The time at which this process took over; before it, coverage is unknown.
    private(set) var began = Instant.origin
    /// The latest stored time at which this process was running.
    private(set) var seen = Instant.origin

    /// Continues the span of an earlier process.
    mutating func resume(_ stored: StoredCoverage?, at now: Instant) {
        began = now
        if let stored { log = CoverageLog(resuming: stored, at: now) }
    }

    /// Takes a stored record that shows that the process was running.
    mutating func record(seen instant: Instant) { seen = max(seen, instant) }

    /// Returns whether there is something to store or publish without an update of the engine.
    func isDue(at now: Instant) -> Bool {
        log.due != .distantFuture && now >= seen + Self.seenInterval || !log.ended.isEmpty
    }
}
