import Core

/// Commits what the engine tells to the outbox before anything is said of it, and knows what stands there.
///
/// It belongs to one thread, like the outbox.
package final class Dispatcher {
    /// One thing to say, and when it happened.
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
    package var integrations: Integrations { writer.integrations }
    var writer: TransactionWriter
    private var records: RecordTable
    /// The records that only another version may change.
    private let kept: KeptRecords
    var told: Told
    private var secret: DaySecret
    private var epoch: String
    private var fileGeneration: Int
    /// Events committed since the start.
    package private(set) var eventCount: Int64 = 0

    /// The state that earlier messages have left for later ones. It changes with a transaction that is committed.
    struct Told {
        var retained: RetainedTopics
        var coverage: ToldCoverage
        var place: ToldPlace
        var entities: ToldEntities
    }

    /// - Parameters:
    ///   - integrations: `nil` where neither Home Assistant nor OwnTracks is told.
    ///   - location: what a status says of the place from the start.
    ///   - now: when this process takes coverage up.
    package init(
        _ composer: MessageComposer, outbox: Outbox, stored: StoredState, integrations: Integrations? = nil,
        location: LocationStatus? = nil, siteKey: [UInt8]? = nil, bootID: String?, at now: Instant = .origin
    ) {
        let integrations = integrations ?? Integrations(nothingBeside: composer.topics)
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
        // A place that is told no more does not stay at the broker; one that is told goes on.
        let tellsPlace = composer.tellsPlace && (location.map { $0.availability != .off } ?? false)
        let held = stored.heldInstances
        let entities = ToldEntities(integrations, earlier: held) { records.has($0) }
        var wanted = integrations.topics(holding: held.filter { entities.mayTell($0) }, tellsPlace: tellsPlace)
        if tellsPlace { wanted.insert(composer.topics.topic(.gateway(.location))) }
        if composer.topics.gateway == SiteSettings.gatewayID {
            wanted.insert(composer.topics.topic(.gateway(.today)))
        }
        var coverage = ToldCoverage()
        coverage.resume(stored.coverage, at: now)
        told = Told(
            retained: RetainedTopics(stored, wanted: wanted, under: composer.topics), coverage: coverage,
            place: ToldPlace(stored.records, status: location), entities: entities)
    }

    /// Clears what earlier processes have left at the broker, before any state of this process: a gateway that becomes again what it was may
    /// have more to say of the same regions.
    package var clearances: [Message] { told.retained.own.map(composer.cleared) }

    /// Clears the topics of the gateway that this one was before it was moved.
    package var formerClearances: [Message] { told.retained.former.map(composer.cleared) }

    /// Says what the broker keeps whatever happens, outside the gateway's own topics.
    ///
    /// - Throws: as `dispatch`.
    package func introduce(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        if integrations.introduction.isEmpty { return [] }
        return try commit(seenAt: nil, timebase) { writer, records, draft in
            for message in writer.integrations.introduction { writer.retain(message, at: now, records, into: &draft) }
        }
    }

    /// Commits what belongs on the disk in one transaction, and returns what to publish.
    ///
    /// - Throws: `OutboxError.misnumbered`, which would be a fault of this very function: the numbers are the outbox's.
    package func dispatch(_ outputs: [GatewayOutput], _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        if outputs.isEmpty { return [] }
        return try commit(seenAt: nil, timebase) { [kept] writer, records, draft in
            writer.write(outputs, records, kept, into: &draft)
        }
    }

    /// - Parameters:
    ///   - seenAt: a time at which the process is known to run, to be stored.
    ///   - write: puts into the draft what is to be said and stored.
    func commit(
        seenAt: Instant?, _ timebase: Timebase,
        _ write: (inout TransactionWriter, RecordTable, inout TransactionDraft) -> Void
    ) throws(OutboxError) -> [Dispatched] {
        // The transaction may be written again for another numbering; only what was written last counts.
        var draft = TransactionDraft(outbox.numbering, timebase, told)
        let transaction = try outbox.commit { numbering in
            draft = TransactionDraft(numbering, timebase, told)
            if numbering.epoch != epoch { writer.ledger.beginEpoch() }
            write(&writer, records, &draft)
            cover(seenAt, isChanged: draft.told.coverage.log != told.coverage.log, into: &draft)
            kept.spare(in: &draft.transaction)
            return draft.transaction
        }
        eventCount += Int64(transaction.messages.count { $0.number.series == .events })
        told = draft.told
        records.note(transaction)
        epoch = outbox.numbering.epoch
        if draft.dispatched.contains(where: \.isUnlistedState) { outbox.setValue([], forKey: Self.searchedKey) }
        return draft.dispatched
    }

    /// The birth message, or the goodbye and will, as of the outbox's present epoch.
    package func status(
        isOnline: Bool, radio: MessageComposer.RadioStatus, at now: Instant, _ timebase: Timebase
    ) -> Message {
        writer.radio = radio
        return composer.status(
            isOnline: isOnline, epoch: outbox.numbering.epoch, radio: radio, location: told.place.status, at: now,
            timebase)
    }

    /// The part of a status about the place.
    var locationStatus: LocationStatus? { told.place.status }

    /// The states to publish anew since another epoch began, because they name the one before.
    func statesOfNewEpoch(_ timebase: Timebase) -> [Message] {
        if outbox.numbering.epoch != epoch {
            epoch = outbox.numbering.epoch
            writer.ledger.beginEpoch()
        }
        return writer.ledger.takeOutdatedStates(epoch: epoch, timebase)
    }

    /// Makes a new secret for pseudonyms where the last one is not that day's, and forgets the old one. The secret is on the disk before
    /// anything is named by it.
    package func renewPseudonymKey(at time: WallTime, random: () -> [UInt8]) {
        guard secret.renew(at: time, random: random) else { return }
        outbox.replaceSecret(secret.key, forKey: StoredState.pseudonymKeyName)
        writer.composer.replacePseudonymKey(secret.key)
    }

    /// A store's secret is configured, and the day's is made of it.
    package var hasSiteKey: Bool { secret.siteKey != nil }

    private static let searchedKey = "searched"

    /// The broker was searched in this epoch for states that this gateway does not know.
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

    /// Removes the records that delivery has made superfluous, and stores everything again where the file is new. To be called after each
    /// delivery.
    ///
    /// - Parameter clearedTopics: what the broker has cleared; what is stored of their regions goes.
    /// - Throws: as `dispatch`.
    package func tidy(clearedTopics: [String]) throws(OutboxError) {
        let keys = told.retained.takeKeys(clearedTopics: clearedTopics).filter { !kept.has($0) }
        if !keys.isEmpty { records.note(try outbox.commit { _ in OutboxTransaction(removedRecords: keys) }) }
        try storeAgain()
    }

    /// Stores everything again if the outbox has had to begin a new file: what stood in the old one may be lost.
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

/// The secret that a day's pseudonyms are made with. It is the store's where a file of the configuration has that.
struct DaySecret {
    private(set) var key: [UInt8]
    /// The store's secret, which the day's is made of; `nil` where this gateway has one of its own.
    let siteKey: [UInt8]?
    /// This process has made the day's secret of the store's.
    private var isShared = false

    init(_ key: [UInt8], siteKey: [UInt8]?) {
        self.key = key
        self.siteKey = siteKey
    }

    /// - Returns: whether the secret is another one now.
    mutating func renew(at time: WallTime, random: () -> [UInt8]) -> Bool {
        guard !PseudonymKey.serves(key, at: time) || (siteKey != nil && !isShared) else { return false }
        isShared = siteKey != nil
        key =
            siteKey.flatMap { PseudonymKey.make(siteKey: $0, at: time) }
            ?? PseudonymKey.make(random: random(), at: time)
        return true
    }
}
