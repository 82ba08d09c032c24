import Core

/// Commits what the engine tells to the outbox before anything is said of it, and knows what stands there.
///
/// It belongs to one thread, like the outbox.
package final class Dispatcher {
    /// What is to be said, in order, and when it happened.
    package struct Dispatched {
        package enum Content {
            /// Its delivery says how. What is durable stands in the outbox.
            case message(Message)
            /// For the log.
            case failure(RegionMonitoringFailure)
            case notice(RegionMonitoringNotice)
            case entityLimit(EntityLimit)
            /// A retained state that is to be cleared, and that no record stands for: it has to be looked for at the broker.
            case unlistedState(topic: String)
        }

        package var at: Instant
        package var content: Content

        package init(at: Instant, content: Content) {
            self.at = at
            self.content = content
        }
    }

    package let outbox: Outbox
    package var composer: MessageComposer { writer.composer }
    var integrations: Integrations { writer.integrations }
    private var writer: TransactionWriter
    private var epoch: String
    private var records: RecordTable
    /// What is another version's to change.
    private let kept: KeptRecords
    private var abandoned: AbandonedStates
    private var pseudonymKey: [UInt8]
    /// The store's secret, which the day's is made of; `nil` where this gateway has one of its own.
    package let siteKey: [UInt8]?
    /// Whether this process has made the day's secret of the store's.
    private var isKeyShared = false
    private var fileGeneration: Int
    private var place: ToldPlace
    private var entities: ToldEntities
    /// Of topics that are told of since the start, and that no record stands for yet.
    private var unstoredKeys: [String]
    var coverage = CoverageLog()
    /// When this process took it up: before that nothing was said.
    private var coverageBegan = Instant.origin
    /// The latest that is stored of this process having run.
    private var seen = Instant.origin
    /// Events committed since the start.
    package private(set) var eventCount: Int64 = 0
    /// What clears the states of regions that an earlier process monitored and this one does not. It goes before any state: a
    /// gateway that becomes again what it was once may have more to say of the same regions.
    package let clearances: [Message]
    /// What the broker keeps whatever happens, outside the gateway's own topics.
    package let introduction: [Message]
    /// What clears the topics of a gateway that this one was before it was moved.
    package let formerClearances: [Message]

    /// - Parameters:
    ///   - integrations: `nil` where neither Home Assistant nor OwnTracks is told.
    ///   - location: what a status says of the place from the start.
    package init(
        _ composer: MessageComposer, outbox: Outbox, stored: StoredState, integrations: Integrations? = nil,
        location: LocationStatus? = nil, siteKey: [UInt8]? = nil, bootID: String?
    ) {
        let integrations = integrations ?? Integrations(nothingBeside: composer.topics)
        self.siteKey = siteKey
        self.outbox = outbox
        self.epoch = outbox.numbering.epoch
        let lastSeq = stored.regions.map { [epoch] in ($0.record.instance, $0.eventSeq(in: epoch)) }
        self.writer = TransactionWriter(
            composer: composer,
            ledger: EventLedger(composer, lastSeq: Dictionary(lastSeq, uniquingKeysWith: { first, _ in first })),
            bootID: bootID, integrations: integrations)
        self.records = RecordTable(stored.records)
        self.kept = stored.kept
        self.place = ToldPlace(stored.records, status: location)
        self.pseudonymKey = stored.pseudonymKey
        self.fileGeneration = outbox.fileGeneration
        let ownRoot = composer.topics.root + "/"
        // A place that is told no more does not stay at the broker; one that is told goes on.
        let tellsPlace = composer.tellsPlace && (location.map { $0.availability != .off } ?? false)
        let held = stored.heldInstances
        let entities = ToldEntities(integrations, earlier: held) { [records] in records.has($0) }
        var told = integrations.topics(holding: held.filter { entities.mayTell($0) }, tellsPlace: tellsPlace)
        if tellsPlace { told.insert(composer.topics.topic(.gateway(.location))) }
        let formerTopics = stored.formerTopics.filter { !told.contains($0) }
        let topics = composer.topics
        let former = Dictionary(grouping: formerTopics) {
            $0.utf8.starts(with: ownRoot.utf8) || HomeAssistantDiscovery.describes($0, topics)
        }
        // First what is told of a state, so that nobody makes anything of an empty one.
        let own = Dictionary(grouping: former[true] ?? []) { $0.utf8.starts(with: ownRoot.utf8) }
        self.clearances =
            (own[false] ?? []).map(composer.cleared) + stored.abandoned.map(composer.clearedState)
            + (own[true] ?? []).map(composer.cleared)
        self.formerClearances = (former[false] ?? []).map(composer.cleared)
        let introduced = integrations.introduction
        let records = records
        self.introduction = introduced
        self.unstoredKeys = introduced.map { StoredClearance.key($0.topic) }.filter { !records.has($0) }
        self.entities = entities
        self.abandoned = AbandonedStates(
            stored.abandoned, formerTopics: formerTopics, topics: composer.topics)
    }

    /// Commits what belongs on the disk in one transaction, and returns what to publish.
    ///
    /// - Throws: `OutboxError.misnumbered`, which would be a fault of this very function: the numbers are the outbox's.
    package func dispatch(_ outputs: [GatewayOutput], _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        outputs.isEmpty ? [] : try commit(outputs, coverage, seenAt: nil, timebase)
    }

    /// How often it is stored that the process runs, where nothing else that is stored shows it.
    static let seenInterval = TimeSpan.seconds(300)

    /// Goes on with the span of an earlier process.
    func resumeCoverage(_ stored: StoredCoverage?, at now: Instant) {
        coverageBegan = now
        if let stored { coverage = CoverageLog(resuming: stored, at: now) }
    }

    /// Tells of the span of coverage that lasts where that is due, and of those that had to wait for the disk. To be called about once a
    /// minute, and as often as one likes.
    ///
    /// - Throws: as `dispatch`.
    package func tellCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        coverage.advance(to: now)
        let isDue = coverage.due != .distantFuture && now >= seen + Self.seenInterval
        guard outbox.canNumber(.spans), isDue || !coverage.ended.isEmpty else { return [] }
        return try commit([], coverage, seenAt: now, timebase)
    }

    /// The process ends: so does the span.
    ///
    /// - Throws: as `dispatch`.
    package func endCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        var coverage = coverage
        coverage.note(.stopped, at: now)
        guard coverage.due != .distantFuture, outbox.canNumber(.spans) else { return [] }
        return try commit([], coverage, seenAt: now, timebase)
    }

    /// - Parameters:
    ///   - coverage: as it is before `outputs`.
    ///   - seenAt: a time at which the process is known to run, to be stored.
    private func commit(
        _ outputs: [GatewayOutput], _ coverage: CoverageLog, seenAt: Instant?, _ timebase: Timebase
    ) throws(OutboxError) -> [Dispatched] {
        // The transaction may be written again for another numbering; only what was written last counts.
        var draft = TransactionDraft(outbox.numbering, timebase, abandoned, coverage, place, entities)
        let transaction = try outbox.commit { numbering in
            draft = TransactionDraft(numbering, timebase, abandoned, coverage, place, entities)
            if numbering.epoch != epoch { writer.ledger.beginEpoch() }
            writer.write(outputs, records, kept, into: &draft)
            cover(seenAt, isChanged: draft.coverage != coverage, into: &draft)
            kept.spare(in: &draft.transaction)
            return draft.transaction
        }
        eventCount += Int64(transaction.messages.count { $0.number.series == .events })
        abandoned = draft.abandoned
        self.coverage = draft.coverage
        place = draft.place
        entities = draft.entities
        seen = max(seen, draft.seen)
        records.note(transaction)
        epoch = outbox.numbering.epoch
        if draft.dispatched.contains(where: \.isUnlistedState) { outbox.setValue([], forKey: Self.searchedKey) }
        return draft.dispatched
    }

    /// Where spans can't be numbered now, nothing of them is stored either: what was stored last is still true.
    private func cover(_ seenAt: Instant?, isChanged: Bool, into draft: inout TransactionDraft) {
        guard outbox.canNumber(.spans), isChanged || seenAt != nil || !draft.coverage.ended.isEmpty else { return }
        writer.cover(since: coverageBegan, seenAt: seenAt, into: &draft)
    }

    /// The birth message, or the goodbye and will, as of the outbox's present epoch.
    package func status(
        isOnline: Bool, radio: MessageComposer.RadioStatus, at now: Instant, _ timebase: Timebase
    ) -> Message {
        writer.radio = radio
        return composer.status(
            isOnline: isOnline, epoch: outbox.numbering.epoch, radio: radio, location: place.status, at: now, timebase)
    }

    /// What a status says of the place.
    var locationStatus: LocationStatus? { place.status }

    /// What to publish anew since another epoch began: states that name the one before.
    func statesOfNewEpoch(_ timebase: Timebase) -> [Message] {
        if outbox.numbering.epoch != epoch {
            epoch = outbox.numbering.epoch
            writer.ledger.beginEpoch()
        }
        return writer.ledger.takeOutdatedStates(epoch: epoch, timebase)
    }

    /// Makes a new secret for pseudonyms where the day is another one than that of the last, and forgets the old one: of the store's
    /// secret where the gateway has that. It is
    /// on the disk before anything is named by it.
    package func renewPseudonymKey(at time: WallTime, random: () -> [UInt8]) {
        guard !PseudonymKey.serves(pseudonymKey, at: time) || (siteKey != nil && !isKeyShared) else { return }
        isKeyShared = siteKey != nil
        pseudonymKey =
            siteKey.flatMap { PseudonymKey.make(siteKey: $0, at: time) }
            ?? PseudonymKey.make(random: random(), at: time)
        outbox.replaceSecret(pseudonymKey, forKey: StoredState.pseudonymKeyName)
        writer.composer.replacePseudonymKey(pseudonymKey)
    }

    private static let searchedKey = "searched"

    /// Whether it was looked in this epoch for states at the broker that nobody knows any more.
    var hasSearched: Bool { outbox.value(forKey: Self.searchedKey) == Array(outbox.numbering.epoch.utf8) }

    func noteSearched() {
        outbox.setValue(Array(outbox.numbering.epoch.utf8), forKey: Self.searchedKey)
    }

    /// States the loss of events that had no number yet: they get the next ones, which will never come.
    ///
    /// - Throws: as `dispatch`.
    func stateLoss(_ count: Int64) throws(OutboxError) {
        try outbox.commit { _ in OutboxTransaction(lostEvents: count) }
    }

    /// What there is to do after each round of delivery.
    ///
    /// - Parameter clearedTopics: what the broker has cleared; what is stored of their regions goes.
    /// - Throws: as `dispatch`.
    package func tidy(clearedTopics: [String]) throws(OutboxError) {
        let keys = abandoned.takeKeys(clearedTopics: clearedTopics).filter { !kept.has($0) }
        if !keys.isEmpty { records.note(try outbox.commit { _ in OutboxTransaction(removedRecords: keys) }) }
        if !unstoredKeys.isEmpty {
            let told = unstoredKeys.map { OutboxRecord(key: $0, value: []) }
            records.note(try outbox.commit { _ in OutboxTransaction(records: told) })
            unstoredKeys = []
        }
        try storeAgain()
    }

    /// Stores everything again if the outbox has had to begin a new file: what stood in the old one may be lost.
    private func storeAgain() throws(OutboxError) {
        let generation = outbox.fileGeneration
        guard generation != fileGeneration else { return }
        fileGeneration = generation
        outbox.setValue(pseudonymKey, forKey: StoredState.pseudonymKeyName)
        let records = records.all
        try outbox.commit { _ in OutboxTransaction(records: records) }
    }
}

extension Dispatcher.Dispatched {
    fileprivate var isUnlistedState: Bool { if case .unlistedState = content { true } else { false } }
}
