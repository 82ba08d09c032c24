import Core

/// Commits the engine's outputs to the outbox before any of them is published, and keeps a copy of the outbox's
/// records.
///
/// One thread owns it, like the outbox.
package final class Dispatcher {
    /// A message to publish or a line to log, with its time.
    package struct Dispatched {
        package enum Content {
            /// A message; its delivery says how it goes out. A durable one is in the outbox.
            case message(Message)
            /// For the log.
            case failure(RegionMonitoringFailure)
            case notice(RegionMonitoringNotice)
            case entityLimit(EntityLimit)
            /// A retained state to clear that has no record: it has to be searched at the broker.
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
    package var integrations: Integrations? { writer.integrations }
    private var writer: TransactionWriter
    private var records: RecordTable
    /// The records that only another version may change.
    private let kept: KeptRecords
    private var published: Published
    private var secret: DaySecret
    private var epoch: String
    private var fileGeneration: Int
    /// Events committed since the start.
    package private(set) var eventCount: Int64 = 0

    /// State that earlier messages leave for later ones. It changes when a transaction is committed.
    struct Published {
        var retained: RetainedTopics
        var coverage: PublishedCoverage
        /// The status's part about the place; `nil` where the configuration has no `[location]`.
        var place: LocationStatus?
        var entities: PublishedEntities
    }

    /// - Parameters:
    ///   - integrations: `nil` where neither Home Assistant nor OwnTracks is configured.
    ///   - location: the status's part about the place at the start.
    ///   - takesSettings: whether it reports the outcome of settings over MQTT.
    ///   - listsBeacons: whether it publishes lists of beacons.
    ///   - learns: whether it publishes learned offsets.
    ///   - now: the time at which this process takes over coverage.
    package init(
        _ composer: MessageComposer, outbox: Outbox, stored: StoredState, integrations: Integrations? = nil,
        location: LocationStatus? = nil, takesSettings: Bool = false, listsBeacons: Bool = false,
        learns: Bool = false, siteKey: [UInt8]? = nil, bootID: String?, at now: Instant = .origin
    ) {
        let epoch = outbox.numbering.epoch
        let lastSeq = stored.regions.map { ($0.record.instance, $0.eventSeq(in: epoch)) }
        let records = RecordTable(stored.records)
        self.outbox = outbox
        self.epoch = epoch
        self.records = records
        writer = TransactionWriter(
            composer: composer,
            ledger: EventLedger(composer, lastSeq: Dictionary(lastSeq, uniquingKeysWith: { first, _ in first })),
            bootID: bootID, integrations: integrations)
        kept = stored.kept
        secret = DaySecret(stored.pseudonymKey, siteKey: siteKey)
        fileGeneration = outbox.fileGeneration
        // The broker must not keep a place that is not published any more; one that is published goes on.
        let includesPlace = composer.includesPlace && (location.map { $0.availability != .off } ?? false)
        let held = stored.heldInstances
        let entities = PublishedEntities(integrations, earlier: held) { records.has($0) }
        let known = held.filter { entities.mayPublish($0) }
        var wanted = integrations?.topics(holding: known, includesPlace: includesPlace) ?? []
        if includesPlace { wanted.insert(composer.topics.topic(.gateway(.location))) }
        if takesSettings { wanted.insert(composer.topics.topic(.gateway(.settings))) }
        if listsBeacons { wanted.formUnion(records.pages(of: .beacons, under: composer.topics)) }
        if composer.topics.gateway == SiteSettings.gatewayID { wanted.formUnion(composer.topics.retainedOfStore) }
        if !learns { wanted.remove(composer.topics.topic(.gateway(.learned))) }
        var coverage = PublishedCoverage()
        coverage.resume(stored.coverage, at: now)
        published = Published(
            retained: RetainedTopics(stored, wanted: wanted, under: composer.topics), coverage: coverage,
            place: location, entities: entities)
    }

    /// Messages that clear what earlier processes have retained at the broker. They go before any state of this
    /// process, because a gateway that gets a former name back may publish the same regions again.
    var clearances: [Message] { published.retained.own.map(composer.cleared) }

    /// Messages that clear the topics of this machine's previous site and gateway id.
    var formerClearances: [Message] { published.retained.former.map(composer.cleared) }

    /// Returns the messages that the broker keeps permanently, outside the gateway's own topics.
    ///
    /// - Throws: what `dispatch` throws.
    func introduce(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        guard let introduction = integrations?.introduction, !introduction.isEmpty else { return [] }
        return try commit(seenAt: nil, timebase) { writer, records, draft in
            for message in introduction { writer.retain(message, at: now, records, into: &draft) }
        }
    }

    /// Commits the durable part of the outputs in one transaction, and returns what to publish.
    ///
    /// - Throws: `OutboxError.misnumbered`. That would be a fault of this function, since the numbers come from the
    /// outbox.
    func dispatch(_ outputs: [GatewayOutput], _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        if outputs.isEmpty { return [] }
        return try commit(seenAt: nil, timebase) { [kept] writer, records, draft in
            writer.write(outputs, records, kept, into: &draft)
        }
    }

    /// - Parameters:
    ///   - seenAt: a time at which the process is known to run, to be stored.
    ///   - write: adds the messages and records to the draft.
    private func commit(
        seenAt: Instant?, _ timebase: Timebase,
        _ write: (inout TransactionWriter, RecordTable, inout TransactionDraft) -> Void
    ) throws(OutboxError) -> [Dispatched] {
        // The transaction may be written again for another numbering; only the last one counts.
        var draft = TransactionDraft(numbering: outbox.numbering, timebase: timebase, published: published)
        let transaction = try outbox.commit { numbering in
            draft = TransactionDraft(numbering: numbering, timebase: timebase, published: published)
            if numbering.epoch != epoch { writer.ledger.beginEpoch() }
            write(&writer, records, &draft)
            cover(seenAt, isChanged: draft.published.coverage.log != published.coverage.log, into: &draft)
            kept.spare(in: &draft.transaction)
            return draft.transaction
        }
        eventCount += Int64(transaction.messages.count { $0.number.series == .events })
        published = draft.published
        records.record(transaction)
        epoch = outbox.numbering.epoch
        if draft.dispatched.contains(where: \.isUnlistedState) { outbox.setValue([], forKey: Self.searchedKey) }
        return draft.dispatched
    }

    /// The birth message, or the goodbye and will, with the outbox's present epoch.
    package func status(
        isOnline: Bool, radio: MessageComposer.RadioStatus, at now: Instant, _ timebase: Timebase
    ) -> Message {
        writer.radio = radio
        return composer.status(
            isOnline: isOnline, epoch: outbox.numbering.epoch, radio: radio, location: published.place, at: now,
            timebase)
    }

    /// The status's part about the place.
    var locationStatus: LocationStatus? { published.place }

    /// The states to publish again after a new epoch began, because they name the former one.
    func statesOfNewEpoch(_ timebase: Timebase) -> [Message] {
        if outbox.numbering.epoch != epoch {
            epoch = outbox.numbering.epoch
            writer.ledger.beginEpoch()
        }
        return writer.ledger.takeOutdatedStates(epoch: epoch, timebase)
    }

    /// Makes a new secret for pseudonyms where the last one is not that day's, and forgets the old one. The secret is
    /// on the disk before it names anything.
    package func renewPseudonymKey(at time: WallTime, random: () -> [UInt8]) {
        guard secret.renew(at: time, random: random) else { return }
        outbox.replaceSecret(secret.key, forKey: StoredState.pseudonymKeyName)
        writer.composer.replacePseudonymKey(secret.key)
    }

    /// True if a store's secret is configured, from which the day's secret is made.
    package var hasSiteKey: Bool { secret.siteKey != nil }

    private static let searchedKey = "searched"

    /// True if the broker was searched in this epoch for states that this gateway does not know.
    var hasSearched: Bool { outbox.value(forKey: Self.searchedKey) == Array(outbox.numbering.epoch.utf8) }

    func recordSearch() { outbox.setValue(Array(outbox.numbering.epoch.utf8), forKey: Self.searchedKey) }

    /// Reports the loss of events that had no number yet: they get the next numbers, which will never come.
    ///
    /// - Throws: what `dispatch` throws.
    func stateLoss(_ count: Int64) throws(OutboxError) {
        try outbox.commit { _ in OutboxTransaction(lostEvents: count) }
    }

    // MARK: Coverage

    /// Tells the present span of coverage where that is due, and earlier spans that had to wait for the disk. Call it
    /// at least once a minute; more often does no harm.
    ///
    /// - Throws: what `dispatch` throws.
    func publishCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        published.coverage.log.advance(to: now)
        guard outbox.canNumber(.spans), published.coverage.isDue(at: now) else { return [] }
        return try commit(seenAt: now, timebase) { _, _, _ in }
    }

    /// Ends the span with the process.
    ///
    /// - Throws: what `dispatch` throws.
    func endCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        var ended = published.coverage.log
        ended.record(.stopped, at: now)
        guard ended.due != .distantFuture, outbox.canNumber(.spans) else { return [] }
        return try commit(seenAt: now, timebase) { _, _, draft in draft.published.coverage.log = ended }
    }

    /// Numbers and stores the spans that have ended. Where spans can't be numbered now, the last record is still true.
    private func cover(_ seenAt: Instant?, isChanged: Bool, into draft: inout TransactionDraft) {
        let hasUpdate = isChanged || seenAt != nil || !draft.published.coverage.log.ended.isEmpty
        if outbox.canNumber(.spans), hasUpdate { writer.cover(seenAt: seenAt, into: &draft) }
    }

    // MARK: Tidying

    /// Removes the records that delivery has made superfluous, and stores everything again where the file is new. Call
    /// it after each delivery.
    ///
    /// - Parameter clearedTopics: topics that the broker has cleared; the records of their regions are removed.
    /// - Throws: what `dispatch` throws.
    package func tidy(clearedTopics: [String]) throws(OutboxError) {
        let keys = published.retained.takeKeys(clearedTopics: clearedTopics).filter { !kept.has($0) }
        if !keys.isEmpty { records.record(try outbox.commit { _ in OutboxTransaction(removedRecords: keys) }) }
        try storeAgain()
    }

    /// Stores everything again if the outbox had to begin a new file: the old one's content may be lost.
    private func storeAgain() throws(OutboxError) {
        let generation = outbox.fileGeneration
        guard generation != fileGeneration else { return }
        fileGeneration = generation
        outbox.setValue(secret.key, forKey: StoredState.pseudonymKeyName)
        let records = records.all
        try outbox.commit { _ in OutboxTransaction(records: records) }
    }
}

extension Dispatcher.Dispatched {
    fileprivate var isUnlistedState: Bool { if case .unlistedState = content { true } else { false } }
}

/// The secret from which a day's pseudonyms are made. It comes from the store's secret where a file of the
/// configuration holds that.
struct DaySecret {
    private(set) var key: [UInt8]
    /// The store's secret, from which the day's is made; `nil` where this gateway has a secret of its own.
    let siteKey: [UInt8]?
    /// True if this process has made the day's secret from the store's.
    private var isShared = false

    init(_ key: [UInt8], siteKey: [UInt8]?) {
        self.key = key
        self.siteKey = siteKey
    }

    /// - Returns: whether the secret has changed.
    mutating func renew(at time: WallTime, random: () -> [UInt8]) -> Bool {
        guard !PseudonymKey.serves(key, at: time) || (siteKey != nil && !isShared) else { return false }
        isShared = siteKey != nil
        key =
            siteKey.flatMap { PseudonymKey.make(siteKey: $0, at: time) }
            ?? PseudonymKey.make(random: random(), at: time)
        return true
    }
}
